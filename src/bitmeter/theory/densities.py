"""The distributions of scipy.stats of every kind, recognised without importing it, behind one set of methods.

`Frozen` ones of the old style and the new classes such as `scipy.stats.Normal`, kernel density estimates, multivariate
normal and discrete distributions.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bitmeter._util import check
from bitmeter._util.arrays import Floats, Ints
from bitmeter.errors import ConvergenceError, InputTypeError, NotFiniteError, UndefinedError

#: The most outcomes of a discrete distribution that are summed over.
_MOST_OUTCOMES = 2**24
#: What is left out of a sum may cost at most this much.
_NEGLIGIBLE = 1e-18
#: What rounding in scipy may make of the sum of all probabilities; it is divided by.
_ROUNDING = 1e-6


def kind(value: Any) -> str:
    """Which sort of scipy's distributions this is, by the names of its classes; empty for anything else."""
    names = {base.__name__ for base in type(value).__mro__ if base.__module__.startswith("scipy.stats")}
    if "rv_discrete_frozen" in names or (type(value).__name__ == "rv_sample" and "rv_sample" in names):
        return "discrete"
    if "DiscreteDistribution" in names:
        return "new discrete"
    if "UnivariateDistribution" in names:
        return "new continuous"
    if "multivariate_normal_frozen" in names:
        return "multivariate normal"
    if "gaussian_kde" in names:
        return "kernel"
    return "continuous" if names and hasattr(value, "dist") else ""


class Modern:
    """A distribution of the new classes, with the methods of a frozen one."""

    #: Shapes are left out: closed forms that need them are not asked for.
    _FAMILIES: ClassVar[dict[str, str]] = {"Normal": "norm", "StandardNormal": "norm", "Uniform": "uniform"}

    def __init__(self, value: Any) -> None:
        self._of = value
        self.pdf, self.logpdf, self.cdf, self.sf = value.pdf, value.logpdf, value.cdf, value.ccdf
        self.ppf, self.isf, self.support, self.entropy = value.icdf, value.iccdf, value.support, value.entropy

    def stats(self, moments: str) -> Any:
        """The mean, and the variance where that is asked for too."""
        mean = float(self._of.mean())
        return (mean, float(self._of.variance())) if moments == "mv" else mean

    def rvs(self, size: int, random_state: np.random.Generator) -> Any:
        """Draws."""
        return self._of.sample(shape=size, rng=random_state)

    def parts(self) -> tuple[str, tuple[float, ...], float, float]:
        """The family, the shape parameters, the location and the scale."""
        family = self._FAMILIES.get(type(self._of).__name__, f"new {type(self._of).__name__}")
        if family == "norm":
            return family, (), float(self._of.mean()), float(self._of.standard_deviation())
        low, high = map(float, self._of.support())
        return family, (), low, high - low


class Kernel:
    """A kernel density estimate of one variable, with the methods of a frozen distribution; of more, for sampling."""

    def __init__(self, value: Any) -> None:
        self._of = value
        self.dimensions = int(value.d)
        self._points = np.asarray(value.dataset, dtype=np.float64)
        self._weights = np.asarray(value.weights, dtype=np.float64)
        self._width = math.sqrt(float(value.covariance[0, 0]))

    def logpdf(self, x: Any) -> Any:
        """Log densities: of a number, or of one draw per row."""
        points = np.asarray(x, dtype=np.float64)
        if self.dimensions > 1:
            return self._of.logpdf(points.T)
        apart = (points[..., None] - self._points[0]) / self._width
        terms = np.log(self._weights) - 0.5 * apart**2
        top = terms.max(axis=-1, keepdims=True)
        total = np.log(np.exp(terms - top).sum(axis=-1)) + top[..., 0]
        return total - math.log(self._width * math.sqrt(2.0 * math.pi))

    def pdf(self, x: Any) -> Any:
        """Densities."""
        return np.exp(self.logpdf(x))

    def cdf(self, x: float) -> float:
        """The mass below."""
        from scipy.special import ndtr

        return float(ndtr((x - self._points[0]) / self._width) @ self._weights)

    def sf(self, x: float) -> float:
        """The mass above."""
        from scipy.special import ndtr

        return float(ndtr((self._points[0] - x) / self._width) @ self._weights)

    def _quantile(self, mass: float, *, upper: bool) -> float:
        from scipy.optimize import brentq

        edges = self._points.min() - 40 * self._width, self._points.max() + 40 * self._width
        tail = self.sf if upper else self.cdf
        return float(brentq(lambda x: tail(x) - mass, *edges))

    def ppf(self, masses: Any) -> Any:
        """Where so much mass is below."""
        found = [self._quantile(float(mass), upper=False) for mass in np.ravel(masses)]
        return np.array(found) if np.ndim(masses) else found[0]

    def isf(self, masses: Any) -> Any:
        """Where so much mass is above."""
        found = [self._quantile(float(mass), upper=True) for mass in np.ravel(masses)]
        return np.array(found) if np.ndim(masses) else found[0]

    def support(self) -> tuple[float, float]:
        """All numbers."""
        return -math.inf, math.inf

    def stats(self, moments: str) -> Any:
        """The mean, and the variance where that is asked for too: of the data, plus that of the kernel."""
        mean = float(self._points[0] @ self._weights)
        spread = float((self._points[0] - mean) ** 2 @ self._weights) + self._width**2
        return (mean, spread) if moments == "mv" else mean

    def entropy(self) -> float:
        """Unknown in closed form: NaN sends the caller to quadrature."""
        return math.nan

    def rvs(self, size: int, random_state: np.random.Generator) -> Any:
        """Draws: numbers, or one per row."""
        draws = self._of.resample(size, seed=random_state)
        return draws[0] if self.dimensions == 1 else draws.T

    def parts(self) -> tuple[str, tuple[float, ...], float, float]:
        """No family."""
        return "kernel", (), 0.0, 1.0


class Gaussian:
    """A multivariate normal distribution: all in closed form."""

    def __init__(self, value: Any, name: str) -> None:
        self._of = value
        self.mean = np.atleast_1d(np.asarray(value.mean, dtype=np.float64))
        self.covariance = np.atleast_2d(np.asarray(value.cov, dtype=np.float64))
        sign, self.log_determinant = np.linalg.slogdet(self.covariance)
        if sign <= 0 or np.linalg.matrix_rank(self.covariance) < self.mean.size:
            message = f"{name} has a singular covariance, so that it has no density; leave out what the rest gives"
            raise UndefinedError(message, value=value)
        self.logpdf = value.logpdf

    def entropy(self) -> float:
        """½ ln |2πeΣ|."""
        return 0.5 * (self.mean.size * (1.0 + math.log(2.0 * math.pi)) + float(self.log_determinant))

    def cross_entropy(self, other: Gaussian) -> float:
        """½ (ln |2πΣ'| + tr Σ'⁻¹Σ + (μ − μ')ᵀ Σ'⁻¹ (μ − μ'))."""
        if self.mean.size != other.mean.size:
            message = f"p has {self.mean.size} variables and q has {other.mean.size}; they must be the same"
            raise InputTypeError(message)
        gap = self.mean - other.mean
        trace = float(np.trace(np.linalg.solve(other.covariance, self.covariance)))
        shift = float(gap @ np.linalg.solve(other.covariance, gap))
        return 0.5 * (self.mean.size * math.log(2.0 * math.pi) + float(other.log_determinant) + trace + shift)

    def renyi(self, order: float) -> float:
        """½ ln |2πΣ| + (d/2) ln α / (α − 1)."""
        base = 0.5 * (self.mean.size * math.log(2.0 * math.pi) + float(self.log_determinant))
        return base + 0.5 * self.mean.size * math.log(order) / (order - 1.0)

    def varentropy(self) -> float:
        """d/2, whatever the covariance: half the variance of a χ² distribution of d degrees, over 2."""
        return 0.5 * self.mean.size

    def rvs(self, size: int, random_state: np.random.Generator) -> Any:
        """Draws, one per row."""
        return self._of.rvs(size=size, random_state=random_state)


class Discrete:
    """A discrete distribution over whole numbers, summed until what is left cannot be seen in a double."""

    def __init__(self, value: Any, name: str, *, new: bool) -> None:
        self._of, self._name = value, name
        self._tails = (value.cdf, value.ccdf) if new else (value.cdf, value.sf)
        self._new = new
        self._low, self._high = map(float, value.support())

    def outcomes(self, *others: Discrete) -> Ints:
        """The whole numbers that count: beyond them mass times cost (under any of `others`) is negligible."""
        if self._high - self._low < 2**16:
            return np.arange(int(self._low), int(self._high) + 1)
        middle = int(self._of.icdf(0.5) if self._new else self._of.ppf(0.5))
        models = (self, *others)
        low = self._edge(middle, -1, self._tails[0], models)
        high = self._edge(middle, 1, self._tails[1], models)
        return np.arange(low, high + 1)

    def _edge(self, middle: int, sign: int, tail: Any, models: tuple[Discrete, ...]) -> int:
        limit = self._high if sign > 0 else self._low
        reach = 16
        while reach <= _MOST_OUTCOMES:
            place = middle + sign * reach
            if sign * place >= sign * limit:
                return int(limit)
            # Beyond p's own outcomes, or where q cannot follow, the sum itself says so.
            costs = [-float(model.logpmf(place)) for model in models]
            cost = 1.0 + max((cost for cost in costs if math.isfinite(cost)), default=0.0)
            if float(tail(place)) * cost <= _NEGLIGIBLE:
                return place
            reach *= 2
        message = (
            f"{self._name} has so heavy a tail that {_MOST_OUTCOMES} outcomes do not exhaust it, and the sum may be "
            "infinite; monte_carlo_cross_entropy gives a mean over samples with its standard error"
        )
        raise ConvergenceError(message)

    def logpmf(self, outcomes: Any) -> Floats:
        """Log-probabilities, of probabilities where these do not underflow: scipy computes them more exactly."""
        masses = np.asarray(self._of.pmf(outcomes), dtype=np.float64)
        with np.errstate(divide="ignore"):
            return np.where(masses > 1e-290, np.log(masses), self._of.logpmf(outcomes))

    logpdf = logpmf

    @cached_property
    def logs(self) -> tuple[Ints, Floats]:
        """The outcomes that count and their log-probabilities."""
        found = self.outcomes()
        return found, self.logpmf(found)

    def mean(self, value: Any, *others: Discrete) -> float:
        """Σ p(k) value(k, ln p(k)); inf where an outcome that can happen has an infinite value."""
        found = self.outcomes(*others)
        logs = self.logpmf(found)
        possible = logs > -math.inf
        found, logs = found[possible], logs[possible]
        masses = np.exp(logs)
        total = math.fsum(masses)
        if abs(total - 1.0) > _ROUNDING:
            message = f"the probabilities that scipy gives for {self._name} sum to {total!r}: they are not exact enough"
            raise ConvergenceError(message, value=total)
        masses /= total
        logs -= math.log(total)
        values = np.asarray(value(found, logs), dtype=np.float64)
        if np.isinf(values).any():
            return math.inf
        return math.fsum(masses * values)

    def entropy(self) -> float:
        """−Σ p ln p."""
        return max(0.0, self.mean(lambda _, logs: -logs))

    def varentropy(self) -> float:
        """Σ p (ln p + H)²."""
        entropy = self.entropy()
        return self.mean(lambda _, logs: (logs + entropy) ** 2)

    def cross_entropy(self, other: Discrete) -> float:
        """−Σ p ln q."""
        return self.mean(lambda found, _: -other.logpmf(found), other)

    def divergence(self, other: Discrete) -> float:
        """Σ p ln(p/q)."""
        return max(0.0, self.mean(lambda found, logs: logs - other.logpmf(found), other))

    def jensen_shannon(self, other: Discrete) -> float:
        """½ D(p‖m) + ½ D(q‖m)."""

        def half(a: Discrete, b: Discrete) -> float:
            return a.mean(lambda found, logs: math.log(2.0) - np.logaddexp(0.0, b.logpmf(found) - logs))

        return min(math.log(2.0), max(0.0, 0.5 * half(self, other) + 0.5 * half(other, self)))

    def renyi(self, order: float) -> float:
        """ln Σ p^α / (1 − α)."""
        logs = self.logs[1][self.logs[1] > -math.inf]
        if math.isinf(order):
            return float(-logs.max()) + 0.0
        if order == 0.0:
            size = self._high - self._low + 1
            return math.log(size if math.isinf(size) else logs.size)
        # Below one, a power makes the tail heavier than the sum allows for.
        if order < 1.0 and logs.size and order * min(logs[0], logs[-1]) > -40.0 and math.isinf(self._high - self._low):
            message = f"the Rényi entropy of order {order} needs more of the tail of {self._name} than is summed here"
            raise ConvergenceError(message, value=order)
        top = float((order * logs).max())
        return (top + math.log(math.fsum(np.exp(order * logs - top)))) / (1.0 - order)

    def impossible(self, other: Discrete) -> list[tuple[int, float]]:
        """The outcomes that can happen here, and cannot there."""
        found, logs = self.logs
        wrong = (logs > -math.inf) & np.isneginf(other.logpmf(found))
        return [(int(k), float(mass)) for k, mass in zip(found[wrong], np.exp(logs[wrong]), strict=True)]

    def rvs(self, size: int, random_state: np.random.Generator) -> Any:
        """Draws."""
        if self._new:
            return self._of.sample(shape=size, rng=random_state)
        return self._of.rvs(size=size, random_state=random_state)


def adapted(value: Any, name: str, *, sampling: bool = False) -> Any:
    """A distribution of scipy's with the methods of a frozen one; with `sampling`, any of several variables too."""
    sort = kind(value)
    if not sort or (sort == "continuous" and not (hasattr(value, "logpdf") and hasattr(value.dist, "_parse_args"))):
        message = f"{name} is {check.shown(value)}; it must be one of scipy's frozen distributions"
        raise InputTypeError(message, value=value)
    if sort == "multivariate normal":
        return Gaussian(value, name)
    if sort == "kernel":
        made = Kernel(value)
        if made.dimensions > 1 and not sampling:
            message = (
                f"{name} is a kernel density estimate of {made.dimensions} variables, which has no closed form; "
                "monte_carlo_cross_entropy takes it"
            )
            raise UndefinedError(message, value=value)
        return made
    new = sort.startswith("new")
    quantile = value.icdf if new else value.ppf
    arguments = () if new or not hasattr(value, "args") else (*value.args, *value.kwds.values())
    quantiles = [quantile(mass) for mass in (0.25, 0.5, 0.75)]
    if any(np.ndim(argument) > 0 for argument in (*arguments, *quantiles)):
        message = f"{name} has array parameters; freeze one distribution at a time"
        raise InputTypeError(message, value=value)
    if not all(math.isfinite(float(found)) for found in quantiles):
        given = check.shown(value) if new else f"{value.args} {value.kwds}"
        message = f"{name} has parameters outside of its domain: {given}"
        raise NotFiniteError(message, value=value)
    if sort.endswith("discrete"):
        return Discrete(value, name, new=new)
    return Modern(value) if new else value


__all__ = ["Discrete", "Gaussian", "Kernel", "Modern", "adapted", "kind"]
