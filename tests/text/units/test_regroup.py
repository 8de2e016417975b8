"""Regrouping conserves sums."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter.errors import BitmeterError, ChoiceError, InputTypeError, RangeError, ShapeError
from bitmeter.text.units.base import Units
from bitmeter.text.units.named import units_of
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.regroup import group_of, regroup, within_documents
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
    assert regroup(range(5), b"a bc", "word").sums([math.inf, 1.0, 2.0, 3.0]).tolist() == [math.inf, 6.0]


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
]


@pytest.mark.parametrize(("call", "kind"), BAD)
def test_errors(call: Any, kind: type[BitmeterError]) -> None:
    with pytest.raises(kind):
        call()


def test_blocks_of_bytes_begin_again_with_each_document() -> None:
    found = regroup(range(8), b"abcdefg", 3, [4, 4])
    assert found.cuts.tolist() == [0, 3, 4, 7]
    assert found.sums([1.0] * 7).tolist() == [3.0, 1.0, 3.0]


@given(st.lists(st.sampled_from(["a", "b.", "c", " ", "\n", "\u3000", "\u00a0", "! "]), max_size=12), st.data())
@pytest.mark.parametrize("into", ["word", "unicode-word", "sentence"])
def test_white_space_goes_with_what_is_after_it(into: str, parts: list[str], data: st.DataObject) -> None:
    """By the definition: no group but the last of a document ends in white space, unless it is nothing else."""
    text = "".join(parts)
    raw = text.encode()
    edges = {len(text[:k].encode()) for k in data.draw(st.sets(st.integers(0, len(text)), max_size=3))} | {len(raw)}
    ends = sorted(edge for edge in edges if edge) or [0]
    cuts = regroup(range(len(raw) + 1), raw, into, ends).cuts.tolist()
    assert cuts[0] == 0
    assert cuts[-1] == len(raw)
    assert set(ends) <= {0, *cuts}
    blank = " \n" if into == "word" else " \n\u3000\u00a0"
    for begin, end in pairwise(cuts):
        group = raw[begin:end].decode()
        if end not in ends:
            assert group.strip(blank)
            assert group == group.rstrip(blank)


def test_a_unit_without_bytes_stays_in_its_document() -> None:
    # Documents "a b", "", "c", each with an end; the empty one has a group for its end.
    cuts, bounds, ends = [0, 1, 2, 3, 3, 3, 4, 4], [0, 4, 5, 7], [3, 3, 4]
    found, documents = within_documents(regroup(cuts, b"a bc", "word", ends), cuts, bounds)
    assert documents.tolist() == [0, 0, 1, 2]
    assert found.groups.tolist() == [0, 1, 1, 1, 2, 3, 3]
    assert found.cuts.tolist() == [0, 1, 3, 3, 4]
    assert found.sums([1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]).tolist() == [1.0, 14.0, 16.0, 96.0]
    nothing, none = within_documents(regroup([0], b"", "word", []), [0], [0])
    assert (len(nothing), none.tolist()) == (0, [])
