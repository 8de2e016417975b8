"""Atomic writes: a file is written under a temporary name beside its own, and renamed at the end."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bitmeter._util.check import flag
from bitmeter.errors import BitmeterError, FileFormatError, InputTypeError


def as_path(value: Any) -> Path:
    """A path, or a typed error."""
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        message = f"{value!r:.60} is not a path; it must be a string or a pathlib.Path"
        raise InputTypeError(message, value=value)
    text = str(os.fspath(value))
    if not text or "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        message = f"{text!r:.60} cannot be the name of a file"
        raise FileFormatError(message, value=text)
    return Path(text)


@contextlib.contextmanager
def replacing(path: Any, *, force: Any = False) -> Iterator[Path]:
    """A temporary file in the same folder that becomes `path` on success, and is deleted otherwise."""
    final, overwrite = as_path(path), flag(force, "force")
    if final.is_dir():
        message = f"{final} is a folder; name a file in it"
        raise FileFormatError(message, value=str(final))
    if final.exists() and not overwrite:
        message = f"{final} exists already; type --force to overwrite it (in Python: force=True)"
        raise FileFormatError(message, value=str(final))
    try:
        import tempfile

        handle, name = tempfile.mkstemp(prefix=f".{final.name}.", dir=final.parent)
    except OSError as error:
        raise unwritten(final, error) from error
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        beside.chmod(0o666 & ~_umask())
        beside.replace(final)
    except OSError as error:
        if isinstance(error, BitmeterError):
            raise
        raise unwritten(final, error) from error
    finally:
        beside.unlink(missing_ok=True)


def unwritten(name: Any, error: OSError) -> FileFormatError:
    """The error for a file that could not be written, with the system's reason: a full disk, no permission."""
    # Libraries wrap the system's message in their own.
    why = os.strerror(error.errno) if error.errno else str(error)
    return FileFormatError(f"{name} cannot be written: {why}", value=str(name))


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
