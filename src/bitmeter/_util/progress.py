"""Progress of long work: one type for all callbacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from bitmeter._util.check import shown
from bitmeter.errors import InputTypeError

__all__ = ["Progress", "Step", "as_progress"]


@dataclass(frozen=True)
class Step:
    """How far the work is.

    Work with more to show, such as a learning curve, passes a subclass.

    Attributes
    ----------
    done
        How much is done, in `unit`.
    total
        How much there is; None where that is not known in advance.
    unit
        What is counted: "bytes", "tokens", "steps"; empty for a share of 1.
    stage
        What is being done, where the work has several stages: "reading", "sorting", "decoding".
    estimate
        The result so far, such as bits per byte; None where there is none yet.

    Examples
    --------
    >>> Step(256, 1024, stage="reading").share
    0.25
    """

    done: float
    total: float | None = None
    unit: str = "bytes"
    stage: str = ""
    estimate: float | None = None

    @property
    def share(self) -> float | None:
        """The share that is done, from 0 to 1; None where the total is not known."""
        if self.total is None:
            return None
        return min(1.0, max(0.0, self.done / self.total)) if self.total > 0 else 1.0

    @classmethod
    def of_share(cls, stage: str, share: float) -> Step:
        """A share of a stage, where nothing is counted.

        Examples
        --------
        >>> Step.of_share("sorting", 0.5)
        Step(done=0.5, total=1.0, unit='', stage='sorting', estimate=None)
        """
        return cls(share, 1.0, "", stage)


#: Called now and then while long work goes on. What it returns is ignored; an exception that it raises stops the work.
Progress: TypeAlias = Callable[[Step], object]


def _ignore(step: Step) -> None:
    """Report to no one."""


def as_progress(progress: object) -> Progress:
    """The callback, or one that does nothing for None.

    Raises
    ------
    InputTypeError
        If it cannot be called.

    Examples
    --------
    >>> as_progress(None)(Step(1, 2))
    >>> as_progress(print)(Step(1, 2, "steps"))
    Step(done=1, total=2, unit='steps', stage='', estimate=None)
    """
    if progress is None:
        return _ignore
    if not callable(progress):
        message = f"progress is {shown(progress)}; it must be a function that takes a Step, or None"
        raise InputTypeError(message, value=progress)
    return progress
