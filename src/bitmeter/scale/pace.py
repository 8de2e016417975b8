"""When a task is late: it takes so much longer than others that a copy of it is worth a processor that has no work."""

from __future__ import annotations

import statistics

__all__ = ["Pace"]

#: A task is late beyond so many times the median of those that have ended, of which there must be so many, and seconds.
FACTOR, ENOUGH, LEAST = 4.0, 3, 30.0
#: The median is that of the last so many.
_KEPT = 256


class Pace:
    """How long tasks take.

    Examples
    --------
    >>> pace = Pace()
    >>> for seconds in (20.0, 30.0, 25.0):
    ...     pace.ended(seconds)
    >>> pace.is_late(90.0), pace.is_late(110.0)
    (False, True)
    """

    def __init__(self) -> None:
        self._seconds: list[float] = []

    def ended(self, seconds: float) -> None:
        """A task has ended."""
        self._seconds.append(seconds)
        del self._seconds[:-_KEPT]

    def is_late(self, seconds: float) -> bool:
        """Whether one that has run for so long is late."""
        return len(self._seconds) >= ENOUGH and seconds > LEAST and seconds > FACTOR * statistics.median(self._seconds)
