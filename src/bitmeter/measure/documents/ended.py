"""The sums of each document as it ends, for whoever wants them one by one: in order, whatever their number."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter.measure.sums import Counted

__all__ = ["DocumentBatch", "DocumentListener", "EndedDocuments"]


class DocumentBatch(NamedTuple):
    """Successive documents.

    Attributes
    ----------
    first
        The number of the first, from 0.
    nats
        What each cost; inf if something had probability zero.
    bytes, chars, words, tokens, oov
        Counts of each.
    closed
        Whether the vocabulary is closed, so that bytes and characters are not paid for.
    """

    first: int
    nats: Floats
    bytes: Ints
    chars: Ints
    words: Ints
    tokens: Ints
    oov: Ints
    closed: bool


#: Called with documents as they end.
DocumentListener: TypeAlias = Callable[[DocumentBatch], None]


class EndedDocuments:
    """Tells a listener of documents, batch by batch, with what is unknown to the model in each."""

    def __init__(self, listener: DocumentListener, *, closed: bool) -> None:
        self._listener, self._closed = listener, closed
        self._open_oov = 0
        self._done = 0

    def add(self, counted: Counted, unknown: Bools | None, sums: tuple[Floats, Ints], counts: Ints) -> None:
        """Add a batch: nats and tokens, and the bytes, characters and words, of the documents that ended in it."""
        bounds = counted.scored.split.bounds
        size = len(bounds) - 1
        oov = np.zeros(size, dtype=np.int64) if unknown is None else _core.segment_counts(unknown, bounds)
        if size:
            oov[0] += self._open_oov
            self._open_oov = 0
        nats, tokens = sums
        ended = len(nats)
        if counted.batch.unfinished and size:
            self._open_oov = int(oov[-1])
        self._tell(nats, tokens, counts, oov[:ended])

    def finish(self, sums: tuple[Floats, Ints], counts: Ints) -> None:
        """Add a last document that was still open."""
        self._tell(*sums, counts, np.full(len(sums[0]), self._open_oov, dtype=np.int64))

    def _tell(self, nats: Floats, tokens: Ints, counts: Ints, oov: Ints) -> None:
        assert len(nats) == len(tokens) == len(counts) == len(oov), "documents end for all at once"
        if len(nats):
            size, chars, words = counts.T
            self._listener(DocumentBatch(self._done, nats, size, chars, words, tokens, oov, self._closed))
            self._done += len(nats)
