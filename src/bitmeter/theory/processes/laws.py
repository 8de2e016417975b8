"""Do two processes have the same law? Decided on finitely many words, by linear algebra."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bitmeter._util.arrays import Floats

#: Probabilities that agree to this are the same; beyond this many dimensions the search is given up.
_TOLERANCE = 1e-9
_DIMENSIONS = 512


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """A process as vectors: `start` sums to one, and advance(u)[s] is what is left of u once symbol s was seen."""

    start: Floats
    advance: Callable[[Floats], Floats]


@dataclass(frozen=True, slots=True)
class Difference:
    """A word that two processes give different probabilities."""

    word: tuple[int, ...]
    first: float
    second: float


def mix(parts: list[tuple[float, Linear]]) -> Linear:
    """The mixture of several processes over one alphabet."""
    ends = np.cumsum([0] + [len(part.start) for _, part in parts])
    spans = list(pairwise(ends.tolist()))

    def advance(u: Floats) -> Floats:
        return np.concatenate(
            [part.advance(u[low:high]) for (low, high), (_, part) in zip(spans, parts, strict=True)], axis=1
        )

    return Linear(np.concatenate([weight * part.start for weight, part in parts]), advance)


def shifted(process: Linear) -> Linear:
    """The process seen from its second symbol on."""
    return Linear(process.advance(process.start).sum(axis=0), process.advance)


def difference(first: Linear, second: Linear) -> Difference | None:
    """A word whose probabilities differ, or None where the two laws are the same.

    The vectors that words lead to span a space of at most as many dimensions as both processes have states, so words
    need only be followed while they lead to a new direction (Tzeng's test of equivalence).
    """
    cut = len(first.start)
    basis = np.empty((0, cut + len(second.start)))
    queue: deque[tuple[Floats, tuple[int, ...], float]] = deque()
    queue.append((np.concatenate((first.start, second.start)), (), 1.0))
    while queue:
        vector, word, scale = queue.popleft()
        after = np.concatenate((first.advance(vector[:cut]), second.advance(vector[cut:])), axis=1)
        for symbol, found in enumerate(after):
            one, two = float(found[:cut].sum()), float(found[cut:].sum())
            if abs(one - two) > _TOLERANCE * max(one, two, _TOLERANCE):
                return Difference((*word, symbol), one * scale, two * scale)
            size = float(np.linalg.norm(found))
            if size == 0.0:
                continue
            unit = found / size
            rest = unit - basis.T @ (basis @ unit)
            rest -= basis.T @ (basis @ rest)
            left = float(np.linalg.norm(rest))
            if left > _TOLERANCE and len(basis) < _DIMENSIONS:
                basis = np.vstack((basis, rest / left))
                queue.append((unit, (*word, symbol), scale * size))
    return None


__all__ = ["Difference", "Linear", "difference", "mix", "shifted"]
