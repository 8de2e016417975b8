"""Averages over time and over the ensemble, and autocorrelation: what ergodicity means, on samples and exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from bitmeter import _core
from bitmeter._util import check
from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.check import Seed
from bitmeter.errors import InputTypeError, RangeError, ShapeError, UndefinedError
from bitmeter.theory.processes.base import MAX_SYMBOLS, Process, a_process, frozen, seed_words, sub_seed
from bitmeter.theory.processes.laws import Linear, mix

_BLOCK = 2**22


@dataclass(frozen=True, slots=True, eq=False)
class TimeAverages:
    """Averages of a value f(x) along paths of a process, beside its average over all paths.

    Attributes
    ----------
    n
        The times at which the averages were taken.
    time
        One row per path: its mean of f(X₁) … f(Xₙ), at each of `n`.
    ensemble
        The mean of f(Xₙ) over the paths, at each of `n`.
    limits
        The mean of f in each ergodic component: what the time averages of its paths tend to. Empty where averages
        over time do not settle at all.
    weights
        The probability of each component.
    component
        Which component each path follows; -1 where that is not settled.
    """

    n: Ints
    time: Floats
    ensemble: Floats
    limits: tuple[float, ...]
    weights: tuple[float, ...]
    component: Ints

    @property
    def final(self) -> Floats:
        """The time average of each path at the last n."""
        return np.asarray(self.time[:, -1])

    @property
    def mean(self) -> float:
        """The mean of f over the ensemble in the long run; an UndefinedError where averages do not settle."""
        if not self.limits:
            message = "averages over time do not settle, so there is no mean in the long run"
            raise UndefinedError(message)
        return math.fsum(weight * limit for weight, limit in zip(self.weights, self.limits, strict=True))

    def __str__(self) -> str:
        spread = f"{len(self.time)} paths of {int(self.n[-1])} symbols: time averages {self.final.min():.4f} to "
        spread += f"{self.final.max():.4f}, ensemble average {self.ensemble[-1]:.4f}"
        if not self.limits:
            return spread + "; no limit"
        tends = ", ".join(
            f"{limit:.4f} ({weight:.4g})" for limit, weight in zip(self.limits, self.weights, strict=True)
        )
        return f"{spread}; limits {tends}"


def time_averages(
    process: Process, n: int, *, values: Any = None, paths: int = 20, points: int = 100, seed: Seed = None
) -> TimeAverages:
    """Follow the average of a value along samples of a process, beside the average over the samples.

    For an ergodic process the average over time of every path tends to the average over the ensemble; for others
    each path tends to that of the ergodic component it follows, or to nothing at all.

    Parameters
    ----------
    process
        What makes the samples.
    n
        Their length.
    values
        f: a number for each symbol, in order. By default the labels where they are numbers, else 0, 1, 2, …
    paths
        How many.
    points
        At how many times the averages are taken, evenly on a logarithmic scale.
    seed
        A whole number, or a numpy generator that goes on.

    Examples
    --------
    >>> from bitmeter import example_process
    >>> print(time_averages(example_process("two-coins"), 10_000, paths=50, seed=1))
    50 paths of 10000 symbols: time averages 0.0954 to 0.5072, ensemble average 0.3400; limits ...
    """
    a_process(process, "process")
    length = check.integer(n, "n", low=1, high=MAX_SYMBOLS // 10)
    rows = check.integer(paths, "paths", low=1, high=MAX_SYMBOLS)
    if length * rows > MAX_SYMBOLS:
        message = f"{rows} paths of {length} symbols are more than {MAX_SYMBOLS:.0e}; lower n or paths"
        raise RangeError(message, value=length * rows)
    count = check.integer(points, "points", low=1, high=10**6)
    numbers = _values(process, values)
    words = seed_words(seed)
    ends = np.unique(np.geomspace(1, length, min(count, length)).round().astype(np.int64))
    ends[-1] = length
    means, homes, total = [], [], np.zeros(ends.size)
    step = max(1, _BLOCK // length)
    for number, done in enumerate(range(0, rows, step)):
        ids, home = process._sample(length, min(step, rows - done), sub_seed(words, number))
        along = numbers[ids]
        means.append(_core.running_sums(along, ends).reshape(len(ids), ends.size) / ends)
        total += along[:, ends - 1].sum(axis=0)
        homes.append(home)
    parts = process.ergodic_components if process.settles else ()
    return TimeAverages(
        ends,
        frozen(np.concatenate(means)),
        frozen(total / rows),
        tuple(float(_marginal(part._linear()) @ numbers) for _, part in parts),
        tuple(weight for weight, _ in parts),
        np.concatenate(homes),
    )


def autocorrelation(x: Any, lags: int, *, values: Any = None) -> Floats:
    """The correlation of a sequence with itself, 0, 1, …, `lags` steps later.

    Parameters
    ----------
    x
        A process, whose autocorrelation in the long run is given exactly; or a sequence of numbers, for an estimate
        (about its own mean, and divided by its length, so that it is never more than one). Where the
        autocorrelation of a process tends to 0, the time averages of all its paths tend to one value; in a mixture
        it does not, because the whole path tells which component was chosen.
    lags
        The largest lag.
    values
        For a process: a number for each symbol, as in `time_averages`.

    Examples
    --------
    >>> from bitmeter import Markov, example_process
    >>> autocorrelation(Markov([[.9, .1], [.3, .7]]), 3)
    array([1.   , 0.6  , 0.36 , 0.216])
    >>> autocorrelation(example_process("two-coins"), 3).round(4)
    array([1.    , 0.1905, 0.1905, 0.1905])
    >>> autocorrelation([0, 1] * 100, 2)
    array([ 1.   , -0.995,  0.99 ])
    """
    last = check.integer(lags, "lags", low=0, high=10**6)
    if not isinstance(x, Process):
        if values is not None:
            message = "values belongs to a process; give a sequence as the numbers themselves"
            raise InputTypeError(message, value=values)
        return _of_numbers(x, last)
    if not x.settles:
        message = f"{x!r} has no autocorrelation in the long run: {x.settles.reason}"
        raise UndefinedError(message)
    return _of_process(x, last, _values(x, values))


def _values(process: Process, values: Any) -> Floats:
    if values is None:
        names = process.labels
        plain = names is None or not all(isinstance(name, int | float) for name in names)
        numbered = np.arange(process.alphabet_size) if plain else check.array(names, "labels")
        return numbered.astype(np.float64)
    numbers = np.asarray(check.array(values, "values"), dtype=np.float64)
    if numbers.shape != (process.alphabet_size,) or not np.isfinite(numbers).all():
        message = (
            f"values has shape {numbers.shape}; it needs a finite number for each of {process.alphabet_size} symbols"
        )
        raise ShapeError(message)
    return numbers


def _marginal(law: Linear) -> Floats:
    return np.asarray(law.advance(law.start).sum(axis=1))


def _of_process(process: Process, lags: int, numbers: Floats) -> Floats:
    law = mix([(weight, part._linear()) for weight, part in process.ergodic_components])
    seen = _marginal(law)
    centred = numbers - seen @ numbers
    variance = float(seen @ centred**2)
    if variance == 0.0:
        message = "the value never varies, so that its autocorrelation is 0/0; choose other values"
        raise UndefinedError(message)
    found = [variance]
    ahead = centred @ law.advance(law.start)
    for _ in range(lags):
        after = law.advance(ahead)
        found.append(float(centred @ after.sum(axis=1)))
        ahead = after.sum(axis=0)
    return np.asarray(found) / variance


def _of_numbers(x: Any, lags: int) -> Floats:
    numbers = np.asarray(check.array(x, "x"), dtype=np.float64)
    if numbers.ndim != 1 or numbers.size <= lags or not np.isfinite(numbers).all():
        message = f"x has shape {numbers.shape}; a lag of {lags} needs more than {lags} finite numbers in one axis"
        raise ShapeError(message)
    centred = numbers - numbers.mean()
    variance = float(centred @ centred)
    if variance == 0.0:
        message = "x never varies, so that its autocorrelation is 0/0"
        raise UndefinedError(message)
    return np.array([centred[: numbers.size - lag] @ centred[lag:] for lag in range(lags + 1)]) / variance


__all__ = ["TimeAverages", "autocorrelation", "time_averages"]
