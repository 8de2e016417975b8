"""Tables as they are in files: Parquet, JSON lines, CSV and npz, read into columns of one entry per unit.

A file is a stranger's: sizes are held against the file before memory is taken, nothing in it is run, and rows of
different lengths are refused with their number.
"""

from __future__ import annotations

import csv
import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.check import native, shown
from bitmeter._util.files import as_path, label
from bitmeter._util.optional import require
from bitmeter.errors import FileFormatError, InputTypeError, MissingSourceError
from bitmeter.measure.audit.tables.names import VALUES

__all__ = ["SUFFIXES", "RawTable", "read_table"]

#: The suffixes of tables.
SUFFIXES = (".parquet", ".pq", ".jsonl", ".ndjson", ".csv", ".tsv", ".npz")
#: The most bytes that the arrays of an npz file may take.
_MOST_ARRAY = 1 << 33
_READ = 1 << 20
#: How long a field of CSV may be: a row of a whole vocabulary fits.
_LONGEST_FIELD = 1 << 24

#: A column: an array of numbers, or a list of anything else.
Column = NDArray[Any] | list[Any]


@dataclass(frozen=True)
class RawTable:
    """Columns of one length, by name.

    Attributes
    ----------
    name
        That of the file.
    columns
        One entry per unit.
    digest
        SHA-256 of the file, in hexadecimal digits.
    documents
        The document of each unit, where each row of the file was a document; None otherwise.
    precision
        The type of its numbers, if the file says it.
    """

    name: str
    columns: dict[str, Column]
    digest: str
    documents: NDArray[np.int64] | None = None
    precision: str = "float64"

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))


def read_table(source: Any) -> RawTable:
    """The columns of a file, or of a mapping.

    Examples
    --------
    >>> table = read_table({"start": [0, 3], "end": [3, 5], "logprob": [-1.0, -2.0]})
    >>> len(table), sorted(table.columns)
    (2, ['end', 'logprob', 'start'])
    """
    if isinstance(source, Mapping):
        return _from_mapping(source)
    path = as_path(source)
    if not path.is_file():
        message = f"there is no table {shown(str(path))}"
        raise MissingSourceError(message, path=str(path))
    kind = path.suffix.lower()
    readers: dict[str, Callable[[Path], tuple[dict[str, Column], str]]] = {
        ".jsonl": _jsonl,
        ".ndjson": _jsonl,
        ".csv": _csv,
        ".tsv": _csv,
        ".npz": _npz,
        ".parquet": _parquet,
        ".pq": _parquet,
    }
    try:
        columns, precision = readers[kind](path)
        digest = _digest(path)
    except OSError as error:
        raise _wrong(path, str(error)) from error
    return _table(label(path.name), columns, digest, precision)


def _wrong(path: os.PathLike[str] | str, why: str) -> FileFormatError:
    message = (
        f"{path} is not a table of log-probabilities: {why}. It needs one row per unit, with columns such as start, "
        "end and logprob; see docs/howto/audit.md"
    )
    return FileFormatError(message, value=str(path))


def _digest(path: Path) -> str:
    found = hashlib.sha256()
    with path.open("rb") as file:
        while part := file.read(_READ):
            found.update(part)
    return found.hexdigest()


def _table(name: str, columns: dict[str, Column], digest: str, precision: str) -> RawTable:
    """Columns of one length; where every entry is a list, each row was a document and is unfolded."""
    if not columns:
        raise _wrong(name, "it has no columns")
    lengths = {key: len(column) for key, column in columns.items()}
    if len(set(lengths.values())) > 1:
        raise _wrong(name, f"its columns have different lengths ({', '.join(f'{k} {v}' for k, v in lengths.items())})")
    return _unfolded(name, columns, digest, precision) or RawTable(name, columns, digest, None, precision)


def _unfolded(name: str, columns: dict[str, Column], digest: str, precision: str) -> RawTable | None:
    """One row per document, with lists of one length in it, becomes one row per unit."""
    lists = {
        key: column
        for key, column in columns.items()
        if isinstance(column, list) and len(column) and all(isinstance(item, list) for item in column)
    }
    values = [key for key in lists if any(len(item) for item in lists[key])]
    # A row of a vocabulary beside a single number per unit is no list of units.
    if not values or any(_is_number_column(column) for key, column in columns.items() if key.lower() in VALUES):
        return None
    sizes = [len(item) for item in lists[values[0]]]
    for key in values:
        for row, (item, size) in enumerate(zip(lists[key], sizes, strict=True)):
            if len(item) != size:
                raise _wrong(name, f"in row {row + 1} {values[0]} has {size} entries and {key} {len(item)}")
    flat: dict[str, Column] = {key: _column([one for item in lists[key] for one in item]) for key in values}
    documents = np.repeat(np.arange(len(sizes), dtype=np.int64), sizes)
    return RawTable(name, flat, digest, documents, precision)


def _is_number_column(column: Column) -> bool:
    return isinstance(column, np.ndarray) and column.ndim == 1 and column.dtype.kind in "fiu"


def _column(values: list[Any]) -> Column:
    """Numbers as an array; None is NaN among numbers; all else stays a list."""
    if values and all(isinstance(v, int | float) and not isinstance(v, bool) for v in values):
        whole = all(isinstance(v, int) and abs(v) < 2**53 for v in values)
        return np.array(values, dtype=np.int64 if whole else np.float64)
    if values and all(v is None or (isinstance(v, int | float) and not isinstance(v, bool)) for v in values):
        return np.array([np.nan if v is None else v for v in values], dtype=np.float64)
    return values


def _from_mapping(source: Mapping[Any, Any]) -> RawTable:
    columns: dict[str, Column] = {}
    hashed = hashlib.sha256()
    for key in source:
        if not isinstance(key, str):
            message = f"the columns of a table have names; found {shown(key)}"
            raise InputTypeError(message, value=key)
        value = native(source[key], key)
        if isinstance(value, np.ndarray):
            column: Column = value if value.dtype.kind in "fiu" and value.dtype.kind != "O" else _column(value.tolist())
        elif isinstance(value, Iterable) and not isinstance(value, str | bytes):
            column = _column(list(value))
        else:
            message = f"the column {key} is {shown(value)}; it must be a list or an array"
            raise InputTypeError(message, value=key)
        columns[key] = column
        content = (
            column.tobytes() if isinstance(column, np.ndarray) else repr(column).encode("utf-8", "backslashreplace")
        )
        hashed.update(f"{key}\0{len(column)}\0".encode() + content)
    kinds = {c.dtype.name for c in columns.values() if isinstance(c, np.ndarray) and c.dtype.kind == "f"}
    return _table("mapping", columns, hashed.hexdigest(), "/".join(sorted(kinds)) or "float64")


# ---- formats ---------------------------------------------------------------------------------------------------------


def _jsonl(path: Path) -> tuple[dict[str, Column], str]:
    rows: dict[str, list[Any]] = {}
    number = 0
    with path.open("rb") as file:
        for at, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line.decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise _wrong(path, f"line {at} is not JSON ({error})") from error
            if not isinstance(row, dict):
                raise _wrong(path, f"line {at} holds no object")
            for key in row.keys() - rows.keys():
                rows[key] = [None] * number
            for key, column in rows.items():
                column.append(row.get(key))
            number += 1
    return {key: _column(values) for key, values in rows.items()}, "float64"


def _csv(path: Path) -> tuple[dict[str, Column], str]:
    before = csv.field_size_limit(_LONGEST_FIELD)
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:  # Excel and PowerShell put a mark before the names
            reader = csv.reader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True)
            names = next(reader, [])
            if len(set(names)) != len(names) or not names:
                raise _wrong(path, "its first line does not hold names of columns, each once")
            columns: list[list[str]] = [[] for _ in names]
            for row in reader:
                if len(row) != len(names):
                    raise _wrong(
                        path, f"line {reader.line_num} has {len(row)} fields, and there are {len(names)} names"
                    )
                for column, value in zip(columns, row, strict=True):
                    column.append(value)
    except (csv.Error, UnicodeDecodeError) as error:
        raise _wrong(path, str(error)) from error
    finally:
        csv.field_size_limit(before)
    return {name: _parsed(column) for name, column in zip(names, columns, strict=True)}, "decimal"


def _parsed(values: list[str]) -> Column:
    """Numbers where all are; lists where all are JSON lists; else text."""
    try:
        return np.array(values, dtype=np.int64)
    except (ValueError, OverflowError):
        pass
    try:
        return np.array(values, dtype=np.float64)
    except ValueError:
        pass
    if values and all(value.startswith("[") and value.endswith("]") for value in values):
        try:
            return [json.loads(value) for value in values]
        except (ValueError, RecursionError):
            return list(values)
    return list(values)


def _npz(path: Path) -> tuple[dict[str, Column], str]:
    columns: dict[str, Column] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                with archive.open(member) as file:
                    _check_header(path, member, file)
        with np.load(path, allow_pickle=False) as arrays:
            for key in arrays.files:
                value = arrays[key]
                if value.ndim == 0:
                    raise _wrong(path, f"the array {key} is a single number")
                columns[key] = value if value.dtype.kind in "fiu" else value.tolist()
    except (zipfile.BadZipFile, ValueError, KeyError, EOFError, NotImplementedError, RuntimeError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise _wrong(path, str(error).partition("\n")[0]) from error
    kinds = {c.dtype.name for c in columns.values() if isinstance(c, np.ndarray) and c.dtype.kind == "f"}
    return columns, "/".join(sorted(kinds)) or "float64"


def _check_header(path: Path, member: zipfile.ZipInfo, file: Any) -> None:
    """The size that an array states is the size that it has, so that no memory is taken for less."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, kind = read(file)
    if kind.hasobject:
        raise _wrong(path, f"{member.filename} holds Python objects, which are not read")
    size = int(np.prod(shape, dtype=object)) * kind.itemsize if shape else kind.itemsize
    if size > min(_MOST_ARRAY, member.file_size):
        raise _wrong(path, f"{member.filename} states {size:,} bytes, and has {member.file_size:,}")


def _parquet(path: Path) -> tuple[dict[str, Column], str]:
    require("pyarrow", "Reading Parquet")
    from bitmeter.measure.audit.tables.parquet import parquet_columns

    return parquet_columns(path, _wrong, _column)
