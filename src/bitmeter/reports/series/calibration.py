"""Calibration of the first guess: how often the most likely outcome came, against the probability that it had."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter.measure.interval.base import Interval
from bitmeter.measure.score import Score
from bitmeter.measure.trace.trace import Trace
from bitmeter.models.outcomes import Details
from bitmeter.reports.series.observed import observed, ratio_of_parts
from bitmeter.reports.series.texts import offsets_of
from bitmeter.theory.student import t_quantile

__all__ = ["Calibration", "CalibrationBin", "calibration", "expected_calibration_error"]

BINS = 15
#: How many parts of the text are left out in turn.
_PARTS = 40


@dataclass(frozen=True, slots=True)
class CalibrationBin:
    """Predictions whose first guess has a probability within 1/15: its mean, and how often the guess was right."""

    count: int
    probability: float
    right: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Calibration:
    """Bins that are not empty, and the expected calibration error with half of its 95 % interval's width."""

    bins: tuple[CalibrationBin, ...]
    error: float
    margin: float | None


def calibration(score: Score, trace: Trace) -> Calibration | None:
    """Of all predictions of a trace; None if the model was not asked for alternatives.

    The guess is the outcome that is listed first; of several that are equally likely, only one is guessed.

    Examples
    --------
    >>> import bitmeter as bm
    >>> coin = bm.Distribution({"a": 0.75, "b": 0.25})
    >>> score = bm.score(coin, b"aaab" * 20, alternatives=1)
    >>> found = calibration(score, score.trace)
    >>> [(one.count, one.probability, one.right) for one in found.bins], round(found.error, 9)
    ([(80, 0.75, 0.75)], 0.0)
    """
    details = trace.details
    if details is None or details.top_logprobs.shape[1] == 0 or not len(trace):
        return None
    # A unit that costs nothing though its first guess was not certain was left out by a convention.
    predicted = np.flatnonzero((trace.logprob < 0.0) | (details.top_logprobs[:, 0] >= -1e-12))
    if not len(predicted):
        return None
    first = np.exp(np.minimum(details.top_logprobs[:, 0], 0.0))[predicted]
    right = _right(trace, details)[predicted]
    index = np.minimum((first * BINS).astype(np.int64), BINS - 1)
    like = observed(score)
    cluster = None if like is None else like.of(trace.doc, offsets_of(trace.end - trace.start))[predicted]
    found = []
    for k in range(BINS):
        some = index == k
        count = int(np.count_nonzero(some))
        if not count:
            continue
        interval = None
        if like is not None and cluster is not None:
            interval = ratio_of_parts(like, cluster[some], right[some], np.ones(count), score.confidence)
        share = float(right[some].mean())
        low, high = _ends(interval, share, count, score.confidence)
        found.append(CalibrationBin(count, float(first[some].mean()), share, low, high))
    error = expected_calibration_error(first, right)
    return Calibration(tuple(found), error, _margin(first, right, cluster, score.confidence))


def _right(trace: Trace, details: Details) -> Floats:
    """1 where the unit that came is the guess, else 0."""
    right = details.rank == 1
    logs = details.top_logprobs
    if logs.shape[1] > 1:
        tied = np.flatnonzero(right & (logs[:, 1] == logs[:, 0]))
        data, cuts = trace.text
        guesses = details.top[tied, 0].tolist()
        spans = zip(cuts[tied].tolist(), cuts[tied + 1].tolist(), strict=True)
        # A word's own name is without the white space after it.
        right[tied] = [
            details.names[k] in (data[i:j], data[i:j].strip()) for k, (i, j) in zip(guesses, spans, strict=True)
        ]
    return np.asarray(right, dtype=np.float64)


def _ends(interval: Interval | None, share: float, count: int, confidence: float) -> tuple[float | None, float | None]:
    """By cluster, and at least as wide as Wilson's for independent guesses: three right of three say little."""
    if interval is None or interval.low is None or interval.high is None:
        return None, None
    z = t_quantile(1e9, 0.5 + 0.5 * confidence)
    middle = (share + z * z / (2 * count)) / (1 + z * z / count)
    half = z / (1 + z * z / count) * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    return max(0.0, min(interval.low, middle - half)), min(1.0, max(interval.high, middle + half))


def expected_calibration_error(probability: Floats, right: Floats, bins: int = BINS) -> float:
    """Σ n/N · |share right − mean probability| over bins of equal width (Guo et al. 2017).

    Examples
    --------
    >>> expected_calibration_error(np.array([0.9, 0.9, 0.2, 0.2]), np.array([1.0, 0.0, 0.0, 0.0]))
    0.3
    """
    index = np.minimum((probability * bins).astype(np.int64), bins - 1)
    gaps = np.bincount(index, right - probability, bins)
    return float(np.abs(gaps).sum() / len(probability))


def _margin(probability: Floats, right: Floats, cluster: Ints | None, confidence: float) -> float | None:
    """By the jackknife: parts of the text, whole clusters each, are left out in turn."""
    if cluster is None:
        return None
    used, numbers = np.unique(cluster, return_inverse=True)
    parts = min(_PARTS, len(used))
    if parts < 6:
        return None
    part = numbers.reshape(-1) * parts // len(used)
    index = np.minimum((probability * BINS).astype(np.int64), BINS - 1)
    gaps = np.bincount(part * BINS + index, right - probability, parts * BINS).reshape(parts, BINS)
    counts = np.bincount(part, minlength=parts)
    without = np.abs(gaps.sum(axis=0) - gaps).sum(axis=1) / (len(probability) - counts)
    variance = (parts - 1) / parts * float(np.square(without - without.mean()).sum())
    return t_quantile(parts - 1.0, 0.5 + 0.5 * confidence) * math.sqrt(variance)
