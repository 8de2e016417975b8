"""Folders of the user: where a program keeps what it remembers from one run to the next."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from bitmeter.errors import FileFormatError

__all__ = ["state_folder"]


def state_folder() -> Path:
    """The folder for what bitmeter remembers: `$XDG_STATE_HOME/bitmeter`, or where the system keeps such files.

    It need not exist. A relative `XDG_STATE_HOME` is ignored, as its specification asks.

    Examples
    --------
    >>> state_folder().name
    'bitmeter'
    """
    given = os.environ.get("XDG_STATE_HOME", "")
    if os.path.isabs(given):
        return Path(given) / "bitmeter"
    try:
        home = Path.home()
    except RuntimeError as error:
        message = "the user has no home folder; set XDG_STATE_HOME to a folder that may be written"
        raise FileFormatError(message) from error
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "bitmeter"
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "bitmeter"
    return home / ".local" / "state" / "bitmeter"
