"""Sums beside the totals: equality and joining."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bitmeter.measure.aggregates import BlockSums
from tests.measure.made import documents_of, windows_of


def test_equal_if_all_arrays_are() -> None:
    first, same = documents_of([1.0, 2.0], [1, 2]), documents_of([1.0, 2.0], [1, 2])
    assert first == same
    assert hash(first) == hash(same)
    assert first != replace(same, words=np.array([1, 9]))
    assert first != "documents"
    block = BlockSums(64, np.array([1.0]), np.array([64]))
    assert block != replace(block, size=128)


def test_joined_documents_are_in_order() -> None:
    joined = documents_of([1.0, 2.0], [1, 2]).joined(documents_of([3.0], [3]))
    assert len(joined) == 3
    assert joined == documents_of([1.0, 2.0, 3.0], [1, 2, 3])
    assert joined.sizes is None
    assert joined.documents.tolist() == [1, 1, 1]


def test_groups_keep_their_sizes_when_joined() -> None:
    grouped = replace(documents_of([4.0], [4]), sizes=np.array([2]))
    assert grouped.joined(documents_of([1.0], [1])).documents.tolist() == [2, 1]
    assert documents_of([1.0], [1]).joined(grouped).documents.tolist() == [1, 2]


def test_joined_windows_are_in_order() -> None:
    first, second = windows_of([[1.0, 2.0]], [1]), windows_of([[3.0]], [0])
    joined = first.joined(second)
    assert joined == windows_of([[1.0, 2.0], [3.0]], [1, 0])
    assert joined.squares.tolist() == [5.0, 9.0]
    assert bool(windows_of([], []))  # no windows are not the same as unknown windows
