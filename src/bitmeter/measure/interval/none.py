"""No interval, and the reason why."""

from __future__ import annotations

import math
from typing import ClassVar

from bitmeter.errors import UndefinedError
from bitmeter.measure.aggregates import Per
from bitmeter.measure.interval.base import Interval, IntervalMethod, Measured


class NoInterval(IntervalMethod):
    """What is left when no other method applies."""

    name: ClassVar[str] = "none"
    description: ClassVar[str] = "there is none"
    priority: ClassVar[int] = 0

    def applies(self, score: Measured, per: Per) -> bool:
        """Always."""
        return True

    def interval(self, score: Measured, per: Per, confidence: float) -> Interval:
        """Says why there is none."""
        if math.isinf(score.nats):
            message = "the score is infinite"
        elif score.by_block is None or len(score.by_block.nats) == 0:
            message = "only the total is known"
        else:
            message = f"too few {per}s"
        raise UndefinedError(message)


METHOD = NoInterval()
