"""A trace taken while the text goes by: kept in memory while it is short, or written as it comes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from bitmeter.measure.score import Score
from bitmeter.measure.sums import Rated
from bitmeter.measure.trace import Trace, _Columns
from bitmeter.models.details import joined_details

#: The longest trace that is kept in memory unasked, in units (about 50 bytes each).
KEPT_UNITS = 2_000_000


class Tracer:
    """Keeps the trace in memory while it is short, or writes it as it comes."""

    def __init__(self, path: Any, *, force: bool) -> None:
        from bitmeter.measure.trace_files import TraceWriter

        self._writer = None if path is None else TraceWriter(path, force=force)
        self._parts: list[tuple[Any, ...]] | None = []
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
        sizes = np.diff(piece.bounds)
        numbers = np.repeat(np.arange(len(sizes), dtype=np.int64) + self._document, sizes)
        begins = np.repeat(piece.cuts[piece.bounds[:-1]], sizes)
        shift = np.where(numbers == self._document, self._start, 0)
        start, end = piece.cuts[:-1] - begins + shift, piece.cuts[1:] - begins + shift
        if len(sizes):
            last_begin = int(piece.cuts[piece.bounds[-2]])
            self._document += len(sizes) - (1 if piece.open else 0)
            carried = self._start if len(sizes) == 1 else 0
            self._start = carried + int(piece.cuts[-1]) - last_begin if piece.open else 0
        row = (numbers, start, end, piece.ids.astype(np.int64), piece.logprobs.copy(), piece.data, piece.cuts)
        if self._writer is not None:
            self._writer.write(*row, details=piece.details)
        if self._parts is not None:
            self._parts.append((*row, piece.details))

    def finish(self, result: Score) -> Score:
        """The score with its trace, and the file complete."""
        if self._writer is not None:
            self._writer.finish(result.signature)
        if self._parts is None:
            return result
        data = b"".join(row[5] for row in self._parts)
        shifts = np.cumsum([0, *(len(row[5]) for row in self._parts)])
        cuts = [row[6][:-1] + shift for row, shift in zip(self._parts, shifts[:-1], strict=True)]
        columns = {
            name: np.concatenate([row[i] for row in self._parts]) if self._parts else np.zeros(0, dtype=kind)
            for i, (name, kind) in enumerate(
                (("doc", np.int64), ("start", np.int64), ("end", np.int64), ("id", np.int64), ("logprob", np.float64))
            )
        }
        whole = np.concatenate([*cuts, [len(data)]]).astype(np.int64)
        told = [row[7] for row in self._parts if row[7] is not None]
        details = joined_details(told) if told else None
        return replace(result, _trace=Trace(_Columns(columns, data, whole, details), result.signature))
