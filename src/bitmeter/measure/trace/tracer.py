"""A trace taken while the text goes by: kept in memory while it is short, or written as it comes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter.measure.score import Score
from bitmeter.measure.sums import Rated
from bitmeter.measure.trace.trace import Trace, _Columns
from bitmeter.models.outcomes import Details, joined_details

if TYPE_CHECKING:
    from bitmeter.measure.trace.files import TraceWriter

#: The longest trace that is kept in memory unasked, in units (about 50 bytes each).
KEPT_UNITS = 2_000_000


class Tracer:
    """Keeps the trace in memory while it is short, or writes it as it comes."""

    def __init__(self, path: Any, *, force: bool) -> None:
        self._writer = None if path is None else _writer(path, force=force)
        self._parts: list[_Part] | None = []
        self._units = 0
        self._document = 0
        self._start = 0

    def __enter__(self) -> Tracer:
        if self._writer is not None:
            self._writer.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._writer is not None:
            self._writer.__exit__(*error)

    def add(self, piece: Rated) -> None:
        """Take note of a piece."""
        self._units += len(piece.ids)
        if self._units > KEPT_UNITS:
            self._parts = None
        if self._parts is None and self._writer is None:
            return
        own = piece.owned
        ids = piece.ids if own and piece.ids.dtype == np.int64 else piece.ids.astype(np.int64)
        logs = piece.logprobs if own else piece.logprobs.copy()
        part = _Part(piece.bounds, piece.cuts, ids, logs, piece.data, self._document, self._start, piece.details)
        if len(piece.bounds) > 1:
            last_begin = int(piece.cuts[piece.bounds[-2]])
            self._document += len(piece.bounds) - 1 - (1 if piece.open else 0)
            carried = self._start if len(piece.bounds) == 2 else 0
            self._start = carried + int(piece.cuts[-1]) - last_begin if piece.open else 0
        if self._writer is not None:
            self._writer.write(*part.places(), ids, logs, piece.data, piece.cuts, details=piece.details)
        if self._parts is not None:
            self._parts.append(part)

    def finish(self, result: Score) -> Score:
        """The score with its trace, and the file complete."""
        if self._writer is not None:
            self._writer.finish(result.signature)
        if self._parts is None:
            return result
        return replace(result, _trace=Trace(_KeptColumns(self._parts), result.signature))


def _writer(path: Any, *, force: bool) -> TraceWriter:
    from bitmeter.measure.trace.files import TraceWriter  # pyarrow comes with it

    return TraceWriter(path, force=force)


@dataclass(frozen=True, slots=True)
class _Part:
    """A piece of a trace: what the columns are made of when somebody looks at them."""

    bounds: NDArray[np.int64]
    cuts: NDArray[np.int64]
    ids: NDArray[np.int64]
    logprobs: NDArray[np.float64]
    data: bytes
    #: The number of the first document, and how many bytes of it came before.
    document: int
    start: int
    details: Details | None

    def places(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The document of each unit, and its first byte in it and the one behind it."""
        sizes = np.diff(self.bounds)
        numbers = np.repeat(np.arange(len(sizes), dtype=np.int64) + self.document, sizes)
        begins = np.repeat(self.cuts[self.bounds[:-1]], sizes)
        shift = np.where(numbers == self.document, self.start, 0)
        return numbers, self.cuts[:-1] - begins + shift, self.cuts[1:] - begins + shift


class _KeptColumns(_Columns):
    """The columns of a trace that was kept; most scores are never asked for theirs, so they are put together late."""

    def __init__(self, parts: list[_Part]) -> None:
        self._parts = parts
        self.length = sum(len(part.ids) for part in parts)

    @cached_property
    def _arrays(self) -> dict[str, NDArray[Any]]:  # type: ignore[override]
        kinds = {"doc": np.int64, "start": np.int64, "end": np.int64, "id": np.int64, "logprob": np.float64}
        rows = [(*part.places(), part.ids, part.logprobs) for part in self._parts]
        arrays = {
            name: np.concatenate([row[i] for row in rows]) if rows else np.zeros(0, dtype=kind)
            for i, (name, kind) in enumerate(kinds.items())
        }
        if self._details is not None:
            arrays |= {"entropy": self._details.entropy, "rank": self._details.rank}
        return arrays

    @cached_property
    def _data(self) -> bytes:  # type: ignore[override]
        return b"".join(part.data for part in self._parts)

    @cached_property
    def _cuts(self) -> NDArray[np.int64]:  # type: ignore[override]
        shifts = np.cumsum([0, *(len(part.data) for part in self._parts)])
        cuts = [part.cuts[:-1] + shift for part, shift in zip(self._parts, shifts[:-1], strict=True)]
        return np.concatenate([*cuts, shifts[-1:]]).astype(np.int64)

    @cached_property
    def _details(self) -> Details | None:  # type: ignore[override]
        told = [part.details for part in self._parts if part.details is not None]
        return joined_details(told) if told else None
