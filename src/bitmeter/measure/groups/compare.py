"""How models differ on each group of a text, corrected for the number of groups."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter.measure.groups.rows import groups_of
from bitmeter.measure.interval import cluster as by_cluster
from bitmeter.measure.interval.paired import PairedTest, Tested, holm, paired_clusters
from bitmeter.measure.score import Score

__all__ = ["GroupDifference", "compare_groups"]


@dataclass(frozen=True, slots=True)
class GroupDifference(Tested):
    """One model against the baseline on one group.

    Attributes
    ----------
    model, group
        Their names.
    base, figure
        Bits per byte (or token) of the baseline and of the model on the group.
    difference
        The model's minus the baseline's: below zero, the model is better on this group; None if both are infinite.
    test
        The paired test by document; its interval holds for this group alone.
    p_value
        After Holm's correction for all groups of all models; None if there is none.
    reason
        Why there is no p-value.
    """

    model: str
    group: str
    base: float
    figure: float
    difference: float | None
    test: PairedTest | None
    p_value: float | None
    reason: str

    def to_dict(self) -> dict[str, Any]:
        """All figures at full precision; infinity is the string "inf"."""
        return {
            "model": self.model,
            "group": self.group,
            "base": _finite(self.base),
            "figure": _finite(self.figure),
            "difference": None if self.difference is None else _finite(self.difference),
            "low": self.low,
            "high": self.high,
            "p_value": self.p_value,
            "reason": self.reason,
        }


def compare_groups(scores: Sequence[Score], confidence: float) -> tuple[GroupDifference, ...]:
    """The first score against each of the others, group by group; empty where they do not have the same groups."""
    base = scores[0]
    sums = base.by_group
    if sums is None or any(s.by_group is None or s.by_group.names != sums.names for s in scores):
        return ()
    found: list[tuple[str, str, float, float, PairedTest | None, str]] = []
    of_base = groups_of(base)
    for other in scores[1:]:
        for k, (first, second) in enumerate(zip(of_base, groups_of(other), strict=True)):
            if first.figure is None or second.figure is None:
                continue
            rows = None if sums.rows is None else np.flatnonzero(sums.rows == k)
            test, reason = _test(base, other, rows, confidence)
            found.append((other.model, first.name, first.figure, second.figure, test, reason))
    corrected = holm([None if test is None else test.p_value for *_, test, _ in found])
    return tuple(
        GroupDifference(model, group, a, b, b - a if math.isfinite(a) or math.isfinite(b) else None, test, p, reason)
        for (model, group, a, b, test, reason), p in zip(found, corrected, strict=True)
    )


def _test(base: Score, other: Score, rows: Ints | None, confidence: float) -> tuple[PairedTest | None, str]:
    a, b = base.by_document, other.by_document
    if rows is None or a is None or b is None or len(a) != len(b):
        return None, "documents of several groups are summed together"
    if np.isinf(a.nats[rows]).any() or np.isinf(b.nats[rows]).any():
        return None, "an infinite score has no interval"
    sizes = by_cluster.sizes_of(a, base.figure_per).astype(np.float64)
    if not sizes[rows].sum() > 0.0:
        return None, "nothing was scored"
    first, second = (by_cluster.of_documents(s, sizes, base.docs, groups=a, which=rows) for s in (a, b))
    test = paired_clusters(second.costs, first.costs, first, confidence)
    return test, test.reason


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
