"""Rows: every sequence once, within the limits, and batches that are as full as they can be."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter.models.causal.hf.rows import Row, groups, packed_rows, segments

LENGTHS = st.lists(st.integers(1, 30), max_size=40)


@settings(deadline=None, max_examples=60)
@given(LENGTHS, st.integers(1, 40), st.integers(0, 40))
def test_packing_places_each_sequence_once(lengths: list[int], row: int, longest: int) -> None:
    rows = packed_rows(lengths, row, longest)
    assert sorted(i for r in rows for i in r.members) == list(range(len(lengths)))
    for r in rows:
        assert list(r.begins) == np.cumsum([0, *(lengths[i] for i in r.members)])[:-1].tolist()
        assert r.length == sum(lengths[i] for i in r.members)
        assert len(r.members) == 1 or (r.length <= row and max(lengths[i] for i in r.members) <= longest)


@settings(deadline=None, max_examples=60)
@given(LENGTHS, st.integers(1, 40))
def test_no_sequence_has_a_row_of_its_own_while_another_row_has_room(lengths: list[int], row: int) -> None:
    """Any two rows together are longer than one may be: best fit never opens a row without need."""
    rows = [r for r in packed_rows(lengths, row, longest=row) if r.length <= row]
    for one, other in itertools.combinations(rows, 2):
        assert one.length + other.length > row


def test_where_nothing_may_be_packed_each_has_its_own_row() -> None:
    assert [r.members for r in packed_rows([1, 3, 2], 100, longest=0)] == [(1,), (2,), (0,)]
    assert packed_rows([], 100, longest=100) == []


@settings(deadline=None, max_examples=60)
@given(LENGTHS, st.integers(0, 120))
def test_groups_keep_the_order_and_the_size_of_a_batch(lengths: list[int], batch: int) -> None:
    rows = [Row((i,), (0,), length) for i, length in enumerate(lengths)]
    found = list(groups(rows, batch))
    assert [row for group in found for row in group] == rows
    for group in found:
        assert len(group) == 1 or len(group) * max(row.length for row in group) <= batch
    for group, after in itertools.pairwise(found):  # the next row would not have fitted
        assert (len(group) + 1) * max(row.length for row in [*group, after[0]]) > batch


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.integers(1, 6), min_size=1, max_size=6), min_size=1, max_size=4))
def test_segments_are_all_of_every_row_and_end_where_the_owner_changes(sizes: list[list[int]]) -> None:
    width = max(map(sum, sizes))
    owner = np.full((len(sizes), width), -1)
    expected = []
    for row, lengths in enumerate(sizes):
        ends = np.cumsum(lengths).tolist()
        for name, (begin, end) in enumerate(itertools.pairwise([0, *ends])):
            owner[row, begin:end] = name
            expected.append((row, begin, end))
        if ends[-1] < width:
            expected.append((row, ends[-1], width))
    assert segments(owner) == expected
