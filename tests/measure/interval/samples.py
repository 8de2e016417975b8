"""Made-up clusters, and helpers to check their intervals."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bitmeter._util.arrays import Floats
from bitmeter.measure.interval.base import Interval

COSTS = arrays(np.float64, st.integers(6, 40), elements=st.floats(0.0, 1e6))


def documents(rng: np.random.Generator, number: int, spread: float = 1.0) -> tuple[Floats, Floats]:
    """Costs and sizes: log-normal lengths, an effect of each document, and noise within; 2 bits per byte on average."""
    sizes = np.ceil(2000 * np.exp(spread * rng.standard_normal(number)))
    costs = sizes * (2.0 + 0.1 * rng.standard_normal(number)) + np.sqrt(4.0 * sizes) * rng.standard_normal(number)
    return costs, sizes


def figures(interval: Interval) -> tuple[float, float, float, float]:
    assert interval.low is not None
    assert interval.high is not None
    assert interval.standard_error is not None
    return interval.low, interval.high, interval.estimate, interval.standard_error


def within(hits: int, runs: int, low: float, high: float) -> bool:
    """Whether a coverage in [low, high] could have given so many hits, within four standard errors."""
    return low - 4 * math.sqrt(low * (1 - low) / runs) <= hits / runs <= high + 4 * math.sqrt(high * (1 - high) / runs)
