"""Arrays of per-cluster sums: reading them, and the standard error of their ratio."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bitmeter._util import check
from bitmeter._util.check import Floats
from bitmeter.errors import EmptyError, NegativeError, NotFiniteError, RangeError, ShapeError
from bitmeter.theory.sums import total

#: Fewer batches than this show nothing of how neighbours are correlated.
LEAST_CORRELATED = 8
#: Sums larger than this, and sizes that are smaller than its inverse or larger, are not measurements but mistakes.
LARGEST = 1e100


def read(numerators: Any, denominators: Any, name: str = "numerators") -> tuple[Floats, Floats]:
    """Costs (finite, or inf) and sizes (finite, not negative, not all zero) of the same clusters."""
    x = _one_axis(numerators, name)
    n = _one_axis(denominators, "denominators")
    if x.shape != n.shape:
        message = f"{name} has {x.size} clusters and denominators {n.size}; each cluster needs both"
        raise ShapeError(message)
    wrong = ~(np.isfinite(x) | (x == np.inf))
    if wrong.any():
        at = int(np.argmax(wrong))
        message = f"{name}[{at}] is {x[at]}; the cost of a cluster is a number, or inf where something was impossible"
        raise NotFiniteError(message, index=at, value=float(x[at]))
    _within_measure(x[np.isfinite(x)], name, least=0.0)
    if not np.isfinite(n).all():
        at = int(np.argmin(np.isfinite(n)))
        message = f"denominators[{at}] is {n[at]}; the size of a cluster is a finite number"
        raise NotFiniteError(message, index=at, value=float(n[at]))
    if (n < 0.0).any():
        at = int(np.argmax(n < 0.0))
        message = f"denominators[{at}] is {n[at]}; the size of a cluster cannot be negative"
        raise NegativeError(message, index=at, value=float(n[at]))
    _within_measure(n, "denominators", least=1.0 / LARGEST)
    if not (n > 0.0).any():
        message = f"all {n.size} clusters are empty (their denominators are 0); there is nothing to divide by"
        raise EmptyError(message)
    return x, n


def _one_axis(value: Any, name: str) -> Floats:
    values = check.array(value, name)
    if values.ndim != 1:
        message = f"{name} has shape {values.shape}; it must have one axis, one entry a cluster"
        raise ShapeError(message)
    return np.asarray(values, dtype=np.float64)


def _within_measure(values: Floats, name: str, *, least: float) -> None:
    sizes = np.abs(values)
    wrong = (sizes > LARGEST) | ((sizes > 0.0) & (sizes < least))
    if wrong.any():
        found = float(values[int(np.argmax(wrong))])
        message = f"{name} holds {found:g}, which cannot be the measure of a text; look for a mistake in the units"
        raise RangeError(message, value=found)


def read_confidence(value: Any) -> float:
    """A share between 0 and 1, for which 95 is often written."""
    level = check.real(value, "confidence")
    if not 1e-6 <= level <= 1.0 - 1e-9:
        hint = f"; for {level:g} % write {level / 100:g}" if 1.0 < level < 100.0 else ""
        message = f"confidence is {level:g}; it must lie between 0 and 1{hint}"
        raise RangeError(message, value=level)
    return level


def read_clip(value: Any) -> float:
    """A positive number."""
    return check.real(value, "clip", low=1.0 / LARGEST, high=LARGEST)


def effective(n: Floats) -> float:
    """How many clusters of one size would vary as much as these: (Σn)²/Σn²."""
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


def batches(stretches: int, length: int) -> int:
    """How many batches there are; the last may be shorter than the others."""
    return -(-stretches // length)


def batched_error(residuals: Floats, n: Floats, length: int) -> tuple[float, float]:
    """The standard error from batches of some length, widened for what correlation is left between neighbours."""
    starts = np.arange(0, residuals.size, length)
    sums = np.add.reduceat(residuals, starts)
    error, degrees = standard_error(sums, np.add.reduceat(n, starts))
    number, largest = sums.size, float(np.abs(sums).max())
    if number < LEAST_CORRELATED or largest == 0.0:
        return error, degrees
    sums = sums / largest
    correlation = float(np.dot(sums[1:], sums[:-1]) / np.dot(sums, sums))
    # A sample's first autocorrelation falls short of the true r by about (1 + 3r)/k; this takes it back.
    correlation = min(max((number * correlation + 1.0) / (number - 3.0), 0.0), 0.9)
    inflation = (1.0 + correlation) / (1.0 - correlation)
    return error * math.sqrt(inflation), max(degrees / inflation, min(degrees, 2.0))
