"""Compressors as baselines: what a whole text costs them, header and all; they say nothing of single units."""

from __future__ import annotations

import bz2
import lzma
import re
import zlib
from collections.abc import Callable
from typing import Any

import zstandard

from bitmeter._util.optional import require
from bitmeter.errors import ModelError
from bitmeter.models.protocols import Compressor as CompressorModel
from bitmeter.models.protocols import Meter
from bitmeter.models.scheme import Scheme

#: Bytes handed to a compressor at once: always as many, because what Brotli writes depends on it.
CHUNK = 1 << 20


class _Counting:
    """Counts what a compressor object gives back, and keeps none of it."""

    def __init__(self, compress: Callable[[bytes], bytes], flush: Callable[[], bytes]) -> None:
        self._compress, self._flush = compress, flush
        self._held, self._size = b"", 0

    def feed(self, data: bytes) -> None:
        data = self._held + data if self._held else data
        whole = len(data) - len(data) % CHUNK
        for start in range(0, whole, CHUNK):
            self._size += len(self._compress(data[start : start + CHUNK]))
        self._held = data[whole:]

    def finish(self) -> int:
        last = self._compress(self._held) if self._held else b""
        return self._size + len(last) + len(self._flush())


class Compressor(CompressorModel):
    """A compressor at one setting.

    Parameters
    ----------
    name
        As it is typed, such as `zstd:19`.
    fingerprint
        The program, its version and its setting.
    begin
        Starts a compressed stream.
    overhead
        What of the file is not the text: printed beside the figure.
    """

    name: str
    fingerprint: str
    overhead: str

    def __init__(self, name: str, fingerprint: str, begin: Callable[[], Meter], overhead: str) -> None:
        self.name, self.fingerprint, self.overhead = name, fingerprint, overhead
        self._begin = begin

    def meter(self) -> Meter:
        """Begin a file."""
        return self._begin()


def _level(scheme: str, rest: str, default: int, low: int, high: int) -> int:
    if not rest:
        return default
    if not re.fullmatch("[0-9]{1,3}", rest) or not low <= int(rest) <= high:
        message = f"{scheme}:{rest:.20} needs a level from {low} to {high}; such as {scheme}:{default}"
        raise ModelError(message, value=rest)
    return int(rest)


def _zlib(rest: str) -> Compressor:
    level = _level("zlib", rest, 9, 0, 9)

    def begin() -> Meter:
        worker = zlib.compressobj(level)
        return _Counting(worker.compress, worker.flush)

    return Compressor(
        f"zlib:{level}", f"zlib-{zlib.ZLIB_RUNTIME_VERSION}-{level}", begin, "2 bytes and a checksum of 4"
    )


def _bz2(rest: str) -> Compressor:
    level = _level("bz2", rest, 9, 1, 9)

    def begin() -> Meter:
        worker = bz2.BZ2Compressor(level)
        return _Counting(worker.compress, worker.flush)

    return Compressor(f"bz2:{level}", f"bz2-{level}", begin, "4 bytes, 10 at the end, 6 a block")


def _xz(rest: str) -> Compressor:
    extreme = rest.endswith("e")
    level = _level("xz", rest.removesuffix("e"), 9, 0, 9)

    def begin() -> Meter:
        worker = lzma.LZMACompressor(preset=level | (lzma.PRESET_EXTREME if extreme else 0))
        return _Counting(worker.compress, worker.flush)

    name = f"xz:{level}{'e' * extreme}"
    return Compressor(name, f"{name}-liblzma", begin, "about 60 bytes of header, index and checksum")


def _zstd(rest: str) -> Compressor:
    level = _level("zstd", rest, 19, 1, 22)

    def begin() -> Meter:
        # A stream of unknown length, as `zstd < FILE` writes it: the same bytes cost the same wherever they come from.
        worker = zstandard.ZstdCompressor(level=level, write_checksum=True).compressobj()
        return _Counting(worker.compress, worker.flush)

    version = ".".join(map(str, zstandard.ZSTD_VERSION))
    return Compressor(f"zstd:{level}", f"zstd-{version}-{level}", begin, "about 6 bytes, 3 a block, a checksum of 4")


def _brotli(rest: str) -> Compressor:
    level = _level("brotli", rest, 11, 0, 11)
    module: Any = require("brotli", "The model brotli")

    def begin() -> Meter:
        worker = module.Compressor(quality=level, lgwin=24)
        return _Counting(worker.process, worker.finish)

    version = getattr(module, "__version__", "unknown")
    return Compressor(f"brotli:{level}", f"brotli-{version}-{level}", begin, "a few bits")


def _ppmd(rest: str) -> Compressor:
    order = _level("ppmd", rest, 8, 2, 64)
    module: Any = require("pyppmd", "The model ppmd")

    def begin() -> Meter:
        worker = module.Ppmd7Encoder(max_order=order, mem_size=256 << 20)
        return _Counting(worker.encode, worker.flush)

    version = getattr(module, "__version__", "unknown")
    header = "none: a bare stream without its length, 5 bytes to end it"
    return Compressor(f"ppmd:{order}", f"ppmd7-{version}-{order}-256M", begin, header)


SCHEMES = (
    Scheme("zlib", "zlib[:0-9]", "deflate, as gzip has it", _zlib),
    Scheme("bz2", "bz2[:1-9]", "block sorting, as bzip2 has it", _bz2),
    Scheme("xz", "xz[:0-9][e]", "LZMA2, as xz has it", _xz),
    Scheme("zstd", "zstd[:1-22]", "Zstandard", _zstd),
    Scheme("brotli", "brotli[:0-11]", "Brotli", _brotli, requires="brotli"),
    Scheme(
        "ppmd",
        "ppmd[:2-64]",
        "prediction by partial matching (PPMd variant H)",
        _ppmd,
        requires="pyppmd",
    ),
)
