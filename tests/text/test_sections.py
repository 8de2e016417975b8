"""Sections of a text: by heading, by blank lines, by a pattern; wherever the text is cut."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter import errors
from bitmeter.text import sections
from bitmeter.text.sections import Sections, line_pattern

WIKI = b" \n = One = \n \n text of one \n \n = = Part = = \n \n more \n \n = Two ( II ) = \n \n text of two \n"
BOOK = b"A Book\n\n\nCHAPTER I\n\nIt begins.\n\n\n\nCHAPTER II\n\nIt ends.\nCHAPTER III is not one\n"
READ = b"# First\n\ntext\n# no heading without a blank line before\n\n# Second\ntext\n\n## Below\n\ntext\n"


def found(text: bytes, cuts: list[int] | None = None, pattern: re.Pattern[bytes] | None = None) -> Sections:
    result = Sections(pattern)
    begin = 0
    for cut in [*sorted(cuts or []), len(text)]:
        result.add(text[begin:cut])
        begin = cut
    result.finish()
    return result


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (WIKI, [b" = One = ", b" = Two ( II ) = "]),
        (BOOK, [b"CHAPTER I", b"CHAPTER II"]),
        (READ, [b"# First", b"# Second"]),
        (b"ACT I", [b"ACT I"]),
        (b"Network Working Group\n\nRequest for Comments: 20\n", [b"Request for Comments: 20"]),
        (b"a = b = c\n\nx = 1 = 2\n", []),
        (b"", []),
    ],
)
def test_headings(text: bytes, titles: list[bytes]) -> None:
    assert [text[at:].partition(b"\n")[0] for at in found(text).headings().tolist()] == titles


def test_sections_between_blank_lines() -> None:
    assert [BOOK[at:].partition(b"\n")[0] for at in found(BOOK).blanks().tolist()] == [b"CHAPTER I", b"CHAPTER II"]


def test_a_way_of_writing_headings_must_occur_often_enough() -> None:
    assert len(found(WIKI).headings(2)) == 2
    assert len(found(WIKI).headings(3)) == 0


@given(
    st.lists(
        st.sampled_from(
            [
                WIKI,
                BOOK,
                READ,
                b"\n",
                b"\n\n",
                b" \n",
                b" = x = \n",
                b"x" * 1500,
                b"x",
                b" " * 1020,
                b"CHAPTER I",
                b"\r",
            ]
        ),
        max_size=8,
    ),
    st.data(),
)
@settings(deadline=None)
def test_where_the_text_is_cut_does_not_matter(parts: list[bytes], data: st.DataObject) -> None:
    text = b"".join(parts)
    cuts = data.draw(st.lists(st.integers(0, len(text)), max_size=20))
    patterns = map(line_pattern, ("^(CHAPTER|text)", "CHAPTER I$", r"CHAPTER I(?!\s)", r"^\s*x", r"\ACHAPTER", "x$"))
    for sought in (None, *patterns):
        whole, cut = found(text, pattern=sought), found(text, cuts, sought)
        assert cut.headings().tolist() == whole.headings().tolist()
        assert cut.blanks().tolist() == whole.blanks().tolist()


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=6))
@settings(deadline=None)
def test_any_bytes_can_be_searched(text: bytes, cuts: list[int]) -> None:
    offsets = found(text, [min(cut, len(text)) for cut in cuts]).headings().tolist()
    assert offsets == sorted(set(offsets))
    assert all(0 <= at < len(text) for at in offsets)


def test_a_pattern_finds_each_line_once() -> None:
    pattern = line_pattern("e")
    assert found(b"one e\ntwo\nthree\n", pattern=pattern).headings().tolist() == [0, 10]


@pytest.mark.parametrize(("text", "words"), [("(", "not a regular expression"), ("x*", "matches an empty line")])
def test_a_pattern_that_cannot_be_is_refused(text: str, words: str) -> None:
    with pytest.raises(errors.InputError, match=words):
        line_pattern(text)


def test_there_are_not_more_sections_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sections, "MOST", 4)
    text = b"".join(b"# %d\n\n" % i for i in range(20))
    offsets = found(text).headings().tolist()
    assert len(offsets) <= 4
    assert all(text[at:].startswith(b"# ") for at in offsets)


@pytest.mark.parametrize("cut", [0, 1, 500, 1023, 1024, 1025, 1100, 2047])
def test_only_the_begin_of_a_long_line_is_searched(cut: int) -> None:
    text = b"e" + b"." * 1022 + b"f" + b"." * 1000 + b"g\n"
    for letter, offsets in (("e", [0]), ("f", [0]), ("g", [])):
        assert found(text, [cut], line_pattern(letter)).headings().tolist() == offsets
    # A long line of spaces is not blank, wherever it is cut.
    assert found(b" " * 1500 + b"\n# A\n", [cut]).headings().tolist() == []
    assert found(b" " * 1024 + b"\n# A\n", [min(cut, 1024)]).headings().tolist() == [1025]


def test_a_carriage_return_belongs_to_the_end_of_a_line() -> None:
    assert found(b"Chapter 1\r\ntext\r\n", [10], line_pattern("^Chapter [0-9]+$")).headings().tolist() == [0]


def test_a_pattern_sees_one_line_at_a_time() -> None:
    assert found(b"\n\nChapter 1\n", pattern=line_pattern(r"^\s*Chapter")).headings().tolist() == [2]
