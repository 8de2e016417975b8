"""Reading .zst files in bounded memory, with an error where one is cut short."""

from __future__ import annotations

import io
from typing import IO, Any

#: So few compressed bytes unpack to at most 8 MB: a block of zstd takes 4 bytes and holds 128 KiB.
_STEP = 1 << 8
#: The largest window that is allowed; what `zstd --long` takes at most by default.
_WINDOW = 1 << 27


class ZstdReader(io.RawIOBase):
    """The unpacked bytes of a .zst file of one or more frames.

    The readers of the package zstandard end without a word where a file is cut short; its decompressor objects know
    whether a frame was complete.
    """

    def __init__(self, file: IO[bytes]) -> None:
        import zstandard

        self._error = zstandard.ZstdError
        self._unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
        self._file = file
        self._frame: Any = None
        self._rest = b""
        self._ready = memoryview(b"")

    def readable(self) -> bool:
        """Always."""
        return True

    def readinto(self, buffer: Any) -> int:
        """The next bytes, as many as fit."""
        while not self._ready:
            if not self._advance():
                return 0
        taken = min(len(buffer), len(self._ready))
        buffer[:taken] = self._ready[:taken]
        self._ready = self._ready[taken:]
        return taken

    def _advance(self) -> bool:
        packed = self._rest or self._file.read(_STEP)
        self._rest = b""
        if not packed:
            if self._frame is not None:
                message = "it ends before its last frame does"
                raise EOFError(message)
            return False
        if self._frame is None:
            self._frame = self._unpacker.decompressobj()
        try:
            self._ready = memoryview(self._frame.decompress(packed))
        except self._error as error:
            raise OSError(str(error)) from error
        if self._frame.eof:
            self._rest = self._frame.unused_data
            self._frame = None
        return True
