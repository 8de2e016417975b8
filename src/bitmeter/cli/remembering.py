"""Runs of the command line are remembered, and logged where one asks for it; what is said where that fails.

`-q` prints no signature, so there is nothing to look up, and nothing is remembered.
"""

from __future__ import annotations

TYPE_CHECKING = False  # not imported from typing, which is slow; type checkers know the name
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from bitmeter.history.runs import Measured
    from bitmeter.measure.score import Score

__all__ = ["forget", "later", "log", "notes", "remember", "said"]

#: What is to be said when the output was written: before it, a note would hide the result, or the error of writing it.
notes: list[str] = []
#: What is to be done then, and to be said of it: a tracker may be slow, or not answer.
later: list[Callable[[], str]] = []


def remember(scores: Sequence[Score | Measured], verb: str) -> None:
    """Remember what was measured, unless `BITMETER_HISTORY` is off. A failure is noted, and never ends a command."""
    try:
        from bitmeter.history.database import is_on
        from bitmeter.history.runs import History
    except ImportError:  # a Python that was built without SQLite
        return
    from bitmeter._util.files import label
    from bitmeter.errors import BitmeterError

    if not scores or not is_on():
        return
    try:
        History().record(scores, verb)
    except BitmeterError as error:
        notes.append(f"note: this run is not in the history: {label(str(error))}")


def log(scores: Sequence[Score | Measured], verb: str, target: str) -> None:
    """Log what was measured to a tracker, after it was printed. A failure is noted."""
    from bitmeter.reports.records.tracked import tracked

    runs = [tracked(score, verb) for score in scores]

    def send() -> str:
        from bitmeter._util.files import label
        from bitmeter.errors import BitmeterError
        from bitmeter.hosts.tracking import log_runs, tracker_of

        try:
            return f"logged to {log_runs(tracker_of(target), runs)}"
        except BitmeterError as error:
            return f"note: this run is not logged: {label(str(error))}"

    later.append(send)


def said() -> list[str]:
    """Do what was left for later; all that is to be said, once."""
    found = [*notes, *(act() for act in later)]
    forget()
    return found


def forget() -> None:
    """Leave nothing of an earlier command."""
    notes.clear()
    later.clear()
