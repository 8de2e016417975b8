"""Names of files that come out of a file: which of them may be followed."""

from __future__ import annotations

import unicodedata
from pathlib import Path, PurePosixPath, PureWindowsPath

__all__ = ["is_inside"]


def is_inside(file: str, folder: Path) -> bool:
    """Whether a name is that of a file below the folder, also where symbolic links lead; a folder with all in it.

    A file from a stranger may name no other: not an absolute path, none that goes up, none of another system's form,
    such as a network share, and none with control characters, which would write lines of their own into messages.

    Examples
    --------
    >>> [is_inside(name, Path(".")) for name in ("a.bmn", "sub/a.bmn", "../a.bmn", "/etc/passwd", "C:a", "")]
    [True, True, False, False, False, False]
    """
    if PurePosixPath(file).is_absolute() or PureWindowsPath(file).anchor or "\\" in file:
        return False
    if any(unicodedata.category(letter) in ("Cc", "Zl", "Zp") for letter in file):
        return False
    if not PurePosixPath(file).parts or ".." in PurePosixPath(file).parts:
        return False
    path = folder / file
    try:
        base = folder.resolve()
        below = [path, *path.iterdir()] if path.is_dir() else [path]
        return all(one.resolve().is_relative_to(base) for one in below)
    except (RuntimeError, OSError, ValueError):  # a loop of links, a folder that may not be read, a name that is none
        return False
