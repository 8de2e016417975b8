"""How sure a figure is: intervals and paired tests for text, whose parts depend on each other.

Words of one document share its subject, so a million words of fifty documents are nearer to fifty observations than to
a million. What is counted here are therefore *clusters*: the sums of whole documents, or long stretches of one long
text. Each function takes plain arrays, one entry a cluster: what it cost (bits or nats) and how large it is (bytes,
words, …); the figure is always Σ cost / Σ size. How often the intervals hold what they should is measured by
`benchmarks/coverage.py`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bitmeter._util import check
from bitmeter._util.check import Floats
from bitmeter.measure.interval import clusters as _clusters
from bitmeter.measure.interval.student import t_quantile
from bitmeter.theory.sums import total

__all__ = ["Interval", "PairedTest", "batch_means", "cluster_ratio", "e_process", "holm", "paired"]

#: With so few clusters, a p-value says more about the assumption of normality than about the models.
TOO_FEW = 5
#: A document that outweighs the others so far that they count as fewer than this many leaves no spread to measure.
LEAST_EFFECTIVE = 1.5
#: Batch means begin with at least `MOST_BATCHES` batches (where there are so many stretches), and end with no fewer
#: than `LEAST_BATCHES`.
MOST_BATCHES, LEAST_BATCHES = 64, 16
#: The standard error has settled when twice the batch length makes it no more than this many times larger.
SETTLED = 1.2
#: Relative differences below this are rounding.
ROUNDING = 1e-12
#: Where fewer degrees of freedom are left, the batches are still so alike that the interval deserves a warning.
LEAST_DEGREES = 8.0
#: Bets of the e-process: the largest share of the wealth, and the variance believed in before the first document.
LARGEST_BET, PRIOR_SPREAD = 0.75, 0.02
#: E-values stop growing here, so that they stay numbers.
LARGEST_E = 1e300


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure and how sure it is; `low`, `high` and `standard_error` are None where there is no interval."""

    low: float | None
    high: float | None
    estimate: float
    standard_error: float | None
    #: The share of such intervals that hold the true value, if all is as assumed.
    confidence: float
    #: "cluster-t", or "batch-means-t(64)" with the number of stretches in a batch.
    method: str
    #: How many documents or batches the spread was measured on; empty documents are not among them.
    clusters: int
    #: Degrees of freedom of Student's t; not whole where clusters are unequal or correlated.
    degrees: float | None
    #: What a reader should know: why there is no interval, or why to trust it less.
    note: str = ""

    @property
    def half_width(self) -> float | None:
        """What stands after the ±."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2.0

    def scaled(self, factor: float) -> Interval:
        """The same interval in another unit: every figure times a positive number.

        Examples
        --------
        >>> nats = cluster_ratio([2.0, 3.0, 2.5], [1, 1, 1])
        >>> round(nats.estimate, 3), round(nats.scaled(1 / math.log(2)).estimate, 3)
        (2.5, 3.607)
        """
        number = check.real(factor, "factor", low=1.0 / _clusters.LARGEST, high=_clusters.LARGEST)
        low, high, error = (
            None if value is None else value * number for value in (self.low, self.high, self.standard_error)
        )
        return replace(self, low=low, high=high, estimate=self.estimate * number, standard_error=error)

    def __contains__(self, value: float) -> bool:
        return self.low is not None and self.high is not None and self.low <= value <= self.high

    def __str__(self) -> str:
        if self.half_width is None:
            return f"{self.estimate:.6g} (no interval: {self.note})"
        how = f"{100 * self.confidence:.4g} %, {self.method}, {self.clusters} clusters"
        told = f"{self.estimate:.6g} ± {self.half_width:.2g} ({how})"
        return f"{told}; {self.note}" if self.note else told


@dataclass(frozen=True, slots=True)
class PairedTest:
    """How two models differ on the same clusters: below zero, the first needs less and is the better one."""

    #: Σ(a − b) / Σ size; None where both are infinite, so that there is no difference to speak of.
    difference: float | None
    #: Of the difference; None where there is no difference.
    interval: Interval | None
    #: Two-sided, of "the expected difference is zero"; None where there is none, and `reason` says why.
    p_value: float | None
    #: The share of clusters on which the first needs less; ties count half.
    share_won: float
    #: Evidence against "neither is better" that may be looked at at any time: 20 is as good as p = .05, and lasts.
    e_value: float | None
    #: Why a p-value or an e-value is missing.
    reason: str
    #: What the test speaks about: "by document", or "conditional on this text".
    label: str

    def __str__(self) -> str:
        p = f"p {'< .001' if self.p_value < 0.001 else f'= {self.p_value:.3f}'}" if self.p_value is not None else "no p"
        e = f"e = {self.e_value:.3g}" if self.e_value is not None else "no e"
        shown = "no difference" if self.interval is None else f"difference {self.interval}"
        told = f"{shown}; {p}, {e}, better on {100 * self.share_won:.0f} %, {self.label}"
        return f"{told}: {self.reason}" if self.reason else told


def cluster_ratio(numerators: Any, denominators: Any, confidence: float = 0.95) -> Interval:
    """Σ numerators / Σ denominators with an interval that takes each document as one observation.

    The variance is that of the linearised ratio, Σ e² / c with e = (x − R·n) / Σn. The small-sample correction
    c = 1 − 2w + Σw², where w = n / Σn, is exact when documents differ by effects of their own; it is the usual
    k/(k−1) when all are of one size. Student's t has as many degrees of freedom as the *effective* number of
    documents, 1/Σw², less one: k − 1 when all are of one size.

    Parameters
    ----------
    numerators
        What each document cost, in bits or nats; inf where the model excluded what it saw.
    denominators
        How large each document is; an empty one is allowed, and carries no weight.
    confidence
        Between 0 and 1.

    Returns
    -------
    Interval
        In the unit of the numerators per unit of the denominators.

    Examples
    --------
    >>> found = cluster_ratio([21.0, 39.0, 22.0, 38.0, 60.0], [10, 20, 10, 20, 30])
    >>> print(found)
    2 ± 0.12 (95 %, cluster-t, 5 clusters)
    >>> cluster_ratio([21.0, math.inf], [10, 20]).note
    'infinite on 1 of 2 documents'
    """
    x, n = _clusters.read(numerators, denominators)
    return _cluster_interval(x, n, _clusters.read_confidence(confidence), "document")


def batch_means(numerators: Any, denominators: Any, confidence: float = 0.95) -> Interval:
    """Σ numerators / Σ denominators of one long text, given as successive stretches, with an interval.

    Stretches are joined into batches, at first some 64 of them; the length is doubled until the next doubling makes
    the standard error at most 1.2 times larger, and as long as 16 batches remain. What correlation is left between
    neighbouring batches is taken to fade as that of a first-order autoregression, and widens the standard error by
    √((1+r)/(1−r)) and lessens the degrees of freedom accordingly. The interval speaks about this text: how the figure
    would vary if the same source went on, not how other texts would score.

    Parameters
    ----------
    numerators
        What each stretch cost, in the order of the text.
    denominators
        How large each stretch is: all alike but for the last.
    confidence
        Between 0 and 1.

    Returns
    -------
    Interval
        With a `note` where the error did not settle, or where there is too little text to know.

    Examples
    --------
    >>> costs = np.random.default_rng(0).exponential(2.0, 4096)
    >>> print(batch_means(costs, np.ones(4096)))
    2.03859 ± 0.056 (95 %, batch-means-t(64), 64 clusters)
    """
    x, n = _clusters.read(numerators, denominators)
    return _batch_interval(x, n, _clusters.read_confidence(confidence))


def paired(
    a: Any, b: Any, denominators: Any, confidence: float = 0.95, *, series: bool = False, clip: float = 0.25
) -> PairedTest:
    """Whether two models differ on the same clusters, and by how much.

    Parameters
    ----------
    a, b
        What each cluster cost the one model and the other, in the same order and unit.
    denominators
        How large each cluster is.
    confidence
        Of the interval; between 0 and 1.
    series
        False: clusters are documents. True: they are successive stretches of one long text, tested by batch means.
    clip
        See `e_process`; used for documents only.

    Returns
    -------
    PairedTest
        Five clusters or fewer give no p-value; stretches of one text give no e-value; `reason` says so.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> size = np.full(40, 1000)
    >>> b = rng.normal(2000, 50, 40)
    >>> a = b - rng.normal(20, 15, 40)
    >>> print(paired(a, b, size))
    difference -0.02... ± 0.00... (95 %, cluster-t, 40 clusters); p < .001, e = ..., better on 9... %, by document
    >>> paired(a[:4], b[:4], size[:4]).p_value is None
    True
    """
    level, along = _clusters.read_confidence(confidence), check.flag(series, "series")
    largest = _clusters.read_clip(clip)
    first, second, n = _clusters.read(a, denominators, "a")[0], *_clusters.read(b, denominators, "b")
    d, undefined = _differences(first, second)
    weighs = (n > 0.0) | (d != 0.0)
    won = float((np.sum(d[weighs] < 0.0) + 0.5 * np.sum(d[weighs] == 0.0)) / max(1, np.sum(weighs)))
    label = "conditional on this text" if along else "by document"
    e_value, no_e = None, "stretches of one text depend on each other, so there is no e-value"
    if not along:
        e_value, no_e = float(_wealth(d, n, largest)[-1]), ""
    if undefined:
        reason = f"both models are infinite, {undefined}; a difference of infinities is no figure"
        return PairedTest(None, None, None, won, e_value, _joined(reason, no_e), label)
    interval = _batch_interval(d, n, level) if along else _cluster_interval(d, n, level, "document")
    p_value, no_p = _p_value(interval, int(np.sum(n > 0.0)), "stretches" if along else "documents")
    return PairedTest(interval.estimate, interval, p_value, won, e_value, _joined(no_p, no_e), label)


def e_process(a: Any, b: Any, denominators: Any, *, clip: float = 0.25) -> Floats:
    """The e-value after each document: what a gambler who bets that one model is better has made of 1.

    The bet on a document is placed before its costs are seen: a share of the wealth that is set from the documents
    before it (an approximate Kelly bet, at most 3/4), won or lost in proportion to the difference per byte, clipped to
    ±`clip`. Half of the wealth bets on each model. If, given those before it, no document's clipped difference is
    expected to favour either, then the wealth is expected never to grow, and with probability 95 % it never reaches
    20, however often one looks and whenever one stops. Every document weighs the same here, whatever its length.

    Parameters
    ----------
    a, b
        What each document cost the one model and the other, in the order in which they were scored.
    denominators
        How large each document is; there is no bet on an empty one.
    clip
        The largest difference that counts, in the unit of a and b per unit of the denominators. Fix it before looking
        at the data: the default is meant for bits per byte, where models that are worth testing rarely differ by more.

    Returns
    -------
    ndarray
        As long as a.

    Examples
    --------
    >>> values = e_process(np.full(30, 9.0), np.full(30, 10.0), np.full(30, 10))
    >>> [round(float(values[i]), 2) for i in (0, 5, 29)]
    [1.0, 2.36, 1008.19]
    """
    first, second, n = _clusters.read(a, denominators, "a")[0], *_clusters.read(b, denominators, "b")
    return _wealth(_differences(first, second)[0], n, _clusters.read_clip(clip))


def holm(p_values: Any) -> tuple[float | None, ...]:
    """P-values of several tests, raised by Holm's method so that all of them hold together; None stays None.

    Parameters
    ----------
    p_values
        One for each test; None where a test gave none, which is not counted among the tests.

    Returns
    -------
    tuple
        In the same order.

    Examples
    --------
    >>> holm([0.01, 0.04, None, 0.03])
    (0.03, 0.06, None, 0.06)
    """
    given: list[float | None] = []
    for place, value in enumerate(check.items(p_values, "p_values", "a sequence of p-values")):
        given.append(None if value is None else check.real(value, f"p_values[{place}]", low=0.0, high=1.0))
    order = sorted((value, place) for place, value in enumerate(given) if value is not None)
    raised = list(given)
    highest = 0.0
    for rank, (value, place) in enumerate(order):
        highest = max(highest, min(1.0, value * (len(order) - rank)))
        raised[place] = highest
    return tuple(raised)


# Intervals


def _cluster_interval(x: Floats, n: Floats, confidence: float, what: str) -> Interval:
    used = int(np.sum((n > 0.0) | (x != 0.0)))
    infinite = _infinite(x, n, confidence, "cluster-t", f"{what}s")
    if infinite is not None:
        return infinite
    estimate = total(x) / total(n)
    note = ""
    if int(np.sum(n > 0.0)) == 1:
        note = f"one {what} shows nothing of how {what}s differ"
    elif _clusters.effective(n) < LEAST_EFFECTIVE:
        note = f"one {what} holds {100 * n.max() / n.sum():.0f} % of the text, so that there is no spread to measure"
    if note:
        return Interval(None, None, estimate, None, confidence, "cluster-t", used, None, note)
    error, degrees = _clusters.standard_error(x - estimate * n, n)
    return _student(estimate, error, degrees, confidence, "cluster-t", used, "")


def _batch_interval(x: Floats, n: Floats, confidence: float) -> Interval:
    infinite = _infinite(x, n, confidence, "batch-means-t", "stretches")
    if infinite is not None:
        return infinite
    estimate = total(x) / total(n)
    if _clusters.effective(n) < LEAST_EFFECTIVE:
        note = "one stretch shows nothing of how stretches differ"
        return Interval(None, None, estimate, None, confidence, "batch-means-t", x.size, None, note)
    residuals = x - estimate * n
    # What is only rounding is no spread: a constant cost must not give an interval of noise.
    residuals[np.abs(residuals) <= ROUNDING * np.abs(x)] = 0.0
    length = max(1, x.size // MOST_BATCHES)
    error, degrees = _clusters.batched_error(residuals, n, length)
    settled = False
    while not settled and _clusters.batches(x.size, 2 * length) >= LEAST_BATCHES:
        next_error, next_degrees = _clusters.batched_error(residuals, n, 2 * length)
        settled = next_error <= SETTLED * error
        if not settled:
            length, error, degrees = 2 * length, next_error, next_degrees
    number = _clusters.batches(x.size, length)
    method = f"batch-means-t({length})"
    return _student(estimate, error, degrees, confidence, method, number, _doubts(number, degrees, settled=settled))


def _doubts(number: int, degrees: float, *, settled: bool) -> str:
    """What to warn of, given how batch means ended."""
    if number < LEAST_BATCHES:
        return f"only {number} stretches: too few to see whether neighbours are alike; the interval may be too narrow"
    if not settled:
        return (
            "the standard error still grows with the length of the batches: the text depends on itself over longer "
            "distances than it can show, and the interval may be too narrow"
        )
    if degrees < LEAST_DEGREES:
        return "neighbouring batches are much alike: the text is short for its own dependence"
    return ""


def _infinite(x: Floats, n: Floats, confidence: float, method: str, what: str) -> Interval | None:
    endless = np.isinf(x)
    if not endless.any():
        return None
    used = int(np.sum((n > 0.0) | (x != 0.0)))
    # A difference can also be infinite downwards; differences that are infinite both ways never come here.
    estimate = float(x[np.argmax(endless)])
    note = f"infinite on {int(endless.sum())} of {x.size} {what}"
    return Interval(None, None, estimate, None, confidence, method, used, None, note)


def _student(
    estimate: float, error: float, degrees: float, confidence: float, method: str, clusters: int, note: str
) -> Interval:
    half = t_quantile(degrees, 0.5 + 0.5 * confidence) * error
    return Interval(estimate - half, estimate + half, estimate, error, confidence, method, clusters, degrees, note)


# Two models


def _differences(a: Floats, b: Floats) -> tuple[Floats, str]:
    """a − b, where what is left by rounding counts as nothing; and where infinities meet, in words."""
    both = np.isinf(a) & np.isinf(b)
    d = np.subtract(a, b, out=np.zeros_like(a), where=~both)
    larger = np.maximum(np.abs(a), np.abs(b), out=np.zeros_like(a), where=np.isfinite(d))
    d[np.abs(d) <= 4.0 * np.finfo(np.float64).eps * larger] = 0.0
    if both.any():
        return d, f"first together in cluster {int(np.argmax(both))}"
    up, down = d == np.inf, d == -np.inf
    if up.any() and down.any():
        return d, f"the first in cluster {int(np.argmax(up))}, the second in cluster {int(np.argmax(down))}"
    return d, ""


def _p_value(interval: Interval, clusters: int, what: str) -> tuple[float | None, str]:
    from scipy.special import stdtr

    if interval.standard_error is None or interval.degrees is None:
        return None, f"no p-value: {interval.note}"
    if clusters <= TOO_FEW:
        return None, (
            f"no p-value: {clusters} {what} are too few to tell the spread of their differences from its absence; "
            f"score at least {TOO_FEW + 1}, better 20"
        )
    if interval.standard_error == 0.0:
        return (1.0 if interval.estimate == 0.0 else 0.0), ""
    return float(2.0 * stdtr(interval.degrees, -abs(interval.estimate / interval.standard_error))), ""


def _wealth(d: Floats, n: Floats, clip: float) -> Floats:
    rates = np.divide(d, n * clip, out=np.zeros_like(d), where=n > 0.0)
    gains = np.clip(rates, -1.0, 1.0)
    # Each bet is set by the gains before it: hence sums that leave out their last term.
    means = np.concatenate([[0.0], np.cumsum(gains)[:-1]])
    spreads = PRIOR_SPREAD + np.concatenate([[0.0], np.cumsum(np.square(gains))[:-1]])
    bets = np.clip(means / spreads, -LARGEST_BET, LARGEST_BET)
    on_more = np.cumsum(np.log1p(np.maximum(bets, 0.0) * gains))
    on_less = np.cumsum(np.log1p(np.minimum(bets, 0.0) * gains))
    logs = np.logaddexp(on_more, on_less) - math.log(2.0)
    return np.asarray(np.exp(np.minimum(logs, math.log(LARGEST_E))), dtype=np.float64)


def _joined(*reasons: str) -> str:
    return "; ".join(reason for reason in reasons if reason)
