"""Records the trace of a score while the text is read."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.optional import require
from bitmeter.measure.score import Score
from bitmeter.measure.sums import Counted
from bitmeter.measure.trace.columns import COLUMNS, Alternatives, Columns, MemoryColumns
from bitmeter.measure.trace.trace import Trace
from bitmeter.models.outcomes import Details, joined_details

if TYPE_CHECKING:
    from bitmeter.measure.trace.files import TraceWriter

#: The longest trace that is kept in memory, in units (about 50 bytes each).
KEPT_UNITS = 2_000_000


class Tracer:
    """Keeps the trace in memory while it is short, and writes it to a file if asked to.

    Parameters
    ----------
    path, force
        Where it is written, if anywhere, and whether it may overwrite that file.
    keeps
        Whether a short trace is kept.
    """

    def __init__(self, path: str | os.PathLike[str] | None, *, force: bool, keeps: bool = True) -> None:
        self._writer = None if path is None else _writer(path, force=force)
        self._parts: list[TracePart] | None = [] if keeps else None
        self._units = 0
        self._document = 0
        self._start = 0

    def __enter__(self) -> Tracer:
        if self._writer is not None:
            self._writer.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._writer is not None:
            self._writer.__exit__(kind, error, trace)

    def add(self, counted: Counted) -> None:
        """Record a scored batch."""
        scored, data, unfinished = counted.scored, counted.batch.data, counted.batch.unfinished
        split, own = scored.split, scored.owned
        self._units += len(split.ids)
        if self._units > KEPT_UNITS:
            self._parts = None
        if self._parts is None and self._writer is None:
            return
        ids = split.ids if own and split.ids.dtype == np.int64 else split.ids.astype(np.int64)
        logs = scored.logprobs if own else scored.logprobs.copy()
        part = TracePart(split.bounds, split.cuts, ids, logs, data, self._document, self._start, scored.details)
        if len(split.bounds) > 1:
            last_begin = int(split.cuts[split.bounds[-2]])
            self._document += len(split.bounds) - 1 - (1 if unfinished else 0)
            carried = self._start if len(split.bounds) == 2 else 0
            self._start = carried + int(split.cuts[-1]) - last_begin if unfinished else 0
        if self._writer is not None:
            self._writer.write(*part.offsets(), ids, logs, data, split.cuts, details=scored.details)
        if self._parts is not None:
            self._parts.append(part)

    @property
    def kept(self) -> list[TracePart] | None:
        """What is kept, for another tracer to `join`; None if it is too long, or nothing is kept."""
        return self._parts

    def join(self, parts: list[TracePart] | None, documents: int) -> None:
        """Take what was kept of the next part of the text, which begins with a document, after so many others."""
        self._units += 0 if parts is None else sum(len(part.ids) for part in parts)
        if parts is None or self._units > KEPT_UNITS:
            self._parts = None
        elif self._parts is not None:
            self._parts += [replace(part, document=part.document + documents) for part in parts]

    def finish(self, result: Score) -> Score:
        """Complete the file; the score with its trace."""
        if self._writer is not None:
            self._writer.finish(result.signature)
        if self._parts is None:
            return result
        return replace(result, _trace=Trace(_KeptColumns(self._parts), result.signature))


def _writer(path: str | os.PathLike[str], *, force: bool) -> TraceWriter:
    require("pyarrow", "A trace on disk")
    from bitmeter.measure.trace.files import TraceWriter

    return TraceWriter(path, force=force)


@dataclass(frozen=True, slots=True)
class TracePart:
    """One batch of a trace, from which the columns are assembled when needed."""

    bounds: NDArray[np.int64]
    cuts: NDArray[np.int64]
    ids: NDArray[np.int64]
    logprobs: NDArray[np.float64]
    data: bytes
    #: The index of the first document, and how many of its bytes came before.
    document: int
    start: int
    details: Details | None

    def offsets(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The index of each unit's document, and the offsets of its first byte and after its last byte in it."""
        sizes = np.diff(self.bounds)
        indexes = np.repeat(np.arange(len(sizes), dtype=np.int64) + self.document, sizes)
        begins = np.repeat(self.cuts[self.bounds[:-1]], sizes)
        shift = np.where(indexes == self.document, self.start, 0)
        return indexes, self.cuts[:-1] - begins + shift, self.cuts[1:] - begins + shift


class _KeptColumns(Columns):
    """The columns of a trace in memory; they are assembled when first needed, which for most scores is never."""

    def __init__(self, parts: list[TracePart]) -> None:
        self._parts = parts

    @cached_property
    def _joined(self) -> MemoryColumns:
        rows = [(*part.offsets(), part.ids, part.logprobs) for part in self._parts]
        empty = [np.zeros(0, dtype=kind) for kind in (np.int64, np.int64, np.int64, np.int64, np.float64)]
        columns = [np.concatenate(column) for column in zip(*rows, strict=True)] if rows else empty
        shifts = np.cumsum([0, *(len(part.data) for part in self._parts)])
        cuts = [part.cuts[:-1] + shift for part, shift in zip(self._parts, shifts[:-1], strict=True)]
        details = [part.details for part in self._parts if part.details is not None]
        return MemoryColumns(
            dict(zip(COLUMNS, columns, strict=True)),
            b"".join(part.data for part in self._parts),
            np.concatenate([*cuts, shifts[-1:]]).astype(np.int64),
            joined_details(details) if details else None,
        )

    @property
    def length(self) -> int:
        return sum(len(part.ids) for part in self._parts)

    def has(self, name: str) -> bool:
        return self._joined.has(name)

    def get(self, name: str) -> NDArray[Any]:
        return self._joined.get(name)

    def text(self) -> tuple[bytes, NDArray[np.int64]]:
        return self._joined.text()

    def alternatives(self, index: int) -> Alternatives:
        return self._joined.alternatives(index)

    def details(self) -> Details | None:
        return self._joined.details()

    def part(self, first: int, last: int) -> Columns:
        return self._joined.part(first, last)
