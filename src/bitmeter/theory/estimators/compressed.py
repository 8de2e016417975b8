"""The size of a compressed sample: a code length, and so an upper bound of the entropy rate."""

from __future__ import annotations

from bitmeter._util import check
from bitmeter._util.compressors import COMPRESSORS
from bitmeter.errors import InputError, InputTypeError

__all__ = ["own_size", "sizes"]

#: PPMd predicts a byte from the `order` bytes before it: a small alphabet with one symbol per byte needs more of them.
_SMALL_ALPHABET, _SMALL_ALPHABET_ORDER = 4, 16


def sizes(name: str, data: bytes, level: int | None, alphabet_size: int) -> dict[str, int]:
    """The size of the data compressed by one of `COMPRESSORS`, that of an empty file, and the level used.

    Examples
    --------
    >>> import zlib
    >>> found = sizes("zlib", b"ab" * 500, None, 2)
    >>> found == {"level": 9, "bytes": len(zlib.compress(b"ab" * 500, 9)), "bytes_of_nothing": 8}
    True
    """
    compressor = COMPRESSORS[name]
    compressor.check_installed(f"method={name!r}")
    if level is not None:
        chosen = check.integer(level, "level", low=compressor.lowest, high=compressor.highest)
    elif name == "ppmd" and alphabet_size <= _SMALL_ALPHABET:
        chosen = _SMALL_ALPHABET_ORDER
    else:
        chosen = compressor.default
    return {
        compressor.level_name: chosen,
        "bytes": compressor.size(data, chosen),
        "bytes_of_nothing": compressor.size(b"", chosen),
    }


def own_size(compressor: object, data: bytes) -> dict[str, int]:
    """The size of the data compressed by a function of the user's.

    Examples
    --------
    >>> own_size(bytes.upper, b"ab")
    {'bytes': 2}
    """
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
