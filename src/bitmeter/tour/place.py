"""The place in the tour, remembered from one run to the next in a file of the user."""

from __future__ import annotations

import json
import os
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bitmeter._util.files import label, replacing
from bitmeter._util.folders import state_folder
from bitmeter.errors import BitmeterError, FileFormatError

__all__ = ["Place", "place_file", "recall", "remember"]

_SCHEMA = "bitmeter.tour/1"
#: More bytes or lines than any place needs.
_MOST_BYTES = 4096
_MOST_LINES = 100_000


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the tour.

    Attributes
    ----------
    lesson
        The name of the lesson.
    line
        The line of the lesson that was the first on the page, from 0.
    """

    lesson: str
    line: int = 0


def place_file() -> Path:
    """Where the place is kept.

    Examples
    --------
    >>> place_file().name
    'tour.json'
    """
    return state_folder() / "tour.json"


def recall(lessons: tuple[str, ...]) -> Place | None:
    """The remembered place; None if there is none. A file that does not hold one is an error, which says why.

    Parameters
    ----------
    lessons
        The names that a lesson can have.
    """
    file = place_file()
    try:
        # Not to wait for the other end of a FIFO that somebody has put there.
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise _unreadable(file, error.strerror or str(error)) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _unreadable(file, "it is not a regular file")
        content = os.read(descriptor, _MOST_BYTES + 1)
    except OSError as error:
        raise _unreadable(file, error.strerror or str(error)) from error
    finally:
        os.close(descriptor)
    if len(content) > _MOST_BYTES:
        raise _unreadable(file, f"it is larger than {_MOST_BYTES} bytes")
    try:
        found = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise _unreadable(file, "it is not JSON") from error
    return _place(file, found, lessons)


def _place(file: Path, found: Any, lessons: tuple[str, ...]) -> Place:
    if not isinstance(found, dict) or found.get("schema") != _SCHEMA:
        raise _unreadable(file, f"it does not say that it is {_SCHEMA}")
    lesson, line = found.get("lesson"), found.get("line")
    if lesson not in lessons:
        raise _unreadable(file, "it names no lesson of this tour")
    if type(line) is not int or not 0 <= line < _MOST_LINES:
        raise _unreadable(file, "it names no line of a lesson")
    return Place(lesson, line)


def _unreadable(file: Path, why: str) -> FileFormatError:
    message = f"the place in the tour, {label(file)}, cannot be read: {why}; the tour begins at the start"
    return FileFormatError(message, value=str(file))


def remember(place: Place) -> None:
    """Write the place; the file is never half-written. That it cannot be written is an error, which says why."""
    file = place_file()
    try:
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if file.exists() and not file.is_file():  # a FIFO or a device would be written to, and could wait for a reader
            message = "it is not a regular file"
            raise FileFormatError(message)
        content = json.dumps({"schema": _SCHEMA, "lesson": place.lesson, "line": place.line})
        with replacing(file, force=True) as draft:
            draft.write_text(content + "\n", encoding="utf-8")
    except (OSError, BitmeterError) as error:
        message = f"the place in the tour is not remembered in {label(file)}: {error}"
        raise FileFormatError(message, value=str(file)) from error
