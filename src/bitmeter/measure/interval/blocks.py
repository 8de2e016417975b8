"""Intervals along one text: long blocks of it are the observations (batch means)."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bitmeter._util.check import Floats
from bitmeter.errors import UndefinedError
from bitmeter.measure.aggregates import Per
from bitmeter.measure.interval.base import Interval, IntervalMethod, Measured
from bitmeter.measure.interval.inputs import read, read_confidence
from bitmeter.measure.interval.ratio import (
    LEAST_EFFECTIVE,
    effective,
    infinite_interval,
    standard_error,
    student_interval,
)
from bitmeter.theory.sums import total

#: Batch means begin with at least `MOST_BATCHES` batches (if there are so many blocks), and end with no fewer than
#: `LEAST_BATCHES`.
MOST_BATCHES, LEAST_BATCHES = 64, 16
#: Fewer batches than this do not show how neighbours are correlated.
LEAST_CORRELATED = 8
#: The standard error has settled when doubling the batch length increases it by no more than this factor.
SETTLED = 1.2
#: Relative differences below this are rounding.
ROUNDING = 1e-12
#: With fewer degrees of freedom the batches are still so correlated that the interval deserves a warning.
LEAST_DEGREES = 8.0


def batch_means(numerators: ArrayLike, denominators: ArrayLike, confidence: float = 0.95) -> Interval:
    """Σ numerators / Σ denominators of one long text, given as successive blocks, with an interval.

    Blocks are joined into batches, about 64 at first; the length is doubled until the next doubling would increase
    the standard error by at most a factor of 1.2, and as long as 16 batches remain. Any correlation r left between
    neighbouring batches is taken to decay as in a first-order autoregression: it multiplies the standard error by
    √((1+r)/(1−r)) and reduces the degrees of freedom accordingly. The interval is conditional on this text: it says how
    the figure would vary if the same source continued, not how other texts would score.

    Parameters
    ----------
    numerators
        The cost of each block, in the order of the text.
    denominators
        The size of each block: all equal except for the last.
    confidence
        Between 0 and 1.

    Returns
    -------
    Interval
        With a `note` if the error did not settle, or if there is too little text to tell.

    Examples
    --------
    >>> costs = np.random.default_rng(0).exponential(2.0, 4096)
    >>> print(batch_means(costs, np.ones(4096)))
    2.03859 ± 0.056 (95 %, batch-means-t(64), 64 clusters)
    """
    x, n = read(numerators, denominators)
    return batch_interval(x, n, read_confidence(confidence))


def batch_interval(x: Floats, n: Floats, confidence: float) -> Interval:
    """The same for arrays that were checked."""
    infinite = infinite_interval(x, n, confidence, "batch-means-t", "blocks")
    if infinite is not None:
        return infinite
    estimate = total(x) / total(n)
    if effective(n) < LEAST_EFFECTIVE:
        note = "one block does not show how blocks differ"
        return Interval(None, None, estimate, None, confidence, "batch-means-t", x.size, None, note)
    residuals = x - estimate * n
    # Rounding is not spread: a constant cost must not give an interval of noise.
    residuals[np.abs(residuals) <= ROUNDING * np.abs(x)] = 0.0
    length = max(1, x.size // MOST_BATCHES)
    error, degrees = _batched_error(residuals, n, length)
    settled = False
    while not settled and _batches(x.size, 2 * length) >= LEAST_BATCHES:
        next_error, next_degrees = _batched_error(residuals, n, 2 * length)
        settled = next_error <= SETTLED * error
        if not settled:
            length, error, degrees = 2 * length, next_error, next_degrees
    number = _batches(x.size, length)
    method = f"batch-means-t({length})"
    return student_interval(
        estimate, error, degrees, confidence, method, number, _doubts(number, degrees, settled=settled)
    )


def _batches(blocks: int, length: int) -> int:
    """The number of batches; the last may be shorter than the others."""
    return -(-blocks // length)


def _batched_error(residuals: Floats, n: Floats, length: int) -> tuple[float, float]:
    """The standard error from batches of some length, widened for the correlation left between neighbours."""
    starts = np.arange(0, residuals.size, length)
    sums = np.add.reduceat(residuals, starts)
    error, degrees = standard_error(sums, np.add.reduceat(n, starts))
    number, largest = sums.size, float(np.abs(sums).max())
    if number < LEAST_CORRELATED or largest == 0.0:
        return error, degrees
    sums = sums / largest
    correlation = float(np.dot(sums[1:], sums[:-1]) / np.dot(sums, sums))
    # The first sample autocorrelation underestimates r by about (1 + 3r)/k; this corrects it.
    correlation = min(max((number * correlation + 1.0) / (number - 3.0), 0.0), 0.9)
    inflation = (1.0 + correlation) / (1.0 - correlation)
    return error * math.sqrt(inflation), max(degrees / inflation, min(degrees, 2.0))


def _doubts(number: int, degrees: float, *, settled: bool) -> str:
    """The warning, if any, for how the batches ended up."""
    if number < LEAST_BATCHES:
        return f"only {number} blocks: too few to see how neighbours are correlated; the interval may be too narrow"
    if not settled:
        return (
            "the standard error still grows with the length of the batches: the text has dependence over longer "
            "distances than it is long enough to show, and the interval may be too narrow"
        )
    if degrees < LEAST_DEGREES:
        return "neighbouring batches are strongly correlated: the text is short for the dependence in it"
    return ""


class AlongText(IntervalMethod):
    """Batch means over successive blocks of the text."""

    name: ClassVar[str] = "batch-means-t"
    description: ClassVar[str] = "long blocks of the text are the observations"
    priority: ClassVar[int] = 10

    def applies(self, score: Measured, per: Per) -> bool:
        """Whether there are sums along the text, and something to divide by."""
        blocks = score.by_block
        if not math.isfinite(score.nats) or blocks is None or len(blocks.nats) == 0:
            return False
        return per != "document" and score.count(per) > 0

    def interval(self, score: Measured, per: Per, confidence: float) -> Interval:
        """The interval from the sums of the blocks."""
        blocks = score.by_block
        if blocks is None:
            message = "only the total is known"
            raise UndefinedError(message)
        # Blocks are measured in bytes; per another unit, the figure is the same up to the units per byte.
        sizes = blocks.bytes * (score.count(per) / score.bytes)
        return batch_means(blocks.nats / math.log(2.0), sizes, confidence)


METHOD = AlongText()
