"""Shares of items that are right, with intervals."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter.measure.groups.averages import macro_of_groups
from bitmeter.measure.interval.base import Interval
from bitmeter.measure.interval.ratio import Clusters, ratio_interval

__all__ = ["Accuracy", "accuracy", "macro_accuracy", "mean_margin", "wilson"]


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How many items are right.

    Attributes
    ----------
    right
        The number of items that are right; a tie of n counts 1/n.
    items, ties
        All items, and those of them that are ties.
    interval
        Wilson's, for items that are independent draws.
    """

    right: float
    items: int
    ties: int
    interval: Interval

    @property
    def share(self) -> float:
        """The share of items that are right."""
        return self.right / self.items


def wilson(right: float, items: int, confidence: float) -> Interval:
    """Wilson's score interval of a share.

    Examples
    --------
    >>> found = wilson(8, 10, 0.95)
    >>> round(found.low, 4), found.estimate, round(found.high, 4)
    (0.4902, 0.8, 0.9433)
    """
    from statistics import NormalDist  # slow to import

    z = NormalDist().inv_cdf(0.5 + 0.5 * confidence)
    share, shrink = right / items, 1.0 + z * z / items
    centre = (share + z * z / (2 * items)) / shrink
    half = z / shrink * math.sqrt(share * (1.0 - share) / items + z * z / (4.0 * items * items))
    low, high = min(share, max(0.0, centre - half)), max(share, min(1.0, centre + half))
    return Interval(low, high, share, None, confidence, "wilson", items, None)


def accuracy(points: Floats, ties: Iterable[bool], confidence: float) -> Accuracy:
    """The accuracy of items with these points between 0 and 1."""
    right = math.fsum(points.tolist())
    return Accuracy(right, len(points), sum(map(bool, ties)), wilson(right, len(points), confidence))


def macro_accuracy(groups: Sequence[Accuracy], confidence: float) -> Interval:
    """The mean over groups, each weighed alike; see `macro_of_groups`."""
    return macro_of_groups([group.share for group in groups], [group.interval for group in groups], confidence)


def mean_margin(margins: Floats, confidence: float) -> Interval | None:
    """The mean of margins with an interval, each item one observation; None if one is infinite."""
    if not len(margins) or not np.isfinite(margins).all():
        return None
    clusters = Clusters(margins, np.ones(len(margins)), "item", "items", separate=True, signed=True)
    return ratio_interval(clusters, confidence)
