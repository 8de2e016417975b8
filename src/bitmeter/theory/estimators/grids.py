"""Prepares real-valued samples for nearest neighbours: numbers near the limits of doubles, and rounded ones.

Distances between rounded values are multiples of their grid, and many neighbours are at the same distance, or at none.
Noise as wide as the grid's cells gives them a density again, which is that of what was rounded, averaged over cells.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from bitmeter._util.arrays import Floats

__all__ = ["SPREAD", "moderate", "spread_grids", "spread_repeats"]

#: What is said of samples that were spread.
SPREAD = ". Values that repeat, as rounded ones do, were spread evenly over the least gap between two values"
#: Beyond these powers of two, distances of samples would overflow or lose digits.
_HIGHEST, _LOWEST = 1000, -900


def moderate(tables: Sequence[Floats]) -> tuple[list[Floats], float]:
    """The tables, all divided by one power of two where distances would overflow or vanish; and its natural logarithm.

    Examples
    --------
    >>> tables, shift = moderate([np.array([[-1.5e308], [1.5e308]])])
    >>> round(float(tables[0][1, 0] - tables[0][0, 0]), 4), round(shift / math.log(2))
    (1.6688, 1024)
    """
    largest = max((float(np.abs(table).max(initial=0.0)) for table in tables), default=0.0)
    power = math.frexp(largest)[1]
    if largest == 0.0 or _LOWEST <= power <= _HIGHEST:
        return list(tables), 0.0
    return [np.ldexp(table, -power) for table in tables], power * math.log(2.0)


def spread_repeats(table: Floats, seed: int) -> Floats:
    """The table with repeated values spread over the least gap between two values of their coordinate.

    Neighbours at equal distances look like dependence; noise within the least gap says nothing about other variables.
    """
    found = table.copy()
    rng = np.random.default_rng(seed)
    for column in found.T:
        kinds = np.unique(column)
        if kinds.size < column.size:
            gap = float(np.diff(kinds).min()) if kinds.size > 1 else 1.0
            column += gap * (rng.random(column.size) - 0.5)
    return found


def spread_grids(tables: Sequence[Floats]) -> tuple[list[Floats], bool]:
    """The tables of one space with rounded coordinates spread over the cells of their grid, and whether there are any.

    A coordinate is rounded if values repeat and all lie on a grid. Values that repeat off a grid are atoms, of which
    there is no density, and stay as they are.
    """
    found = [table.copy() for table in tables]
    rng = np.random.default_rng(0)
    rounded = False
    for number in range(found[0].shape[1]):
        values = np.concatenate([table[:, number] for table in tables])
        kinds = np.unique(values)
        gap = _grid(kinds) if 1 < kinds.size < values.size else 0.0
        if gap:
            rounded = True
            for table in found:
                table[:, number] += gap * (rng.random(len(table)) - 0.5)
    return found, rounded


def _grid(kinds: Floats) -> float:
    """The least gap of ascending values if all gaps are multiples of it up to rounding; else 0."""
    gaps = np.diff(kinds)
    gap = float(gaps.min())
    error = 4.0 * float(np.spacing(np.abs(kinds).max())) / gap
    cells = gaps / gap
    # Of a gap that is hardly wider than rounding, any number is a multiple.
    is_grid = error < 1e-3 and bool((np.abs(cells - np.round(cells)) <= error * (1.0 + cells) + 1e-9).all())
    return gap if is_grid else 0.0
