"""Folders of the user: where a program keeps what it remembers from one run to the next."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from bitmeter.errors import FileFormatError

__all__ = ["config_folder", "data_folder", "state_folder"]


def state_folder() -> Path:
    """The folder for what bitmeter remembers: `$XDG_STATE_HOME/bitmeter`, or where the system keeps such files.

    It need not exist. A relative `XDG_STATE_HOME` is ignored, as its specification asks.

    Examples
    --------
    >>> state_folder().name
    'bitmeter'
    """
    return _folder("XDG_STATE_HOME", ".local/state")


def data_folder() -> Path:
    """The folder for test sets and the history of runs.

    It is `$BITMETER_DATA`, or `$XDG_DATA_HOME/bitmeter`, or where the system keeps such files. It need not exist. A
    relative path in one of these variables is ignored.

    Examples
    --------
    >>> data_folder().is_absolute()
    True
    """
    given = os.environ.get("BITMETER_DATA", "")
    return Path(given) if os.path.isabs(given) else _folder("XDG_DATA_HOME", ".local/share")


def config_folder() -> Path:
    """The folder for the user's settings: `$XDG_CONFIG_HOME/bitmeter`, or where the system keeps such files.

    Examples
    --------
    >>> config_folder().name
    'bitmeter'
    """
    return _folder("XDG_CONFIG_HOME", ".config")


def _folder(variable: str, place: str) -> Path:
    given = os.environ.get(variable, "")
    if os.path.isabs(given):
        return Path(given) / "bitmeter"
    try:
        home = Path.home()
    except RuntimeError as error:
        message = f"the user has no home folder; set {variable} to a folder that may be written"
        raise FileFormatError(message) from error
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local") / "bitmeter"
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "bitmeter"
    return home / place / "bitmeter"
