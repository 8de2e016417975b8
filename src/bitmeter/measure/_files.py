"""Files appear whole or not at all: written beside their name, renamed at the end."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bitmeter.errors import FileFormatError


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str], *, force: bool = False) -> Iterator[Path]:
    """A temporary file in the same folder that becomes `path` if all goes well, and vanishes if not."""
    final = Path(path)
    if final.exists() and not force:
        message = f"{final} exists already and nothing is overwritten unasked; type --force (in Python: force=True)"
        raise FileFormatError(message, value=str(final))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{final.name}.", dir=final.parent)
    except OSError as error:
        message = f"{final} cannot be written: {error.strerror}"
        raise FileFormatError(message, value=str(final)) from error
    os.close(handle)
    beside = Path(name)
    try:
        yield beside
        beside.chmod(0o666 & ~_umask())
        beside.replace(final)
    finally:
        beside.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
