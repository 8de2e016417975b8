"""Checks the arrays of costs and sizes, one entry per cluster, and the parameters of tests."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bitmeter._util import check
from bitmeter._util.arrays import Floats
from bitmeter.errors import EmptyError, NegativeError, NotFiniteError, RangeError, ShapeError
from bitmeter.measure.interval.base import LARGEST


def read(numerators: ArrayLike, denominators: ArrayLike, name: str = "numerators") -> tuple[Floats, Floats]:
    """Check costs (finite, or inf) and sizes (finite, not negative, not all zero) of the same clusters."""
    x = _one_axis(numerators, name)
    n = _one_axis(denominators, "denominators")
    if x.shape != n.shape:
        message = f"{name} has {x.size} clusters and denominators {n.size}; each cluster needs both"
        raise ShapeError(message)
    wrong = ~(np.isfinite(x) | (x == np.inf))
    if wrong.any():
        at = int(np.argmax(wrong))
        message = f"{name}[{at}] is {x[at]}; the cost of a cluster is a number, or inf if something was impossible"
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


def _one_axis(value: ArrayLike, name: str) -> Floats:
    values = check.array(value, name)
    if values.ndim != 1:
        message = f"{name} has shape {values.shape}; it must have one axis, with one entry per cluster"
        raise ShapeError(message)
    return np.asarray(values, dtype=np.float64)


def _within_measure(values: Floats, name: str, *, least: float) -> None:
    sizes = np.abs(values)
    wrong = (sizes > LARGEST) | ((sizes > 0.0) & (sizes < least))
    if wrong.any():
        found = float(values[int(np.argmax(wrong))])
        message = f"{name} holds {found:g}, which cannot be the measure of a text; look for a mistake in the units"
        raise RangeError(message, value=found)


def read_confidence(value: object) -> float:
    """Check a confidence level; suggests 0.95 for 95."""
    level = check.real(value, "confidence")
    if not 1e-6 <= level <= 1.0 - 1e-9:
        hint = f"; for {level:g} % write {level / 100:g}" if 1.0 < level < 100.0 else ""
        message = f"confidence is {level:g}; it must lie between 0 and 1{hint}"
        raise RangeError(message, value=level)
    return level


def read_clip(value: object) -> float:
    """Check the largest difference that counts."""
    return check.real(value, "clip", low=1.0 / LARGEST, high=LARGEST)
