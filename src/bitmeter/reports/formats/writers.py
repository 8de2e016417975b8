"""One writer per format of text. Each is opened on a stream, takes rows as they come, and is ended once."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TextIO

from bitmeter._version import __version__
from bitmeter.reports.formats.cells import encoded, plain, readable
from bitmeter.reports.formats.latex import latex_lines
from bitmeter.reports.formats.markdown import markdown_lines
from bitmeter.reports.formats.table import Column, Row

__all__ = ["TextWriter", "text_writer"]


class TextWriter(ABC):
    """Writes rows to a stream.

    Parameters
    ----------
    stream
        Open for writing.
    schema
        The name of the format.
    columns
        The columns.
    """

    def __init__(self, stream: TextIO, schema: str, columns: Sequence[Column]) -> None:
        self.stream, self.schema, self.columns = stream, schema, tuple(columns)
        self.begin()

    def begin(self) -> None:  # noqa: B027
        """Write what comes before the rows."""

    @abstractmethod
    def write(self, rows: Iterable[Row]) -> None:
        """Write more rows."""

    def end(self, about: Mapping[str, Any], caption: Sequence[str]) -> None:  # noqa: B027
        """Write what comes after the rows."""


class _Delimited(TextWriter):
    """CSV as RFC 4180 quotes it, with lines that end in a newline; TSV is the same with tabs."""

    separator = ","

    def begin(self) -> None:
        self.write([[column.name for column in self.columns]])

    def write(self, rows: Iterable[Row]) -> None:
        special = (self.separator, '"', "\n", "\r")
        for row in rows:
            cells = [plain(value) for value in row]
            for place, cell in enumerate(cells):
                # A line of one empty cell would be a blank line, which readers skip. Quotes keep spaces at the edges.
                if any(sign in cell for sign in special) or cell != cell.strip() or (not cell and len(cells) == 1):
                    cells[place] = '"' + cell.replace('"', '""') + '"'
            self.stream.write(self.separator.join(cells) + "\n")


class _Tabbed(_Delimited):
    separator = "\t"


class _Lines(TextWriter):
    """One JSON object per row and line."""

    def write(self, rows: Iterable[Row]) -> None:
        names = [column.name for column in self.columns]
        for row in rows:
            self.stream.write(encoded(dict(zip(names, row, strict=True))) + "\n")


class _Document(TextWriter):
    """One JSON object: the schema and the version, then the rows, then what is true of all of them."""

    def begin(self) -> None:
        self.stream.write(f'{{"schema": {json.dumps(self.schema)}, "version": {json.dumps(__version__)}, "rows": [')
        self._first = True

    def write(self, rows: Iterable[Row]) -> None:
        names = [column.name for column in self.columns]
        for row in rows:
            self.stream.write(("\n" if self._first else ",\n") + encoded(dict(zip(names, row, strict=True))))
            self._first = False

    def end(self, about: Mapping[str, Any], caption: Sequence[str]) -> None:
        more = "".join(f",\n{json.dumps(name)}: {encoded(value)}" for name, value in about.items())
        self.stream.write(f"]{more}}}\n")


class _Laid(TextWriter):
    """A format for people, which is laid out when all rows are known."""

    def begin(self) -> None:
        self._rows: list[list[str]] = []

    def write(self, rows: Iterable[Row]) -> None:
        for row in rows:
            self._rows.append([readable(value, column) for value, column in zip(row, self.columns, strict=True)])

    def end(self, about: Mapping[str, Any], caption: Sequence[str]) -> None:
        titles = [(column.name, column.kind in ("integer", "number")) for column in self.columns]
        self.stream.writelines(line + "\n" for line in self.lines(titles, caption))

    def lines(self, titles: Sequence[tuple[str, bool]], caption: Sequence[str]) -> Iterable[str]:
        """The text of the rows."""
        raise NotImplementedError


class _Markdown(_Laid):
    def lines(self, titles: Sequence[tuple[str, bool]], caption: Sequence[str]) -> Iterable[str]:
        return markdown_lines(titles, self._rows, caption)


class _Latex(_Laid):
    def lines(self, titles: Sequence[tuple[str, bool]], caption: Sequence[str]) -> Iterable[str]:
        return latex_lines(titles, self._rows, caption)


_WRITERS: dict[str, type[TextWriter]] = {
    "csv": _Delimited, "tsv": _Tabbed, "json": _Document, "jsonl": _Lines, "md": _Markdown, "latex": _Latex
}  # fmt: skip


def text_writer(kind: str, stream: TextIO, schema: str, columns: Sequence[Column]) -> TextWriter:
    """The writer of a format of text."""
    return _WRITERS[kind](stream, schema, columns)
