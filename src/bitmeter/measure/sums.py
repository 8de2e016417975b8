"""Running sums over a text that arrives in batches: by document, along the text, and counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter.measure.aggregates import FIRST_BLOCK, BlockSums, DocumentSums
from bitmeter.measure.exact import Parts, exact_parts
from bitmeter.models.protocols import Batch, Scored
from bitmeter.text.units.counts import TextCounter

#: The most blocks kept for the interval along the text; when there are more, neighbours are joined.
MOST_BLOCKS = 8192
#: The most documents kept one by one; when there are more, neighbours are joined, which bounds memory and files.
MOST_DOCUMENTS = 1 << 20


@dataclass(slots=True)
class Counted:
    """A scored batch, by the convention of the score: its log-probabilities are those that count."""

    batch: Batch
    scored: Scored
    #: Units that were not scored: their cost is 0 and they are counted separately.
    skipped: Bools
    #: Of answers: which documents have something before them, so that their first unit is not the first of all.
    conditioned: Bools | None = None

    def change(self, logprobs: Floats) -> None:
        """Count other log-probabilities; what the session returned, which may be its own, is left as it is."""
        self.scored = replace(self.scored, logprobs=logprobs)


class DocumentRows:
    """One row of sums per document, or per two, four, eight… neighbours once there are too many.

    A row of 2^k documents is the sum of its two halves, so that what is rounded does not depend on how many documents
    come at once.
    """

    def __init__(self, columns: int, dtype: type[np.generic]) -> None:
        self.documents = 0
        self._group = 1
        self._parts: list[NDArray[Any]] = [np.zeros((0, columns), dtype=dtype)]
        self._length = 0
        #: The last documents, which do not fill a group yet: at most one row of each smaller size, the largest first.
        self._tail: dict[int, NDArray[Any]] = {}

    def add(self, rows: NDArray[Any]) -> None:
        """Add the next documents."""
        self.documents += len(rows)
        size = 1
        while size < self._group:
            rows = self._joined(rows, size)
            size *= 2
        self._parts.append(rows)
        self._length += len(rows)
        while self._length > MOST_DOCUMENTS:
            rows = self._joined(np.concatenate(self._parts), self._group)
            self._parts, self._length = [rows], len(rows)
            self._group *= 2

    def _joined(self, rows: NDArray[Any], size: int) -> NDArray[Any]:
        """Rows of twice as many documents, from rows of `size`; an odd one waits for the next."""
        if size in self._tail:
            rows = np.concatenate([self._tail.pop(size)[None], rows])
        if len(rows) % 2:
            self._tail[size] = rows[-1].copy()
            rows = rows[:-1]
        return np.asarray(rows[0::2] + rows[1::2])

    def finished(self) -> tuple[NDArray[Any], Ints | None]:
        """The rows, and the number of documents in each if that is not one."""
        sizes = [np.full(self._length, self._group, dtype=np.int64)]
        parts = list(self._parts)
        if self._tail:
            sizes.append(np.array([sum(self._tail)], dtype=np.int64))
            parts.append(np.sum([self._tail[size] for size in sorted(self._tail)], axis=0)[None])
        return np.concatenate(parts), None if self._group == 1 else np.concatenate(sizes)


class DocumentTotals:
    """Sums and counts of complete documents, and the exact sum of the one that is open."""

    def __init__(self) -> None:
        self._nats, self._tokens = DocumentRows(1, np.float64), DocumentRows(1, np.int64)
        self._open_nats, self._open_tokens = _core.ExactSums(1), 0
        self._is_open = False
        #: The nats and tokens of the documents that ended last.
        self.ended: tuple[Floats, Ints] = (np.zeros(0), np.zeros(0, dtype=np.int64))

    def add(self, counted: Counted) -> Floats:
        """Add a batch; returns the costs of its documents within this batch alone."""
        batch, scored = counted.batch, counted.scored
        bounds, logs = scored.split.bounds, scored.logprobs
        sums = -_core.segment_sums(logs, bounds) + 0.0
        tokens = np.diff(bounds) - _core.segment_counts(counted.skipped | scored.blank, bounds)
        whole = sums.copy()
        continues = self._is_open and batch.continues and len(sums) > 0
        if continues:
            self._open_nats.add(logs, bounds[:2])
            whole[0] = _cost(self._open_nats)[0]
            tokens[0] += self._open_tokens
        if batch.unfinished and len(sums):
            if len(sums) > 1 or not continues:
                self._open_nats = _core.ExactSums(1)
                self._open_nats.add(logs, bounds[-2:])
            self._open_tokens = int(tokens[-1])
            whole, tokens = whole[:-1], tokens[:-1]
        self._is_open = batch.unfinished
        self.ended = (whole, tokens)
        self._nats.add(whole[:, None])
        self._tokens.add(tokens[:, None])
        return sums

    def take(self, nats: Floats, tokens: Ints) -> None:
        """Add documents that were summed elsewhere."""
        self._nats.add(nats[:, None])
        self._tokens.add(tokens[:, None])

    def finished(self) -> tuple[Floats, Ints]:
        """The nats and the tokens of each document, or of each group of documents."""
        self.ended = (np.zeros(0), np.zeros(0, dtype=np.int64))
        if self._is_open:
            self.ended = (_cost(self._open_nats), np.array([self._open_tokens], dtype=np.int64))
            self._nats.add(self.ended[0][:, None])
            self._tokens.add(self.ended[1][:, None])
            self._is_open = False
        return np.ascontiguousarray(self._nats.finished()[0][:, 0]), self._tokens.finished()[0][:, 0].copy()


@dataclass(frozen=True, slots=True, eq=False)
class ExactBlocks:
    """The sums of blocks before they are rounded, as arrays that can be saved and added.

    Attributes
    ----------
    size, end
        The size of blocks, and where the text ends.
    levels
        Arrays with one number per block, whose exact sum is the log-probability of the block.
    bytes, tokens
        Of each block; tokens are those that were scored.
    infinite
        Which blocks hold something impossible.
    hidden
        Numbers whose exact sum is that of the rest of those blocks.
    """

    size: int
    end: int
    levels: tuple[Floats, ...]
    bytes: Ints
    tokens: Ints
    infinite: Bools
    hidden: Parts


class BlockTotals:
    """Costs of successive blocks of equal size; the size doubles as the text grows."""

    def __init__(self) -> None:
        self.size = FIRST_BLOCK
        self._logs = _core.ExactSums()
        #: Bytes and tokens of each block.
        self._counts = np.zeros((0, 2), dtype=np.int64)
        self._end = 0

    def add(self, counted: Counted) -> None:
        """Add the units of a batch; a unit belongs to the block in which it starts."""
        cuts, offset = counted.scored.split.cuts, counted.batch.offset
        if len(counted.scored.split.ids) == 0:
            return
        starts = cuts[:-1]
        end = int(cuts[-1]) + offset
        while end > self.size * MOST_BLOCKS:
            self._double()
        self._end = end
        first, last = ((int(start) + offset) // self.size for start in (starts[0], starts[-1]))
        edges = np.searchsorted(starts, np.arange(first, last + 2, dtype=np.int64) * self.size - offset)
        edges[0], edges[-1] = 0, len(starts)
        edges = edges.astype(np.int64)
        self._lengthen(last + 1)
        self._logs.add(counted.scored.logprobs, edges, first)
        self._counts[first : last + 1, 0] += np.diff(cuts[edges])
        left_out = counted.skipped | counted.scored.blank
        self._counts[first : last + 1, 1] += np.diff(edges) - _core.segment_counts(left_out, edges)

    def _lengthen(self, length: int) -> None:
        if length > len(self._logs):
            self._counts = np.concatenate([self._counts, np.zeros((length - len(self._counts), 2), dtype=np.int64)])
            self._logs.resize(length)

    def _double(self) -> None:
        self.size *= 2
        self._logs.join_pairs()
        if len(self._counts) % 2:
            self._counts = np.concatenate([self._counts, np.zeros((1, 2), dtype=np.int64)])
        self._counts = self._counts[0::2] + self._counts[1::2]

    def exactly(self) -> ExactBlocks:
        """All sums before they are rounded."""
        levels: list[Floats] = []
        bounds = np.arange(len(self._logs) + 1, dtype=np.int64)
        values = self._logs.values()
        infinite = np.isneginf(values)
        # What a rounded sum leaves is a sum again; of infinite blocks only the exact sum of all is known.
        while (rest := np.where(infinite, 0.0, values)).any():
            levels.append(rest)
            self._logs.add(-rest, bounds)
            values = self._logs.values()
        return ExactBlocks(
            self.size, self._end, tuple(levels), self._counts[:, 0].copy(), self._counts[:, 1].copy(), infinite,
            exact_parts(self._logs.parts().tolist()),
        )  # fmt: skip

    def take(self, other: ExactBlocks) -> None:
        """Add the sums of a part of the text, with blocks counted from the beginning of the whole."""
        if not len(other.bytes):
            return
        while self.size < other.size:
            self._double()
        self._end = max(self._end, other.end)
        while self._end > self.size * MOST_BLOCKS:
            self._double()
        per = self.size // other.size
        length = -(-len(other.bytes) // per)
        self._lengthen(length)
        bounds = np.minimum(np.arange(length + 1, dtype=np.int64) * per, len(other.bytes))
        for level in other.levels:
            self._logs.add(level, bounds)
        for column, counts in enumerate((other.bytes, other.tokens)):
            self._counts[:length, column] += np.add.reduceat(counts, bounds[:-1])
        if other.infinite.any():
            self._logs.add(np.where(other.infinite, -np.inf, 0.0), bounds)
            first = int(np.argmax(other.infinite)) // per
            hidden = np.array(other.hidden)
            self._logs.add(hidden, np.array([0, len(hidden)], dtype=np.int64), first)

    def finished(self) -> BlockSums:
        """The sums so far. The end of a document behind the last block of the text is added to that block."""
        size = -(-self._end // self.size) if self._end else len(self._logs)
        counts = np.zeros((size, 2), dtype=np.int64)
        counts[: len(self._counts)] = self._counts[:size]
        if size:
            counts[-1] += self._counts[size:].sum(axis=0)
        length, tokens = (np.ascontiguousarray(column) for column in counts.T)
        self._logs.resize(size)
        return BlockSums(
            self.size, _cost(self._logs), length, tokens=None if np.array_equal(length, tokens) else tokens
        )

    def total(self) -> Parts:
        """The exact cost of the text without its impossible units: each unit is in one block."""
        return exact_parts((-self._logs.parts()).tolist())


def _cost(logs: _core.ExactSums) -> Floats:
    return -logs.values() + 0.0


class CountTotals:
    """Bytes, characters and words of each document, from the text itself."""

    def __init__(self) -> None:
        self._counter = TextCounter()
        self._rows = DocumentRows(3, np.int64)
        self._open: NDArray[np.int64] | None = None
        self.invalid = 0
        #: The counts of a document that was still open at the end.
        self.last: NDArray[np.int64] = np.zeros((0, 3), dtype=np.int64)

    def add(self, data: bytes, ends: Ints) -> NDArray[np.int64]:
        """Count a batch; documents end at the offsets `ends`, and the rest continues in the next batch.

        Returns the rows of the documents that have ended.
        """
        found = self._counter.feed(data, ends)
        sizes = np.diff(np.concatenate([[0], ends, [len(data)]]))
        rows = np.stack([sizes, found.chars, found.words], axis=1)
        if self._open is not None:
            rows[0] += self._open
        self._open = rows[-1].copy()
        self._rows.add(rows[:-1])
        return rows[:-1]

    @property
    def documents(self) -> int:
        """The number of documents that have ended."""
        return self._rows.documents

    def take(self, rows: NDArray[np.int64], invalid: int) -> None:
        """Add documents that were counted elsewhere."""
        self._rows.add(rows)
        self.invalid += invalid

    def finished(self) -> tuple[NDArray[np.int64], Ints | None]:
        """One row per document (or group): bytes, characters, words; and the number of documents per row if not one."""
        before = self._counter.total
        total = self._counter.finish()
        self.invalid += total.invalid
        if self._open is not None and self._open[0]:
            # The corpus left a document open, perhaps within a character.
            self._open[1] += total.chars - before.chars
            self.last = self._open[None]
            self._rows.add(self.last)
            self._open = None
        return self._rows.finished()


def document_sums(nats: Floats, tokens: Ints, counts: NDArray[np.int64], sizes: Ints | None) -> DocumentSums:
    """The sums and counts of each document."""
    size, chars, words = (np.ascontiguousarray(column) for column in counts.T)
    return DocumentSums(nats, size, chars, words, tokens, sizes)
