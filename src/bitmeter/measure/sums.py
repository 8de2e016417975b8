"""Running sums over a text that arrives in batches: by document, along the text, and counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.measure.aggregates import BlockSums, DocumentSums
from bitmeter.models.outcomes import Details
from bitmeter.text.units.counts import TextCounter

#: The most blocks kept for the interval along the text; when there are more, neighbours are joined.
MOST_BLOCKS = 8192
#: The most documents kept one by one; when there are more, neighbours are joined, which bounds memory and files.
MOST_DOCUMENTS = 1 << 20
#: The size of the smallest blocks, in bytes.
FIRST_BLOCK = 64

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(slots=True)
class Rated:
    """A scored batch of the text: documents, of which the first may continue and the last may be open."""

    data: bytes
    ends: Ints
    ids: NDArray[Any]
    cuts: Ints
    bounds: Ints
    offset: int
    continues: bool
    open: bool
    logprobs: Floats
    #: Units that were not scored: their cost is 0 and they are counted separately.
    skipped: NDArray[np.bool_]
    #: Units that the model does not have, such as a line of white space in a word model: they cost nothing.
    blank: NDArray[np.bool_]
    #: If asked for: the entropy, rank and alternatives of each prediction.
    details: Details | None = None
    #: The arrays belong to this batch alone, so that a trace may keep them without a copy.
    owned: bool = False


class ExactSum:
    """A running sum that is rounded only when it is read (Shewchuk's non-overlapping partial sums)."""

    def __init__(self) -> None:
        self._parts: list[float] = []
        self._infinite = 0.0

    def add(self, value: float) -> None:
        """Add a number."""
        if not math.isfinite(value):
            self._infinite += value
            return
        kept = 0
        for part in self._parts:
            large, small = (value, part) if abs(value) >= abs(part) else (part, value)
            value = large + small
            if rest := small - (value - large):
                self._parts[kept] = rest
                kept += 1
        self._parts[kept:] = [value]

    @property
    def value(self) -> float:
        """The sum, rounded once."""
        return math.fsum((*self._parts, self._infinite))


class DocumentRows:
    """One row of sums per document, or per two, four, eight… neighbours once there are too many."""

    def __init__(self, columns: int, dtype: type[np.generic]) -> None:
        self.documents = 0
        self._group = 1
        self._parts: list[NDArray[Any]] = [np.zeros((0, columns), dtype=dtype)]
        self._length = 0
        self._last, self._in_last = np.zeros(columns, dtype=dtype), 0

    def add(self, rows: NDArray[Any]) -> None:
        """Add the next documents."""
        self.documents += len(rows)
        if self._in_last:
            missing = self._group - self._in_last
            self._last += rows[:missing].sum(axis=0)
            self._in_last += len(rows[:missing])
            rows = rows[missing:]
            self._close()
        whole = len(rows) - len(rows) % self._group
        self._append(rows[:whole] if self._group == 1 else _joined(rows[:whole], self._group))
        if len(rows) > whole:
            self._last, self._in_last = rows[whole:].sum(axis=0), len(rows) - whole
        while self._length > MOST_DOCUMENTS:
            self._coarsen()

    def _append(self, rows: NDArray[Any]) -> None:
        self._parts.append(rows)
        self._length += len(rows)

    def _close(self) -> None:
        if self._in_last == self._group:
            self._append(self._last[None])
            self._last, self._in_last = np.zeros_like(self._last), 0

    def _coarsen(self) -> None:
        rows = np.concatenate(self._parts)
        even = len(rows) - len(rows) % 2
        if len(rows) > even:
            self._last = self._last + rows[-1]
            self._in_last += self._group
        self._group *= 2
        self._parts, self._length = [_joined(rows[:even], 2)], even // 2

    def finished(self) -> tuple[NDArray[Any], Ints | None]:
        """The rows, and the number of documents in each if that is not one."""
        rows = np.concatenate([*self._parts, self._last[None]] if self._in_last else self._parts)
        if self._group == 1:
            return rows, None
        sizes = np.full(len(rows), self._group, dtype=np.int64)
        sizes[len(rows) - 1 :] = self._in_last or self._group
        return rows, sizes


def _joined(rows: NDArray[Any], size: int) -> NDArray[Any]:
    return np.asarray(rows.reshape(-1, size, rows.shape[1]).sum(axis=1))


class DocumentTotals:
    """Sums and counts of complete documents, and partial sums of the one that is open."""

    def __init__(self) -> None:
        self._nats, self._tokens = DocumentRows(1, np.float64), DocumentRows(1, np.int64)
        self._open_nats, self._open_tokens = ExactSum(), 0
        self._is_open = False

    def add(self, batch: Rated) -> Floats:
        """Add a batch; returns the costs of its documents within this batch alone."""
        sums = -_core.segment_sums(batch.logprobs, batch.bounds) + 0.0
        tokens = np.diff(batch.bounds) - _core.segment_counts(batch.skipped | batch.blank, batch.bounds)
        whole = sums.copy()
        if self._is_open and batch.continues and len(sums):
            self._open_nats.add(float(sums[0]))
            whole[0] = self._open_nats.value
            tokens[0] += self._open_tokens
        if batch.open and len(sums):
            if len(sums) > 1 or not (self._is_open and batch.continues):
                self._open_nats = ExactSum()
                self._open_nats.add(float(sums[-1]))
            self._open_tokens = int(tokens[-1])
            whole, tokens = whole[:-1], tokens[:-1]
        self._is_open = batch.open
        self._nats.add(whole[:, None])
        self._tokens.add(tokens[:, None])
        return sums

    def finished(self) -> tuple[Floats, Ints]:
        """The nats and the tokens of each document, or of each group of documents."""
        if self._is_open:
            self._nats.add(np.array([[self._open_nats.value]]))
            self._tokens.add(np.array([[self._open_tokens]], dtype=np.int64))
            self._is_open = False
        return np.ascontiguousarray(self._nats.finished()[0][:, 0]), self._tokens.finished()[0][:, 0].copy()


class BlockTotals:
    """Costs of successive blocks of equal size; the size doubles as the text grows."""

    def __init__(self) -> None:
        self.size = FIRST_BLOCK
        self._nats = np.zeros(0)
        self._bytes = np.zeros(0, dtype=np.int64)

    def add(self, batch: Rated) -> None:
        """Add the units of a batch; a unit belongs to the block in which it starts."""
        if len(batch.ids) == 0:
            return
        starts = batch.cuts[:-1]
        end = int(batch.cuts[-1]) + batch.offset
        while end > self.size * MOST_BLOCKS:
            self._double()
        first = (int(starts[0]) + batch.offset) // self.size
        last = max(first, (end - 1) // self.size)
        edges = np.searchsorted(starts, np.arange(first, last + 2, dtype=np.int64) * self.size - batch.offset)
        edges[0], edges[-1] = 0, len(starts)
        if last >= len(self._nats):
            grown = last + 1 - len(self._nats)
            self._nats = np.concatenate([self._nats, np.zeros(grown)])
            self._bytes = np.concatenate([self._bytes, np.zeros(grown, dtype=np.int64)])
        self._nats[first : last + 1] -= _core.segment_sums(batch.logprobs, edges.astype(np.int64))
        self._bytes[first : last + 1] += np.diff(batch.cuts[edges])

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
        self._rows = DocumentRows(3, np.int64)
        self._open: NDArray[np.int64] | None = None
        self.invalid = 0

    def add(self, data: bytes, ends: Ints) -> None:
        """Count a batch; documents end at the offsets `ends`, and the rest continues in the next batch."""
        found = self._counter.feed(data, ends)
        sizes = np.diff(np.concatenate([[0], ends, [len(data)]]))
        rows = np.stack([sizes, found.chars, found.words], axis=1)
        if self._open is not None:
            rows[0] += self._open
        self._open = rows[-1].copy()
        self._rows.add(rows[:-1])

    @property
    def documents(self) -> int:
        """The number of documents that have ended."""
        return self._rows.documents

    def finished(self) -> tuple[NDArray[np.int64], Ints | None]:
        """One row per document (or group): bytes, characters, words; and the number of documents per row if not one."""
        before = self._counter.total
        total = self._counter.finish()
        self.invalid = total.invalid
        if self._open is not None and self._open[0]:
            # The corpus left a document open, perhaps within a character.
            self._open[1] += total.chars - before.chars
            self._rows.add(self._open[None])
            self._open = None
        return self._rows.finished()


def document_sums(nats: Floats, tokens: Ints, counts: NDArray[np.int64], sizes: Ints | None) -> DocumentSums:
    """The sums and counts of each document."""
    size, chars, words = (np.ascontiguousarray(column) for column in counts.T)
    return DocumentSums(nats, size, chars, words, tokens, sizes)
