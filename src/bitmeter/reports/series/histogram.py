"""How many units cost how much."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bitmeter._util.arrays import Floats

__all__ = ["Histogram", "histogram"]

BINS = 24
#: The share of units that lie beyond the last bin's lower edge, at most.
_TAIL = 0.002


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts in bins of one width, the same for all models; the last bin has all that lies beyond."""

    #: Lower edges of the bins, in bits, and the upper edge of the last but for what lies beyond it.
    edges: tuple[float, ...]
    #: One row per model.
    counts: tuple[tuple[int, ...], ...]
    #: Of each model: the mean of those that are finite, and the number of those that are not.
    means: tuple[float, ...]
    infinite: tuple[int, ...]


def histogram(costs: Sequence[Floats], bins: int = BINS) -> Histogram:
    """Bits of units under one or more models, counted in common bins whose width is a round number.

    Examples
    --------
    >>> found = histogram([np.array([0.5, 1.5, 1.75, np.inf])], bins=4)
    >>> found.edges, found.counts, found.means, found.infinite
    ((0.0, 0.5, 1.0, 1.5, 2.0), ((0, 1, 0, 2),), (1.25,), (1,))
    """
    finite = [np.asarray(values[np.isfinite(values)]) for values in costs]
    every = np.concatenate(finite) if finite else np.zeros(0)
    high = float(np.quantile(every, 1.0 - _TAIL)) if len(every) else 0.0
    width = _round_up(max(high, 1e-9) / bins)
    number = max(1, min(bins, math.ceil(high / width - 1e-9)))
    edges = width * np.arange(number + 1)
    counts = []
    for values in finite:
        index = np.clip(np.floor(values / width), 0, number - 1).astype(np.int64)
        counts.append(tuple(np.bincount(index, minlength=number).tolist()))
    return Histogram(
        tuple(edges.tolist()),
        tuple(counts),
        tuple(float(values.mean()) if len(values) else 0.0 for values in finite),
        tuple(len(values) - len(some) for values, some in zip(costs, finite, strict=True)),
    )


def _round_up(least: float) -> float:
    """The smallest of 1, 2, 2.5 or 5 times a power of ten that is not below `least`."""
    scale = 10.0 ** math.floor(math.log10(least))
    return next(step * scale for step in (1.0, 2.0, 2.5, 5.0, 10.0) if step * scale >= least * (1.0 - 1e-9))
