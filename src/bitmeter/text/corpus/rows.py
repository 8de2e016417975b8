"""Items with several fields, such as a question with its choices: JSON lines, CSV, TSV, Parquet, datasets, mappings."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bitmeter._util.check import shown, shown_json
from bitmeter.errors import InputError, InputTypeError, RecordError
from bitmeter.text.corpus.delimited import SEPARATORS, delimited_rows
from bitmeter.text.corpus.jsonl import jsonl_rows
from bitmeter.text.corpus.parquet import parquet_rows
from bitmeter.text.corpus.readers import file_blocks
from bitmeter.text.corpus.sources import is_dataset, resolve
from bitmeter.text.formats import kind_of

__all__ = ["Item", "check_names", "read_items", "read_text", "source_label"]

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Item:
    """One item.

    Attributes
    ----------
    row
        Its fields.
    path, number, place
        The file, and which "line" or "row" of it this is.
    """

    row: Mapping[str, Any]
    path: str
    number: int
    place: str

    def fail(self, what: str) -> RecordError:
        """An error that says where the item is."""
        return RecordError(f"{self.path}, {self.place} {self.number}{what}", path=self.path, line=self.number)


def read_items(source: Any) -> Iterator[Item]:
    """The items of files, of a dataset, or of mappings in memory; of several files, one after the other.

    Examples
    --------
    >>> [item.row for item in read_items([{"good": "a cat", "bad": "cat a"}])]
    [{'good': 'a cat', 'bad': 'cat a'}]
    """
    if is_dataset(source) or _holds_mappings(source):
        for number, row in enumerate(source, 1):
            if not isinstance(row, Mapping):
                message = f"item {number} is {shown(row)}; it must be a mapping from fields to values"
                raise InputTypeError(message, value=row)
            yield Item(row, "items", number, "item")
        return
    for found in resolve(source).sources:
        yield from _file_items(found.name)


def _holds_mappings(source: Any) -> bool:
    return isinstance(source, list | tuple) and (not source or isinstance(source[0], Mapping))


def _file_items(path: str) -> Iterator[Item]:
    kind = kind_of(path)
    if kind == "text":
        message = f"{path} holds no items; give JSON lines (.jsonl), .csv, .tsv or .parquet, a dataset, or mappings"
        raise InputError(message, value=path)
    if kind == "parquet":
        yield from (Item(row, path, number, "row") for number, row in parquet_rows(path, path))
        return
    blocks = file_blocks(path, _BLOCK)
    rows = jsonl_rows(blocks, path) if kind == "jsonl" else delimited_rows(blocks, SEPARATORS[kind], path)
    yield from (Item(row, path, number, "line") for number, row in rows)


def read_text(item: Item, field: str, option: str) -> str:
    """The text of a field of an item."""
    if field not in item.row:
        listed = ", ".join(map(repr, item.row)) or "none"
        missing = f" has no field {field!r}; it has {listed}. Choose one with --{option} ({option}=)"
        raise item.fail(missing)
    value = item.row[field]
    if not isinstance(value, str):
        wrong = f": {field!r} is {shown_json(value)}; it must be text. Choose another with --{option} ({option}=)"
        raise item.fail(wrong)
    return value


def check_names(*, optional: bool = False, **fields: object) -> None:
    """Keywords that name fields are strings; with `optional`, also None."""
    for name, value in fields.items():
        if not isinstance(value, str) and not (optional and value is None):
            message = f"{name} is {shown(value)}; it must be the name of a field"
            raise InputTypeError(message, value=value)


def source_label(source: Any) -> str:
    """What to call the items in a report."""
    if isinstance(source, str | os.PathLike):
        return os.fspath(source) if isinstance(os.fspath(source), str) else os.fsdecode(source)
    if isinstance(source, Iterable) and not _holds_mappings(source) and isinstance(source, list | tuple) and source:
        first = source_label(source[0])
        return first if len(source) == 1 else f"{first} and {len(source) - 1} more"
    return "items"
