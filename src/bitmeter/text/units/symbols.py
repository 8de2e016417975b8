"""A text as symbols with consecutive ids, for measures of entropy: bytes, characters or words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.errors import ChoiceError, EmptyError
from bitmeter.text.units.base import BLANK
from bitmeter.text.units.counts import count_units
from bitmeter.text.units.named import units_of
from bitmeter.text.units.plain import Characters
from bitmeter.text.units.words import Words

__all__ = ["UNITS", "SymbolSequence", "split"]

#: What a text can be split into, with the singular.
UNITS = {"bytes": "byte", "chars": "char", "words": "word"}


@dataclass(frozen=True, slots=True)
class SymbolSequence:
    """A text as integers, one per symbol.

    Attributes
    ----------
    units
        What one symbol is: "bytes", "chars" or "words".
    ids
        The symbols' ids, consecutive from zero (bytes keep their own value).
    kinds
        How many different symbols there are.
    byte_count
        The length of the text in bytes.
    undecoded
        How many bytes were not UTF-8. Each counts as a character of its own, so that nothing is lost.
    alphabet
        What each id stands for: code points, or the bytes of words. None for bytes, which stand for themselves.
    """

    units: str
    ids: NDArray[Any]
    kinds: int
    byte_count: int
    undecoded: int
    alphabet: tuple[Any, ...] | None = None


def split(data: bytes, units: str) -> SymbolSequence:
    """Split a text into symbols.

    Parameters
    ----------
    data
        The text as it is on disk.
    units
        "bytes"; "chars" (code points of UTF-8); or "words" (what is between ASCII white
        space, as by `Words`).

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
    found = units_of(units).split(data)
    if units == "bytes":
        kinds, _ = _core.count_symbols(found.ids)
        return SymbolSequence(units, found.ids, len(kinds), len(data), 0)
    if units == "chars":
        ids, kinds = _dense(found.ids)
        undecoded = int(np.count_nonzero(found.ids >= Characters.INVALID))
        return SymbolSequence(units, ids, len(kinds), len(data), undecoded, tuple(kinds.tolist()))
    if found.ids[0] == BLANK:
        message = "the text is white space alone and has no words; measure it with --units bytes"
        raise EmptyError(message)
    table = _core.WordTable()
    starts, stops = Words().own(data, found)
    ids = table.add(data, starts, stops)
    _, first = np.unique(ids, return_index=True)
    words = tuple(data[a:b] for a, b in zip(starts[first].tolist(), stops[first].tolist(), strict=True))
    return SymbolSequence(units, ids, len(table), len(data), count_units(data).invalid, words)


def _dense(points: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Give code points consecutive ids in their order, in the smallest integers that hold them."""
    kinds, _ = _core.count_symbols(points)
    table = np.zeros(int(kinds[-1]) + 1, dtype=np.min_scalar_type(len(kinds) - 1))
    table[kinds] = np.arange(len(kinds))
    return table[points], kinds
