"""Traces on disk: Parquet, written batch by batch and read column by column."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bitmeter._util.files import as_utf8, replacing
from bitmeter.errors import BitmeterError, SignatureError
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
    wrong_offsets,
    wrong_values,
)
from bitmeter.models.outcomes import Details
from bitmeter.text.corpus.footer import read_footer
from bitmeter.text.corpus.pages import PLAIN, pages_of
from bitmeter.text.corpus.thrift import ThriftError

SCHEMA = "bitmeter.trace/1"
_DETAILS = {
    "entropy": pa.float64(),
    "rank": pa.int64(),
    ALTERNATIVES: pa.list_(pa.struct([("unit", pa.binary()), ("logprob", pa.float64())])),
}
_TYPES = {"doc": pa.int64(), "start": pa.int64(), "end": pa.int64(), "id": pa.int64(), "logprob": pa.float64()}


#: A column has at most so many bytes, or so many times those of the file: no trace is denser, because each unit has an
#: offset of its own.
_LARGEST, _DENSEST = 1 << 28, 64


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


class _Room(NamedTuple):
    """What may be read: the most bytes of a column, and how many one alternative may repeat, by the sizes of pages."""

    most: int
    repeated: int


class _FileColumns(Columns):
    """The columns of a file, read when they are needed."""

    def __init__(self, path: Path, file: pq.ParquetFile, room: _Room) -> None:
        self._path, self._file, self._room = path, file, room
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
            values = self._column(name).to_numpy()
            reason = wrong_values(name, values)
            if reason:
                raise read_error(self._path, reason)
            self._read[name] = values
        return self._read[name]

    def text(self) -> tuple[bytes, NDArray[np.int64]]:
        if self._joined is None:
            units = self._column("unit")
            self._check_size(sum(map(_bytes_of, units.chunks)))
            parts = [part.dictionary.cast(pa.large_binary()).take(part.indices) for part in units.chunks]
            whole = pa.concat_arrays(parts) if parts else pa.array([], type=pa.large_binary())
            _, offsets, data = whole.buffers()
            cuts = np.frombuffer(offsets, dtype=np.int64)[whole.offset : whole.offset + len(whole) + 1]
            raw = data.to_pybytes() if data is not None else b""
            self._joined = raw[int(cuts[0]) : int(cuts[-1])], cuts - cuts[0]
            reason = wrong_offsets(self.get("doc"), self.get("start"), self.get("end"), self._joined[1])
            if reason:
                self._joined = None
                raise read_error(self._path, reason)
        return self._joined

    def alternatives(self, index: int) -> Alternatives:
        if not self.has(ALTERNATIVES):
            raise missing_column(ALTERNATIVES)
        if self._outcomes is None:
            self._outcomes = self._alternatives()
        return tuple((row["unit"], row["logprob"]) for row in self._outcomes[index].as_py())

    def details(self) -> Details | None:
        if not self.has(ALTERNATIVES):
            return None
        column = self._alternatives().combine_chunks()
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

    def _alternatives(self) -> pa.ChunkedArray:
        """The lists of outcomes: all of one length, without nulls or numbers that are no log-probabilities."""
        wrong = "the alternatives of its units are not of one number, or hold null"
        # Their numbers first: they say how many alternatives a unit has, and so how many units are read at once.
        numbers = self._column(ALTERNATIVES, f"{ALTERNATIVES}.list.element.logprob")
        sizes = set(pc.list_value_length(numbers).unique().to_pylist())
        flat = pc.struct_field(pc.list_flatten(numbers), "logprob")
        if len(sizes) > 1 or flat.null_count:
            raise read_error(self._path, wrong)
        reason = wrong_values("logprob", flat.to_numpy())
        if reason:
            raise read_error(self._path, f"among the alternatives, {reason}")
        rows = max(1, min(1 << 16, self._room.most // max(1, self._room.repeated * max(sizes, default=1))))
        parts, size = [], 0
        with _arrow_errors(self._path):
            for batch in self._file.iter_batches(batch_size=rows, columns=[ALTERNATIVES]):
                part = batch.column(ALTERNATIVES)
                part.validate(full=True)
                flat = part.flatten()
                units = flat.field("unit")
                if part.null_count or flat.null_count or units.null_count:
                    raise read_error(self._path, wrong)
                size += int(pc.sum(pc.binary_length(units)).as_py() or 0)
                self._check_size(size)
                parts.append(part)
        column = pa.chunked_array(parts, type=_DETAILS[ALTERNATIVES])
        self._check_rows(ALTERNATIVES, column)
        return column

    def _check_size(self, size: int) -> None:
        """Rows that name entries of a dictionary may stand for more bytes than there is memory."""
        if size > self._room.most:
            raise read_error(self._path, f"its units are {size:,} bytes or more, and a file of its size has fewer")

    def _column(self, name: str, leaf: str | None = None) -> pa.ChunkedArray:
        with _arrow_errors(self._path):
            column = self._file.read(columns=[leaf or name]).column(name)
            column.validate(full=True)
        self._check_rows(name, column)
        return column

    def _check_rows(self, name: str, column: pa.ChunkedArray) -> None:
        if len(column) != self.length or column.null_count:
            why = "holds null" if column.null_count else f"has {len(column):,} rows of {self.length:,}"
            raise read_error(self._path, f"the column {name} {why}")


def _bytes_of(part: pa.DictionaryArray) -> int:
    """How many bytes the rows of an array stand for that name entries of a dictionary."""
    lengths = pc.binary_length(part.dictionary).to_numpy(zero_copy_only=False).astype(np.int64)
    indices = part.indices.drop_null().to_numpy(zero_copy_only=False)
    return int(np.bincount(indices, minlength=len(lengths)) @ lengths)


@contextlib.contextmanager
def _arrow_errors(path: Path) -> Iterator[None]:
    """What pyarrow raises about a file, with its name.

    Names and metadata that are not UTF-8 are a ValueError, missing columns a LookupError, and what the parquet library
    throws in an accessor is a RuntimeError.
    """
    try:
        yield
    except (
        pa.ArrowException, ThriftError, OSError, EOFError, ValueError, OverflowError, LookupError, RuntimeError
    ) as error:  # fmt: skip
        if isinstance(error, BitmeterError):
            raise
        raise read_error(path, str(error).partition("\n")[0][:300]) from error


def open_trace(path: Path) -> tuple[_FileColumns, Signature]:
    """The columns of a saved trace, not yet read, and its signature."""
    with _arrow_errors(path):
        with as_utf8(path) as utf8:
            source = pa.OSFile(utf8)  # not mapped: a file that is cut meanwhile must be an error, not a signal
        room = _check_pages(path, source)
        metadata = pq.read_metadata(source)
        found = metadata.metadata or {}
        schema = metadata.schema.to_arrow_schema()
        names = list(schema.names)
        if found.get(b"bitmeter.trace", b"").decode() != SCHEMA or b"bitmeter.signature" not in found:
            raise read_error(path, f"it has no mark of {SCHEMA}")
        line = found[b"bitmeter.signature"].decode()
    wanted = {**_TYPES, "unit": pa.large_binary()}
    if any(name in names for name in _DETAILS):  # all of them or none
        wanted |= _DETAILS
    for name, kind in wanted.items():
        if names.count(name) != 1:
            raise read_error(path, f"the column {name} is missing" if name not in names else f"it has {name} twice")
        if schema.field(name).type != kind:
            raise read_error(path, f"the column {name} is {schema.field(name).type}")
    try:
        signature = Signature.parse(line)
    except SignatureError as error:
        raise read_error(path, str(error)) from error
    with _arrow_errors(path):
        # Entries of a dictionary stay such until it is known how many bytes the rows that name them stand for.
        file = pq.ParquetFile(source, metadata=metadata, read_dictionary=["unit"])
    return _FileColumns(path, file, room), signature


def _check_pages(path: Path, source: pa.NativeFile) -> _Room:
    """Refuse a file whose columns claim more than it can hold, before Arrow reads them."""
    file = cast(IO[bytes], source)
    most, repeated = max(_LARGEST, _DENSEST * source.size()), 1
    footer = read_footer(file, [*_TYPES, "unit", *_DETAILS])
    for name, groups in footer.chunks.items():
        size = values = 0
        for page in (page for chunks in groups for chunk in chunks for page in pages_of(file, chunk)):
            size, values = size + page.size, values + page.values
            if max(size, 8 * values) > most:
                reason = f"the column {name} claims {values:,} values in {size:,} bytes, and its file holds fewer"
                raise read_error(path, reason)
            if name == ALTERNATIVES and (page.is_dictionary or page.encoding not in PLAIN):
                repeated = max(repeated, page.size)
        if 8 * sum(chunk.values for chunks in groups for chunk in chunks) > most:
            raise read_error(path, f"the column {name} claims more values than its file can hold")
    return _Room(most, repeated)
