"""Sequences with one beginning, such as the answers to one question: what they share goes through a network once.

A family stands in a packed row as its shared tokens and, behind them, what each member adds; every token keeps the
position that it has in its own sequence, and sees the shared tokens and those before it of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitmeter.models.causal.hf.rows import Row, segments

__all__ = ["Family", "Layout", "Place", "families", "laid_out"]

Ints = NDArray[np.int64]

#: Shared tokens below which nothing is gained: BOS before a document is no context.
_LEAST = 16


@dataclass(frozen=True, slots=True)
class Family:
    """Sequences that begin alike, by their numbers, and how many tokens they share; 0 for one by itself."""

    members: tuple[int, ...]
    shared: int = 0

    def length(self, inputs: Sequence[Ints]) -> int:
        """The tokens that go through the network."""
        return self.shared + sum(len(inputs[i]) - self.shared for i in self.members)


def families(inputs: Sequence[Ints], firsts: Sequence[int], row: int) -> list[Family]:
    """Neighbours that have the same tokens before what is scored, as many as fit in a row.

    Parameters
    ----------
    inputs
        What goes through the network.
    firsts
        The index of the first scored token of each: what stands before it is its context.
    row
        The tokens of a packed row.

    Examples
    --------
    >>> context = np.arange(20)
    >>> inputs = [np.append(context, [7, 7]), np.append(context, 8), context + 1, context]
    >>> families(inputs, [20, 20, 20, 20], 64)
    [Family(members=(0, 1), shared=20), Family(members=(2,), shared=0), Family(members=(3,), shared=0)]
    """
    found: list[Family] = []
    for number, (ids, first) in enumerate(zip(inputs, firsts, strict=True)):
        if found and first >= _LEAST:
            last = found[-1]
            head = last.members[0]
            grown = Family((*last.members, number), first)
            same = firsts[head] == first and np.array_equal(inputs[head][:first], ids[:first])
            if same and grown.length(inputs) <= row:
                found[-1] = grown
                continue
        found.append(Family((number,)))
    return found


class Place(NamedTuple):
    """Where a sequence stands.

    Attributes
    ----------
    member
        Its number.
    row, begin, shared
        Its row, where the tokens that it shares begin, and how many they are.
    first, end
        Where its own tokens begin and end.
    """

    member: int
    row: int
    begin: int
    shared: int
    first: int
    end: int


@dataclass(frozen=True, slots=True)
class Layout:
    """Rows of families, padded to one length.

    Attributes
    ----------
    ids, positions
        The tokens, and the position of each in its own sequence.
    owner
        Whose a token is: a number for the shared tokens of a family, one for what each member adds; −1 for padding.
    above
        The owner of the shared tokens that it sees too; its own where there are none.
    places
        Where each sequence stands.
    """

    ids: Ints
    positions: Ints
    owner: Ints
    above: Ints
    places: tuple[Place, ...]

    @property
    def trunks(self) -> dict[tuple[int, int], tuple[int, int]]:
        """By the row and the beginning of what a member adds: where the shared tokens begin and end."""
        runs = segments(self.owner)
        spans = {(row, int(self.owner[row, begin])): (begin, end) for row, begin, end in runs}
        return {
            (row, begin): spans[row, int(self.above[row, begin])]
            for row, begin, _ in runs
            if self.above[row, begin] != self.owner[row, begin]
        }


def laid_out(rows: Sequence[Row], groups: Sequence[Family], inputs: Sequence[Ints]) -> Layout:
    """Put families into rows.

    Examples
    --------
    >>> layout = laid_out([Row((0,), (0,), 4)], [Family((0, 1), 2)], [np.array([5, 6, 7]), np.array([5, 6, 8])])
    >>> layout.ids.tolist(), layout.positions.tolist(), layout.owner.tolist(), layout.above.tolist()
    ([[5, 6, 7, 8]], [[0, 1, 2, 2]], [[0, 0, 1, 2]], [[0, 0, 0, 0]])
    """
    shape = (len(rows), max(row.length for row in rows))
    ids, positions = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    owner, above = np.full(shape, -1, dtype=np.int64), np.full(shape, -1, dtype=np.int64)
    places, runs = [], 0
    for k, row in enumerate(rows):
        for number, begin in zip(row.members, row.begins, strict=True):
            family = groups[number]
            trunk, at = runs, begin + family.shared
            if family.shared:
                part = slice(begin, at)
                ids[k, part], positions[k, part] = inputs[family.members[0]][: family.shared], np.arange(family.shared)
                owner[k, part] = above[k, part] = trunk
                runs += 1
            for member in family.members:
                own = inputs[member][family.shared :]
                part = slice(at, at + len(own))
                ids[k, part], positions[k, part] = own, family.shared + np.arange(len(own))
                owner[k, part], above[k, part] = runs, trunk if family.shared else runs
                places.append(Place(member, k, begin, family.shared, at, at + len(own)))
                at += len(own)
                runs += 1
    return Layout(ids, positions, owner, above, tuple(places))
