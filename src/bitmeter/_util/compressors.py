"""General-purpose compressors, one setting for each: the sizes of the files that they write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from bitmeter._util.optional import require

__all__ = ["COMPRESSORS", "XZ_EXTREME", "Compressor", "SizeMeter"]

#: The two methods of a compressor object: compress some bytes, and finish.
Stream: TypeAlias = tuple[Callable[[bytes], bytes], Callable[[], bytes]]

#: Bytes handed to a compressor in one call: always as many, because what Brotli writes depends on it.
BLOCK = 1 << 20
#: Added to a preset of xz, it spends more time on the same format (lzma.PRESET_EXTREME).
XZ_EXTREME = 1 << 31
#: Enough for the model of a text of some hundred megabytes; a full model starts again.
_PPMD_MEMORY = 256 << 20


class SizeMeter:
    """Counts the bytes that a compressor writes, and keeps none of them."""

    def __init__(self, stream: Stream) -> None:
        self._compress, self._flush = stream
        self._held, self._size = b"", 0

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        data = self._held + data if self._held else data
        whole = len(data) - len(data) % BLOCK
        for start in range(0, whole, BLOCK):
            self._size += len(self._compress(data[start : start + BLOCK]))
        self._held = data[whole:]

    def finish(self) -> int:
        """The size of the compressed file."""
        last = self._compress(self._held) if self._held else b""
        return self._size + len(last) + len(self._flush())


@dataclass(frozen=True, slots=True)
class Compressor:
    """A compressor: how to start it, and what its level may be.

    Attributes
    ----------
    start
        Begins a compressed file at a level.
    lowest, highest, default
        Levels.
    level_name
        What the compressor itself calls a level.
    fingerprint
        The program, its version and its settings, given the level.
    overhead
        How many bytes of the file are not the text.
    package
        The optional package that it needs.
    """

    start: Callable[[int], Stream]
    lowest: int
    highest: int
    default: int
    level_name: str
    fingerprint: Callable[[int], str]
    overhead: str
    package: str | None = None

    def size(self, data: bytes, level: int | None = None) -> int:
        """The size of the compressed file.

        Examples
        --------
        >>> import zlib
        >>> COMPRESSORS["zlib"].size(b"to be or not to be") == len(zlib.compress(b"to be or not to be", 9))
        True
        """
        meter = SizeMeter(self.start(self.default if level is None else level))
        meter.feed(data)
        return meter.finish()

    def check_installed(self, purpose: str) -> None:
        """Raise `MissingPackageError` if the package is missing; `purpose` is the subject of its message."""
        if self.package is not None:
            require(self.package, purpose)


def _zlib(level: int) -> Stream:
    import zlib

    worker = zlib.compressobj(level)
    return worker.compress, worker.flush


def _zlib_fingerprint(level: int) -> str:
    import zlib

    return f"zlib-{zlib.ZLIB_RUNTIME_VERSION}-{level}"


def _bz2(level: int) -> Stream:
    import bz2

    worker = bz2.BZ2Compressor(level)
    return worker.compress, worker.flush


def _xz(preset: int) -> Stream:
    import lzma

    worker = lzma.LZMACompressor(preset=preset)
    return worker.compress, worker.flush


def _xz_fingerprint(preset: int) -> str:
    return f"xz:{preset & ~XZ_EXTREME}{'e' if preset & XZ_EXTREME else ''}-liblzma"


def _zstd(level: int) -> Stream:
    import zstandard

    # A stream of unknown length, as `zstd < FILE` writes it: the same bytes cost the same wherever they come from.
    worker = zstandard.ZstdCompressor(level=level, write_checksum=True).compressobj()
    return worker.compress, worker.flush


def _zstd_fingerprint(level: int) -> str:
    import zstandard

    return f"zstd-{'.'.join(map(str, zstandard.ZSTD_VERSION))}-{level}"


def _brotli(quality: int) -> Stream:
    worker: Any = require("brotli", "Compressing with Brotli").Compressor(quality=quality, lgwin=24)
    return worker.process, worker.finish


def _brotli_fingerprint(quality: int) -> str:
    module = require("brotli", "Compressing with Brotli")
    return f"brotli-{getattr(module, '__version__', 'unknown')}-{quality}"


def _ppmd(order: int) -> Stream:
    module: Any = require("pyppmd", "Compressing with PPMd")
    worker = module.Ppmd7Encoder(max_order=order, mem_size=_PPMD_MEMORY)
    return worker.encode, worker.flush


def _ppmd_fingerprint(order: int) -> str:
    module = require("pyppmd", "Compressing with PPMd")
    return f"ppmd7-{getattr(module, '__version__', 'unknown')}-{order}-{_PPMD_MEMORY >> 20}M"


#: Every compressor, by the name that models and `estimate_rate` have for it.
COMPRESSORS: dict[str, Compressor] = {
    "zlib": Compressor(_zlib, 0, 9, 9, "level", _zlib_fingerprint, "2 bytes and a checksum of 4"),
    "bz2": Compressor(_bz2, 1, 9, 9, "level", "bz2-{}".format, "4 bytes, 10 at the end, 6 per block"),
    "xz": Compressor(_xz, 0, 9, 9, "preset", _xz_fingerprint, "about 60 bytes of header, index and checksum"),
    "zstd": Compressor(
        _zstd, 1, 22, 19, "level", _zstd_fingerprint, "about 6 bytes, 3 per block, a checksum of 4"
    ),
    "brotli": Compressor(_brotli, 0, 11, 11, "quality", _brotli_fingerprint, "a few bits", "brotli"),
    "ppmd": Compressor(
        _ppmd, 2, 64, 8, "order", _ppmd_fingerprint, "none: a bare stream without its length, 5 bytes to end it",
        "pyppmd",
    ),
}  # fmt: skip
