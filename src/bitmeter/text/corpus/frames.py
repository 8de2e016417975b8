"""Where the frames of a .zst file begin, so that several processes can read parts of it.

Each frame is unpacked without those before it (RFC 8878). A file in the seekable format lists the sizes of its frames
in a last frame, which readers skip. In others the frames are found by the heads of their blocks, without unpacking.
"""

from __future__ import annotations

import bisect
import io
import struct
from collections.abc import Iterator
from typing import IO, NamedTuple

import numpy as np

from bitmeter.errors import DamagedSourceError
from bitmeter.text.corpus.readers import open_binary, reading
from bitmeter.text.corpus.zstd import ZstdReader, head_size

__all__ = ["Place", "frame_starts", "line_places", "read_frames"]

_FRAME = 0xFD2FB528
#: Frames that readers skip have one of sixteen magic numbers; a seek table has one of its own and another at its end.
_SKIPPED, _TABLE, _SEEKABLE = 0x184D2A50, 0x184D2A5E, 0x8F92EAB1
_FOOTER = struct.Struct("<IBI")
#: Bits of a table's descriptor: entries have checksums; these must be zero.
_CHECKSUMS, _RESERVED = 0x80, 0x7C
#: The most frames of a table, and the most heads of blocks that are looked at; beyond, a file is read as a whole.
_MOST_FRAMES, _MOST_BLOCKS = 1 << 24, 1 << 22
_READ = 1 << 16


class Place(NamedTuple):
    """A place in the unpacked text: so many bytes after the beginning of a frame.

    Attributes
    ----------
    frame
        Where the frame begins in the file.
    after
        How many unpacked bytes are between.
    """

    frame: int
    after: int


def frame_starts(path: str, *, table: bool = True) -> list[int] | None:
    """The offset of each frame of a file; None if it has one only, or something else than whole frames.

    Parameters
    ----------
    path
        A local file.
    table
        Whether to believe a seek table, if there is one. What it says is held against the frames by `read_frames`.
    """
    with reading(path), open(path, "rb", buffering=0) as file:
        size = file.seek(0, io.SEEK_END)
        found = _by_table(file, size) if table else None
        found = _by_heads(file, size) if found is None else found
    return found if found is not None and len(found) > 1 else None


def _by_table(file: IO[bytes], size: int) -> list[int] | None:
    """The frames by the seek table at the end of the file; None if there is none, or it does not add up."""
    if size < _FOOTER.size + 8:
        return None
    file.seek(size - _FOOTER.size)
    number, flags, magic = _FOOTER.unpack(_whole(file, _FOOTER.size))
    entry = 12 if flags & _CHECKSUMS else 8
    length = 8 + number * entry + _FOOTER.size
    if magic != _SEEKABLE or flags & _RESERVED or not 0 < number <= _MOST_FRAMES or length > size:
        return None
    file.seek(size - length)
    begins, rest = struct.unpack("<II", _whole(file, 8))
    if begins != _TABLE or rest != length - 8:
        return None
    entries = np.frombuffer(_whole(file, number * entry), dtype="<u4").reshape(number, entry // 4)
    ends = np.cumsum(entries[:, 0], dtype=np.int64)
    if int(ends[-1]) != size - length or not entries[:, 0].all():
        return None
    return [0, *ends[:-1].tolist()]


def _by_heads(file: IO[bytes], size: int) -> list[int] | None:
    """The frames by their heads and those of their blocks; None if they do not fill the file."""
    starts: list[int] = []
    at = blocks = 0
    while at < size:
        file.seek(at)
        head = file.read(8)
        magic = int.from_bytes(head[:4], "little")
        if len(head) == 8 and magic & 0xFFFFFFF0 == _SKIPPED:
            at += 8 + int.from_bytes(head[4:], "little")
            continue
        if len(head) < 8 or magic != _FRAME:
            return None
        starts.append(at)
        at += 4 + head_size(head[4])
        last = False
        while not last:
            file.seek(at)
            value = int.from_bytes(file.read(3), "little")
            kind, length, last = value >> 1 & 3, value >> 3, bool(value & 1)
            at += 3 + (1 if kind == 1 else length)
            blocks += 1
            if kind == 3 or at > size or blocks > _MOST_BLOCKS:
                return None
        at += 4 if head[4] & 4 else 0  # a checksum
    return starts if at == size else None


def _whole(file: IO[bytes], size: int) -> bytes:
    data = b""
    while len(data) < size:
        more = file.read(size - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def line_places(path: str, size: int) -> list[Place]:
    """Where parts of about `size` bytes of the file begin: each after the first newline of a frame.

    The first part begins with the file. A file that cannot be cut is one part.
    """
    for table in (True, False):
        starts = frame_starts(path, table=table)
        if starts is None:
            break
        found = _line_places(path, starts, size)
        if found is not None:
            return found
    return [Place(0, 0)]


def _line_places(path: str, starts: list[int], size: int) -> list[Place] | None:
    """The same, by these frames; None if a frame is not where it should be."""
    places, reached, wanted = [Place(0, 0)], 0, size
    with reading(path), open(path, "rb") as file:
        while (at := bisect.bisect_left(starts, max(wanted, reached))) < len(starts):
            file.seek(starts[at])
            unpacked = ZstdReader(file)
            try:
                after = _after_newline(unpacked)
            except (EOFError, OSError):
                return None
            if after is None:
                break  # there are no more newlines
            places.append(Place(starts[at], after))
            reached, wanted = file.tell() - unpacked.ahead, starts[at] + size
    return places


def _after_newline(unpacked: ZstdReader) -> int | None:
    """How many bytes there are up to the first newline, with it."""
    done = 0
    while block := unpacked.read(_READ):
        found = block.find(b"\n")
        if found >= 0:
            return done + found + 1
        done += len(block)
    return None


class _Until(io.RawIOBase):
    """A file up to some offset, as if it ended there."""

    def __init__(self, file: IO[bytes], left: int) -> None:
        self._file, self._left = file, left

    def read(self, size: int = -1) -> bytes:
        block = self._file.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(block)
        return block


def read_frames(path: str, start: Place, stop: Place | None, size: int) -> Iterator[bytes]:
    """The unpacked bytes from one place to another, or to the end, in blocks.

    A frame must end where that of `stop` begins. So what all parts of a file give is what the file gives as a whole,
    whatever a seek table says.
    """
    with reading(path):
        file = open_binary(path)
    with file:
        file.seek(start.frame)
        whole = file if stop is None else _Until(file, stop.frame - start.frame)
        unpacked = io.BufferedReader(ZstdReader(whole))  # type: ignore[arg-type]
        skipped = 0
        while True:
            with reading(path):
                try:
                    block = unpacked.read(size)
                except EOFError as error:
                    if stop is None:
                        raise
                    message = (
                        f"{path} has no frame that ends at byte {stop.frame:,}, where its seek table says that one "
                        "does; compress it again, or leave --workers and --engine out"
                    )
                    raise DamagedSourceError(message, path=path) from error
            if not block:
                break
            kept = block[max(0, start.after - skipped) :]
            skipped += len(block) - len(kept)
            if kept:
                yield kept
        if stop is None:
            return
        file.seek(stop.frame)
        unpacked, left = io.BufferedReader(ZstdReader(file)), stop.after
        while left:
            with reading(path):
                block = unpacked.read(min(size, left))
            if not block:
                message = f"{path} has changed while it was read; measure a text that is not being written to"
                raise DamagedSourceError(message, path=path)
            left -= len(block)
            yield block
