"""Entropy, cross-entropy and divergence of scipy's distributions: differential of densities, sums of discrete ones.

Closed forms where there is one, adaptive quadrature or sums else; Monte Carlo with its standard error where it is asked
for. All in nats; units are the business of `information`.
"""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from bitmeter.errors import ConvergenceError, InputTypeError, UndefinedError
from bitmeter.theory import densities
from bitmeter.theory.densities import Discrete, Gaussian, Kernel, Modern

#: Quadrature is refused when its own error estimate is larger than this, relative to the larger of 1 and the result.
QUADRATURE_TOLERANCE = 1e-7

#: A density below this adds nothing to an integral that converges.
_NEGLIGIBLE = 1e-100

#: Where the axis is cut for quadrature, as masses of p below and above: the bulk, the flanks, and the tails in steps.
_CUTS = (1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 0.05, 0.25, 0.5)

#: A tail whose share shrinks by less than this from one step (a thousandth of the mass) to the next is not converging.
_TAIL_FALL = 0.7


def is_frozen(value: Any) -> bool:
    """Whether this is a distribution of scipy.stats, found without importing that heavy module."""
    return densities.kind(value) != ""


def frozen(value: Any, name: str, *, sampling: bool = False) -> Any:
    """One of scipy's distributions, behind the methods of a frozen one."""
    return densities.adapted(value, name, sampling=sampling)


def _sums(p: Any, q: Any) -> bool:
    """Whether both are of a kind that needs no quadrature; one of each kind cannot be measured together."""
    for sort in (Gaussian, Discrete):
        if isinstance(p, sort) != isinstance(q, sort):
            message = "p and q must both be densities of one variable, both multivariate normal, or both discrete"
            raise InputTypeError(message)
    return isinstance(p, Gaussian | Discrete)


def entropy(p: Any) -> float:
    """h(p) = −∫ p ln p; may be negative, as densities may exceed one."""
    if isinstance(p, Gaussian | Discrete):
        return p.entropy()
    _parts(p)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            value = float(p.entropy())
        except (RuntimeWarning, UserWarning, ArithmeticError):
            value = math.nan
    return value if math.isfinite(value) else _integral(p, lambda x: -p.logpdf(x))


def cross_entropy(p: Any, q: Any) -> float:
    """h(p, q) = −∫ p ln q; inf where p has mass that q has not."""
    if _sums(p, q):
        return float(p.cross_entropy(q))
    if outside(p, q) > 0.0:
        return math.inf
    closed = _closed_cross(p, q)
    return _integral(p, lambda x: -q.logpdf(x)) if closed is None else closed


def divergence(p: Any, q: Any) -> float:
    """D(p‖q) = ∫ p ln(p/q) ≥ 0."""
    if _sums(p, q):
        exact = p.divergence(q) if isinstance(p, Discrete) else p.cross_entropy(q) - p.entropy()
        return max(0.0, float(exact))
    if outside(p, q) > 0.0:
        return math.inf
    closed = _closed_cross(p, q)
    if closed is None:
        return max(0.0, _integral(p, lambda x: p.logpdf(x) - q.logpdf(x)))
    return max(0.0, closed - entropy(p))


def jensen_shannon(p: Any, q: Any) -> float:
    """½ D(p‖m) + ½ D(q‖m) with m = ½(p + q)."""
    if _sums(p, q):
        if isinstance(p, Discrete):
            return p.jensen_shannon(q)
        message = "the Jensen-Shannon divergence of multivariate normal distributions has no closed form"
        raise UndefinedError(message)

    def half(a: Any, b: Any) -> float:
        # ln(a/m) = ln 2 − ln(1 + b/a)
        return _integral(a, lambda x: math.log(2.0) - np.logaddexp(0.0, b.logpdf(x) - a.logpdf(x)))

    return min(math.log(2.0), max(0.0, 0.5 * half(p, q) + 0.5 * half(q, p)))


def renyi(p: Any, order: float) -> float:
    """ln ∫ p^α / (1 − α)."""
    if order == 1.0:
        return entropy(p)
    if isinstance(p, Discrete):
        return p.renyi(order)
    if math.isinf(order) or order == 0.0:
        message = f"the Rényi entropy of order {order} of a density is not offered; choose an order between 0 and inf"
        raise UndefinedError(message, value=order)
    if isinstance(p, Gaussian):
        return p.renyi(order)
    return math.log(_integral(p, lambda x: np.exp((order - 1.0) * p.logpdf(x)))) / (1.0 - order)


def varentropy(p: Any) -> float:
    """The variance of ln p under p."""
    if isinstance(p, Gaussian | Discrete):
        return p.varentropy()
    mean = entropy(p)
    return _integral(p, lambda x: (p.logpdf(x) + mean) ** 2)


def outside(p: Any, q: Any) -> float:
    """How much of p's mass lies outside of q's support."""
    low, high = q.support()
    return float(p.cdf(low)) + float(p.sf(high))


def monte_carlo(p: Any, q: Any, samples: int, generator: np.random.Generator) -> tuple[float, float]:
    """The mean of −ln q(x) over draws from p, and its standard error; both inf once an impossible draw was seen."""
    if isinstance(p, Discrete) != isinstance(q, Discrete) or _variables(p) != _variables(q):
        message = "p and q must both be discrete, or both densities of the same number of variables"
        raise InputTypeError(message)
    draws = p.rvs(size=samples, random_state=generator)
    surprisal = -np.asarray(q.logpdf(draws), dtype=np.float64)
    if not np.isfinite(surprisal).all():
        return math.inf, math.inf
    return float(surprisal.mean()), float(surprisal.std(ddof=1)) / math.sqrt(samples)


def _variables(p: Any) -> int:
    if isinstance(p, Gaussian):
        return int(p.mean.size)
    return p.dimensions if isinstance(p, Kernel) else 1


def _parts(p: Any) -> tuple[str, tuple[float, ...], float, float]:
    """The family, the shape parameters, the location and the scale."""
    if isinstance(p, Modern | Kernel):
        return p.parts()
    shapes, location, scale = p.dist._parse_args(*p.args, **p.kwds)
    return p.dist.name, tuple(map(float, shapes)), float(location), float(scale)


def _closed_cross(p: Any, q: Any) -> float | None:
    """−∫ p ln q in closed form, or None. The support of q covers that of p."""
    from scipy.special import betaln, digamma, gammaln

    family_p, shapes_p, location_p, scale_p = _parts(p)
    family_q, shapes_q, location_q, scale_q = _parts(q)
    if family_q == "norm":
        mean, variance = (float(moment) for moment in p.stats("mv"))
        # A mean that does not exist (Cauchy) comes with an infinite second moment.
        second = (variance + (mean - location_q) ** 2) / scale_q**2
        return 0.5 * math.log(2 * math.pi * scale_q**2) + 0.5 * second if math.isfinite(second) else math.inf
    if family_q == "expon":
        mean = float(p.stats("m"))
        return math.log(scale_q) + (mean - location_q) / scale_q if math.isfinite(mean) else math.inf
    if family_q == "uniform":
        return math.log(scale_q)
    if family_p != family_q:
        return None
    if family_q == "laplace":
        gap = abs(location_p - location_q)
        return math.log(2 * scale_q) + (gap + scale_p * math.exp(-gap / scale_p)) / scale_q
    if family_q == "gamma" and location_p == location_q:
        (a,), (b,) = shapes_p, shapes_q
        mean_log = digamma(a) + math.log(scale_p)
        return float(gammaln(b) + b * math.log(scale_q) - (b - 1) * mean_log + a * scale_p / scale_q)
    if family_q == "beta" and (location_p, scale_p) == (location_q, scale_q):
        (a, b), (c, d) = shapes_p, shapes_q
        logs = (c - 1) * digamma(a) + (d - 1) * digamma(b) - (c + d - 2) * digamma(a + b)
        return float(betaln(c, d) - logs + math.log(scale_q))
    if family_q == "lognorm" and location_p == location_q:
        (sigma_p,), (sigma_q,) = shapes_p, shapes_q
        mean_p, mean_q = math.log(scale_p), math.log(scale_q)
        spread = (sigma_p**2 + (mean_p - mean_q) ** 2) / sigma_q**2
        return mean_p + 0.5 * math.log(2 * math.pi * sigma_q**2) + 0.5 * spread
    return None


def _integral(p: Any, value: Callable[[float], Any]) -> float:
    """E_p[value(x)] by adaptive quadrature, piece by piece between quantiles of p."""
    low, high = map(float, p.support())
    middle = float(p.ppf(0.5))
    below = [cut for cut in map(float, p.ppf(_CUTS)) if low < cut < middle]
    above = [cut for cut in map(float, p.isf(_CUTS)) if middle < cut < high]
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore", RuntimeWarning)
        pieces = [_piece(p, value, left, right) for left, right in itertools.pairwise([low, *below, middle])]
        pieces += [_piece(p, value, left, right) for left, right in itertools.pairwise([middle, *above[::-1], high])]
    if math.inf in (piece for piece, _, _ in pieces):
        return math.inf
    result, error = math.fsum(piece for piece, _, _ in pieces), math.fsum(wrong for _, wrong, _ in pieces)
    scale = QUADRATURE_TOLERANCE * max(1.0, abs(result))
    doubtful = any(doubt and abs(piece) > scale for piece, _, doubt in pieces)
    if not error <= scale or doubtful or _diverges(pieces, scale) or _diverges(pieces[::-1], scale):
        message = (
            f"quadrature reached {result:.6g} with an error estimate of {error:.2g} and does not settle; the integral "
            "may be infinite. monte_carlo_cross_entropy gives a mean over samples with its standard error"
        )
        raise ConvergenceError(message, value=result)
    return result


def _piece(p: Any, value: Callable[[float], Any], left: float, right: float) -> tuple[float, float, bool]:
    """One interval of the integral: its value, the error that quadrature reports, and whether quadrature has doubts."""
    from scipy.integrate import quad

    def integrand(x: float) -> float:
        density = float(p.pdf(x))
        found = float(value(x)) if density > 0.0 else 0.0
        # So far out, an infinite logarithm is an underflow of scipy's, not an impossible event.
        return 0.0 if math.isinf(found) and density < _NEGLIGIBLE else density * found

    piece, wrong, *notes = quad(integrand, left, right, limit=200, epsabs=1e-12, epsrel=1e-10, full_output=True)
    return float(piece), float(wrong), len(notes) > 1


def _diverges(pieces: list[tuple[float, float, bool]], scale: float) -> bool:
    """Whether the outermost steps of a tail (the first pieces) fail to shrink."""
    if len(pieces) < 5:
        return False
    outer, inner = abs(pieces[1][0]), abs(pieces[2][0])
    return outer > scale and outer > _TAIL_FALL * inner
