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

__all__ = ["BegunCounter", "DocumentCounts", "TextCounter", "UnitCounts", "count_units"]


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


class BegunCounter:
    """Counts bytes, characters and words that begin in some units of a text that comes in blocks.

    A word or character that is cut into several units counts in the one in which it begins, so that parts add up to
    the whole, wherever the text is cut into blocks.

    Examples
    --------
    >>> counter = BegunCounter()
    >>> counter.add(b"to be", np.array([5]), np.array([0, 1, 4, 5]), np.array([True, True, False]))
    >>> counter.finished().tolist()
    [4, 4, 2]
    """

    #: No UTF-8 character that begins farther back reaches into what follows.
    _REACH = 3

    def __init__(self) -> None:
        self._total = np.zeros(3, dtype=np.int64)
        self._begin()

    def _begin(self) -> None:
        self._before = b""  # of the open document, counted already
        self._data, self._cuts, self._chosen = b"", np.zeros(1, dtype=np.int64), np.zeros(0, dtype=np.bool_)

    def add(self, data: bytes, ends: Ints, cuts: Ints, chosen: Bools, *, unfinished: bool = False) -> None:
        """Take the next block.

        Parameters
        ----------
        data
            Its bytes; the first document continues the block before if that was unfinished.
        ends
            Offsets at which documents end in it.
        cuts
            The bounds of its units.
        chosen
            Which units are counted.
        unfinished
            Whether the last document continues in the next block.
        """
        held = len(self._data)
        data = self._data + data
        ends = np.asarray(ends, dtype=np.int64) + held
        cuts = np.concatenate((self._cuts[:-1], np.asarray(cuts) + held))
        chosen = np.concatenate((self._chosen, chosen))
        last = int(ends[-1]) if len(ends) else 0
        kept = len(cuts) - 1
        if unfinished:  # what begins in the last bytes shows when those after them are there
            kept = int(np.searchsorted(cuts[1:], max(last, len(data) - self._REACH), side="right"))
        if chosen[:kept].any():
            self._count(data, ends, cuts[: kept + 1], chosen[:kept])
        edge = int(cuts[kept]) if len(cuts) else 0
        if not unfinished:
            self._begin()
            return
        self._before = (data[last:edge] if last else self._before + data[:edge])[-self._REACH :]
        self._data, self._cuts, self._chosen = data[edge:], cuts[kept:] - edge, chosen[kept:]

    def _count(self, data: bytes, ends: Ints, cuts: Ints, chosen: Bools) -> None:
        before = len(self._before)
        data, cuts = self._before + data, cuts + before
        bounds = document_ends(data, ends + before)
        starts = np.concatenate(([0], bounds[:-1]))
        letters = np.frombuffer(data, dtype=np.uint8)
        inside = ~np.isin(letters, np.frombuffer(SEPARATORS["ascii"], dtype=np.uint8))
        words = inside.copy()
        words[1:] &= ~inside[:-1]
        first = starts[starts < len(data)]
        words[first] = inside[first]
        chars = np.zeros(len(data) + 1, dtype=np.int64)
        chars[_core.split_chars(data, bounds)[1][:-1]] = 1
        columns = [np.ones(len(data)), chars[:-1], words]
        sums = [np.concatenate(([0], np.cumsum(column, dtype=np.int64))) for column in columns]
        self._total += np.array([(column[cuts[1:]] - column[cuts[:-1]])[chosen].sum() for column in sums])

    def take(self, counts: Ints) -> None:
        """Add what another has counted of other documents."""
        self._total += counts

    def finished(self) -> Ints:
        """Bytes, characters and words, with those of a document that is still open."""
        if self._chosen.any():
            self._count(self._data, np.array([len(self._data)], dtype=np.int64), self._cuts, self._chosen)
        self._begin()
        return self._total.copy()
