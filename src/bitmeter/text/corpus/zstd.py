"""Reading .zst files in bounded memory, with an error where one is cut short."""

from __future__ import annotations

import io
from typing import IO, Any

#: Blocks that are unpacked at once: each holds at most 128 KiB.
_BLOCKS = 64
#: Compressed bytes where the blocks are not known; so few have no more than so many blocks, of 4 bytes each.
_STEP = 4 * _BLOCKS
_READ = 1 << 16
#: The largest window that is allowed; what `zstd --long` takes at most by default.
_WINDOW = 1 << 27

_MAGIC = b"\x28\xb5\x2f\xfd"


class ZstdReader(io.RawIOBase):
    """The unpacked bytes of a .zst file of one or more frames.

    The readers of the package zstandard end without a word where a file is cut short; its decompressor objects know
    whether a frame was complete, but unpack all that they are given.
    """

    def __init__(self, file: IO[bytes]) -> None:
        import zstandard

        self._error = zstandard.ZstdError
        self._unpacker = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
        self._file = file
        self._frame: Any = None
        self._rest = b""
        self._ready = memoryview(b"")
        self._steps = FrameSteps()

    @property
    def ahead(self) -> int:
        """How many bytes were read from the file that are not unpacked yet."""
        return len(self._rest)

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
        held = self._rest or self._file.read(_READ)
        if not held:
            if self._frame is not None:
                message = "it ends before its last frame does"
                raise EOFError(message)
            return False
        if self._frame is None:
            self._frame, self._steps = self._unpacker.decompressobj(), FrameSteps()
        size = self._steps.take(held)
        packed, self._rest = held[:size], held[size:]
        try:
            self._ready = memoryview(self._frame.decompress(packed))
        except self._error as error:
            raise OSError(str(error)) from error
        if self._frame.eof:
            self._rest = self._frame.unused_data + self._rest
            self._frame = None
        return True


class FrameSteps:
    """How much of a frame may be unpacked at once, by the heads of its blocks (RFC 8878).

    What does not look like a frame goes by small steps: the decompressor says what is wrong with it.

    Examples
    --------
    >>> import zstandard
    >>> frame = zstandard.compress(b"to be" * 99)
    >>> FrameSteps().take(frame) == len(frame), FrameSteps().take(b"?" * 9999)
    (True, 1)
    """

    def __init__(self) -> None:
        self._head = b""
        #: Bytes before the next head, of the frame or a block; None where that is not known.
        self._ahead: int | None = 0
        self._in_blocks = self._last = False

    def take(self, data: bytes) -> int:
        """How many of the next bytes hold few enough blocks; at least 1."""
        at = blocks = 0
        while self._ahead is not None and at < len(data):
            skipped = min(self._ahead, len(data) - at)
            at += skipped
            self._ahead -= skipped
            if self._ahead or at == len(data):
                continue
            if blocks == _BLOCKS:
                return at
            if self._last:  # a checksum may follow, or another frame: the decompressor knows where it ends
                self._ahead = None
                continue
            self._head += data[at : at + 1]
            at += 1
            blocks += self._read_head()
        return at or min(_STEP, len(data))

    def _read_head(self) -> bool:
        """Whether the head of a block is whole with its last byte, so that a block begins."""
        head = self._head
        if not self._in_blocks:
            if not _MAGIC.startswith(head[:4]):
                self._ahead = None
            elif len(head) == 5:
                self._ahead, self._head, self._in_blocks = head_size(head[4]) - 1, b"", True
            return False
        if len(head) < 3:
            return False
        value = int.from_bytes(head, "little")
        kind, size = value >> 1 & 3, value >> 3
        self._ahead = None if kind == 3 else 1 if kind == 1 else size
        self._head, self._last = b"", bool(value & 1)
        return True


def head_size(descriptor: int) -> int:
    """Bytes of the head of a frame after its magic number, the descriptor included."""
    single = descriptor >> 5 & 1
    content = (single, 2, 4, 8)[descriptor >> 6]
    return 1 + (not single) + (0, 1, 2, 4)[descriptor & 3] + content
