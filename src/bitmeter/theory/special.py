"""The gamma function's family and the exponential integral, for arrays.

scipy has them all, in 143 MB that take half a second to import: too much for one estimate of an entropy. Its values are
what the tests compare these with.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from bitmeter._util.arrays import Floats

#: From here on the asymptotic series below are exact to double precision; smaller arguments are raised by steps of one.
_LARGE = 12
_HALF_LOG_TWO_PI = 0.5 * math.log(2.0 * math.pi)
#: The Bernoulli numbers B₂, B₄, … B₁₄.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def gammaln(x: Any) -> Floats:
    """ln Γ(x) for x > 0, by Stirling's series.

    Examples
    --------
    >>> gammaln([1, 5, 0.5]).round(12).tolist()
    [0.0, 3.178053830348, 0.572364942925]
    """
    x = np.asarray(x, dtype=np.float64)
    product = np.ones(x.shape)
    raised = x.copy()
    for _ in range(_LARGE):
        small = raised < _LARGE
        product = np.where(small, product * raised, product)
        raised = np.where(small, raised + 1.0, raised)
    coefficients = [b / (2 * k * (2 * k - 1)) for k, b in enumerate(_BERNOULLI, start=1)]
    series = _series(coefficients, 1.0 / (raised * raised)) / raised
    return np.asarray((raised - 0.5) * np.log(raised) - raised + _HALF_LOG_TWO_PI + series - np.log(product))


def digamma(x: Any) -> Floats:
    """ψ(x), the derivative of ln Γ(x), for x > 0.

    Examples
    --------
    >>> digamma([1, 2]).round(12).tolist()
    [-0.577215664902, 0.422784335098]
    """
    x = np.asarray(x, dtype=np.float64)
    below = np.zeros(x.shape)
    raised = x.copy()
    for _ in range(_LARGE):
        small = raised < _LARGE
        below = np.where(small, below + 1.0 / raised, below)
        raised = np.where(small, raised + 1.0, raised)
    square = 1.0 / (raised * raised)
    coefficients = [b / (2 * k) for k, b in enumerate(_BERNOULLI, start=1)]
    return np.asarray(np.log(raised) - 0.5 / raised - _series(coefficients, square) * square - below)


def trigamma(x: Any) -> Floats:
    """ψ₁(x) = Σ 1 / (x + k)², the derivative of ψ(x), for x > 0.

    Examples
    --------
    >>> float(trigamma(1).round(12)) == round(math.pi**2 / 6, 12)
    True
    """
    x = np.asarray(x, dtype=np.float64)
    below = np.zeros(x.shape)
    raised = x.copy()
    for _ in range(_LARGE):
        small = raised < _LARGE
        below = np.where(small, below + 1.0 / (raised * raised), below)
        raised = np.where(small, raised + 1.0, raised)
    square = 1.0 / (raised * raised)
    return np.asarray(1.0 / raised + 0.5 * square + _series(_BERNOULLI, square) * square / raised + below)


def scaled_exp1(x: float) -> float:
    """e^x E₁(x) for x > 0, which neither overflows nor underflows: by its series, or by its continued fraction.

    Examples
    --------
    >>> round(scaled_exp1(1.0) / math.e, 12)
    0.219383934396
    """
    if x <= 1.0:
        term, total = -1.0, 0.0
        for k in range(1, 30):
            term *= -x / k
            total += term / k
        return math.exp(x) * (total - math.log(x) - float(np.euler_gamma))
    # Lentz's method for 1 / (x + 1 − 1 / (x + 3 − 4 / (x + 5 − …))).
    b = x + 1.0
    c, d = 1e300, 1.0 / b
    value = d
    for k in range(1, 1000):
        b += 2.0
        d = 1.0 / (b - k * k * d)
        c = b - k * k / c
        value *= c * d
        if abs(c * d - 1.0) < 3e-16:
            break
    return value


def _series(coefficients: Any, square: Floats) -> Floats:
    """Σ cₖ squareᵏ from k = 0, by Horner's rule."""
    value = np.full(square.shape, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = coefficient + square * value
    return np.asarray(value)
