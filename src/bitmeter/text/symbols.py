"""Splitting bytes into the symbols whose entropy is measured: bytes, characters or words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.errors import ChoiceError, EmptyError

__all__ = ["UNITS", "SymbolSequence", "split"]

#: What a text can be split into, with the singular.
UNITS = {"bytes": "byte", "chars": "char", "words": "word"}


@dataclass(frozen=True, slots=True)
class SymbolSequence:
    """A text as integers, one a symbol.

    Attributes
    ----------
    units
        What one symbol is: "bytes", "chars" or "words".
    ids
        The symbols, numbered from zero without gaps (bytes keep their own value).
    kinds
        How many different symbols there are.
    byte_count
        The length of the text in bytes.
    undecoded
        How many bytes were not UTF-8. Each counts as a character of its own, so that nothing is lost.
    """

    units: str
    ids: NDArray[Any]
    kinds: int
    byte_count: int
    undecoded: int


def split(data: bytes, units: str) -> SymbolSequence:
    """Split a text into symbols.

    Parameters
    ----------
    data
        The text as it is on disk.
    units
        "bytes"; "chars" (code points of UTF-8); or "words" (what stands between white space, as `str.split` sees it).

    Examples
    --------
    >>> split("né né".encode(), "chars").ids.tolist()
    [1, 2, 0, 1, 2]
    >>> split(b"to be or not to be", "words").ids.tolist()
    [0, 1, 2, 3, 0, 1]
    """
    if units not in UNITS:
        message = f"units is {units!r}; it must be one of {', '.join(map(repr, UNITS))}"
        raise ChoiceError(message, value=units)
    if not data:
        message = "the text is empty (0 bytes); entropy is an average over symbols, so give it at least one"
        raise EmptyError(message)
    if units == "bytes":
        raw = np.frombuffer(data, dtype=np.uint8)
        kinds, _ = _core.count_symbols(raw)
        return SymbolSequence(units, raw, len(kinds), len(data), 0)
    text = data.decode("utf-8", "surrogateescape")
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    # A byte that is not UTF-8 becomes a lone low surrogate, which valid UTF-8 never holds.
    undecoded = int(np.count_nonzero((points >= 0xDC80) & (points <= 0xDCFF)))
    if units == "chars":
        ids, number = _dense(points)
    else:
        ids, number = _word_ids(text)
    return SymbolSequence(units, ids, number, len(data), undecoded)


def _dense(points: NDArray[np.uint32]) -> tuple[NDArray[Any], int]:
    """Number code points from zero in their order, in the smallest integers that hold them."""
    kinds, _ = _core.count_symbols(points)
    table = np.zeros(int(kinds[-1]) + 1, dtype=np.min_scalar_type(len(kinds) - 1))
    table[kinds] = np.arange(len(kinds))
    return table[points], len(kinds)


def _word_ids(text: str) -> tuple[NDArray[Any], int]:
    """Number words from zero in order of appearance; the loops run inside of dict and map."""
    words = text.split()
    if not words:
        message = "the text holds white space alone, so that it has no words; measure it with --units bytes"
        raise EmptyError(message)
    numbers = dict(zip(dict.fromkeys(words), count()))
    return np.fromiter(map(numbers.__getitem__, words), dtype=np.int64, count=len(words)), len(numbers)
