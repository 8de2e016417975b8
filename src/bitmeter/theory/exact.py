"""Probabilities as exact fractions: their logarithms are taken of whole numbers, so that none is too small.

A double holds nothing below 2^−1074; a `Fraction` does, and an event of probability 2^−2000 has 2000 bits.
"""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from bitmeter._util import check
from bitmeter._util.arrays import Floats
from bitmeter.errors import NegativeError, NotNormalisedError, ShapeError

#: One distribution, as fractions that sum to exactly one.
Row = tuple[Fraction, ...]


def is_exact(value: Any) -> bool:
    """Whether a sequence holds fractions, decimals, or whole numbers that doubles do not hold."""
    if isinstance(value, np.ndarray):
        return value.dtype == object and value.ndim > 0 and any(_is_exact_number(item) for item in value.flat)
    return isinstance(value, list | tuple) and any(_is_exact_number(item) for item in value)


def _is_exact_number(value: Any) -> bool:
    return check.is_rational(value) or (isinstance(value, Decimal) and value.is_finite())


def fraction(value: Any, name: str) -> Fraction:
    """A number as a fraction, exactly."""
    if _is_exact_number(value) or (isinstance(value, int) and not isinstance(value, bool)):
        return Fraction(value)
    return Fraction(check.real(value, name))


def row(value: Any, name: str, *, normalise: bool) -> Row:
    """One distribution."""
    if np.ndim(np.asarray(value, dtype=object)) != 1:
        message = f"{name} is a table of exact fractions; give one row at a time"
        raise ShapeError(message)
    found = [fraction(item, f"{name}[{place}]") for place, item in enumerate(value)]
    for place, item in enumerate(found):
        if item < 0:
            message = f"{name}[{place}] is {check.shown(item, str)}; a probability cannot be negative"
            raise NegativeError(message, index=place, value=item)
    total = sum(found, Fraction(0))
    # Fractions are exact, floats beside them are not.
    mixed = any(isinstance(item, float | np.floating) for item in value)
    if total == 0 or not (normalise or total == 1 or (mixed and abs(total - 1) <= check.TOLERANCE)):
        message = f"{name} sums to {check.shown(total, str)}, not to 1; say normalise=True to divide by the sum"
        raise NotNormalisedError(message, value=total)
    return tuple(item / total for item in found)


def bits(p: Fraction) -> float:
    """−log₂ p."""
    if p == 0:
        return math.inf
    gap = 1 - p
    if gap < Fraction(1, 2):
        return -math.log1p(-float(gap)) / math.log(2.0) + 0.0
    return math.log2(p.denominator) - math.log2(p.numerator)


def information(values: Row) -> Floats:
    """−log₂ of each."""
    return np.array([bits(value) for value in values])


def _mean(p: Row, costs: list[float]) -> float:
    terms = [float(mass) * cost for mass, cost in zip(p, costs, strict=True) if mass > 0]
    # A mass below the smallest double still makes an impossible event impossible.
    return (
        math.inf
        if any(mass > 0 and cost == math.inf for mass, cost in zip(p, costs, strict=True))
        else math.fsum(terms)
    )


def entropy(p: Row) -> float:
    """H(p) in bits."""
    return max(0.0, _mean(p, [bits(mass) for mass in p]))


def varentropy(p: Row) -> float:
    """The variance of −log₂ p, in bits²."""
    mean = entropy(p)
    return _mean(p, [(bits(mass) - mean) ** 2 if mass > 0 else 0.0 for mass in p])


def cross_entropy(p: Row, q: Row) -> float:
    """H(p, q) in bits."""
    return _mean(p, [bits(chance) for chance in q])


def divergence(p: Row, q: Row) -> float:
    """D(p‖q) in bits, by the logarithm of each exact ratio: nothing cancels."""
    costs = [_ratio_bits(mass, chance) for mass, chance in zip(p, q, strict=True)]
    return max(0.0, _mean(p, costs))


def _ratio_bits(mass: Fraction, chance: Fraction) -> float:
    if mass == 0:
        return 0.0
    if chance == 0:
        return math.inf
    ratio = mass / chance
    return bits(1 / ratio) if ratio > 1 else -bits(ratio)


def jensen_shannon(p: Row, q: Row) -> float:
    """½ D(p‖m) + ½ D(q‖m) in bits."""
    middle = tuple((a + b) / 2 for a, b in zip(p, q, strict=True))
    return min(1.0, 0.5 * divergence(p, middle) + 0.5 * divergence(q, middle))


def renyi(p: Row, order: float) -> float:
    """The Rényi entropy in bits."""
    logs = np.array([-bits(mass) for mass in p if mass > 0])
    if order == 1.0:
        return entropy(p)
    if order == 0.0:
        return math.log2(logs.size)
    if math.isinf(order):
        return float(-logs.max()) + 0.0
    scaled = order * logs
    top = float(scaled.max())
    return max(0.0, (top + math.log2(math.fsum(np.exp2(scaled - top)))) / (1.0 - order))
