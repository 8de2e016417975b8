"""A corpus split block by block, with the same units as if each document were split at once."""

from __future__ import annotations

import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter.errors import RecordError
from bitmeter.text.corpus.corpus import BLOCK_SIZE, Corpus
from bitmeter.text.units.base import Split, Units

__all__ = ["SplitBlock", "UnitBlock", "cut_by_file", "cut_corpus", "split_corpus"]


@dataclass(frozen=True, slots=True)
class UnitBlock:
    """A part of a corpus that ends with a document or between two units.

    Attributes
    ----------
    data
        The bytes: whole units.
    ends
        Where documents end in them.
    offset
        Its offset in the corpus.
    continues
        Whether the first document continues from the part before.
    unfinished
        Whether the last document continues in the next part.
    """

    data: bytes
    ends: Ints
    offset: int
    continues: bool
    unfinished: bool

    @property
    def all_ends(self) -> Ints:
        """The ends, with that of an unfinished last document."""
        return np.append(self.ends, np.int64(len(self.data))) if self.unfinished else self.ends


@dataclass(frozen=True, slots=True)
class SplitBlock(UnitBlock):
    """A part of a corpus, split.

    Attributes
    ----------
    split
        Its units.
    """

    split: Split


def split_corpus(corpus: Corpus, units: Units, size: int = BLOCK_SIZE) -> Iterator[SplitBlock]:
    """Split a corpus as it is read; memory holds about one block, or the longest unit if that is longer.

    Parameters
    ----------
    corpus
        What to split.
    units
        Into what. A tokenizer needs each document whole: then memory must hold the longest document.
    size
        The bytes of a block.

    Examples
    --------
    >>> from bitmeter.text.units.words import Words
    >>> corpus = Corpus.from_text("to be or not to be")
    >>> [block.split.pieces(block.data) for block in split_corpus(corpus, Words(), size=8)]
    [[b'to ', b'be '], [b'or ', b'not '], [b'to ', b'be']]
    """
    for block in cut_corpus(corpus, units, size):
        data, ends = block.data, block.ends
        yield SplitBlock(data, ends, block.offset, block.continues, block.unfinished, units.split(data, ends))


def cut_corpus(corpus: Corpus, units: Units, size: int = BLOCK_SIZE) -> Iterator[UnitBlock]:
    """The parts that `split_corpus` splits, before they are split.

    Examples
    --------
    >>> from bitmeter.text.units.words import Words
    >>> [block.data for block in cut_corpus(Corpus.from_text("to be or not"), Words(), size=8)]
    [b'to be ', b'or not']
    """
    held: list[bytes] = []  # an unfinished document from its first unit that is not split yet
    length = wanted = offset = 0
    continues = False
    most = sys.maxsize - 1 if units.longest is None else units.longest
    for block in corpus.blocks(size):
        held.append(block.data)
        length += len(block.data)
        if not len(block.ends) and length < min(wanted, most + 1):
            continue  # no unit ended last time: retry with twice as much data, or the time would be quadratic
        start = length - len(block.data)
        data = b"".join(held)
        held = []
        ends = block.ends + start
        closed = int(ends[-1]) if len(ends) else 0
        until = closed + units.cut(data[closed:])
        if wanted and length > most:
            _check_longest(units, data[:until] or data, ends, most, corpus.name, offset)
        if until == 0 and not len(ends):
            held, wanted = [data], 2 * length
            continue
        piece = data[:until]
        yield UnitBlock(piece, ends, offset, continues, until > closed)
        offset += until
        continues = until > closed
        held, length, wanted = [data[until:]], length - until, 0
    assert length == 0, "a corpus closes its last document"


def cut_by_file(blocks: Iterator[UnitBlock], corpus: Corpus) -> Iterator[tuple[UnitBlock, bool]]:
    """The parts of a corpus, cut also where a file ends, and whether a file begins with each.

    Examples
    --------
    >>> from bitmeter.text.units.words import Words
    >>> corpus = Corpus.from_documents(["to be ", "or not"])
    >>> [(block.data, begins) for block, begins in cut_by_file(cut_corpus(corpus, Words()), corpus)]
    [(b'to be or not', True)]
    """
    documents = 0
    for block in blocks:
        ends, begun = block.ends, corpus.begun()
        # Which documents of the block begin a file; the last is there if any of it is.
        last = len(ends) if block.unfinished else len(ends) - 1
        found = begun[bisect_left(begun, documents) : bisect_right(begun, documents + last)]
        first = sorted({number - documents for number in found})
        cuts = [0, *(number for number in first if number), len(ends) + 1]
        for start, stop in pairwise(cuts):
            begin = int(ends[start - 1]) if start else 0
            end = int(ends[stop - 1]) if stop <= len(ends) else len(block.data)
            continues = block.continues and not start
            piece = UnitBlock(
                block.data[begin:end], ends[start:stop] - begin, block.offset + begin, continues,
                block.unfinished and stop > len(ends),
            )  # fmt: skip
            yield piece, start in first and not continues
        documents += len(ends)


def _check_longest(units: Units, data: bytes, ends: Ints, most: int, name: str, offset: int) -> None:
    """Refuse a unit that takes more memory than a text of many units would."""
    longest = int(np.diff(units.split(data, ends).cuts).max(initial=0))
    if longest > most:
        message = (
            f"{name}, from byte {offset:,} on: one of its {units.name} has {longest:,} bytes or more, and at most "
            f"{most:,} fit in memory; put white space into it, or measure bytes (such as with universal, or by a model "
            "trained with --units bytes)"
        )
        raise RecordError(message, path=name)
