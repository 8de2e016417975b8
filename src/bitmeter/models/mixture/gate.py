"""Weights of a mixture by the history: the softmax of a sum of terms, one for each way to sort histories into kinds.

A table of weights for each combination of kinds has too few units per row as soon as several components sort histories.
A sum of terms has one row per kind of each, and every unit of the held-out text counts for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bitmeter._util.arrays import Floats, Ints

__all__ = ["Gate", "fit_gate"]

#: The Gaussian prior of each term, in nats for one squared: of a kind with few units the terms stay near 0.
PRIOR = 1.0
#: Limited-memory BFGS: pairs of steps that are kept, the gain per unit at which it stops, the most steps.
_KEPT, _SETTLED, _MOST = 12, 2e-7, 400
_ENOUGH, _HALVINGS = 1e-4, 30
#: A component that is of no use on the whole may still be of use after some histories.
_LEAST = 1e-4


@dataclass(frozen=True, slots=True)
class Gate:
    """The weights after each kind of history.

    Attributes
    ----------
    base
        The logarithm of the weight of each component where no term changes it, up to a constant.
    tables
        For each way to sort histories: a row of terms per kind, one per component.
    """

    base: Floats
    tables: tuple[Floats, ...]

    def at(self, kinds: Ints) -> Floats:
        """The weights of each unit, one row per component; `kinds` has one row for each table."""
        total = np.repeat(self.base[:, None], kinds.shape[1], axis=1)
        for table, own in zip(self.tables, kinds, strict=True):
            total += table.T[:, own]
        return _softmax(total)

    def content(self) -> bytes:
        """All numbers, for a fingerprint."""
        return b"gate" + self.base.tobytes() + b"".join(table.tobytes() for table in self.tables)


def fit_gate(logs: Floats, kinds: Ints, bins: list[int], overall: Floats, prior: float = PRIOR) -> tuple[Gate, int]:
    """The gate under which a text is likeliest, up to its prior, and the number of steps.

    Parameters
    ----------
    logs
        ln p of each unit, one row per component.
    kinds
        The kind of each unit's history, one row for each way to sort them.
    bins
        How many kinds each way has.
    overall
        The best weights without a gate, from which it begins.
    """
    possible = np.isfinite(logs.max(axis=0))
    kept, sorts = logs[:, possible], kinds[:, possible]
    order = np.lexsort(sorts)
    sorts = sorts[:, order]
    scaled = np.exp(kept[:, order] - kept[:, order].max(axis=0))
    # Units whose histories are of the same kinds have the same weights.
    first = np.ones(sorts.shape[1], dtype=np.bool_)
    first[1:] = (sorts[:, 1:] != sorts[:, :-1]).any(axis=0)
    starts = np.flatnonzero(first)
    sizes = np.diff(np.append(starts, sorts.shape[1]))
    distinct = sorts[:, starts]
    count, edges = len(logs), np.cumsum([0, *bins])

    def unpacked(x: Floats) -> Gate:
        rows = x.reshape(-1, count)
        tables = tuple(rows[1 + a : 1 + b] for a, b in pairwise(edges))
        return Gate(rows[0], tables)

    def cost(x: Floats) -> tuple[float, Floats]:
        weights = unpacked(x).at(distinct)
        shares = np.repeat(weights, sizes, axis=1)
        shares *= scaled
        totals = shares.sum(axis=0)
        shares /= totals
        excess = np.add.reduceat(shares, starts, axis=1) - weights * sizes
        slope = np.empty((1 + int(edges[-1]), count))
        slope[0] = excess.sum(axis=1)
        for own, at, size in zip(distinct, edges[:-1], bins, strict=True):
            for k in range(count):
                slope[1 + at : 1 + at + size, k] = np.bincount(own, weights=excess[k], minlength=size)
        units = len(totals)
        terms = x[count:]
        found = -float(np.log(totals).sum()) + 0.5 * prior * float(terms @ terms)
        flat = -slope.ravel()
        flat[count:] += prior * terms
        return found / units, flat / units

    begin = np.zeros((1 + int(edges[-1])) * count)
    begin[:count] = np.log(np.maximum(overall, _LEAST))
    best, steps = _minimise(cost, begin)
    return unpacked(best), steps


def _softmax(total: Floats) -> Floats:
    total = np.exp(total - total.max(axis=0))
    total /= total.sum(axis=0)
    return total


def _minimise(cost: Callable[[Floats], tuple[float, Floats]], x: Floats) -> tuple[Floats, int]:
    """Limited-memory BFGS, with a step that is halved until the cost falls by enough."""
    value, slope = cost(x)
    steps: list[tuple[Floats, Floats, float]] = []
    for number in range(1, _MOST + 1):
        way = _direction(slope, steps)
        fall = float(way @ slope)
        if fall >= 0.0:
            steps.clear()
            way, fall = -slope, -float(slope @ slope)
        length = 1.0 if steps else 1.0 / max(1e-12, float(np.abs(slope).max()))
        for _ in range(_HALVINGS):
            there = x + length * way
            found, there_slope = cost(there)
            if found <= value + _ENOUGH * length * fall:
                break
            length *= 0.5
        else:
            return x, number
        moved, turned = there - x, there_slope - slope
        bend = float(moved @ turned)
        if bend > 1e-16:
            steps = [*steps[-_KEPT + 1 :], (moved, turned, bend)]
        gain = value - found
        x, value, slope = there, found, there_slope
        if gain < _SETTLED and number > 1:
            return x, number
    return x, _MOST


def _direction(slope: Floats, steps: list[tuple[Floats, Floats, float]]) -> Floats:
    """Minus the slope times the inverse curvature that the last steps have shown."""
    way = -slope
    scales = []
    for moved, turned, bend in reversed(steps):
        scale = float(moved @ way) / bend
        way = way - scale * turned
        scales.append(scale)
    if steps:
        moved, turned, bend = steps[-1]
        way = way * (bend / float(turned @ turned))
    for (moved, turned, bend), scale in zip(steps, reversed(scales), strict=True):
        way = way + (scale - float(turned @ way) / bend) * moved
    return way
