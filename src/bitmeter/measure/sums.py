"""Adding up while a text streams by: documents, stretches of bytes, and the trace."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.measure.score import BlockSums, DocumentSums
from bitmeter.models.details import Details
from bitmeter.text.counts import TextCounter

#: Stretches kept for the interval along the text; when there are more, neighbours are joined.
MOST_BLOCKS = 8192
#: The finest stretch, in bytes.
FIRST_BLOCK = 64

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(slots=True)
class Rated:
    """A stretch of the text, split and rated: documents, of which the first may go on and the last be open."""

    data: bytes
    ends: Ints
    ids: NDArray[Any]
    cuts: Ints
    bounds: Ints
    offset: int
    continues: bool
    open: bool
    logprobs: Floats
    #: Units that were not scored: their cost is 0 and they are counted apart.
    skipped: NDArray[np.bool_]
    #: Units that are no units of the model, such as a line of white space to a model of words: they cost nothing.
    blank: NDArray[np.bool_]
    #: Where it was asked for: what else the model held likely.
    details: Details | None = None


@dataclass(slots=True)
class DocumentTotals:
    """Sums and counts of finished documents, and the parts of the one that is open."""

    nats: list[Floats] = field(default_factory=list)
    tokens: list[Ints] = field(default_factory=list)
    _open_nats: list[float] = field(default_factory=list)
    _open_tokens: int = 0
    _is_open: bool = False

    def add(self, piece: Rated) -> None:
        """Sum each document of the piece."""
        sums = -_core.segment_sums(piece.logprobs, piece.bounds) + 0.0
        tokens = np.diff(piece.bounds) - _core.segment_counts(piece.skipped | piece.blank, piece.bounds)
        if self._is_open and piece.continues and len(sums):
            sums[0] = math.fsum((*self._open_nats, sums[0]))
            tokens[0] += self._open_tokens
        self._open_nats, self._open_tokens, self._is_open = [], 0, piece.open
        if piece.open and len(sums):
            self._open_nats, self._open_tokens = [float(sums[-1])], int(tokens[-1])
            sums, tokens = sums[:-1], tokens[:-1]
        self.nats.append(sums)
        self.tokens.append(tokens)

    def finished(self) -> tuple[Floats, Ints]:
        """The nats and the tokens of each document."""
        nats = np.concatenate([*self.nats, np.array(self._open_nats if self._is_open else [])])
        tokens = np.concatenate([*self.tokens, np.array([self._open_tokens] if self._is_open else [], dtype=np.int64)])
        return nats, tokens.astype(np.int64)


class BlockTotals:
    """What successive equal stretches of bytes cost; the stretch doubles as the text grows."""

    def __init__(self) -> None:
        self.size = FIRST_BLOCK
        self._nats = np.zeros(0)
        self._bytes = np.zeros(0, dtype=np.int64)

    def add(self, piece: Rated) -> None:
        """Add the units of a stretch; a unit counts where it starts."""
        if len(piece.ids) == 0:
            return
        starts = piece.cuts[:-1] + piece.offset
        end = int(piece.cuts[-1]) + piece.offset
        while end > self.size * MOST_BLOCKS:
            self._double()
        first = int(starts[0]) // self.size
        last = max(first, (end - 1) // self.size)
        edges = np.searchsorted(starts, np.arange(first, last + 2, dtype=np.int64) * self.size)
        edges[0], edges[-1] = 0, len(starts)
        if last >= len(self._nats):
            grown = last + 1 - len(self._nats)
            self._nats = np.concatenate([self._nats, np.zeros(grown)])
            self._bytes = np.concatenate([self._bytes, np.zeros(grown, dtype=np.int64)])
        self._nats[first : last + 1] -= _core.segment_sums(piece.logprobs, edges.astype(np.int64))
        self._bytes[first : last + 1] += np.diff(piece.cuts[edges])

    def _double(self) -> None:
        self.size *= 2
        if len(self._nats) % 2:
            self._nats, self._bytes = np.append(self._nats, 0.0), np.append(self._bytes, 0)
        self._nats = self._nats.reshape(-1, 2).sum(axis=1)
        self._bytes = self._bytes.reshape(-1, 2).sum(axis=1)

    def finished(self) -> BlockSums:
        """The sums so far."""
        return BlockSums(self.size, self._nats, self._bytes)


class CountTotals:
    """Bytes, characters and words of each document, from the text itself."""

    def __init__(self) -> None:
        self._counter = TextCounter()
        self._rows: list[NDArray[np.int64]] = []
        self._open: NDArray[np.int64] | None = None
        self.invalid = 0

    def add(self, data: bytes, ends: Ints) -> None:
        """Count a block; documents end at `ends`, and what follows goes on in the next block."""
        found = self._counter.feed(data, ends)
        sizes = np.diff(np.concatenate([[0], ends, [len(data)]]))
        rows = np.stack([sizes, found.chars, found.words], axis=1)
        if self._open is not None:
            rows[0] += self._open
        self._open = rows[-1]
        self._rows.append(rows[:-1])

    def finished(self) -> NDArray[np.int64]:
        """A row a document: bytes, characters, words."""
        before = self._counter.total
        total = self._counter.finish()
        self.invalid = total.invalid
        rows = np.concatenate([*self._rows, np.zeros((0, 3), dtype=np.int64)])
        if self._open is not None and self._open[0]:
            # A document that the corpus left open, and in it perhaps the beginning of a character.
            self._open[1] += total.chars - before.chars
            rows = np.concatenate([rows, self._open[None]])
        return rows


def document_sums(nats: Floats, tokens: Ints, counts: NDArray[np.int64]) -> DocumentSums:
    """Everything that is known of each document."""
    return DocumentSums(nats, counts[:, 0], counts[:, 1], counts[:, 2], tokens)
