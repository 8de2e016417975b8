"""The signature: parse∘format is the identity, and what must agree is said in words."""

from __future__ import annotations

import functools
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import errors
from bitmeter.measure.signature import (
    MAY_DIFFER,
    MUST_AGREE,
    Signature,
    covers_all_texts,
    differences,
    joined_text,
    units_value,
)
from bitmeter.text.units.base import Units
from bitmeter.text.units.words import Words

KEYS = [field.name for field in fields(Signature) if field.name != "schema"]


@given(st.dictionaries(st.sampled_from(KEYS), st.text()))
def test_parse_after_format_is_the_identity(values: dict[str, str]) -> None:
    signature = Signature(**values)
    line = str(signature)
    assert Signature.parse(line) == signature
    assert "\n" not in line
    assert "\r" not in line
    assert str(Signature.parse(line)) == line


@given(st.dictionaries(st.sampled_from(KEYS), st.text()), st.dictionaries(st.sampled_from(KEYS), st.text()))
def test_other_content_gives_another_line_and_short_form(a: dict[str, str], b: dict[str, str]) -> None:
    first, second = Signature(**a), Signature(**b)
    assert (str(first) == str(second)) == (first == second)
    assert (first.short == second.short) == (first == second)


def test_every_key_either_must_agree_or_may_differ() -> None:
    assert set(MUST_AGREE) | set(MAY_DIFFER) == {field.name for field in fields(Signature)}
    assert not set(MUST_AGREE) & set(MAY_DIFFER)


@pytest.mark.parametrize("key", KEYS)
def test_a_difference_is_found_and_weighed(key: str) -> None:
    (found,) = differences(Signature(), Signature(**{key: "something else"}))
    assert found.key == key
    assert found.decisive == (key in MUST_AGREE)
    assert "something else" in str(found)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "nonsense",
        "schema:1|colour:red",
        "schema:1|text:a|text:b",
        "schema:2|text:a",
        "text:a",
        "schema:1|text:a:b",
        "schema:1|text:\\x",
        "schema:1|text:\\",
    ],
)
def test_what_is_no_signature_is_refused(line: str) -> None:
    with pytest.raises(errors.SignatureError):
        Signature.parse(line)


def test_types_are_checked() -> None:
    with pytest.raises(errors.InputTypeError):
        Signature(text=3)  # type: ignore[arg-type]
    with pytest.raises(errors.InputTypeError):
        Signature.parse(None)
    with pytest.raises(errors.InputTypeError):
        differences(Signature(), "schema:1")


@pytest.mark.parametrize(
    ("units", "oov", "covers"),
    [
        ("bytes/bytes/1", "none", True), ("chars/1", "none", True), ("tokenizer:words/1", "none", True),
        ("whole text", "none", True), ("words/1", "none", False), ("words:srilm/1", "none", False),
        ("unicode-words/1", "none", False), ("graphemes/1", "none", False), ("sentences/1", "none", False),
        ("unjoined:morphs/1", "none", False), ("words/1", "spelled", True), ("chars/1", "spelled", True),
        ("chars/1", "class", False), ("words/1", "skipped", False),
    ],
)  # fmt: skip
def test_what_covers_all_texts(units: str, oov: str, *, covers: bool) -> None:
    assert covers_all_texts(Signature(units=units, oov=oov)) == covers


@pytest.mark.parametrize(
    ("first", "second", "decisive"),
    [
        (("bytes/1", "none"), ("chars/1", "none"), []),
        (("bytes/1", "none"), ("words/1", "spelled"), []),
        (("bytes/1", "none"), ("words/1", "none"), ["units"]),
        (("words/1", "none"), ("words/2", "none"), []),
        (("words/1", "class"), ("words:srilm/2", "class"), []),
        (("words/1", "none"), ("unicode-words/1", "none"), ["units"]),
        (("unjoined:morphs/1", "none"), ("unjoined:roots/1", "none"), ["units"]),
        (("words/1", "none"), ("words/1", "spelled"), ["oov"]),
        (("bytes/1", "none"), ("words/1", "class"), ["oov", "units"]),
    ],
)
def test_a_distribution_over_texts_is_compared_with_no_other(
    first: tuple[str, str], second: tuple[str, str], decisive: list[str]
) -> None:
    one, two = (Signature(units=units, oov=oov) for units, oov in (first, second))
    for a, b in ((one, two), (two, one)):
        found = differences(a, b)
        assert [d.key for d in found if d.decisive] == decisive
        assert [d.decisive for d in found] == sorted((d.decisive for d in found), reverse=True)


def test_units_of_another_package_that_do_not_join_are_marked() -> None:
    class Morphs(Words):
        def __init__(self) -> None:
            super().__init__()
            self.name = "morphs"

    assert units_value(Morphs()) == "unjoined:morphs/words/1"
    assert units_value(Words()) == "words/words/1"
    assert isinstance(Morphs(), Units)


def test_units_of_one_owner_are_not_of_one_kind() -> None:
    """The name of units may have slashes; all of it says which they are."""
    first = Signature(units="unjoined:org/one/own/1@0123")
    assert [d.decisive for d in differences(first, first.but(units="unjoined:org/two/own/1@4567"))] == [True]


def test_the_text_of_a_sum_does_not_grow() -> None:
    """A thousand parts have a value as long as two; what was written before, with all hashes, means the same."""
    parts = [bm.score("uniform", f"{number}\n".encode(), docs="line") for number in range(12)]
    total = functools.reduce(lambda one, two: one + two, parts)
    assert len(total.signature.text) < len((parts[0] + parts[1]).signature.text) + 8
    assert total.signature.text.endswith(f".12.{total.bytes}")
    nested = (parts[0] + (parts[1] + parts[2])).signature
    assert nested == (parts[0] + parts[1] + parts[2]).signature
    assert nested != (parts[0] + parts[2] + parts[1]).signature
    before = parts[0].signature.but(text="+".join(part.signature.text for part in parts[:2]))
    assert joined_text(before, parts[2].signature)[0] == nested.text
    assert bm.Score.from_json(total.to_json()) == total
