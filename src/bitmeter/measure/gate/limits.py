"""A figure with its interval against a limit: better, equal within it, worse, or undecided and by how much."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter.measure.compare import Comparison
from bitmeter.measure.divergence import Divergence
from bitmeter.measure.gate.allowance import Allowance
from bitmeter.measure.interval.base import Interval
from bitmeter.measure.interval.blocks import as_clusters
from bitmeter.measure.interval.ratio import ratio_interval

__all__ = ["Limit", "Verdict", "against", "kl_limit", "more_needed", "top_limit"]

#: How a figure stands to its limit.
Verdict: TypeAlias = Literal["better", "equal", "worse", "undecided"]

_LN2 = math.log(2.0)
#: The tokens of a block, as many as there may be blocks: the means of a text are taken along it.
_BLOCK, _MOST_BLOCKS = 16, 4096
#: Where more text than this is missing, its amount says nothing.
_ENDLESS = 1e12


@dataclass(frozen=True, slots=True)
class Limit:
    """A figure that should not be above its limit.

    Attributes
    ----------
    name
        What the figure is: "difference", "mean KL", "different top".
    unit
        What it is measured in.
    value, low, high
        The figure and its interval; None where there is no interval. Infinite if an outcome is impossible.
    most
        The limit.
    verdict
        "worse" if the interval lies above the limit, "equal" if it lies below, "better" if it lies below zero, else
        "undecided".
    more
        If undecided: how many more `noun`s would decide, about; None if no number would.
    noun
        What the observations are.
    reason
        Why there is no interval.
    """

    name: str
    unit: str
    value: float
    low: float | None
    high: float | None
    most: float
    verdict: Verdict
    more: int | None
    noun: str
    reason: str = ""

    def to_dict(self) -> dict[str, float | int | str | None]:
        """The fields, as JSON has them; infinity as the string "inf"."""
        return {
            "name": self.name,
            "unit": self.unit,
            "value": self.value if math.isfinite(self.value) else str(self.value),
            "low": self.low,
            "high": self.high,
            "most": self.most,
            "verdict": self.verdict,
            "more": self.more,
            "noun": self.noun,
            "reason": self.reason,
        }


def against(comparison: Comparison, allow: Allowance) -> Limit:
    """The difference of a comparison of two scores against what is allowed."""
    base, row = comparison.rows
    figure = base.score.per(comparison.per)
    most = allow.of(figure) if math.isfinite(figure) else 0.0
    unit = f"bits per {comparison.per}"
    if math.isinf(row.difference):
        verdict: Verdict = "worse" if row.difference > 0.0 else "better"
        why = "an infinite score has no interval"
        return Limit("difference", unit, row.difference, None, None, most, verdict, None, "document", why)
    test = row.test
    interval = None if test is None else test.interval
    if interval is None or test is None:
        return Limit("difference", unit, row.difference, None, None, most, "undecided", None, "document", row.reason)
    along = test.label == "conditional on this text"
    noun = "block" if along else test.label.removeprefix("by ")
    # Of an interval that is along the text the observations are blocks; bytes are what a reader can add.
    scale = base.score.bytes / max(1, interval.clusters) if along else 1.0
    found = _limit("difference", unit, interval, most, "byte" if along else noun, scale)
    return replace(found, value=row.difference)  # not the same to the last bit


def kl_limit(found: Divergence, most: float, confidence: float) -> Limit:
    """The mean KL divergence per token, in bits, against the largest allowed."""
    return _mean_limit("mean KL", "bits per token", found.nats / _LN2, most, confidence, math.inf)


def top_limit(found: Divergence, least: float, confidence: float) -> Limit:
    """The rate of tokens of which the most likely ones differ against the largest allowed."""
    return _mean_limit("different top", "of tokens", (~found.same_top).astype(np.float64), 1.0 - least, confidence, 1.0)


def _mean_limit(name: str, unit: str, values: Floats, most: float, confidence: float, largest: float) -> Limit:
    """The mean of values from 0 to `largest`, to which its interval is bounded, too."""
    if np.isinf(values).any():
        why = f"infinite at {int(np.isinf(values).sum()):,} of {len(values):,} tokens"
        return Limit(name, unit, math.inf, None, None, most, "worse", None, "token", why)
    size = max(_BLOCK, -(-len(values) // _MOST_BLOCKS))
    starts = np.arange(0, len(values), size)
    sizes = np.diff(np.append(starts, len(values))).astype(np.float64)
    interval = ratio_interval(as_clusters(np.add.reduceat(values, starts), sizes), confidence)
    return _limit(name, unit, interval, most, "token", len(values) / len(starts), largest)


def _limit(
    name: str, unit: str, interval: Interval, most: float, noun: str, scale: float, largest: float | None = None
) -> Limit:
    """An interval against its limit; without a largest value the figure is a difference, which may be below zero."""
    value, low, high = interval.estimate, interval.low, interval.high
    if low is None or high is None:
        why = "; ".join(interval.notes)
        return Limit(name, unit, value, None, None, most, "undecided", None, noun, why)
    more = more_needed(value, low, high, most, interval.clusters, scale)
    if largest is not None:
        value = min(max(value, 0.0), largest)  # a sum of rounded values
        low, high = min(max(low, 0.0), value), max(min(high, largest), value)
    if low > most:
        verdict: Verdict = "worse"
    elif largest is None and high < 0.0:
        verdict = "better"
    elif high <= most:
        verdict = "equal"
    else:
        verdict = "undecided"
    return Limit(name, unit, value, low, high, most, verdict, more if verdict == "undecided" else None, noun)


def more_needed(value: float, low: float, high: float, most: float, number: int, scale: float = 1.0) -> int | None:
    """How many more observations would take the interval to one side of the limit, about.

    An interval narrows with the root of the number of observations. If the figure stays where it is, its end reaches
    the limit when half-width √(k / n) is the distance of figure and limit. A figure on its limit is never decided.

    Examples
    --------
    >>> more_needed(0.02, -0.02, 0.06, 0.04, 50)  # twice as narrow: four times as many
    150
    >>> more_needed(0.02, -0.02, 0.06, 0.02, 50) is None
    True
    """
    distance, half = (value - most, value - low) if value > most else (most - value, high - value)
    if distance <= half / _ENDLESS or number * (half / distance) ** 2 > _ENDLESS:
        return None
    needed = number * (half / distance) ** 2 - number
    return max(1, math.ceil(round(needed * scale, 6)))
