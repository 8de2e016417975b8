"""Regrouping conserves sums; counting agrees with splitting; tokenizer files keep every byte."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter.errors import BitmeterError, ChoiceError, InputTypeError, RangeError, ShapeError
from bitmeter.text.units.base import BLANK, Units
from bitmeter.text.units.counts import TextCounter, UnitCounts, count_units
from bitmeter.text.units.named import units_of
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.regroup import group_of, regroup
from bitmeter.text.units.words import Words
from tests.text.strategies import texts

COARSE: list[Any] = [
    "byte",
    "char",
    "word",
    "sentence",
    "document",
    "graphemes",
    "unicode-words",
    1,
    3,
    1000,
    Words("srilm"),
]
FINE = [Bytes(), Characters(), units_of("graphemes"), Words()]


@pytest.mark.parametrize("into", COARSE, ids=str)
@given(
    data=texts(), places=st.lists(st.integers(0, 60), max_size=3), fine=st.sampled_from(FINE), seed=st.integers(0, 99)
)
@settings(max_examples=40)
def test_sums_are_conserved(into: Any, data: bytes, places: list[int], fine: Units, seed: int) -> None:
    ends = sorted(min(place, len(data)) for place in places)
    split = fine.split(data, ends)
    values = np.random.default_rng(seed).exponential(5.0, len(split))
    grouping = regroup(split.cuts, data, into, ends)
    sums = grouping.sums(values)
    assert len(sums) == len(grouping)
    assert math.fsum(sums) == pytest.approx(math.fsum(values), rel=1e-15, abs=1e-15)
    # Each fine unit begins inside of its group, and groups ascend.
    starts = split.cuts[:-1]
    assert (grouping.cuts[grouping.groups] <= starts).all()
    assert (starts < grouping.cuts[grouping.groups + 1]).all()
    assert (np.diff(grouping.groups) >= 0).all()


def test_a_unit_across_a_border_belongs_where_it_begins() -> None:
    assert group_of([0, 4, 6, 10], [0, 3, 5, 10]).tolist() == [0, 1, 2]
    assert group_of([0, 2], [0, 1, 2]).tolist() == [0]
    # A unit of no bytes at the end belongs to the last group; a group of no bytes gets nothing.
    assert group_of([0, 2, 2], [0, 1, 1, 2]).tolist() == [0, 2]
    assert group_of([0], [0]).tolist() == []


def test_sums_are_compensated() -> None:
    values = np.array([1e16, 1.0, -1e16] * 1000)
    assert regroup(np.arange(3001), b"x" * 3000, 3000).sums(values).tolist() == [1000.0]


def test_an_infinite_value_stays_in_its_group() -> None:
    assert regroup(range(5), b"a bc", "word").sums([1.0, math.inf, 2.0, 3.0]).tolist() == [math.inf, 5.0]


BAD: list[tuple[Any, type[BitmeterError]]] = [
    (lambda: group_of([1, 2], [0, 2]), RangeError),
    (lambda: group_of([0, 2, 1], [0, 1]), RangeError),
    (lambda: group_of([0, 2], [0, 3]), RangeError),
    (lambda: group_of([], [0]), RangeError),
    (lambda: group_of("ab", [0]), InputTypeError),
    (lambda: group_of([0.5], [0]), InputTypeError),
    (lambda: regroup([0, 1], b"a", "paragraph"), ChoiceError),
    (lambda: regroup([0, 1], b"a", 0), RangeError),
    (lambda: regroup([0, 1], b"a", 1.5), InputTypeError),  # type: ignore[arg-type]
    (lambda: regroup([0, 1], "a", "word"), InputTypeError),  # type: ignore[arg-type]
    (lambda: regroup([0, 1], None, "document"), InputTypeError),  # type: ignore[arg-type]
    (lambda: regroup([0, 1], None, 5), InputTypeError),  # type: ignore[arg-type]
    (lambda: regroup([0, 1], b"a", "word").sums([1.0, 2.0]), ShapeError),
    (lambda: regroup([0, 1], b"a", "word").sums(["x"]), InputTypeError),
    (lambda: count_units("a"), InputTypeError),  # type: ignore[arg-type]
    (lambda: count_units(b"a", [2]), RangeError),
    (lambda: count_units(b"a", separators="x"), ChoiceError),
    (lambda: TextCounter().feed(None, []), InputTypeError),  # type: ignore[arg-type]
    (lambda: TextCounter().feed(b"abc", [9]), RangeError),
]


@pytest.mark.parametrize(("call", "kind"), BAD)
def test_errors(call: Any, kind: type[BitmeterError]) -> None:
    with pytest.raises(kind):
        call()


# ---- counting --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("separators", ["ascii", "lmplz", "srilm"])
@given(documents=st.lists(texts(30), max_size=4), size=st.sampled_from([1, 2, 3, 7, 1000]))
@settings(max_examples=50)
def test_counts_are_those_of_the_splits(separators: str, documents: list[bytes], size: int) -> None:
    data = b"".join(documents)
    ends = np.cumsum([len(document) for document in documents], dtype=np.int64)
    chars, words = Characters(), Words(separators)
    expected = [
        (len(c := chars.split(d)), int((c.ids >= 0x110000).sum()), int((words.split(d).ids != BLANK).sum()))
        for d in documents
    ]
    counter = TextCounter(separators)
    found = [[0, 0, 0]]
    for start in range(0, max(len(data), 1), size):
        last = start + size >= len(data)
        inside = ends[(ends > start) & (ends <= start + size) | ((ends == 0) & (start == 0))] - start
        block = counter.feed(data[start : start + size], inside)
        for row in zip(block.chars.tolist(), block.invalid.tolist(), block.words.tolist(), strict=True):
            found[-1] = [a + b for a, b in zip(found[-1], row, strict=True)]
            found.append([0, 0, 0])
        found.pop() if not last else None
    while found and len(found) > len(documents):
        assert found.pop() == [0, 0, 0]
    assert [tuple(row) for row in found] == expected
    total = counter.finish()
    assert (total.chars, total.invalid, total.words) == tuple(sum(row[i] for row in expected) for i in range(3))
    assert total == count_units(data, ends, separators=separators)
    assert total.bytes == len(data)


def test_an_open_document_is_closed_by_finish() -> None:
    counter = TextCounter()
    counter.feed(b"a \xe2\x82", [])
    assert counter.total == UnitCounts(4, 2, 0, 2)
    assert counter.finish() == UnitCounts(4, 4, 2, 2)
    assert str(counter.total) == "4 bytes, 4 characters (2 bytes are not UTF-8), 2 words"
    assert str(count_units(b"")) == "0 bytes, 0 characters, 0 words"
