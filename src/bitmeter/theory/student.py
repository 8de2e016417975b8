"""Student's t distribution, without scipy.special and statistics, which take longer to import than it does."""

from __future__ import annotations

import math

#: Above this many degrees of freedom the expansion around the normal distribution is exact to double precision.
_MANY = 2e4
#: Above this many, the continued fraction of the tail loses digits to its argument, which is nearly 1.
_VAST = 1e6
_TINY = 1e-300
#: Numerator and denominator of the quantile of the normal distribution (Wichura 1988, AS 241): near its centre, further
#: out, and far out.
_CENTRAL = (
    (
        2509.0809287301227,
        33430.57558358813,
        67265.7709270087,
        45921.95393154987,
        13731.69376550946,
        1971.5909503065513,
        133.14166789178438,
        3.3871328727963665,
    ),
    (
        5226.495278852854,
        28729.085735721943,
        39307.89580009271,
        21213.794301586597,
        5394.196021424751,
        687.1870074920579,
        42.31333070160091,
        1.0,
    ),
)
_OUTER = (
    (
        0.0007745450142783414,
        0.022723844989269184,
        0.2417807251774506,
        1.2704582524523684,
        3.6478483247632045,
        5.769497221460691,
        4.630337846156546,
        1.4234371107496835,
    ),
    (
        1.0507500716444169e-09,
        0.0005475938084995345,
        0.015198666563616457,
        0.14810397642748008,
        0.6897673349851,
        1.6763848301838038,
        2.053191626637759,
        1.0,
    ),
)
_FAR = (
    (
        2.0103343992922881e-07,
        2.7115555687434876e-05,
        0.0012426609473880784,
        0.026532189526576124,
        0.29656057182850487,
        1.7848265399172913,
        5.463784911164114,
        6.657904643501103,
    ),
    (
        2.0442631033899397e-15,
        1.421511758316446e-07,
        1.8463183175100548e-05,
        0.0007868691311456133,
        0.014875361290850615,
        0.1369298809227358,
        0.599832206555888,
        1.0,
    ),
)


def t_quantile(degrees: float, level: float) -> float:
    """The quantile of Student's t distribution at a level above one half.

    Examples
    --------
    >>> round(t_quantile(4, 0.975), 6), round(t_quantile(1, 0.75), 12)
    (2.776445, 1.0)
    """
    z = _normal_quantile(level)
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


def _normal_quantile(level: float) -> float:
    """The quantile of the normal distribution, by the rational approximations of Wichura."""
    q = level - 0.5
    if abs(q) <= 0.425:
        r = 0.180625 - q * q
        return _polynomial(_CENTRAL[0], r) * q / _polynomial(_CENTRAL[1], r)
    r = math.sqrt(-math.log(level if q <= 0.0 else 1.0 - level))
    above, below = _OUTER if r <= 5.0 else _FAR
    r -= 1.6 if r <= 5.0 else 5.0
    found = _polynomial(above, r) / _polynomial(below, r)
    return -found if q < 0.0 else found


def _polynomial(coefficients: tuple[float, ...], x: float) -> float:
    """By Horner's rule, the highest power first."""
    value = 0.0
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


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
