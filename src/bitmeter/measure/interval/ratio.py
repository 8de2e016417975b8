"""The ratio of two sums over clusters in the order of a text: its interval and its p-value.

Three things make such an interval too narrow: few clusters of unequal size, neighbours that are alike, and a few
clusters that cost far more than the others. The first is answered by Student's t with effective degrees of freedom, the
second by `dependence`, the third by `skew`; the widest interval holds. The core does the arithmetic over clusters, on
anything that is a row of doubles, so that an interval needs no numpy.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitmeter import _core
from bitmeter.measure.interval.base import Interval
from bitmeter.measure.interval.dependence import COSINES, Dependence
from bitmeter.measure.interval.skew import BATCHES, Skew
from bitmeter.theory.student import t_quantile, t_tail

if TYPE_CHECKING:
    from bitmeter._util.arrays import Floats

#: If one cluster outweighs the others so far that they count as fewer than this many, there is no spread to measure.
LEAST_EFFECTIVE = 1.5
#: Fewer clusters say nothing about skew, and too little for a p-value.
FEWEST = 6
#: Relative differences below this are rounding.
ROUNDING = 1e-12
#: Neighbours are alike if dependence widens the interval by more than this factor.
ALIKE = 1.3
#: How far the correlation of neighbours is above zero, in standard errors: more hints at dependence, and is noted.
HINT, LIKELY = 1.0, 1.645
#: Up to so many texts of their own, an interval says what share of all texts may be of a kind that none of them is.
FEW = 60
#: The weight of long dependence, and the skew, from which on a note is due.
TOO_LONG, TOO_SKEWED = 0.3, 0.3
#: The probability, before looking, that neighbours are not alike: of texts of their own, and of parts of a text.
SEPARATE, PARTS = 0.9, 0.5
#: A half-width at 95 % over the standard error that goes with it.
_AT_95 = 2.2


@dataclass(frozen=True, slots=True)
class Clusters:
    """What was observed: the cost and the size of each cluster, in the order of the text.

    Attributes
    ----------
    costs, sizes
        One entry per cluster; costs may be differences of costs.
    noun
        What one cluster is, for notes: "document", "line", "block".
    method
        What the signature says of the method.
    separate
        Whether each is a text of its own, such as a file or an article, and not a part of one, such as a line.
    signed
        Whether costs are differences, which may be below zero.
    learns
        Whether the model learns as it reads, so that costs fall along the text.
    """

    costs: Floats
    sizes: Floats
    noun: str
    method: str
    separate: bool
    signed: bool = False
    learns: bool = False


class Ratio:
    """Σ costs / Σ sizes of clusters of which none is infinite, and how far it may be off."""

    def __init__(self, clusters: Clusters) -> None:
        self.clusters = clusters
        found = _core.ClusterSpread(clusters.costs, clusters.sizes, clusters.learns, clusters.signed)
        self._spread, self.estimate, self.number = found, found.estimate, found.number
        self.error, self.degrees = found.error, found.degrees
        prior = SEPARATE if clusters.separate and not found.likeness() > HINT else PARTS
        cosines = min(COSINES, self.number - 1, max(2, math.floor(self.degrees + 1e-9)))
        self.dependence = Dependence(*found.dependence(cosines, prior), cosines)
        self.independent_half, self._half = self._halves(0.95)
        self.is_alike = self._half > ALIKE * self.independent_half
        self.skew = self._skew()

    def _halves(self, confidence: float) -> tuple[float, float]:
        """The half-width if clusters are independent, and the larger one that allows for dependence."""
        if self.error == 0.0:
            return 0.0, 0.0
        alone = t_quantile(self.degrees, 0.5 + 0.5 * confidence) * self.error
        return alone, max(alone, self.dependence.half_width(confidence))

    def _skew(self) -> Skew:
        if self.number < FEWEST:
            return Skew(0.0, self.error)
        by_parts = self._is_by_parts
        return Skew(self._spread.lean(by_parts), self._half / _AT_95 if by_parts else self.error)

    @property
    def _is_by_parts(self) -> bool:
        """Whether skew is measured on parts of the text, because neighbours are alike."""
        return self.is_alike and self.number > BATCHES

    @property
    def allows_bets(self) -> bool:
        """Whether clusters are texts of their own among which no dependence is seen, as e-values need them."""
        return self.clusters.separate and not self.is_alike and not self._spread.likeness() > HINT

    def interval(self, confidence: float) -> Interval:
        """The interval, which reaches further to the side to which the costs are skewed."""
        half = self._half if confidence == 0.95 else self._halves(confidence)[1]
        low, high = self.estimate - self.skew.below(half), self.estimate + self.skew.above(half)
        if not self.clusters.signed and self.estimate >= 0.0:
            low = max(low, 0.0)
        return Interval(
            low, high, self.estimate, self.skew.scale, confidence, method_of(self.clusters), self.number, self.degrees,
            self.notes(), self.caveat(confidence),
        )  # fmt: skip

    def p_value(self) -> float:
        """Two-sided, of "the ratio is zero"."""
        if self.error == 0.0:
            return 1.0 if self.estimate == 0.0 else 0.0
        straightened = self.skew.straightened(self.estimate)
        return max(self._exceeded(abs(self.estimate)), self._exceeded(straightened))

    def _exceeded(self, error: float) -> float:
        alone = 2.0 * t_tail(self.degrees, error / self.error)
        return min(1.0, max(alone, self.dependence.two_sided(error)))

    def notes(self) -> tuple[str, ...]:
        """Why to trust the interval less, or why it is as wide as it is."""
        noun, number = self.clusters.noun, self.number
        if self.error == 0.0:
            return ()
        if number < FEWEST:
            return (f"only {number} {noun}s: the interval assumes that {noun}s differ about normally",)
        count = f"{number:,} count as about {self._count:,.0f}"
        is_long = self.dependence.share_of_long > TOO_LONG
        notes = []
        if self.is_alike and is_long:
            notes.append(
                f"{noun}s are alike over long distances: {count}, and the interval may be too narrow, because the text "
                "is short for that"
            )
        elif self.is_alike:
            notes.append(f"neighbouring {noun}s are alike: {count}")
        elif is_long:
            notes.append(
                f"{noun}s may be alike over distances that are long for this text: the interval may be too narrow"
            )
        elif self.clusters.separate and self._spread.likeness() > LIKELY:
            notes.append(f"neighbouring {noun}s look alike: if they are, the interval may be too narrow")
        return (*notes, *self._carriers())

    @property
    def _count(self) -> float:
        """How many independent clusters would give an interval as narrow as this one."""
        return max(1.0, self.number * (self.independent_half / self._half) ** 2)

    def caveat(self, confidence: float) -> str:
        """What so few texts, or lines of unknown articles, cannot show: that some of all texts are unlike these.

        Of k independent texts none is of a kind to which a share s of all texts belongs with probability (1 − s)^k.
        """
        if self.error == 0.0 or self.number < FEWEST or self.clusters.noun == "block":
            return ""  # no interval to doubt, or what is said of it already
        if not self.clusters.separate:
            return "their articles are not known"
        count = self._count if self.is_alike else float(self.number)
        if count > FEW:
            return ""
        share = -math.expm1(math.log1p(-confidence) / count)
        return f"a kind below {100 * share:.0f} % may be missing"

    def _carriers(self) -> list[str]:
        """Which clusters or parts of the text carry the spread, if a few do."""
        noun, number, by_parts = self.clusters.noun, self.number, self._is_by_parts
        lean = self.skew.lean if by_parts else self._spread.lean_of_clusters()
        if abs(lean) <= TOO_SKEWED:
            return []
        at, share = self._spread.carrier(by_parts)
        if by_parts:
            place = f"from {100 * at // BATCHES} to {100 * (at + 1) // BATCHES} % of the text"
            return [f"a few parts of the text carry the spread: that {place} alone {100 * share:.0f} %"]
        return [f"a few {noun}s carry the spread: the {ordinal(at + 1)} of {number:,} alone {100 * share:.0f} %"]


def ratio_interval(clusters: Clusters, confidence: float) -> Interval:
    """The interval of the ratio, or an interval without ends and the reason."""
    reason = no_spread(clusters)
    if not reason:
        return Ratio(clusters).interval(confidence)
    x, n = clusters.costs, clusters.sizes
    infinite, first, _, number, _, _ = _core.cluster_view(x, n)
    # A difference can also be −inf; differences that are infinite both ways never come here.
    estimate = first if infinite else _core.cluster_ratio(x, n)
    return Interval(None, None, estimate, None, confidence, method_of(clusters), number, None, (reason,))


def method_of(clusters: Clusters) -> str:
    """What the signature says of the method, and that a learning curve was left out.

    Examples
    --------
    >>> import numpy as np
    >>> method_of(Clusters(np.ones(2), np.ones(2), "line", "serial-clusters(line)", False, learns=True))
    'serial-clusters(line,learning)'
    """
    method = clusters.method
    return f"{method.removesuffix(')')},learning)" if clusters.learns and method.endswith(")") else method


def no_spread(clusters: Clusters) -> str:
    """Why these clusters give no interval; "" if they do."""
    noun = clusters.noun
    infinite, _, sized, _, number, share = _core.cluster_view(clusters.costs, clusters.sizes)
    if infinite:
        return f"infinite on {infinite:,} of {len(clusters.costs):,} {noun}s"
    if sized <= 1:
        return f"one {noun} does not show how {noun}s differ"
    if number < LEAST_EFFECTIVE:
        return f"one {noun} holds {100 * share:.0f} % of the text, so that there is no spread to measure"
    return ""


def effective(n: Floats) -> float:
    """The number of clusters of equal size that would vary as much as these: (Σn)²/Σn²."""
    return _core.effective_clusters(n)


def standard_error(residuals: Floats, n: Floats) -> tuple[float, float]:
    """The standard error of the ratio if clusters are independent, and its degrees of freedom.

    The variance is that of the linearised ratio, Σ e² / c with e = (x − R·n) / Σn. The small-sample correction
    c = 1 − 2w + Σw², where w = n / Σn, is exact when clusters have random effects of their own; it is the standard
    k/(k−1) when all are of one size. The degrees of freedom are the *effective* number of clusters, 1/Σw², minus one:
    k − 1 when all are of one size.
    """
    return _core.standard_error(residuals, n)


def ordinal(number: int) -> str:
    """The number with its ending.

    Examples
    --------
    >>> [ordinal(n) for n in (1, 2, 3, 4, 11, 22, 1013)]
    ['1st', '2nd', '3rd', '4th', '11th', '22nd', '1,013th']
    """
    ending = "th" if number // 10 % 10 == 1 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"
