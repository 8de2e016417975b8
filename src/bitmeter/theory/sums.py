"""The sums behind every measure, over the last axis: one pass of the core checks and adds at once.

In bits, where the powers of two of textbooks come out exact. A row within the tolerance of one is taken as the
distribution p/Σp, so that the identities hold exactly and counts need no division first:
H = log S − (Σ p log p)/S with S = Σ p.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util import check
from bitmeter._util.arrays import Floats, Ints
from bitmeter.errors import RangeError, ShapeError

Rows = Floats | NDArray[np.float32]


def entropy(values: Rows, name: str, *, normalise: bool) -> Floats:
    """H of each row."""
    total, sums = _checked(_core.row_entropy, values, name, normalise=normalise)
    return np.maximum(np.log2(sums) - total / sums, 0.0)


def varentropy(values: Rows, name: str, *, normalise: bool) -> Floats:
    """The variance of −log2 p under p, of each row."""
    total, sums = _checked(_core.row_entropy, values, name, normalise=normalise)
    spread = _core.row_variance(_rows(values), np.ascontiguousarray((total / sums).ravel()))[0]
    return _shaped(spread, values) / sums


def cross_entropy(p: Rows, q: Rows, *, normalise: bool) -> Floats:
    """H(p, q) of each row; inf where p > 0 = q."""
    value, sum_p, sum_q = _checked_pair(_core.row_cross, p, q, normalise=normalise)
    return np.log2(sum_q) - value / sum_p + 0.0


def divergence(p: Rows, q: Rows, *, normalise: bool) -> Floats:
    """D(p‖q) of each row; inf where p > 0 = q."""
    value, sum_p, sum_q = _checked_pair(_core.row_divergence, p, q, normalise=normalise)
    # By Gibbs' inequality a result below zero can only be rounding.
    return np.maximum(value / sum_p - np.log2(sum_p) + np.log2(sum_q), 0.0)


def total(values: Any) -> float:
    """Compensated sum of any finite numbers."""
    row = np.ascontiguousarray(values, dtype=np.float64).reshape(1, -1)
    return float(_core.row_sums(row)[0][0]) if row.size else 0.0


def pair(p: Any, q: Any, *, normalise: bool = False, names: tuple[str, str] = ("p", "q")) -> tuple[Rows, Rows]:
    """Two arrays of one shape and one kind of float; a single row of q serves a whole batch of p, and the reverse."""
    first = check.rows(p, names[0], normalise=normalise)
    second = check.rows(q, names[1], normalise=normalise)
    if first.shape[-1] != second.shape[-1] or (first.shape != second.shape and 1 not in (first.ndim, second.ndim)):
        message = (
            f"{names[0]} has shape {first.shape} and {names[1]} has shape {second.shape}; they must be over the same "
            "events: the same shape, or one of them a single row"
        )
        raise ShapeError(message)
    if first.dtype != second.dtype:
        # As doubles, floats of single precision would no longer be held to their own tolerance.
        first, second = (
            value if value.dtype == np.float64 or normalise else check.probabilities(value, name)
            for value, name in zip((first, second), names, strict=True)
        )
        first, second = first.astype(np.float64, copy=False), second.astype(np.float64, copy=False)
    if first.shape != second.shape:
        shape = np.broadcast_shapes(first.shape, second.shape)
        first = np.ascontiguousarray(np.broadcast_to(first, shape))
        second = np.ascontiguousarray(np.broadcast_to(second, shape))
    return first, second


def _rows(values: Rows) -> Any:
    return values.reshape(-1, values.shape[-1])


def _shaped(result: Floats, values: Rows) -> Floats:
    return result.reshape(values.shape[:-1])


def _checked(kernel: Any, values: Rows, name: str, *, normalise: bool) -> tuple[Floats, Floats]:
    value, sums, _, bad, _, _ = kernel(_rows(values))
    _raise_first_bad(values, bad, name)
    check.check_sums(sums, values.shape, name, normalise=normalise, within=check.tolerance(values))
    return _shaped(value, values), _shaped(sums, values)


def _checked_pair(kernel: Any, p: Rows, q: Rows, *, normalise: bool) -> tuple[Floats, Floats, Floats]:
    value, sum_p, sum_q, bad_p, bad_q, _ = kernel(_rows(p), _rows(q))
    for values, bad, sums, name in ((p, bad_p, sum_p, "p"), (q, bad_q, sum_q, "q")):
        _raise_first_bad(values, bad, name)
        check.check_sums(sums, values.shape, name, normalise=normalise, within=check.tolerance(values))
    return _shaped(value, p), _shaped(sum_p, p), _shaped(sum_q, q)


def _raise_first_bad(values: Rows, bad: Ints, name: str) -> None:
    if (bad >= 0).any():
        row = int(np.argmax(bad >= 0))
        check.raise_bad_entry(values, check.unravel(values.shape, row, int(bad[row])), name)


def plain(bits: Floats, scale: float) -> float | Floats:
    """A float for one row, an array for a batch, scaled from bits to the unit asked for."""
    scaled = bits * scale
    return float(scaled) if scaled.ndim == 0 else scaled


def power(bits: float) -> float:
    """The perplexity of so many bits. What a double cannot hold is refused, because inf means impossible."""
    if 1024.0 <= bits < math.inf:
        message = f"the perplexity is 2^{bits:.1f}, more than a double can hold; use the cross-entropy instead"
        raise RangeError(message, value=bits)
    return float(2.0**bits)
