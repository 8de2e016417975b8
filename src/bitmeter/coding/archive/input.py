"""Reading what a file says that it holds: never more memory than the file has bytes."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Readable", "read_exactly", "size_left"]

_BLOCK = 1 << 20


class Readable(Protocol):
    """What can be read from."""

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""


class Seekable(Readable, Protocol):
    """A file that may know its size."""

    def seekable(self) -> bool:
        """Whether it does."""

    def tell(self) -> int:
        """The offset."""

    def seek(self, offset: int, whence: int = 0, /) -> int:
        """Go to an offset."""


def read_exactly(file: Readable, size: int) -> bytes | None:
    """So many bytes, or None if there are fewer; memory is taken as they come.

    Examples
    --------
    >>> import io
    >>> read_exactly(io.BytesIO(b"abc"), 2), read_exactly(io.BytesIO(b"abc"), 1 << 60)
    (b'ab', None)
    """
    if size <= _BLOCK:
        found = file.read(size)
        return found if len(found) == size else None
    parts = bytearray()
    while len(parts) < size:
        block = file.read(min(_BLOCK, size - len(parts)))
        if not block:
            return None
        parts += block
    return bytes(parts)


def size_left(file: Seekable) -> int | None:
    """How many bytes of a file are still to be read; None for a stream.

    Examples
    --------
    >>> import io
    >>> size_left(io.BytesIO(b"abc"))
    3
    """
    if not file.seekable():
        return None
    here = file.tell()
    end = file.seek(0, 2)
    file.seek(here)
    return end - here
