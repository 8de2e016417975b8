"""Records of JSON lines, CSV, TSV or Parquet, also from a stream; those without a text are counted, or fatal."""

from __future__ import annotations

import io
import sys
from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from bitmeter._util.check import choice, shown_json
from bitmeter.errors import InputError, RecordError
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.delimited import SEPARATORS, delimited_rows
from bitmeter.text.corpus.jsonl import jsonl_rows
from bitmeter.text.corpus.parquet import parquet_rows
from bitmeter.text.corpus.readers import file_blocks
from bitmeter.text.corpus.sources import Resolved, Source, read_dataset, resolve
from bitmeter.text.formats import kind_of

__all__ = ["INPUT_FORMATS", "ON_BAD", "Origin", "RecordRows", "record_format", "records_corpus"]

#: How records can be written.
INPUT_FORMATS = ("jsonl", "csv", "tsv", "parquet")
#: What is done with a record that has no text.
ON_BAD = ("fail", "skip")
_BLOCK = 1 << 20


class Origin(NamedTuple):
    """Where a document comes from: its file, the line or row there, and the value of the field that identifies it."""

    path: str
    number: int
    id: Any


def record_format(name: str) -> str | None:
    """The format of records that the name of a file says; None for plain text.

    Examples
    --------
    >>> record_format("a.csv.gz"), record_format("a.parquet"), record_format("a.txt")
    ('csv', 'parquet', None)
    """
    kind = kind_of(name)
    return None if kind == "text" else kind


class RecordRows:
    """The records of one or several files, as a dataset whose columns are not known.

    Parameters
    ----------
    names
        The files; "-" for standard input.
    kind
        One of `INPUT_FORMATS`; None for what each name says.
    field
        The field that holds the text.
    id_field
        The field that identifies a record; None for none.
    on_bad
        "skip" to leave out and count records whose text is null, missing or no string; "fail" to raise.

    Attributes
    ----------
    origins
        Where the records that were read come from, in order; who uses them takes them out.
    bad, first_bad
        How many records were left out, and which was the first.
    """

    column_names = None

    def __init__(
        self, names: list[str], kind: str | None, field: str, id_field: str | None = None, on_bad: str = "fail"
    ) -> None:
        self._names, self._kind, self._field, self._id = names, kind, field, id_field
        self._skips = choice(on_bad, "on_bad", ON_BAD) == "skip"
        self.keeps = False
        self.origins: deque[Origin] = deque()
        self.bad, self.first_bad, self.good = 0, "", 0

    def __iter__(self) -> Iterator[dict[str, Any]]:
        self.origins.clear()
        self.bad = self.good = 0
        for name in self._names:
            path = "stdin" if name == "-" else name
            for number, row in _rows(name, self._kind or record_format(name) or "jsonl", self._field, self._id):
                problem = self._problem(row)
                if problem:
                    self.bad += 1
                    place = f"{path}, {_place(self._kind or record_format(name))} {number}{problem}"
                    self.first_bad = self.first_bad or place
                    if not self._skips:
                        message = (
                            f"{place}; it must be text. Leave such records out with --on-bad skip, or choose --field"
                        )
                        raise RecordError(message, path=path, line=number)
                    continue
                self.good += 1
                if self._id is not None and self.good == 1 and self._id not in row:
                    place = f"{path}, {_place(self._kind or record_format(name))} {number}"
                    message = f"{place} has no field {self._id!r} to be its id; it has {', '.join(map(repr, row))}"
                    raise RecordError(message, path=path, line=number)
                if self.keeps:
                    self.origins.append(Origin(path, number, None if self._id is None else row.get(self._id)))
                yield row
        if self.bad and not self.good:
            message = f"no record has a text: {self.first_bad}. Choose the field with --field"
            raise RecordError(message, path=self._names[0])

    def _problem(self, row: dict[str, Any]) -> str:
        if self._field not in row:
            return f" has no field {self._field!r}; it has {', '.join(map(repr, row)) or 'none'}"
        value = row[self._field]
        return "" if isinstance(value, str | bytes) else f": {self._field!r} is {shown_json(value)}"

    def notes(self) -> list[str]:
        """What was left out."""
        if not self.bad:
            return []
        records = f"{self.bad:,} record{'s' * (self.bad != 1)}"
        return [f"{records} left out, of {self.good + self.bad:,}: {self.first_bad}{' and others' * (self.bad > 1)}"]


def _place(kind: str | None) -> str:
    return "row" if kind == "parquet" else "line"


def _blocks(name: str) -> Iterator[bytes]:
    if name != "-":
        yield from file_blocks(name, _BLOCK)
        return
    while block := sys.stdin.buffer.read(_BLOCK):
        yield block


def _rows(name: str, kind: str, field: str, id_field: str | None) -> Iterator[tuple[int, dict[str, Any]]]:
    path = "stdin" if name == "-" else name
    if kind == "jsonl":
        yield from jsonl_rows(_blocks(name), path)
    elif kind == "parquet":
        # Its index is at the end, so what comes from a stream is in memory whole.
        yield from parquet_rows(io.BytesIO(b"".join(_blocks(name))) if name == "-" else name, path)
    else:
        yield from delimited_rows(_blocks(name), SEPARATORS[kind], path)


def records_corpus(
    source: str,
    *,
    input_format: str | None = None,
    field: str | None = None,
    id_field: str | None = None,
    on_bad: str = "fail",
) -> tuple[Corpus, RecordRows]:
    """A corpus of records, and the rows from which it comes, which know where each document is from.

    Parameters
    ----------
    source
        A file, a pattern or a folder; "-" for standard input, of which the format must be given.
    input_format
        One of `INPUT_FORMATS`; by default what each name says.
    field, id_field, on_bad
        As for `RecordRows`; the text is in "text" by default.
    """
    if input_format is not None:
        choice(input_format, "input_format", INPUT_FORMATS)
    names = ["-"] if source == "-" else [found.name for found in resolve(source).sources]
    unknown = next((name for name in names if input_format is None and (name == "-" or not record_format(name))), None)
    if unknown is not None:
        message = (
            f"{'standard input' if unknown == '-' else unknown} does not say how its records are written; "
            f"give --input-format {', '.join(INPUT_FORMATS[:-1])} or {INPUT_FORMATS[-1]}"
        )
        raise InputError(message, value=unknown)
    rows = RecordRows(names, input_format, field or "text", id_field, on_bad)
    label = "stdin" if source == "-" else source
    made = Source(label, "record", partial(read_dataset, rows, label), once=source == "-")
    corpus = Corpus._made(Resolved([made]), None, field)
    if source != "-" and len(names) > 1:
        corpus.name = f"{source} ({len(names):,} files)"
    return corpus, rows
