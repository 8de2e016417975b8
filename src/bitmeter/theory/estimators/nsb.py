"""Nemenman, Shafee and Bialek's estimate: the posterior mean of the entropy under a prior that is flat over entropies.

Given β, the probabilities have a symmetric Dirichlet prior with parameter β, whose posterior mean of the entropy is a
formula. Under it the expected entropy runs from 0 (β = 0) to ln K (β = ∞); weighting β by that slope makes the prior
over entropies nearly flat. What remains is one integral over β, done here in ln β, where the integrand falls off
exponentially on both sides, so that the trapezoidal rule converges very quickly.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter.errors import ConvergenceError
from bitmeter.theory.estimators.spectrum import Spectrum
from bitmeter.theory.special import digamma, gammaln, trigamma

__all__ = ["posterior"]

_DROP = 45.0  # what lies e^-45 below the peak is left out
_FARTHEST = 300.0  # |ln β| beyond which nothing is looked for
_MOST_NODES = 1 << 13
_BLOCK = 1 << 20  # table entries that are computed at a time


def posterior(s: Spectrum, alphabet: int) -> tuple[float, float]:
    """Mean and standard deviation of the entropy, in nats, of `alphabet` symbols given the counts.

    Raises
    ------
    ConvergenceError
        If the integral did not settle to 1e-9.
    """
    if alphabet == 1:
        return 0.0, 0.0
    low, high, peak = _support(s, alphabet)
    nodes, last = 64, math.inf
    while nodes <= _MOST_NODES:
        grid = np.linspace(low, high, nodes + 1)
        weights = np.exp(_log_weight(grid, s, alphabet) - peak)
        mean, variance = _moments(np.exp(grid), s, alphabet)
        total = math.fsum(weights.tolist())
        value = math.fsum((weights * mean).tolist()) / total
        if abs(value - last) <= 1e-10 * max(1.0, abs(value)):
            spread = math.fsum((weights * (variance + (mean - value) ** 2)).tolist()) / total
            return value, math.sqrt(spread)
        last, nodes = value, 2 * nodes
    message = f"the NSB integral did not settle with {_MOST_NODES} nodes; please report the counts that did this"
    raise ConvergenceError(message)


def _support(s: Spectrum, alphabet: int) -> tuple[float, float, float]:
    """The range of ln β outside of which the integrand is negligible, and the logarithm of its peak."""

    def weight(u: float) -> float:
        return float(_log_weight(np.array([u]), s, alphabet)[0])

    low, high, points = -45.0, 45.0, 91
    for _ in range(60):  # narrow in on the peak: it may be a thousandth wide
        grid = np.linspace(low, high, points)
        values = _log_weight(grid, s, alphabet)
        best = int(np.argmax(values))
        if values.max() - values.min() < 0.1:
            break
        low, high = float(grid[max(best - 1, 0)]), float(grid[min(best + 1, points - 1)])
        points = 21
    top, peak = float(grid[best]), float(values[best])
    return _edge(weight, top, peak, -1.0), _edge(weight, top, peak, 1.0), peak


def _edge(weight: Callable[[float], float], top: float, peak: float, direction: float) -> float:
    """Where, going one way from the peak, the integrand has fallen by `_DROP`: by doubling, then halving."""
    limit = direction * _FARTHEST

    def outside(step: float) -> bool:
        return weight(top + direction * step) < peak - _DROP

    far = 1e-6
    while not outside(far):
        far *= 2
        if far >= abs(limit - top):
            return limit
    near = far / 2
    for _ in range(20):
        middle = (near + far) / 2
        near, far = (near, middle) if outside(middle) else (middle, far)
    return top + direction * far


def _log_weight(u: Floats, s: Spectrum, alphabet: int) -> Floats:
    """Logarithm of likelihood × prior × dβ/du at u = ln β, up to a constant."""
    beta = np.exp(u)
    seen = np.concatenate([_log_rising(part[:, None], s.values) @ s.kinds for part in _blocks(beta, s)])
    likelihood = seen - _log_rising(alphabet * beta, np.array(float(s.observations)))
    return np.asarray(likelihood + _log_slope(beta, alphabet) + u)


def _blocks(beta: Floats, s: Spectrum) -> list[Floats]:
    """Few enough nodes at a time that a table of nodes × counts stays small."""
    size = max(1, _BLOCK // (s.values.size + 1))
    return [beta[i : i + size] for i in range(0, beta.size, size)]


def _log_rising(x: Floats, n: Floats) -> Floats:
    """ln(x (x+1) … (x+n−1) / xⁿ), which stays small where x is large and the factors cancel."""
    x, n = np.broadcast_arrays(x, n)
    result = np.empty(x.shape)
    large = x > 20
    a, m = x[large], n[large]

    def stirling(y: Floats) -> Floats:
        square = 1 / (y * y)
        return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / y

    result[large] = (a + m - 0.5) * np.log1p(m / a) - m + stirling(a + m) - stirling(a)
    a, m = x[~large], n[~large]
    result[~large] = gammaln(a + m) - gammaln(a) - m * np.log(a)
    return result


def _log_slope(beta: Floats, alphabet: int) -> Floats:
    """Logarithm of d/dβ of the prior's expected entropy, K ψ₁(Kβ+1) − ψ₁(β+1)."""
    result = np.empty(beta.shape)
    large = beta > 100
    b = beta[~large]
    result[~large] = np.log(alphabet * trigamma(alphabet * b + 1) - trigamma(b + 1))
    b, k = beta[large], 1 / alphabet  # the leading terms cancel: the asymptotic series without them
    bracket = (1 - k) / 2 - (1 - k**2) / (6 * b) + (1 - k**4) / (30 * b**3) - (1 - k**6) / (42 * b**5)
    result[large] = np.log(bracket) - 2 * np.log(b)
    return result


def _moments(beta: Floats, s: Spectrum, alphabet: int) -> tuple[Floats, Floats]:
    """Posterior mean and variance of the entropy at each β (Wolpert and Wolf 1995)."""
    parts = [_block_moments(part, s, alphabet) for part in _blocks(beta, s)]
    return np.concatenate([mean for mean, _ in parts]), np.concatenate([variance for _, variance in parts])


def _block_moments(beta: Floats, s: Spectrum, alphabet: int) -> tuple[Floats, Floats]:
    values = np.append(s.values, 0.0)
    kinds = np.append(s.kinds, float(alphabet - s.symbols))
    a = values + beta[:, None]
    total = s.observations + alphabet * beta
    p = a / total[:, None]
    mean = digamma(total + 1) - (p * digamma(a + 1)) @ kinds
    # The variance is E[(H − mean)²], a sum over pairs of symbols; ψ is taken relative to `centre`, so that no large
    # terms cancel. Pairs of different symbols first, then each symbol with itself.
    centre = (digamma(total + 2) - mean)[:, None]
    deviation = p * (digamma(a + 1) - centre)
    different = ((deviation @ kinds) ** 2 - deviation**2 @ kinds) * total / (total + 1)
    same = (p * (a + 1) * ((digamma(a + 2) - centre) ** 2 + trigamma(a + 2))) @ kinds / (total + 1)
    return mean, np.maximum(different + same - trigamma(total + 2), 0.0)
