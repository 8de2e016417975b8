"""Sequences side by side in rows: which goes where, and which rows go through a network at once."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Row", "groups", "packed_rows", "segments"]


@dataclass(frozen=True, slots=True)
class Row:
    """Sequences that go through the network side by side, by their numbers, and where each begins."""

    members: tuple[int, ...]
    begins: tuple[int, ...]
    length: int


def packed_rows(lengths: Sequence[int], row: int, longest: int) -> list[Row]:
    """Put sequences into rows of at most `row` tokens; one that is longer than `longest` has its own.

    The longest are placed first, each in the fullest row that still has room for it.

    Examples
    --------
    >>> [(r.members, r.length) for r in packed_rows([3, 9, 4, 2], 8, longest=8)]
    [((1,), 9), ((2, 0), 7), ((3,), 2)]
    """
    order = sorted(range(len(lengths)), key=lambda i: -lengths[i])
    rows: list[tuple[list[int], list[int], int]] = []
    by_room: dict[int, list[int]] = {}
    for i in order:
        length = lengths[i]
        room = (
            next((r for r in range(length, row + 1) if by_room.get(r)), None) if length <= min(row, longest) else None
        )
        if room is None:
            rows.append(([i], [0], length))
            place, left = len(rows) - 1, row - length
        else:
            place = by_room[room].pop()
            members, begins, used = rows[place]
            rows[place] = ([*members, i], [*begins, used], used + length)
            left = room - length
        if left > 0 and length <= longest:
            by_room.setdefault(left, []).append(place)
    return [Row(tuple(members), tuple(begins), used) for members, begins, used in rows]


def groups(rows: list[Row], batch: int) -> Iterator[list[Row]]:
    """Rows of like length, as many as fit in a batch when they are padded, at least one."""
    group: list[Row] = []
    for row in rows:
        width = max([row.length, *(r.length for r in group)])
        if group and width * (len(group) + 1) > batch:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def segments(owner: NDArray[np.int64]) -> list[tuple[int, int, int]]:
    """Where in its row each owner's tokens stand side by side: the row, the first of them and the one behind the last.

    Examples
    --------
    >>> segments(np.array([[4, 4, 7], [5, -1, -1]]))
    [(0, 0, 2), (0, 2, 3), (1, 0, 1), (1, 1, 3)]
    """
    found = []
    for row, names in enumerate(owner):
        borders = [0, *(np.flatnonzero(np.diff(names)) + 1).tolist(), len(names)]
        found += [(row, begin, end) for begin, end in itertools.pairwise(borders)]
    return found
