"""The theorem of Shannon, McMillan and Breiman made visible: converging curves with their band, and typical sets."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util import check
from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.check import Seed, Unit
from bitmeter.errors import RangeError
from bitmeter.theory.processes.base import (
    MAX_SYMBOLS,
    Process,
    a_process,
    frozen,
    need_long_run,
    same_alphabet,
    seed_words,
    sub_seed,
)
from bitmeter.theory.processes.iid import Iid
from bitmeter.theory.processes.rates import cross_entropy_rate, long_run_costs
from bitmeter.theory.processes.sampled_rates import monte_carlo, running
from bitmeter.theory.special import gammaln

_BLOCK = 2**22
#: Sets the seed of what is estimated beforehand apart from those of the paths.
_PILOT = 2**31
#: Most types of words (by their counts) that are enumerated for independent draws, and most words otherwise.
_TYPES = 200_000
_WORDS = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class Convergence:
    """Samples of a process that converge to its rate: -1/n log P(x₁…xₙ) for growing n.

    Attributes
    ----------
    n
        The lengths at which the curves were taken.
    rates
        One row per path, one column for each of `n`.
    limits
        The rate of each of the process's ergodic components: what its paths tend to.
    deviations
        σ of each component: its curves spread like σ/√n (0 where they do not spread; infinite where unknown).
    weights
        The probability of each component.
    start_costs
        What a path pays once, so 1/n of it per step, for the choice of its component: -log of the component's weight.
    component
        Which component each path follows; -1 where that is not settled yet.
    confidence
        How often a path should lie within the band.
    unit
        Of the rates, limits and deviations.
    """

    n: Ints
    rates: Floats
    limits: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]
    start_costs: tuple[float, ...]
    component: Ints
    confidence: float
    unit: Unit

    @property
    def limit(self) -> float:
        """The rate of the process as a whole: the mean of its components' limits."""
        return math.fsum(weight * limit for weight, limit in zip(self.weights, self.limits, strict=True))

    @property
    def final(self) -> Floats:
        """Where each path is at the last n."""
        return np.asarray(self.rates[:, -1])

    @property
    def path_limits(self) -> Floats:
        """The limit of each path's own component (of the whole process where that is not settled)."""
        return np.array([*self.limits, self.limit])[self.component]

    def band(self, component: int = 0) -> tuple[Floats, Floats]:
        """The lower and upper edge of limit ± z·σ/√n of a component, at each of `n`; the start cost lifts the upper."""
        number = check.integer(component, "component", low=0, high=len(self.limits) - 1)
        quantile = NormalDist().inv_cdf(0.5 + self.confidence / 2)
        reach = quantile * self.deviations[number] / np.sqrt(self.n)
        limit = self.limits[number]
        if math.isinf(limit):
            return np.full(self.n.size, math.inf), np.full(self.n.size, math.inf)
        return limit - reach, limit + reach + self.start_costs[number] / self.n

    @property
    def inside(self) -> Bools:
        """Whether each path lies within its own component's band, at each of `n`."""
        found = np.zeros(self.rates.shape, dtype=bool)
        for number in range(len(self.limits)):
            low, high = self.band(number)
            slack = 1e-12 * max(1.0, abs(self.limits[number])) if math.isfinite(self.limits[number]) else 0.0
            mine = self.component == number
            found[mine] = (self.rates[mine] >= low - slack) & (self.rates[mine] <= high + slack)
        return found

    @property
    def coverage(self) -> float:
        """The share of paths that lie within their own component's band at the last n."""
        return float(self.inside[:, -1].mean())

    def near(self, value: float, within: float) -> float:
        """The share of paths that end no further than `within` from `value`."""
        target, reach = check.real(value, "value"), check.real(within, "within", low=0.0)
        return float((np.abs(self.final - target) <= reach).mean())

    def __str__(self) -> str:
        paths, last = len(self.rates), int(self.n[-1])
        lines = [f"{paths} paths of {last} symbols; {self.coverage:.1%} within the {self.confidence:.0%} band"]
        for number, (limit, spread) in enumerate(zip(self.limits, self.deviations, strict=True)):
            mine = self.final[self.component == number]
            where = f"mean {mine.mean():.4f}" if mine.size else "none"
            band = f" ± {spread / math.sqrt(last):.2g}" if math.isfinite(spread) else ""
            lines.append(
                f"  {mine.size / paths:.1%} of paths → {limit:.4f}{band} {check.unit_name(self.unit)} per step: {where}"
            )
        return "\n".join(lines)


def converge(
    process: Process,
    n: int,
    *,
    paths: int = 20,
    model: Process | None = None,
    points: int = 100,
    confidence: float = 0.95,
    seed: Seed = None,
    unit: Unit = "bits",
) -> Convergence:
    """Follow -1/n log P(x₁…xₙ) along samples of a process, with the band of the central limit theorem.

    For a stationary ergodic process every path tends to the entropy rate; for others each path tends to the rate of
    the ergodic component that it follows.

    Parameters
    ----------
    process
        What makes the samples.
    n
        Their length.
    paths
        How many.
    model
        What rates them; by default the process itself. With a model the curves tend to the cross-entropy rate.
    points
        At how many lengths the curves are taken, evenly on a logarithmic scale.
    confidence
        How often a path should lie within the band.
    seed
        A whole number, or a numpy generator that goes on.
    unit
        "bits", "nats", "hartleys", or a number: the base of the logarithm.

    Examples
    --------
    >>> from bitmeter.theory.processes.examples import example_process
    >>> print(converge(example_process("two-coins"), 2000, paths=100, seed=1))
    100 paths of 2000 symbols; 99.0% within the 95% band
      47.0% of paths → 0.4690 ± 0.021 bits per step: mean 0.4746
      53.0% of paths → 1.0000 ± 0 bits per step: mean 1.0005
    """
    need_long_run(a_process(process, "process"))
    if model is not None:
        same_alphabet(process, a_process(model, "model"), "model")
        need_long_run(model)
    length = check.integer(n, "n", low=1, high=MAX_SYMBOLS)
    rows = check.integer(paths, "paths", low=1, high=MAX_SYMBOLS)
    if length * rows > MAX_SYMBOLS or length > MAX_SYMBOLS // 10:
        message = f"{rows} paths of {length} symbols are too many: at most {MAX_SYMBOLS:.0e}, a tenth of that per path"
        raise RangeError(message, value=length * rows)
    count = check.integer(points, "points", low=1, high=10**6)
    level = check.real(confidence, "confidence", low=0.0, high=1.0)
    if not 0.0 < level < 1.0:
        message = f"confidence is {level}; it must lie between 0 and 1, such as 0.95"
        raise RangeError(message, value=level)
    per = check.nats_per(unit)
    words = seed_words(seed)
    ends = np.unique(np.geomspace(1, length, min(count, length)).round().astype(np.int64))
    ends[-1] = length
    curves, home = _curves(process, model or process, ends, rows, words)
    limits = [_limit(part, model, sub_seed(words, _PILOT)) for _, part in process.ergodic_components]
    weights = tuple(weight for weight, _ in process.ergodic_components)
    return Convergence(
        ends,
        frozen(curves / per),
        tuple(limit / per for limit, _ in limits),
        tuple(math.sqrt(variance) / per for _, variance in limits),
        weights,
        tuple(-math.log(weight) / per if model is None else 0.0 for weight in weights),
        home,
        level,
        unit,
    )


def _curves(process: Process, model: Process, ends: Ints, paths: int, words: NDArray[np.uint64]) -> tuple[Floats, Ints]:
    length = int(ends[-1])
    step = max(1, _BLOCK // length)
    curves, homes = [], []
    for number, done in enumerate(range(0, paths, step)):
        ids, home = process._sample(length, min(step, paths - done), sub_seed(words, number))
        curves.append(running(model, ids, ends) / ends)
        homes.append(home)
    return np.concatenate(curves), np.concatenate(homes)


def _limit(part: Process, model: Process | None, words: NDArray[np.uint64]) -> tuple[float, float]:
    """What -1/n ln q tends to on an ergodic process, and its variance rate, in nats."""
    rated = model or part
    exact = long_run_costs(part, rated)
    if exact is not None:
        return exact.mean, exact.variance
    generator = np.random.default_rng(words)
    found = cross_entropy_rate(part, rated, n=2**13, paths=512, seed=generator, unit="nats")
    if math.isinf(found.value):
        return math.inf, math.inf
    if found.variance_rate is not None:
        return found.value, found.variance_rate
    pilot = monte_carlo(part, rated, 2**12, 512, words)
    return found.value, math.inf if pilot.variance_rate is None else pilot.variance_rate


@dataclass(frozen=True, slots=True)
class TypicalSet:
    """The words of n symbols whose -1/n log P lies within ε of the entropy rate h.

    `count` is how many there are (of `words` in all), `probability` what they make up together. The theorem says that
    the probability tends to one for an ergodic process, and that (1 - ε) 2^(n(h-ε)) ≤ count ≤ 2^(n(h+ε)) once it
    exceeds 1 - ε; the logarithms of these bounds are `log2_lower` and `log2_upper`.
    """

    n: int
    epsilon: float
    rate: float
    unit: Unit
    count: int
    words: int
    probability: float

    @property
    def log2_count(self) -> float:
        """The size in bits: minus infinity where the set is empty."""
        return math.log2(self.count) if self.count else -math.inf

    @property
    def log2_lower(self) -> float:
        """The logarithm of (1 - ε) 2^(n(h-ε)), which holds where `is_large_enough`."""
        per = check.nats_per(self.unit) / check.nats_per("bits")
        factor = math.log2(1 - self.epsilon) if self.epsilon < 1 else -math.inf
        return factor + self.n * (self.rate - self.epsilon) * per

    @property
    def log2_upper(self) -> float:
        """The logarithm of 2^(n(h+ε)), which always holds."""
        return self.n * (self.rate + self.epsilon) * check.nats_per(self.unit) / check.nats_per("bits")

    @property
    def is_large_enough(self) -> bool:
        """Whether n is so large that the set has more than 1 - ε of the probability."""
        return self.probability > 1 - self.epsilon

    def __str__(self) -> str:
        share = 2.0 ** (self.log2_count - math.log2(self.words)) if self.count else 0.0
        return (
            f"2^{self.log2_count:.2f} words of {self.n} symbols ({share:.3g} of all) hold {self.probability:.4f} of "
            f"the probability; bounds 2^{self.log2_lower:.2f} and 2^{self.log2_upper:.2f}"
        )


def typical_set(process: Process, n: int, epsilon: float, *, unit: Unit = "bits") -> TypicalSet:
    """The size and probability of the typical set, by going through all words (of independent draws: all counts).

    Parameters
    ----------
    process
        Any process; its entropy rate must be known.
    n
        The length of the words. All of them are listed, so there may be at most 2**22; for `Iid` only their kinds
        are (how often each probability occurs), and n may be in the thousands.
    epsilon
        How far from the entropy rate a typical word may be, in `unit`.
    unit
        "bits", "nats", "hartleys", or a number: the base of the logarithm.

    Examples
    --------
    >>> from bitmeter import Iid
    >>> print(typical_set(Iid([.9, .1]), 1000, .05))
    2^510.35 words of 1000 symbols (4e-148 of all) hold 0.8980 of the probability; bounds 2^418.92 and 2^519.00
    """
    a_process(process, "process")
    size = check.integer(n, "n", low=1, high=10_000)
    reach = check.real(epsilon, "epsilon", low=0.0)
    per = check.nats_per(unit)
    rate = process.entropy_rate_in("nats")
    # A word exactly at the edge belongs to the set, whichever way its logarithm was rounded.
    far = reach * per + 1e-12 * max(1.0, rate)
    found = _by_kind(process, size, rate, far) if isinstance(process, Iid) else _by_word(process, size, rate, far)
    return TypicalSet(size, reach, rate / per, unit, found[0], process.alphabet_size**size, found[1])


def _by_word(process: Process, n: int, rate: float, far: float) -> tuple[int, float]:
    if process.alphabet_size**n > _WORDS:
        fits = int(math.log(_WORDS) / math.log(process.alphabet_size) + 1e-9)
        message = (
            f"there are {process.alphabet_size}**{n} words of {n} symbols, more than {_WORDS} to go through; "
            f"n may be at most {fits} for this process"
        )
        raise RangeError(message, value=n)
    words = process._blocks(n)
    words = words[words > 0]
    typical = words[np.abs(-np.log(words) / n - rate) <= far]
    if typical.size == 0:
        return 0, 0.0
    _, total, *_ = _core.row_sums(typical[None])
    return int(typical.size), min(float(total[0]), 1.0)


def _by_kind(process: Iid, n: int, rate: float, far: float) -> tuple[int, float]:
    """Words of independent draws that have each probability equally often are equally likely: count them together."""
    values, times = np.unique(process.probabilities[process.probabilities > 0], return_counts=True)
    kinds = math.comb(n + values.size - 1, values.size - 1)
    if kinds > _TYPES:
        message = (
            f"words of {n} symbols with {values.size} different probabilities have {kinds:.3g} kinds, more than "
            f"{_TYPES} to go through; shorten the words"
        )
        raise RangeError(message, value=n)
    counts = _compositions(n, values.size)
    logs = counts @ np.log(values)
    chosen = np.abs(-logs / n - rate) <= far
    ways = gammaln(n + 1) - gammaln(counts + 1).sum(axis=1) + counts @ np.log(times)
    probability = math.fsum(np.exp((ways + logs)[chosen]))
    count = sum(_multinomial(row, times.tolist()) for row in counts[chosen].tolist())
    return count, min(probability, 1.0)


def _compositions(n: int, parts: int) -> Ints:
    """All ways to write n as a sum of `parts` numbers, in order."""
    if parts == 1:
        return np.array([[n]], dtype=np.int64)
    bars = np.array(list(itertools.combinations(range(n + parts - 1), parts - 1)), dtype=np.int64)
    edges = np.concatenate((np.full((len(bars), 1), -1), bars, np.full((len(bars), 1), n + parts - 1)), axis=1)
    return np.diff(edges, axis=1) - 1


def _multinomial(counts: list[int], times: list[int]) -> int:
    """How many words have these counts, where `times` symbols share each probability: exact."""
    total, result = 0, 1
    for count, symbols in zip(counts, times, strict=True):
        total += count
        result *= math.comb(total, count) * symbols**count
    return result


__all__ = ["Convergence", "TypicalSet", "converge", "typical_set"]
