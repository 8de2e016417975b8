"""Finds the interval methods, and chooses one for a score."""

from __future__ import annotations

from bitmeter.measure import interval
from bitmeter.measure.aggregates import Per
from bitmeter.measure.discovery import defined
from bitmeter.measure.interval.base import Interval, IntervalMethod, Measured, found_by

#: By name, the highest priority first.
METHODS: dict[str, IntervalMethod] = {
    method.name: method
    for method in sorted(defined(interval, "METHOD", IntervalMethod), key=lambda method: -method.priority)  # type: ignore[type-abstract]
}


def interval_of(score: Measured, per: Per, confidence: float) -> tuple[Interval | None, tuple[str, ...]]:
    """The interval of a score in bits, and notes: why there is none, or why to trust it less."""
    method = next(method for method in METHODS.values() if method.applies(score, per))
    return found_by(method, score, per, confidence)


def description(value: str) -> str:
    """What the method does that the signature names; "" for an unknown one.

    Examples
    --------
    >>> description("serial-blocks(64) 0.95")
    'blocks of this text are the observations, and neighbours may be alike'
    """
    method = METHODS.get(value.partition(" ")[0].partition("(")[0])
    return "" if method is None else method.description
