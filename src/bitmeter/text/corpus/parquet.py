"""Parquet: one document per row, the text of one column, in memory that does not grow with the file.

A few bytes may stand for gigabytes: a page that was compressed, rows that all name one entry of a dictionary, values
that repeat the beginning of the one before. So the headers of the column's pages are read first: their sizes decide how
many rows are read at once, and a page that is too large is refused before it is unpacked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any, NamedTuple

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter._util.optional import require
from bitmeter._util.secrets import without_secrets
from bitmeter.errors import BitmeterError, DamagedSourceError, RecordError
from bitmeter.text.corpus.footer import Chunk, read_footer
from bitmeter.text.corpus.labels import Collector
from bitmeter.text.corpus.pages import OF_ENTRIES, PLAIN, Page, pages_of
from bitmeter.text.corpus.readers import NO_ENDS, REMOVE, Block, open_binary, reading
from bitmeter.text.corpus.thrift import ThriftError

__all__ = ["group_sizes", "parquet_batches", "parquet_blocks", "parquet_rows"]

#: The most bytes of a page, unpacked, since a page is in memory whole; and of one that was packed more than so many
#: times, which no text is.
LARGEST_PAGE, LARGEST_DENSE_PAGE, _DENSE = 1 << 30, 1 << 27, 64
#: The most bytes of a batch whose values repeat what came before.
_LARGEST_BATCH = 1 << 25


class _Plan(NamedTuple):
    """How a column is read: how many rows at once, and whether entries of a dictionary stay such."""

    rows: int
    entries: bool


def parquet_blocks(
    path: str, field: str, size: int, labels: Collector | None = None, groups: tuple[int, int] | None = None
) -> Iterator[Block]:
    """One document per row of a parquet file, read a few pages at a time; or of the row groups from one to another."""
    pa, pq = (require(module, "Reading Parquet") for module in ("pyarrow", "pyarrow.parquet"))

    name = without_secrets(path)
    others = () if labels is None else labels.fields
    optional = () if labels is None else labels.optional
    columns = list(dict.fromkeys((field, *others, *optional)))
    with reading(path):
        file = open_binary(path)
    with file:
        with reading(path), _sound(name, pa):
            footer = read_footer(file, columns)
            metadata = pq.read_metadata(file)
            schema = metadata.schema.to_arrow_schema()
            _check_columns(footer.columns, metadata.num_columns)
        _check_column(schema, field, name, pa)
        for other in others:
            _check_names(schema, other, name, "cluster=…, group=… or given")
        # Of the text itself no values are read, unless it is asked for.
        others += tuple(column for column in optional if column != field and _may_be_name(schema, column, pa))
        columns = list(dict.fromkeys((field, *others)))
        with reading(path), _sound(name, pa):
            plan, *plans = (_plan(file, footer.chunks[column], column, name, size) for column in columns)
            table = pq.ParquetFile(
                file, metadata=metadata, buffer_size=size, pre_buffer=False,
                read_dictionary=[field] if plan.entries and _may_be_entries(schema.field(field).type, pa) else None,
            )  # fmt: skip
            rows = min(found.rows for found in (plan, *plans))
            first, last = (0, metadata.num_row_groups) if groups is None else groups
            batches = table.iter_batches(batch_size=rows, columns=columns, row_groups=list(range(first, last)))
            row = sum(metadata.row_group(number).num_rows for number in range(first))
        while True:
            with reading(path), _sound(name, pa):
                batch = next(batches, None)
                if batch is None:
                    return
                column = batch.column(field)
                values = {other: batch.column(other).to_pylist() for other in others}
            if labels is not None:
                labels.add_columns(values, name, row + 1)
            blocks = _column_blocks(column, field, name, row, size, pa)
            while True:
                with _sound(name, pa):
                    block = next(blocks, None)
                if block is None:
                    break
                yield block
            row += batch.num_rows


def group_sizes(path: str) -> list[int]:
    """The bytes of each row group of a parquet file."""
    pa, pq = (require(module, "Reading Parquet") for module in ("pyarrow", "pyarrow.parquet"))
    name = without_secrets(path)
    with reading(path), open_binary(path) as file, _sound(name, pa):
        read_footer(file, [])  # Arrow comes only to what is found sound
        metadata = pq.read_metadata(file)
        return [metadata.row_group(number).total_byte_size for number in range(metadata.num_row_groups)]


def parquet_batches(path: str, field: str, others: tuple[str, ...], size: int, most: int) -> Iterator[Any]:
    """All columns of a parquet file in record batches of about `size` bytes of text and at most `most` rows.

    The column `field` must hold text, and the columns `others` must be there.
    """
    pa, pq = (require(module, "Reading Parquet") for module in ("pyarrow", "pyarrow.parquet"))
    name = without_secrets(path)
    with reading(path):
        file = open_binary(path)
    with file:
        with reading(path), _sound(name, pa):
            read_footer(file, [field])  # Arrow comes only to what is found sound
            metadata = pq.read_metadata(file)
            schema = metadata.schema.to_arrow_schema()
            footer = read_footer(file, schema.names)
            _check_columns(footer.columns, metadata.num_columns)
        _check_column(schema, field, name, pa)
        for other in others:
            _check_names(schema, other, name, "language")
        with reading(path), _sound(name, pa):
            plans = [_plan(file, footer.chunks[column], column, name, size) for column in schema.names]
            rows = min(most, *(plan.rows for plan in plans))
            batches = pq.ParquetFile(file, metadata=metadata, buffer_size=size, pre_buffer=False).iter_batches(rows)
        while True:
            with reading(path), _sound(name, pa):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch


def _may_be_name(schema: Any, column: str, pa: Any) -> bool:
    """Whether there is one such column, of strings or of numbers."""
    if schema.names.count(column) != 1:
        return False
    found = schema.field(column).type
    kind = found.value_type if pa.types.is_dictionary(found) else found
    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or is_number)


def _may_be_entries(kind: Any, pa: Any) -> bool:
    """Whether Arrow can read a column of this type as entries of a dictionary."""
    return bool(pa.types.is_string(kind) or pa.types.is_binary(kind) or pa.types.is_dictionary(kind))


@contextmanager
def _sound(path: str, pa: Any) -> Iterator[None]:
    """What escapes from reading a damaged file, as an error that names it.

    Beside its own errors pyarrow raises those of Python: for names and values that are not UTF-8 or out of range
    (ValueError, OverflowError), for columns and time zones that there are not (LookupError), and for what the parquet
    library throws in an accessor (RuntimeError).
    """
    try:
        yield
    except BitmeterError:
        raise
    except (
        pa.ArrowException, ThriftError, OSError, EOFError, ValueError, OverflowError, LookupError, RuntimeError
    ) as error:  # fmt: skip
        if isinstance(error, FileNotFoundError) or (isinstance(error, OSError) and error.errno is not None):
            raise  # the system's, and not the file's
        first = str(error).partition("\n")[0]
        if "magic bytes" in first:
            first = "it does not begin and end with PAR1; it is cut short, or of another format"
        message = f"{path} is not a sound parquet file: {first}"
        raise DamagedSourceError(message, path=path) from error


def _check_columns(found: int, said: int) -> None:
    if found != said:
        message = f"its schema has {found:,} columns, and Arrow finds {said:,}"
        raise ThriftError(message)


def _check_names(schema: Any, field: str, path: str, option: str) -> None:
    if schema.names.count(field) != 1:
        listed = ", ".join(map(repr, schema.names))
        message = f"{path} has no column {field!r}; it has {listed}. Choose with --{option} ({option}=)"
        raise RecordError(message, path=path)


def _check_column(schema: Any, field: str, path: str, pa: Any) -> None:
    _check_names(schema, field, path, "field")
    found = schema.field(field).type
    value = found.value_type if pa.types.is_dictionary(found) else found
    tests: list[Callable[[Any], bool]] = [
        pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view,
        pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view,
    ]  # fmt: skip
    if not any(test(value) for test in tests):
        message = (
            f"{path}: the column {field!r} is of type {found}; it must be text. Choose another with --field (field=)"
        )
        raise RecordError(message, path=path)


def _plan(file: IO[bytes], groups: list[list[Chunk]], field: str, path: str, size: int) -> _Plan:
    """As many rows as make about `size` bytes, by the headers of the column's pages."""
    densest, repeated = 1.0, 1
    encodings: set[int] = set()
    for group, chunks in enumerate(groups):
        for page in (page for chunk in chunks for page in pages_of(file, chunk)):
            _check_page(page, field, path, group)
            if page.is_dictionary or page.encoding not in PLAIN:
                repeated = max(repeated, page.size)  # each row may repeat so many bytes
            if not page.is_dictionary:
                encodings.add(page.encoding)
                densest = max(densest, page.size / max(page.values, 1))
    entries = encodings <= {*PLAIN, *OF_ENTRIES} and not encodings <= {*PLAIN}
    most = 1 << 16 if entries else max(1, min(1 << 16, _LARGEST_BATCH // repeated))
    return _Plan(max(1, min(int(size / densest), most)), entries)


def _check_page(page: Page, field: str, path: str, group: int) -> None:
    most = LARGEST_PAGE if page.size <= _DENSE * page.packed else LARGEST_DENSE_PAGE
    if page.size > most:
        message = (
            f"{path}, row group {group + 1}: a page of the column {field!r} has {page.size:,} bytes ({page.packed:,} "
            f"packed), and at most {most:,} fit in memory; write the file with smaller pages, or split long rows"
        )
        raise RecordError(message, path=path)


def _column_blocks(column: Any, field: str, path: str, row: int, size: int, pa: Any) -> Iterator[Block]:
    """The rows of a batch, of which those that name an entry of a dictionary are written out a few at a time."""
    if not pa.types.is_dictionary(column.type):
        yield from _text_blocks(column, field, path, row, size, pa)
        return
    _check_null(column, field, path, row)
    lengths = np.diff(_offsets(column.dictionary.cast(pa.large_binary())))
    indices = column.indices.to_numpy(zero_copy_only=False)
    if len(indices) and not 0 <= indices.min() <= indices.max() < len(lengths):
        wrong = int(indices.min()) if indices.min() < 0 else int(indices.max())
        message = f"{path} is not a sound parquet file: a row names entry {wrong:,} of a dictionary of {len(lengths):,}"
        raise DamagedSourceError(message, path=path)
    ends = np.cumsum(lengths[indices]) if len(indices) else NO_ENDS
    first = 0
    while first < len(column):
        before = int(ends[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(ends, before + size, side="right")))
        part = column.slice(first, last - first).dictionary_decode()
        yield from _text_blocks(part, field, path, row + first, size, pa)
        first = last


def _check_null(column: Any, field: str, path: str, row: int) -> None:
    if column.null_count:
        number = row + 1 + int(np.argmax(column.is_null().to_numpy(zero_copy_only=False)))
        message = (
            f"{path}, row {number}: {field!r} is null; it must be text. {REMOVE}, or choose another with --field "
            "(field=)"
        )
        raise RecordError(message, path=path, line=number)


def _offsets(column: Any) -> Ints:
    """Where each value of a large_binary array begins, and where the last one ends."""
    if len(column) == 0:
        return np.zeros(1, dtype=np.int64)
    return np.frombuffer(column.buffers()[1], dtype=np.int64, count=len(column) + 1, offset=8 * column.offset)


def _text_blocks(column: Any, field: str, path: str, row: int, size: int, pa: Any) -> Iterator[Block]:
    """The values of an array, in blocks of at most `size` bytes."""
    _check_null(column, field, path, row)
    if not (pa.types.is_large_binary(column.type) or pa.types.is_large_string(column.type)):
        column = column.cast(pa.large_binary())
    offsets = _offsets(column)
    data, first = column.buffers()[2], int(offsets[0])
    ends, length = offsets[1:] - first, int(offsets[-1]) - first
    if data is None or length <= size:
        yield Block(b"" if data is None else data.slice(first, length).to_pybytes(), ends)
        return
    done = 0
    for start in range(0, length, size):
        stop = min(start + size, length)
        until = int(np.searchsorted(ends, stop, side="right"))
        yield Block(data.slice(first + start, stop - start).to_pybytes(), ends[done:until] - start)
        done = until


def parquet_rows(source: Any, name: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each row of a parquet file or of one in memory as a mapping, with its number from 1; nulls stay None."""
    pa, pq = (require(module, "Reading Parquet") for module in ("pyarrow", "pyarrow.parquet"))
    with reading(name), _sound(name, pa):
        file = pq.ParquetFile(source)
        batches = file.iter_batches(batch_size=1 << 10)
    number = 0
    while True:
        with reading(name), _sound(name, pa):
            batch = next(batches, None)
            rows = [] if batch is None else batch.to_pylist()
        if batch is None:
            return
        for row in rows:
            number += 1
            yield number, row
