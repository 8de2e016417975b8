"""Counting characters and words without splitting: what a score is divided by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Ints
from bitmeter._util.check import choice
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.base import document_ends

__all__ = ["DocumentCounts", "TextCounter", "UnitCounts", "begun_within", "count_units"]


@dataclass(frozen=True, slots=True)
class UnitCounts:
    """How long a text is.

    Attributes
    ----------
    bytes
        Bytes.
    chars
        Characters: code points of UTF-8, and bytes that belong to none.
    invalid
        How many of `chars` are bytes that are not UTF-8.
    words
        Words between separators.
    """

    bytes: int
    chars: int
    invalid: int
    words: int

    def __str__(self) -> str:
        wrong = f" ({self.invalid:,} bytes are not UTF-8)" if self.invalid else ""
        return f"{self.bytes:,} bytes, {self.chars:,} characters{wrong}, {self.words:,} words"


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """What one block adds: one entry for each document that ends in it, and a last one for what continues after it.

    A document that began in an earlier block has here only what this block adds. A word counts where it begins; a
    character cut by the border of two blocks counts in the second.
    """

    chars: Ints
    invalid: Ints
    words: Ints


class TextCounter:
    """Counts a text that comes block by block; a word or character that crosses a border is counted once.

    Parameters
    ----------
    separators
        What separates words; see `Words`.

    Examples
    --------
    >>> counter = TextCounter()
    >>> for block in (b"to b", b"e or n", b"ot"):
    ...     _ = counter.feed(block)
    >>> print(counter.finish())
    12 bytes, 12 characters, 4 words
    """

    def __init__(self, separators: str = "ascii") -> None:
        self._counts = _core.TextCounts(SEPARATORS[choice(separators, "separators", SEPARATORS)])

    def feed(self, data: bytes, ends: Any = None) -> DocumentCounts:
        """Count a block whose documents end at `ends`; what follows the last end continues in the next block."""
        places = document_ends(data, [] if ends is None else ends)
        given = 0 if ends is None else len(ends)
        return DocumentCounts(*self._counts.feed(bytes(data), places[:given]))

    @property
    def total(self) -> UnitCounts:
        """All counts so far, without an incomplete last character."""
        found = self._counts
        return UnitCounts(found.bytes, found.chars, found.invalid, found.words)

    def finish(self) -> UnitCounts:
        """End the last document, if it is still open, and give the totals."""
        self._counts.finish()
        return self.total


def count_units(data: bytes, ends: Any = None, *, separators: str = "ascii") -> UnitCounts:
    r"""Count the characters and words of a text.

    Parameters
    ----------
    data
        The bytes.
    ends
        Where documents end in it: words and characters never cross an end.
    separators
        What separates words; see `Words`.

    Examples
    --------
    >>> count_units("né à Paris".encode() + b"\xff")
    UnitCounts(bytes=13, chars=11, invalid=1, words=3)
    """
    counter = TextCounter(separators)
    counter.feed(data, document_ends(data, ends))
    return counter.finish()


def begun_within(data: bytes, ends: Any, cuts: Ints, chosen: Bools) -> Ints:
    """Of some units of a text: their bytes, and how many characters and words begin in them.

    A word that is cut into several units counts in the one in which it begins, so that parts add up to the whole.

    Examples
    --------
    >>> begun_within(b"to be", [5], np.array([0, 1, 4, 5]), np.array([True, True, False])).tolist()
    [4, 4, 2]
    """
    places = document_ends(data, ends)
    starts = np.concatenate(([0], places[:-1]))
    letters = np.frombuffer(data, dtype=np.uint8)
    inside = ~np.isin(letters, np.frombuffer(SEPARATORS["ascii"], dtype=np.uint8))
    begins = inside.copy()
    begins[1:] &= ~inside[:-1]
    first = starts[starts < len(data)]
    begins[first] = inside[first]
    chars = np.zeros(len(data) + 1, dtype=np.int64)
    chars[_core.split_chars(data, places)[1][:-1]] = 1
    found = [np.ones(len(data)), chars[:-1], begins]
    sums = [np.concatenate(([0], np.cumsum(column, dtype=np.int64))) for column in found]
    return np.array([(column[cuts[1:]] - column[cuts[:-1]])[chosen].sum() for column in sums], dtype=np.int64)
