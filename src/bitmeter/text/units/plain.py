"""Bytes and characters: units whose id is their own code, so that the ids alone restore the text."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import ClassVar

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Ints
from bitmeter._util.check import items, shown
from bitmeter.errors import InputTypeError, RangeError
from bitmeter.text.corpus.readers import encode
from bitmeter.text.units.base import Split, Units

__all__ = ["Bytes", "Characters"]


class Bytes(Units):
    """Each byte is a unit, and its own id.

    Examples
    --------
    >>> Bytes().split(b"hi").ids.tolist()
    [104, 105]
    """

    name = "bytes"
    fingerprint = "bytes/1"
    joins = True

    @property
    def vocabulary_size(self) -> int:
        """256."""
        return 256

    def blank(self, split: Split) -> Bools:
        """None: a document of bytes is never blank."""
        return np.zeros(len(split), dtype=np.bool_)

    def join(self, ids: Iterable[int]) -> bytes:
        """The bytes that the ids stand for.

        Examples
        --------
        >>> Bytes().join([104, 105])
        b'hi'
        """
        return _checked_ids(ids, self.vocabulary_size).astype(np.uint8).tobytes()

    def _split(self, data: bytes, ends: Ints) -> Split:
        return Split(np.frombuffer(data, dtype=np.uint8), _counting(len(data) + 1), np.concatenate(([0], ends)))

    def _cut(self, data: bytes) -> int:
        return len(data)


class Characters(Units):
    r"""Each code point of UTF-8 is a unit, and its own id; so is each byte b that belongs to none, with 0x110000 + b.

    Overlong forms, surrogates and truncated characters are such bytes, each by itself, as in Python's
    "surrogateescape". A byte order mark is the character U+FEFF.

    Examples
    --------
    >>> Characters().split("né".encode() + b"\xff").ids.tolist()
    [110, 233, 1114367]
    """

    name = "chars"
    fingerprint = "chars/1"
    joins = True

    #: The id of the invalid byte 0.
    INVALID: ClassVar[int] = 0x110000

    @property
    def vocabulary_size(self) -> int:
        """All code points, and 256 invalid bytes."""
        return self.INVALID + 256

    def join(self, ids: Iterable[int]) -> bytes:
        r"""The bytes that the ids stand for.

        Examples
        --------
        >>> Characters().join([110, 233, 1114367])
        b'n\xc3\xa9\xff'
        """
        found = _checked_ids(ids, self.vocabulary_size)
        # Invalid bytes travel as lone surrogates, whose own code points no split contains.
        points = np.where(found >= self.INVALID, found - self.INVALID + 0xDC00, found).astype("<u4")
        text = points.tobytes().decode("utf-32-le", "surrogatepass")
        return encode(text)

    def _split(self, data: bytes, ends: Ints) -> Split:
        return Split(*_core.split_chars(data, ends))

    def _cut(self, data: bytes) -> int:
        return int(_core.chars_cut(data))


def _counting(size: int) -> Ints:
    """0, 1, …, size − 1; read-only, because blocks share it."""
    if size > 1 << 21:
        return np.arange(size, dtype=np.int64)
    return _shared_counting(1 << max(0, size - 1).bit_length())[:size]


@functools.lru_cache(maxsize=1)
def _shared_counting(size: int) -> Ints:
    counting = np.arange(size, dtype=np.int64)
    counting.setflags(write=False)
    return counting


def _checked_ids(ids: Iterable[int], limit: int) -> Ints:
    found = np.asarray(list(items(ids, "ids", "a sequence of integers")))
    if found.size == 0:
        return np.empty(0, dtype=np.int64)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        message = f"ids is {shown(ids)}; it must be a sequence of integers"
        raise InputTypeError(message)
    if found.min() < 0 or found.max() >= limit:
        message = f"ids holds {found.min() if found.min() < 0 else found.max()}; each must be in 0..{limit - 1}"
        raise RangeError(message)
    return found.astype(np.int64)
