"""How long a line for people may be: 80 characters, or fewer at a narrow terminal."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from contextvars import ContextVar

__all__ = ["LONGEST", "line_width", "terminal_columns", "terminal_width"]

#: Longer lines are hard to read.
LONGEST = 80
#: Shorter ones, too.
_SHORTEST = 30
_width: ContextVar[int] = ContextVar("width", default=LONGEST)


def line_width() -> int:
    """Where lines are folded.

    Examples
    --------
    >>> line_width()
    80
    """
    return _width.get()


def terminal_columns() -> int:
    """How wide the terminal is: $COLUMNS, or what it says; 80 in a pipe."""
    given = os.environ.get("COLUMNS", "")
    if given.isdecimal() and int(given) > 0:
        return int(given)
    try:
        return os.get_terminal_size(sys.__stdout__.fileno() if sys.__stdout__ is not None else 1).columns or LONGEST
    except (OSError, ValueError):
        return LONGEST


@contextlib.contextmanager
def terminal_width() -> Iterator[None]:
    """Fold lines at the width of the terminal, if it is narrower than 80 columns."""
    token = _width.set(max(_SHORTEST, min(LONGEST, terminal_columns())))
    try:
        yield
    finally:
        _width.reset(token)
