"""Entropy from counts of counts.

No estimator of entropy cares which symbol was seen how often: "two symbols once, one symbol five times" is all that
it needs. Such a `Spectrum` is short even for an alphabet of ten million, and every formula below is a sum over it,
in nats.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ints
from bitmeter.theory.special import digamma, scaled_exp1

__all__ = ["FORMULAS", "Spectrum", "coverage_deficit", "plug_in_deviation"]


@dataclass(frozen=True, slots=True, eq=False)
class Spectrum:
    """How many symbols (`kinds`) were seen how often (`values`, positive, as floats; a value may come twice)."""

    values: Floats
    kinds: Floats

    @classmethod
    def of_counts(cls, counts: Ints) -> Spectrum:
        """The spectrum of one count for each symbol."""
        values, kinds = _core.count_symbols(counts)
        return cls.of_pairs(values, kinds)

    @classmethod
    def of_pairs(cls, values: NDArray[Any], kinds: NDArray[Any]) -> Spectrum:
        """From counts and how many symbols have each; zeros of either are dropped."""
        keep = (values > 0) & (kinds > 0)
        return cls(values[keep].astype(np.float64), kinds[keep].astype(np.float64))

    @property
    def observations(self) -> int:
        """N, the number of symbols drawn."""
        return int(self.values.astype(np.int64) @ self.kinds.astype(np.int64))

    @property
    def symbols(self) -> int:
        """How many different ones were seen."""
        return int(self.kinds.sum())

    def seen(self, times: int) -> int:
        """How many symbols were seen exactly so often."""
        return int(self.kinds[self.values == times].sum())

    def mean(self, terms: Floats) -> float:
        """Σ nᵢ tᵢ / N, the average over observations of a term for each value."""
        return math.fsum((self.kinds * self.values * terms).tolist()) / self.observations


def maximum_likelihood(s: Spectrum, _alphabet: int | None) -> float:
    """H = ln N − Σ nᵢ ln nᵢ / N."""
    return s.mean(math.log(s.observations) - np.log(s.values))


def plug_in_deviation(s: Spectrum) -> float:
    """The standard deviation of the plug-in estimate: √((Σ p ln² p − H²)/N + (K − 1)/2N²), with the frequencies as p.

    The second term is what remains where all symbols are equally likely and the first is zero.
    """
    surprisal = math.log(s.observations) - np.log(s.values)
    spread = max(0.0, s.mean((surprisal - s.mean(surprisal)) ** 2))
    return math.sqrt(spread / s.observations + (s.symbols - 1) / (2 * s.observations**2))


def miller_madow(s: Spectrum, _alphabet: int | None) -> float:
    """Plug-in plus (K − 1) / 2N, the first term of its bias, with the K that was seen."""
    return maximum_likelihood(s, None) + (s.symbols - 1) / (2 * s.observations)


def grassberger(s: Spectrum, _alphabet: int | None) -> float:
    """H = ln N − Σ nᵢ G(nᵢ) / N (Grassberger 2003), G(n) = ψ(n) + ½ (−1)ⁿ (ψ((n+1)/2) − ψ(n/2))."""
    sign = np.where(s.values % 2 == 0, 0.5, -0.5)
    corrected = digamma(s.values) + sign * (digamma((s.values + 1) / 2) - digamma(s.values / 2))
    return s.mean(math.log(s.observations) - corrected)


def zhang(s: Spectrum, _alphabet: int | None) -> float:
    """Σ (nᵢ/N) (ψ(N) − ψ(nᵢ)): Zhang's 2012 double sum in closed form."""
    return s.mean(float(digamma(s.observations)) - digamma(s.values))


def coverage_deficit(s: Spectrum) -> float:
    """A of Chao, Wang and Jost 2013: the mean probability of a symbol that was seen once."""
    total, once, twice = s.observations, s.seen(1), s.seen(2)
    if twice > 0:
        return 2 * twice / ((total - 1) * once + 2 * twice)
    return 2 / ((total - 1) * (once - 1) + 2)


def chao_wang_jost(s: Spectrum, _alphabet: int | None) -> float:
    """Zhang plus the estimated rest of its series: (f₁/N) Σ_{j≥0} (1−A)^{1+j} / (N+j)."""
    once = s.seen(1)
    if once == 0:
        return zhang(s, None)
    deficit = coverage_deficit(s)
    tail = (1 - deficit) * _lerch(deficit, s.observations) if deficit < 1 else 0.0
    return zhang(s, None) + once / s.observations * tail


def _lerch(a: float, start: int) -> float:
    """Σ_{j≥0} (1−a)ʲ / (start+j) for 0 < a < 1.

    The closed form with −ln a cancels badly, and the series needs up to 40/a terms, so: some terms as they are, then
    the rest by Euler and Maclaurin, whose integral is an exponential integral.
    """
    decay = -math.log1p(-a)
    terms = 40 if decay < 0.2 else min(math.ceil(40 / decay), 400)
    j = np.arange(terms, dtype=np.float64)
    first = math.fsum((np.exp(-decay * j) / (start + j)).tolist())
    if decay >= 0.2:
        return first
    place = start + terms
    last = math.exp(-decay * terms)
    x = decay * place
    integral = last * scaled_exp1(x)
    value = last / place

    def derivative(order: int) -> float:
        parts = (
            math.comb(order, i) * decay ** (order - i) * math.factorial(i) / float(place) ** i for i in range(order + 1)
        )
        return -value * math.fsum(parts)  # only odd orders are asked for

    corrections = -derivative(1) / 12 + derivative(3) / 720 - derivative(5) / 30240 + derivative(7) / 1209600
    return first + integral + value / 2 + corrections


def chao_shen(s: Spectrum, _alphabet: int | None) -> float:
    """−Σ p̃ ln p̃ / (1 − (1−p̃)^N) with p̃ = C nᵢ/N and coverage C = 1 − f₁/N (Chao and Shen 2003).

    Where every symbol was seen once, C would be 0: one singleton fewer is then assumed, by convention.
    """
    total, once = s.observations, s.seen(1)
    if total == 1:
        return 0.0
    cover = 1 - (once if once < total else total - 1) / total
    p = cover * s.values / total
    with np.errstate(divide="ignore"):  # p = 1: ln(1 - p) = -inf, and its exponential is the 0 that it should be
        seen = -np.expm1(total * np.log1p(-p))
    return math.fsum((-s.kinds * p * np.log(p) / seen).tolist()) + 0.0


def jackknife(s: Spectrum, _alphabet: int | None) -> float:
    """N H − ((N−1)/N) Σ nᵢ H₋ᵢ, which is d(N) − Σ (nᵢ/N) d(nᵢ) with d(x) = x ln x − (x−1) ln(x−1)."""
    return float(_difference(np.array([float(s.observations)]))[0]) - s.mean(_difference(s.values))


def _difference(x: Floats) -> Floats:
    """The d(x) of the jackknife without cancellation; d(1) = 0."""
    more = np.maximum(x, 2.0)  # avoids ln 0; where x is 1 the product with x - 1 is 0 all the same
    return np.log(x) - (x - 1) * np.log1p(-1 / more)


def james_stein(s: Spectrum, alphabet: int | None) -> float:
    """Plug-in of λ/K + (1−λ) p̂ (Hausser and Strimmer 2009), over the alphabet, or over what was seen."""
    size = s.symbols if alphabet is None else alphabet
    total = s.observations
    p = s.values / total
    unseen = size - s.symbols
    spread = math.fsum((s.kinds * (1 / size - p) ** 2).tolist()) + unseen / size**2
    if total == 1 or spread == 0:
        shrinkage = 1.0
    else:
        shrinkage = min(1.0, (1 - math.fsum((s.kinds * p * p).tolist())) / ((total - 1) * spread))
    flat = shrinkage / size
    q = flat + (1 - shrinkage) * p
    rest = -unseen * flat * math.log(flat) if unseen and flat > 0 else 0.0
    return math.fsum((-s.kinds * q * np.log(q)).tolist()) + rest + 0.0


#: The estimators that are one formula; NSB, an integral, has a module of its own.
FORMULAS: dict[str, Callable[[Spectrum, int | None], float]] = {
    "chao-wang-jost": chao_wang_jost,
    "maximum-likelihood": maximum_likelihood,
    "miller-madow": miller_madow,
    "grassberger": grassberger,
    "chao-shen": chao_shen,
    "zhang": zhang,
    "jackknife": jackknife,
    "james-stein": james_stein,
}
