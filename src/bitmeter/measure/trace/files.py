"""Traces on disk: Parquet, written batch by batch and read column by column."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bitmeter._util.files import replacing
from bitmeter.measure.signature import Signature
from bitmeter.measure.trace.columns import (
    ALTERNATIVES,
    COLUMNS,
    OPTIONAL_COLUMNS,
    Alternatives,
    Columns,
    MemoryColumns,
    missing_column,
    read_error,
)
from bitmeter.models.outcomes import Details

SCHEMA = "bitmeter.trace/1"
_TYPES = {"doc": pa.int64(), "start": pa.int64(), "end": pa.int64(), "id": pa.int64(), "logprob": pa.float64()}


class TraceWriter:
    """Writes to a temporary name and renames at the end, so that an incomplete trace never has the final name."""

    def __init__(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        self._path, self._force = path, force
        self._writer: pq.ParquetWriter | None = None
        self._beside: Path | None = None
        self._open = contextlib.ExitStack()

    def __enter__(self) -> TraceWriter:
        self._beside = self._open.enter_context(replacing(self._path, force=self._force))
        # Closing writes the footer, and can fail like any write.
        self._open.callback(self._close)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.close()

    def write(
        self,
        doc: NDArray[np.int64],
        start: NDArray[np.int64],
        end: NDArray[np.int64],
        ids: NDArray[Any],
        logprob: NDArray[np.float64],
        data: bytes,
        cuts: NDArray[np.int64],
        *,
        details: Details | None = None,
    ) -> None:
        """Add units; unit i is data[cuts[i]:cuts[i+1]]."""
        columns: dict[str, Any] = dict(zip(COLUMNS, (doc, start, end, ids, logprob), strict=True))
        arrays = [pa.array(np.asarray(columns[name]), type=_TYPES[name]) for name in COLUMNS]
        names = list(COLUMNS)
        if details is not None:
            arrays += [
                pa.array(details.entropy, type=pa.float64()),
                pa.array(details.rank, type=pa.int64()),
                _alternatives(details),
            ]
            names += [*OPTIONAL_COLUMNS, ALTERNATIVES]
        offsets = pa.py_buffer(np.ascontiguousarray(cuts, dtype=np.int64))
        arrays.append(
            pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(doc), [None, offsets, pa.py_buffer(data)])
        )
        names.append("unit")
        table = pa.table(dict(zip(names, arrays, strict=True)))
        if self._writer is None:
            self._writer = pq.ParquetWriter(str(self._beside), table.schema, compression="zstd")
        self._writer.write_table(table)

    def finish(self, signature: Signature) -> None:
        """Write the signature; without it the file is not a trace."""
        if self._writer is None:
            nothing = np.zeros(0, dtype=np.int64)
            self.write(nothing, nothing, nothing, nothing, np.zeros(0), b"", np.zeros(1, dtype=np.int64))
        assert self._writer is not None
        self._writer.add_key_value_metadata({"bitmeter.trace": SCHEMA, "bitmeter.signature": str(signature)})


def _alternatives(details: Details) -> pa.Array:
    """For each unit the list of the most likely outcomes."""
    rows, most = details.top.shape
    units = pa.array(details.names, type=pa.binary()).take(pa.array(details.top.ravel()))
    flat = pa.StructArray.from_arrays([units, pa.array(details.top_logprobs.ravel())], names=["unit", "logprob"])
    return pa.ListArray.from_arrays(pa.array(np.arange(rows + 1, dtype=np.int32) * most), flat)


class _FileColumns(Columns):
    """The columns of a file, read when they are needed."""

    def __init__(self, path: Path, file: pq.ParquetFile) -> None:
        self._path, self._file = path, file
        self._read: dict[str, NDArray[Any]] = {}
        self._names = set(file.schema_arrow.names)
        self._joined: tuple[bytes, NDArray[np.int64]] | None = None
        self._outcomes: pa.ChunkedArray | None = None

    @property
    def length(self) -> int:
        return int(self._file.metadata.num_rows)

    def has(self, name: str) -> bool:
        return name in self._names

    def get(self, name: str) -> NDArray[Any]:
        if name not in self._read:
            if name not in self._names:
                raise missing_column(name)
            self._read[name] = self._table(name).column(name).to_numpy()
        return self._read[name]

    def text(self) -> tuple[bytes, NDArray[np.int64]]:
        if self._joined is None:
            units = self._table("unit").column("unit")
            whole = pa.concat_arrays(units.chunks) if units.num_chunks else pa.array([], type=pa.large_binary())
            _, offsets, data = whole.buffers()
            cuts = np.frombuffer(offsets, dtype=np.int64)[whole.offset : whole.offset + len(whole) + 1]
            raw = data.to_pybytes() if data is not None else b""
            self._joined = raw[int(cuts[0]) : int(cuts[-1])], cuts - cuts[0]
        return self._joined

    def alternatives(self, index: int) -> Alternatives:
        if not self.has(ALTERNATIVES):
            raise missing_column(ALTERNATIVES)
        if self._outcomes is None:
            self._outcomes = self._table(ALTERNATIVES).column(ALTERNATIVES)
        return tuple((row["unit"], row["logprob"]) for row in self._outcomes[index].as_py())

    def details(self) -> Details | None:
        if not self.has(ALTERNATIVES):
            return None
        column = self._table(ALTERNATIVES).column(ALTERNATIVES).combine_chunks()
        flat = column.flatten()
        kinds = flat.field("unit").dictionary_encode()
        rows = len(column)
        most = len(flat) // rows if rows else 0
        top = np.asarray(kinds.indices, dtype=np.int64).reshape(rows, most)
        logs = flat.field("logprob").to_numpy(zero_copy_only=False).reshape(rows, most)
        return Details(self.get("entropy"), self.get("rank"), top, logs, tuple(kinds.dictionary.to_pylist()))

    def part(self, first: int, last: int) -> Columns:
        arrays = {name: self.get(name) for name in COLUMNS}
        return MemoryColumns(arrays, *self.text(), self.details()).part(first, last)

    def _table(self, name: str) -> pa.Table:
        try:
            return self._file.read(columns=[name])
        except (pa.ArrowException, OSError) as error:
            raise read_error(self._path, str(error)) from error


def open_trace(path: Path) -> tuple[_FileColumns, Signature]:
    """The columns of a saved trace, not yet read, and its signature."""
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise read_error(path, str(error).splitlines()[0]) from error
    found = file.metadata.metadata or {}
    if found.get(b"bitmeter.trace", b"").decode() != SCHEMA or b"bitmeter.signature" not in found:
        raise read_error(path, f"it has no mark of {SCHEMA}")
    missing = [name for name in (*COLUMNS, "unit") if name not in file.schema_arrow.names]
    if missing:
        raise read_error(path, f"the column {missing[0]} is missing")
    wrong = [n for n, kind in {**_TYPES, "unit": pa.large_binary()}.items() if file.schema_arrow.field(n).type != kind]
    if wrong:
        raise read_error(path, f"the column {wrong[0]} is {file.schema_arrow.field(wrong[0]).type}")
    return _FileColumns(path, file), Signature.parse(found[b"bitmeter.signature"].decode())
