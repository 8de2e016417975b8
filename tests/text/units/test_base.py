"""Units: every byte in one unit, the same units block by block, the ids that are documented."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import regex
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bitmeter.errors import BitmeterError, ChoiceError, InputError, InputTypeError, RangeError
from bitmeter.text.blocks import split_corpus
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.base import BLANK, UNKNOWN, Split, Units
from bitmeter.text.units.named import units_of
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.unicode import Graphemes, Sentences, UnicodeWords
from bitmeter.text.units.words import Words
from tests.text.strategies import texts

EVERY = [
    Bytes(), Characters(), Graphemes(), Words(), Words("lmplz"), Words("srilm"), Words(vocabulary=["to", "be,", "né"]),
    UnicodeWords(), UnicodeWords(vocabulary=["to", "be", ","]), Sentences(),
]  # fmt: skip


def name_of(units: Units) -> str:
    return units.name


def check_shape(split: Split, data: bytes, documents: int) -> None:
    assert split.cuts.dtype == split.bounds.dtype == np.int64
    assert split.cuts[0] == 0
    assert split.cuts[-1] == len(data)
    assert len(split.cuts) == len(split.ids) + 1 == len(split) + 1
    assert split.bounds[0] == 0
    assert split.bounds[-1] == len(split.ids)
    assert len(split.bounds) == documents + 1
    assert (np.diff(split.cuts) > 0).all()
    assert (np.diff(split.bounds) >= 0).all()
    assert b"".join(split.pieces(data)) == data


@pytest.mark.parametrize("units", EVERY, ids=name_of)
@given(data=texts(), places=st.lists(st.integers(0, 60), max_size=4))
@settings(max_examples=60)
def test_units_partition_the_bytes_and_respect_documents(units: Units, data: bytes, places: list[int]) -> None:
    ends = sorted(min(place, len(data)) for place in places)
    split = units.split(data, ends)
    unfinished = (ends[-1] if ends else 0) < len(data)
    check_shape(split, data, len(ends) + unfinished)
    # Each document is split as if it stood alone.
    borders = [0, *ends] + [len(data)] * unfinished
    for j, (start, stop) in enumerate(pairwise(borders)):
        alone = units.split(data[start:stop])
        inside = slice(split.bounds[j], split.bounds[j + 1])
        assert split.ids[inside].tolist() == alone.ids.tolist()
        assert (split.cuts[inside] - start).tolist() == alone.cuts[:-1].tolist()


@pytest.mark.parametrize("units", EVERY, ids=name_of)
@given(data=texts(), size=st.sampled_from([1, 2, 3, 5, 16]))
@example(data="ab\u0301".encode(), size=1)
@example(data=b"can't", size=1)
@example(data="a。\u201d b".encode(), size=1)
@settings(max_examples=120)
def test_block_by_block_is_as_all_at_once(units: Units, data: bytes, size: int) -> None:
    at_once = units.split(data)
    pieces: list[bytes] = []
    ids: list[int] = []
    parts = list(split_corpus(Corpus.from_text(data), units, size))
    for part in parts:
        pieces += part.split.pieces(part.data)
        ids += part.split.ids.tolist()
    assert pieces == at_once.pieces(data)
    assert ids == at_once.ids.tolist()
    assert [part.continues for part in parts] == [False, *(part.unfinished for part in parts[:-1])]
    assert not parts[-1].unfinished
    assert sum(len(part.ends) for part in parts) == 1


@pytest.mark.parametrize("units", EVERY, ids=name_of)
@given(documents=st.lists(texts(20), max_size=5), size=st.sampled_from([1, 3, 8, 64]))
@settings(max_examples=40)
def test_streams_of_documents(units: Units, documents: list[bytes], size: int) -> None:
    expected = [units.split(document).ids.tolist() for document in documents]
    found: list[list[int]] = []
    offset = 0
    for part in split_corpus(Corpus.from_documents(documents), units, size):
        assert part.offset == offset
        offset += len(part.data)
        for j in range(len(part.split.bounds) - 1):
            ids = part.split.ids[part.split.bounds[j] : part.split.bounds[j + 1]].tolist()
            if j == 0 and part.continues:
                found[-1] += ids
            else:
                found.append(ids)
    assert found == expected


def test_a_unit_longer_than_many_blocks_takes_linear_time() -> None:
    data = b"x" * (1 << 20)
    parts = list(split_corpus(Corpus.from_text(data), Words(), 64))  # 16,384 blocks; a quadratic way would copy 8 GB
    assert [len(part.split) for part in parts] == [1]


@pytest.mark.parametrize("units", EVERY, ids=name_of)
def test_edges(units: Units) -> None:
    assert units.split(b"").bounds.tolist() == [0, 0]
    assert units.split(b"", []).bounds.tolist() == [0]
    assert units.split(b"", [0, 0]).bounds.tolist() == [0, 0, 0]
    assert units.cut(b"") == 0
    assert len(units.split(b"x")) == 1
    with_newline = units.split(b"a b\n").pieces(b"a b\n")
    assert b"".join(with_newline) == b"a b\n"


# ---- characters ------------------------------------------------------------------------------------------------------


@given(texts())
def test_characters_are_what_python_decodes(data: bytes) -> None:
    split = Characters().split(data)
    text = data.decode("utf-8", "surrogateescape")
    # Python's own decoder is the reference; an escaped byte b is U+DC00 + b there and 0x110000 + b here.
    expected = [ord(c) - 0xDC00 + 0x110000 if 0xDC80 <= ord(c) <= 0xDCFF else ord(c) for c in text]
    assert split.ids.tolist() == expected
    assert Characters().join(split.ids) == data
    assert Bytes().join(Bytes().split(data).ids) == data


def test_a_byte_order_mark_is_a_character_and_part_of_the_first_word() -> None:
    data = b"\xef\xbb\xbfto be"
    assert Characters().split(data).ids[0] == 0xFEFF
    assert Words().split(data).pieces(data) == [b"\xef\xbb\xbfto ", b"be"]


# ---- words -----------------------------------------------------------------------------------------------------------


@given(texts())
def test_ascii_words_are_those_of_bytes_split(data: bytes) -> None:
    words = Words()
    split = words.split(data)
    starts, stops = words.own(data, split)
    own = [data[a:b] for a, b in zip(starts.tolist(), stops.tolist(), strict=True)]
    expected = data.split()
    assert own == (expected or [b""] * bool(data))
    assert (split.ids == BLANK).tolist() == [word == b"" for word in own]
    # A word's id depends on the word alone.
    for word, number in zip(own, split.ids.tolist(), strict=True):
        if word:
            assert Words().split(word).ids.tolist() == [number]


@pytest.mark.parametrize("habit", sorted(SEPARATORS))
@given(data=st.text(alphabet="ab\0\t\n\v\f\r ", max_size=30).map(str.encode))
@settings(max_examples=30)
def test_each_habit_has_its_separators(habit: str, data: bytes) -> None:
    words = Words(habit)
    starts, stops = words.own(data, words.split(data))
    found = [data[a:b] for a, b in zip(starts, stops, strict=True) if b > a]
    assert found == [word for word in re.split(b"[" + re.escape(SEPARATORS[habit]) + b"]+", data) if word]


def test_white_space_goes_with_the_word_before_it() -> None:
    data = b" \tto  be\r\n"
    assert Words().split(data).pieces(data) == [b" \tto  ", b"be\r\n"]
    assert Words().split(b" \n").ids.tolist() == [BLANK]
    assert Words().split(b"a\n\nb", [2, 3]).ids.tolist()[1] == BLANK


def test_a_vocabulary_numbers_words() -> None:
    words = Words(vocabulary=["to", b"be", "né"])
    assert words.vocabulary_size == 3
    assert words.split("be to né or be".encode()).ids.tolist() == [1, 0, 2, UNKNOWN, 1]
    assert Words().vocabulary_size is None
    assert Words(vocabulary=[]).split(b"a b").ids.tolist() == [UNKNOWN, UNKNOWN]
    with pytest.raises(InputError, match=r"vocabulary\[2\] is b'to', which is in it already"):
        Words(vocabulary=["to", "be", "to"])


def test_hashes_are_the_same_on_every_machine() -> None:
    # From this version's own output, so that a change of the hash is noticed: it changes what is saved.
    assert Words().split(b"to be or").ids.tolist() == HASHES


HASHES = [7067100361472422418, 5769132600766292580, 7264475861366793913]


# ---- Unicode ---------------------------------------------------------------------------------------------------------


@given(texts())
def test_graphemes_are_those_of_regex(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    expected = [cluster.encode("utf-8", "surrogateescape") for cluster in regex.findall(r"\X", text)]
    assert Graphemes().split(data).pieces(data) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The rules of UAX #29 in the order of their numbers, from its text.
        ("\r\n\u0308a", ["\r\n\u0308", "a"]),  # WB3, 3a; the mark begins a segment of its own, and takes no letter
        ("a\u200d🛑", ["a\u200d🛑"]),  # WB3c
        ("can't", ["can't"]),  # WB6, 7
        ("can'", ["can", "'"]),
        ("e.g. x", ["e.g", ". ", "x"]),
        ("ש'", ["ש'"]),  # WB7a
        ('ש"ש', ['ש"ש']),  # WB7b, c
        ('a"a', ["a", '"', "a"]),
        ("3a 4", ["3a ", "4"]),  # WB8 to 10
        ("3.14 1,000.5", ["3.14 ", "1,000.5"]),  # WB11, 12
        ("3.a", ["3", ".", "a"]),
        ("カタ日", ["カタ", "日"]),  # WB13
        ("foo_bar _カ", ["foo_bar ", "_カ"]),  # WB13a, b
        ("🇫🇷🇩🇪🇷é", ["🇫🇷", "🇩🇪", "🇷", "é"]),  # WB15, 16
        ("  a\u3000 b", ["  a\u3000 ", "b"]),  # white space goes with the unit before it
    ],
)
def test_unicode_words(text: str, expected: list[str]) -> None:
    data = text.encode()
    assert [piece.decode() for piece in UnicodeWords().split(data).pieces(data)] == expected


def test_unicode_word_ids_leave_white_space_out() -> None:
    split = UnicodeWords().split(b" one two  one")
    assert split.ids[0] == split.ids[2] != split.ids[1]
    assert split.ids[0] == Words().split(b"one").ids[0]
    assert UnicodeWords().split("\u3000\n".encode()).ids.tolist() == [BLANK]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three?\nFour", ["One. ", "Two! ", "Three?\n", "Four"]),
        ('He said "no." Then left.', ['He said "no." ', "Then left."]),
        ("3.14 is pi. e.g. this", ["3.14 is pi. ", "e.g. ", "this"]),
        ("A title\n\nText", ["A title\n\n", "Text"]),
        ("本当？はい。「そう。」終", ["本当？", "はい。", "「そう。」", "終"]),
        ("Wait... what?!  So…  yes", ["Wait... ", "what?!  ", "So…  ", "yes"]),
        ("«Да.» Нет.", ["«Да.» ", "Нет."]),
        ("no end", ["no end"]),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    data = text.encode()
    assert [piece.decode() for piece in Sentences().split(data).pieces(data)] == expected


def test_a_page_of_dots_takes_linear_time() -> None:
    assert len(Sentences().split(b"." * 300_000 + b"x")) == 1


# ---- names and errors ------------------------------------------------------------------------------------------------


def test_names_and_fingerprints() -> None:
    for units in EVERY:
        if "@" not in units.fingerprint:
            assert units_of(units.name) == units
            assert units_of(units) is units
    prints = [units.fingerprint for units in EVERY]
    assert len(set(prints)) == len(prints)
    assert Words("kenlm") == Words("ascii")  # the same bytes separate
    assert hash(Words("kenlm")) == hash(Words())
    assert Words(vocabulary=["ab", "c"]).fingerprint != Words(vocabulary=["a", "bc"]).fingerprint
    assert Words() != "words"


BAD: list[tuple[Any, type[BitmeterError]]] = [
    (lambda: units_of("letters"), ChoiceError),
    (lambda: units_of("words:python"), ChoiceError),
    (lambda: units_of("tokenizer:"), ChoiceError),
    (lambda: units_of(None), ChoiceError),  # type: ignore[arg-type]
    (lambda: Words("latin"), ChoiceError),
    (lambda: Words(vocabulary="to be"), InputTypeError),
    (lambda: Words(vocabulary=[1]), InputTypeError),  # type: ignore[list-item]
    (lambda: Words(vocabulary=5), InputTypeError),  # type: ignore[arg-type]
    (lambda: Bytes().split("text"), InputTypeError),  # type: ignore[arg-type]
    (lambda: Bytes().cut(None), InputTypeError),  # type: ignore[arg-type]
    (lambda: Bytes().split(b"abc", [2, 1]), RangeError),
    (lambda: Bytes().split(b"abc", [4]), RangeError),
    (lambda: Bytes().split(b"abc", [-1]), RangeError),
    (lambda: Bytes().split(b"abc", [1.5]), InputTypeError),
    (lambda: Bytes().split(b"abc", "x"), InputTypeError),
    (lambda: Bytes().split(b"abc", [[1], [2, 3]]), InputTypeError),
    (lambda: Bytes().split(b"abc", [[1]]), InputError),
    (lambda: Bytes().join([256]), RangeError),
    (lambda: Bytes().join(["a"]), InputTypeError),  # type: ignore[list-item]
    (lambda: Characters().join([-1]), RangeError),
    (lambda: Words().own(b"abc", Words().split(b"ab")), InputTypeError),
    (lambda: Words().own(b"abc", None), InputTypeError),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "kind"), BAD)
def test_errors(call: Any, kind: type[BitmeterError]) -> None:
    with pytest.raises(kind):
        call()
