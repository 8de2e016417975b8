"""Paired tests: whether two models differ on the same clusters, and by how much."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from bitmeter._util import check
from bitmeter.measure.interval.anytime import differences, wealth
from bitmeter.measure.interval.base import Interval
from bitmeter.measure.interval.blocks import batch_interval
from bitmeter.measure.interval.cluster import cluster_interval
from bitmeter.measure.interval.inputs import read, read_clip, read_confidence
from bitmeter.theory.student import t_tail

#: With so few clusters, a p-value says more about the assumption of normality than about the models.
TOO_FEW = 5


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
    #: What the test generalises to: "by document", or "conditional on this text".
    label: str

    def __str__(self) -> str:
        p = f"p {'< .001' if self.p_value < 0.001 else f'= {self.p_value:.3f}'}" if self.p_value is not None else "no p"
        e = f"e = {self.e_value:.3g}" if self.e_value is not None else "no e"
        shown = "no difference" if self.interval is None else f"difference {self.interval}"
        line = f"{shown}; {p}, {e}, better on {100 * self.share_won:.0f} %, {self.label}"
        return f"{line}: {self.reason}" if self.reason else line


def paired(
    a: ArrayLike,
    b: ArrayLike,
    denominators: ArrayLike,
    confidence: float = 0.95,
    *,
    series: bool = False,
    clip: float = 0.25,
) -> PairedTest:
    """Whether two models differ on the same clusters, and by how much.

    Parameters
    ----------
    a, b
        The costs of each cluster under the two models, in the same order and unit.
    denominators
        The size of each cluster.
    confidence
        Of the interval; between 0 and 1.
    series
        False: clusters are documents. True: they are successive blocks of one long text, tested by batch means.
    clip
        See `e_process`; used for documents only.

    Returns
    -------
    PairedTest
        Five clusters or fewer give no p-value; blocks of one text give no e-value; `reason` says so.

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
    level, along = read_confidence(confidence), check.flag(series, "series")
    largest = read_clip(clip)
    first, second, n = read(a, denominators, "a")[0], *read(b, denominators, "b")
    d, undefined = differences(first, second)
    weighs = (n > 0.0) | (d != 0.0)
    won = float((np.sum(d[weighs] < 0.0) + 0.5 * np.sum(d[weighs] == 0.0)) / max(1, np.sum(weighs)))
    label = "conditional on this text" if along else "by document"
    e_value, no_e = None, "blocks of one text depend on each other, so there is no e-value"
    if not along:
        e_value, no_e = float(wealth(d, n, largest)[-1]), ""
    if undefined:
        reason = f"both models are infinite, {undefined}; a difference of infinities is undefined"
        return PairedTest(None, None, None, won, e_value, _joined(reason, no_e), label)
    interval = batch_interval(d, n, level) if along else cluster_interval(d, n, level, "document")
    p_value, no_p = _p_value(interval, int(np.sum(n > 0.0)), "blocks" if along else "documents")
    return PairedTest(interval.estimate, interval, p_value, won, e_value, _joined(no_p, no_e), label)


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


def _p_value(interval: Interval, clusters: int, what: str) -> tuple[float | None, str]:
    if interval.standard_error is None or interval.degrees is None:
        return None, f"no p-value: {interval.note}"
    if clusters <= TOO_FEW:
        return None, (
            f"no p-value: {clusters} {what} are too few to estimate the spread of their differences; "
            f"score at least {TOO_FEW + 1}, or better 20"
        )
    if interval.standard_error == 0.0:
        return (1.0 if interval.estimate == 0.0 else 0.0), ""
    return 2.0 * t_tail(interval.degrees, abs(interval.estimate / interval.standard_error)), ""


def _joined(*reasons: str) -> str:
    return "; ".join(reason for reason in reasons if reason)
