"""Writes a table to a file or a stream, in the format that is asked for."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, TextIO

from bitmeter._util.files import replacing
from bitmeter.errors import InputError
from bitmeter.reports.formats.kinds import check_format, format_of
from bitmeter.reports.formats.parquet import ParquetTable
from bitmeter.reports.formats.table import Column, Row, Table
from bitmeter.reports.formats.writers import text_writer

__all__ = ["TableFile", "print_table", "write_table"]


class TableFile:
    """A table on disk whose rows come little by little. The file gets its name when it is whole.

    Parameters
    ----------
    path
        The file.
    schema, columns
        As for `Table`.
    format
        One of `FORMATS` but "table"; by default what the suffix asks for.
    force
        Overwrite an existing file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from bitmeter.reports.formats.table import Column
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "out.csv"
    ...     with TableFile(path, "example/1", [Column("word"), Column("bits", "number")]) as file:
    ...         file.write([["one, two", 1.5]])
    ...         file.end({})
    ...     path.read_text().splitlines()
    ['word,bits', '"one, two",1.5']
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        schema: str,
        columns: Sequence[Column],
        *,
        format: str | None = None,  # noqa: A002
        force: bool = False,
    ) -> None:
        self._path, self._schema, self._columns, self._force = path, schema, tuple(columns), force
        self._kind = format_of(path) if format is None else check_format(format)
        if self._kind == "table":
            message = f"{os.fspath(path)} would hold a table for people; name it .csv, .parquet or another format"
            raise InputError(message, value=os.fspath(path))
        self._open = contextlib.ExitStack()

    def __enter__(self) -> TableFile:
        beside = self._open.enter_context(replacing(self._path, force=self._force))
        self._parquet: ParquetTable | None = None
        if self._kind == "parquet":
            self._parquet = ParquetTable(beside, self._schema, self._columns)
            self._open.callback(self._parquet.close)
        else:
            stream = self._open.enter_context(open(beside, "w", encoding="utf-8", newline=""))
            self._text = text_writer(self._kind, stream, self._schema, self._columns)
        return self

    def write(self, rows: Iterable[Row]) -> None:
        """Write more rows."""
        if self._parquet is not None:
            self._parquet.write(rows)
        else:
            self._text.write(rows)

    def end(self, about: Mapping[str, Any], caption: Sequence[str] = ()) -> None:
        """Write what is true of all rows; once, after the last row."""
        if self._parquet is not None:
            self._parquet.end(about)
        else:
            self._text.end(about, caption)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.__exit__(kind, error, trace)


def write_table(
    table: Table,
    path: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002
    force: bool = False,
) -> None:
    """Write a table to a file, in the format of its suffix by default."""
    with TableFile(path, table.schema, table.columns, format=format, force=force) as file:
        file.write(table.rows)
        file.end(table.about, table.caption)


def print_table(table: Table, kind: str, stream: TextIO) -> None:
    """Write a table to an open stream of text.

    Examples
    --------
    >>> import sys
    >>> from bitmeter.reports.formats.table import Column, Table
    >>> print_table(Table("example/1", (Column("word"),), [["a, b"], ["c"]]), "csv", sys.stdout)
    word
    "a, b"
    c
    """
    if check_format(kind) in ("parquet", "table"):
        message = (
            "Parquet is not text, and is written to a file only: give -o FILE.parquet"
            if kind == "parquet"
            else "a table for people is laid out by its verb"
        )
        raise InputError(message, value=kind)
    writer = text_writer(kind, stream, table.schema, table.columns)
    writer.write(table.rows)
    writer.end(table.about, table.caption)
