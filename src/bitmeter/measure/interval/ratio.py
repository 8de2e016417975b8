"""The ratio of two sums over clusters: its standard error and Student's interval."""

from __future__ import annotations

import math

import numpy as np

from bitmeter._util.check import Floats
from bitmeter.measure.interval.base import Interval
from bitmeter.theory.student import t_quantile
from bitmeter.theory.sums import total

#: If one cluster outweighs the others so far that they count as fewer than this many, there is no spread to measure.
LEAST_EFFECTIVE = 1.5


def effective(n: Floats) -> float:
    """The number of clusters of equal size that would vary as much as these: (Σn)²/Σn²."""
    shares = n / n.max()
    return float(shares.sum() ** 2 / np.square(shares).sum())


def standard_error(residuals: Floats, n: Floats) -> tuple[float, float]:
    """The standard error of the ratio, and its degrees of freedom."""
    whole = total(n)
    weights = n / whole
    corrections = 1.0 - 2.0 * weights + np.square(weights).sum()
    largest = float(np.abs(residuals).max())
    if largest == 0.0:
        return 0.0, effective(n) - 1.0
    spread = total(np.square(residuals / largest) / corrections)
    return largest / whole * math.sqrt(spread), effective(n) - 1.0


def student_interval(
    estimate: float, error: float, degrees: float, confidence: float, method: str, clusters: int, note: str
) -> Interval:
    """The symmetric interval by Student's t."""
    half = t_quantile(degrees, 0.5 + 0.5 * confidence) * error
    return Interval(estimate - half, estimate + half, estimate, error, confidence, method, clusters, degrees, note)


def infinite_interval(x: Floats, n: Floats, confidence: float, method: str, what: str) -> Interval | None:
    """The result for costs of which some are infinite: an infinite estimate without an interval; None if none are."""
    endless = np.isinf(x)
    if not endless.any():
        return None
    # A difference can also be −inf; differences that are infinite both ways never come here.
    estimate = float(x[np.argmax(endless)])
    note = f"infinite on {int(endless.sum())} of {x.size} {what}"
    return Interval(None, None, estimate, None, confidence, method, used(x, n), None, note)


def used(x: Floats, n: Floats) -> int:
    """The number of clusters that have a size or a cost."""
    return int(np.sum((n > 0.0) | (x != 0.0)))
