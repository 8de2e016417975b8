"""Student's t distribution, without importing scipy.special, which takes half a second."""

from __future__ import annotations

import math

#: Above this many degrees of freedom the expansion around the normal distribution is exact to double precision.
_MANY = 2e4
#: Above this many, the continued fraction of the tail loses digits to its argument, which is nearly 1.
_VAST = 1e6
_TINY = 1e-300


def t_quantile(degrees: float, level: float) -> float:
    """The quantile of Student's t distribution at a level above one half.

    Examples
    --------
    >>> round(t_quantile(4, 0.975), 6), round(t_quantile(1, 0.75), 12)
    (2.776445, 1.0)
    """
    from statistics import NormalDist  # slow to import, and not needed for a text without an interval

    z = NormalDist().inv_cdf(level)
    if degrees > _MANY:
        first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
        third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
        return z + (first + (second + third / degrees) / degrees) / degrees
    low, high, t = 0.0, math.inf, max(z, 1e-8)
    for _ in range(200):
        above = t_tail(degrees, t) - (1.0 - level)  # falls with t
        if above > 0.0:
            low = t
        else:
            high = t
        step = t + above / _density(degrees, t)
        if not low < step < high:
            step = 2.0 * t if math.isinf(high) else 0.5 * (low + high)
        if abs(step - t) <= 4e-16 * t:
            return step
        t = step
    return t


def _third(t: float) -> float:
    return (35 * t**7 + 19 * t**5 + t**3 - 15 * t) / 384


def _density(v: float, t: float) -> float:
    scale = _gamma_step(0.5 * v) - 0.5 * math.log(v * math.pi)
    return math.exp(scale - 0.5 * (v + 1.0) * math.log1p(t * t / v))


def t_tail(degrees: float, t: float) -> float:
    """P(T > t) for t ≥ 0: I(v/(v + t²); v/2, 1/2) / 2, by the continued fraction of the incomplete beta function.

    Examples
    --------
    >>> round(t_tail(4, 2.776445), 6), t_tail(3, 0.0)
    (0.025, 0.5)
    """
    v = degrees
    if t * t / v == 0.0:
        return 0.5
    if v > _VAST:
        if t > 40.0:  # less than the least double
            return 0.0
        correction = (t**3 + t) / 4 - ((13 * t**5 + 8 * t**3 + 3 * t) / 96 - _third(t) / v) / v
        return 0.5 * math.erfc((t - correction / v) / math.sqrt(2.0))
    x, y = v / (v + t * t), t * t / (v + t * t)
    a, b = 0.5 * v, 0.5
    front = math.exp(_gamma_step(a) - 0.5 * math.log(math.pi) - a * math.log1p(t * t / v) + b * math.log(y))
    if x < (a + 1.0) / (a + b + 2.0):
        return 0.5 * front * _fraction(a, b, x) / a
    return 0.5 - 0.5 * front * _fraction(b, a, y) / b


def _gamma_step(a: float) -> float:
    """ln Γ(a + 1/2) − ln Γ(a); for large a by its series, since the difference of two large numbers loses digits."""
    if a < 30.0:
        return math.lgamma(a + 0.5) - math.lgamma(a)
    return 0.5 * math.log(a) - (1 / 8 - (1 / 192 - 1 / (640 * a * a)) / (a * a)) / a


def _fraction(a: float, b: float, x: float) -> float:
    """The continued fraction by Lentz's method."""
    c, d = 1.0, 1.0 / _apart(1.0 - (a + b) * x / (a + 1.0))
    result = d
    for m in range(1, 100_000):
        even = m * (b - m) * x / ((a + 2 * m - 1.0) * (a + 2 * m))
        d = 1.0 / _apart(1.0 + even * d)
        c = _apart(1.0 + even / c)
        result *= d * c
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1.0))
        d = 1.0 / _apart(1.0 + odd * d)
        c = _apart(1.0 + odd / c)
        result *= d * c
        if abs(d * c - 1.0) < 3e-16:
            break
    return result


def _apart(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
