"""General-purpose compressors as measures of entropy rate: what they need for a text is an upper bound that exists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bitmeter._util import check
from bitmeter._util.optional import require
from bitmeter.errors import InputError, InputTypeError

__all__ = ["CODERS", "Coder", "run_coder", "run_own"]

_PPMD_MEMORY = 1 << 26


@dataclass(frozen=True, slots=True)
class Coder:
    """A compressor: what to call, and what its `level` may be."""

    compress: Callable[[bytes, int], bytes]
    lowest: int
    highest: int
    default: int
    #: What `level` means in the compressor's own words.
    level_name: str


def _zlib(data: bytes, level: int) -> bytes:
    import zlib

    return zlib.compress(data, level)


def _bz2(data: bytes, level: int) -> bytes:
    import bz2

    return bz2.compress(data, level)


def _xz(data: bytes, level: int) -> bytes:
    import lzma

    return lzma.compress(data, preset=level)


def _zstd(data: bytes, level: int) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor(level=level).compress(data)


def _brotli(data: bytes, level: int) -> bytes:
    brotli = require("brotli", "method='brotli'")
    return bytes(brotli.compress(data, quality=level, lgwin=24))


def _ppmd(data: bytes, level: int) -> bytes:
    pyppmd = require("pyppmd", "method='ppmd'")
    return bytes(pyppmd.compress(data, max_order=level, mem_size=_PPMD_MEMORY))


#: The compressors that `estimate_rate` knows by name.
CODERS: dict[str, Coder] = {
    "zlib": Coder(_zlib, 0, 9, 9, "level"),
    "bz2": Coder(_bz2, 1, 9, 9, "level"),
    "xz": Coder(_xz, 0, 9, 9, "preset"),
    "zstd": Coder(_zstd, 1, 22, 19, "level"),
    "brotli": Coder(_brotli, 0, 11, 11, "quality"),
    "ppmd": Coder(_ppmd, 2, 64, 8, "order"),
}


def run_coder(name: str, data: bytes, level: Any, kinds: int) -> dict[str, int]:
    """The size of the compressed data, with the settings it was got with.

    PPMd predicts bytes from the `order` bytes before: an alphabet of few symbols, one a byte, needs a higher one.
    """
    coder = CODERS[name]
    if level is None:
        chosen = 16 if name == "ppmd" and kinds <= 4 else coder.default
    else:
        chosen = check.integer(level, "level", low=coder.lowest, high=coder.highest)
    return {
        coder.level_name: chosen,
        "bytes": len(coder.compress(data, chosen)),
        "bytes_of_nothing": len(coder.compress(b"", chosen)),
    }


def run_own(compressor: Any, data: bytes) -> dict[str, int]:
    """The size of the data compressed by a function of the user's."""
    if not callable(compressor):
        message = f"compressor is {check.shown(compressor)}; it must be a function from bytes to bytes (zlib.compress)"
        raise InputTypeError(message, value=compressor)
    try:
        result = compressor(data)
    except Exception as error:
        message = f"compressor raised {type(error).__name__}: {error}; it must accept bytes and return bytes"
        raise InputError(message, value=compressor) from error
    if not isinstance(result, bytes | bytearray | memoryview):
        message = f"compressor returned {check.shown(result)}; it must return bytes"
        raise InputTypeError(message, value=result)
    return {"bytes": memoryview(result).nbytes}
