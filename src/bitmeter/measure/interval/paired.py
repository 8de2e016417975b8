"""Paired tests: whether two models differ on the same clusters, and by how much."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from bitmeter._util import check
from bitmeter._util.arrays import Floats
from bitmeter.measure.interval.anytime import differences, gains, shuffled, wealth
from bitmeter.measure.interval.base import NOUNS, Interval
from bitmeter.measure.interval.blocks import as_clusters
from bitmeter.measure.interval.cluster import named
from bitmeter.measure.interval.inputs import read, read_clip, read_confidence
from bitmeter.measure.interval.ratio import FEWEST, Clusters, Ratio, no_spread, ratio_interval

#: The label of a test over blocks of one text.
THIS_TEXT = "conditional on this text"


@dataclass(frozen=True, slots=True)
class PairedTest:
    """How two models differ on the same clusters: below zero, the first needs fewer bits and is better."""

    #: Σ(a − b) / Σ size; None where both are infinite, so that there is no difference.
    difference: float | None
    #: Of the difference; None where there is no difference.
    interval: Interval | None
    #: Two-sided, of "the expected difference is zero"; None where there is none, and `reason` says why.
    p_value: float | None
    #: The share of clusters on which the first is better; ties count half.
    share_won: float
    #: Evidence against "neither is better" that is valid at any time: 20 is as strong as p = .05.
    e_value: float | None
    #: Why a p-value or an e-value is missing.
    reason: str
    #: What the test generalises to: "by document", "by line", or "conditional on this text".
    label: str

    @property
    def notes(self) -> tuple[str, ...]:
        """Why to trust the interval and the p-value less."""
        return () if self.interval is None or self.interval.low is None else self.interval.notes

    def __str__(self) -> str:
        p = f"p {'< .001' if self.p_value < 0.001 else f'= {self.p_value:.3f}'}" if self.p_value is not None else "no p"
        e = f"e = {self.e_value:.3g}" if self.e_value is not None else "no e"
        shown = "no difference" if self.interval is None else f"difference {self.interval}"
        line = f"{shown}; {p}, {e}, better on {100 * self.share_won:.0f} %, {self.label}"
        return f"{line}: {self.reason}" if self.reason else line


class Tested:
    """A difference between models that may have a test, and by it an interval."""

    __slots__ = ()
    test: PairedTest | None

    @property
    def low(self) -> float | None:
        """The lower end of the difference's interval."""
        return None if self.test is None or self.test.interval is None else self.test.interval.low

    @property
    def high(self) -> float | None:
        """The upper end of the difference's interval."""
        return None if self.test is None or self.test.interval is None else self.test.interval.high


def paired(
    a: ArrayLike,
    b: ArrayLike,
    denominators: ArrayLike,
    confidence: float = 0.95,
    *,
    kind: str = "file",
    clip: float = 0.25,
) -> PairedTest:
    """Whether two models differ on the same clusters, and by how much.

    Parameters
    ----------
    a, b
        The costs of each cluster under the two models, in the same order, that of the text, and in the same unit.
    denominators
        The size of each cluster.
    confidence
        Of the interval; between 0 and 1.
    kind
        What a cluster is, as in `cluster_ratio`; "block" for successive blocks of one long text.
    clip
        See `e_process`; used for texts of their own only.

    Returns
    -------
    PairedTest
        Five clusters or fewer give no p-value; lines, paragraphs and blocks, and clusters whose neighbours are alike,
        give no e-value; `reason` says so.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> size = np.full(40, 1000)
    >>> b = rng.normal(2000, 50, 40)
    >>> a = b - rng.normal(20, 15, 40)
    >>> print(paired(a, b, size))
    difference -0.02... [-0.02..., -0.01...] (95 %, serial-clusters(file), 40 ...); p < .001, e = ..., by document
    >>> paired(a[:4], b[:4], size[:4]).p_value is None
    True
    """
    level, largest = read_confidence(confidence), read_clip(clip)
    check.choice(kind, "kind", NOUNS)
    first, second, n = read(a, denominators, "a")[0], *read(b, denominators, "b")
    like = as_clusters(second, n) if kind == "block" else named(second, n, kind)
    return paired_clusters(first, second, like, level, largest)


def paired_clusters(first: Floats, second: Floats, like: Clusters, confidence: float, clip: float = 0.25) -> PairedTest:
    """The same for costs that were checked, of clusters whose sizes and kind are those of `like`."""
    d, undefined = differences(first, second)
    n = like.sizes
    clusters = replace(like, costs=d, signed=True)
    weighs = (n > 0.0) | (d != 0.0)
    won = float((np.sum(d[weighs] < 0.0) + 0.5 * np.sum(d[weighs] == 0.0)) / max(1, np.sum(weighs)))
    label = THIS_TEXT if like.noun == "block" else f"by {like.noun}"
    if undefined:
        reason = f"both models are infinite, {undefined}; a difference of infinities is undefined"
        return PairedTest(None, None, None, won, None, reason, label)
    missing = no_spread(clusters)
    if missing:
        interval = ratio_interval(clusters, confidence)
        return PairedTest(interval.estimate, interval, None, won, None, f"no p-value: {missing}", label)
    ratio = Ratio(clusters)
    no_p = no_e = ""
    p_value = e_value = None
    if ratio.number < FEWEST:
        no_p = (
            f"no p-value: {ratio.number} {like.noun}s are too few to estimate the spread of their differences; "
            f"score at least {FEWEST}, or better 20"
        )
    else:
        p_value = ratio.p_value()
    if not like.separate:
        no_e = f"no e-value: {like.noun}s of one text depend on each other"
    elif like.learns:
        no_e = f"no e-value: a model that learns as it reads makes {like.noun}s depend on each other"
    elif not ratio.allows_bets:
        no_e = f"no e-value: neighbouring {like.noun}s may be alike"
    elif float(gains(d, n, clip).sum()) * ratio.estimate < 0.0:
        no_e = "no e-value: its bets clip large differences, and without those the other model would be better"
    else:
        order = shuffled(n.size, 0)
        e_value = float(wealth(d[order], n[order], clip)[-1])
    return PairedTest(ratio.estimate, ratio.interval(confidence), p_value, won, e_value, _joined(no_p, no_e), label)


def holm(p_values: Iterable[float | None]) -> tuple[float | None, ...]:
    """P-values of several tests, corrected by Holm's method so that they hold jointly; None stays None.

    Parameters
    ----------
    p_values
        One per test; None for a test that gave none, which is not counted as a test.

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
    for index, value in enumerate(check.items(p_values, "p_values", "a sequence of p-values")):
        given.append(None if value is None else check.real(value, f"p_values[{index}]", low=0.0, high=1.0))
    order = sorted((value, index) for index, value in enumerate(given) if value is not None)
    raised = list(given)
    highest = 0.0
    for rank, (value, index) in enumerate(order):
        highest = max(highest, min(1.0, value * (len(order) - rank)))
        raised[index] = highest
    return tuple(raised)


def _joined(*reasons: str) -> str:
    return "; ".join(reason for reason in reasons if reason)
