"""What is written of one file: kept records, dropped ones, bad ones; each whole before it has its name."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import json
import lzma
import math
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath
from typing import IO, Any

from bitmeter._util.files import replacing, unwritten
from bitmeter._util.optional import require
from bitmeter.errors import ChoiceError
from bitmeter.filter.records import Bad, Rows, format_of
from bitmeter.text.formats import COMPRESSIONS

__all__ = ["Columns", "Writer", "check_format", "make_folder", "opened", "write_bad"]

#: The fields that are added to records, in the order of the records; None where a record has no figure.
Columns = dict[str, list[Any]]


def check_format(source: str, destination: str) -> None:
    """Refuse an output of another format than its input; another compression is fine."""
    found, wanted = format_of(source), format_of(destination)
    if found != wanted or (found == "parquet" and PurePath(destination).suffix.lower() in COMPRESSIONS):
        message = (
            f"{destination} would be {_NAMES[wanted]}, and {source} is {_NAMES[found]}; records are copied as they "
            "are, so give the output the suffix of the input (compressed or not)"
        )
        raise ChoiceError(message, value=destination)


_NAMES = {"text": "plain text", "jsonl": "JSON lines", "parquet": "Parquet", "wet": "WET"}


@contextlib.contextmanager
def compressed(path: Path, suffix: str) -> Iterator[IO[bytes]]:
    """A file to write to, compressed by the suffix that it will have; nothing in it depends on the time."""
    with open(path, "wb") as file:
        if suffix == ".gz":
            with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0, compresslevel=6) as packed:
                yield packed  # type: ignore[misc]
        elif suffix == ".zst":
            zstandard = require("zstandard", "Writing .zst files")
            with zstandard.ZstdCompressor(level=3).stream_writer(file, closefd=False) as packed:
                yield packed
        elif suffix == ".xz":
            with lzma.LZMAFile(file, "wb") as packed:
                yield packed
        elif suffix == ".bz2":
            with bz2.BZ2File(file, "wb") as packed:
                yield packed
        else:
            yield file


class Writer:
    """Writes records as they were read, with fields added.

    Parameters
    ----------
    kind
        The format.
    file
        Where lines and texts go; None for Parquet.
    path
        Where Parquet goes.
    """

    def __init__(self, kind: str, file: IO[bytes] | None, path: Path) -> None:
        self._kind, self._file, self._path = kind, file, path
        self._table: Any = None
        self.records = 0
        self.bytes = 0

    def write(self, rows: Rows, chosen: Sequence[int], columns: Columns) -> None:
        """Some of the records, by their index, with their part of the columns."""
        self.records += len(chosen)
        if self._file is None:
            self._write_table(rows, chosen, columns)
            return
        lines = rows.lines(chosen)
        if self._kind == "jsonl":
            if columns:
                lines = [_with_fields(line, columns, at) for line, at in zip(lines, chosen, strict=True)]
            lines.append(b"")
        data = rows.carried + (b"\n" if self._kind == "jsonl" else b"").join(lines)
        self.bytes += len(data)
        self._file.write(data)

    def _write_table(self, rows: Rows, chosen: Sequence[int], columns: Columns) -> None:
        from bitmeter.filter.formats.parquet import chosen_rows, with_columns

        parquet = require("pyarrow.parquet", "Writing Parquet")
        batch = chosen_rows(with_columns(rows.raw, columns), chosen)
        if self._table is None:
            self._table = parquet.ParquetWriter(str(self._path), batch.schema, compression="zstd")
        if batch.num_rows:
            self._table.write_batch(batch)
        self.bytes += int(batch.nbytes)

    def finish(self) -> None:
        """Write what is left."""
        if self._table is not None:
            self._table.close()
            self._table = None


def _with_fields(line: bytes, columns: Columns, at: int) -> bytes:
    """A JSON object with fields added at its end; all else stays as it was written."""
    body = line.rstrip()[:-1].rstrip()
    more = ", ".join(f"{json.dumps(name)}: {_json(values[at])}" for name, values in columns.items())
    return body + (b", " if not body.endswith(b"{") else b"") + more.encode() + b"}"


def _json(value: Any) -> str:
    """A figure as JSON, to its last bit; what is infinite is the string "inf", since JSON has no such number."""
    if isinstance(value, float) and not math.isfinite(value):
        return '"inf"' if value > 0 else '"-inf"'
    return json.dumps(value)


def make_folder(destination: Path) -> None:
    """The folder of an output, below that of all outputs."""
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritten(destination, error) from error


@contextlib.contextmanager
def opened(destination: Path, *, force: bool) -> Iterator[Writer]:
    """A writer to a file that gets its name at the end of the block, whole."""
    make_folder(destination)
    kind, suffix = format_of(str(destination)), destination.suffix.lower()
    with replacing(destination, force=force) as path:
        if kind == "parquet":
            writer = Writer(kind, None, path)
            yield writer
            writer.finish()
            return
        with compressed(path, suffix) as file:
            writer = Writer(kind, file, path)
            yield writer


def write_bad(file: IO[bytes], source: str, bad: Bad) -> None:
    """One line of JSON for a record that was set aside."""
    text = bad.raw.decode("utf-8", "surrogateescape")
    found = {"file": source, "place": bad.place, "reason": bad.reason, "record": text}
    file.write(json.dumps(found).encode() + b"\n")
