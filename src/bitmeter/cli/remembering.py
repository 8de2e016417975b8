"""Runs of the command line are remembered; what is said where that fails.

`-q` prints no signature, so there is nothing to look up, and nothing is remembered.
"""

from __future__ import annotations

TYPE_CHECKING = False  # not imported from typing, which is slow; type checkers know the name
if TYPE_CHECKING:
    from collections.abc import Sequence

    from bitmeter.history.runs import Measured
    from bitmeter.measure.score import Score

__all__ = ["notes", "remember"]

#: What is to be said when the output was written: before it, a note would hide the result, or the error of writing it.
notes: list[str] = []


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
