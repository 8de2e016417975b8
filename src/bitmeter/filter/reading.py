"""The records of a file of any format."""

from __future__ import annotations

from collections.abc import Iterator

from bitmeter.filter.formats.jsonl import jsonl_rows
from bitmeter.filter.formats.parquet import parquet_rows
from bitmeter.filter.formats.text import text_rows
from bitmeter.filter.formats.wet import wet_rows
from bitmeter.filter.records import Fields, Rows, format_of

__all__ = ["read_rows"]


def read_rows(path: str, fields: Fields) -> Iterator[Rows]:
    """The records of a file, in batches; the format is that of its name."""
    kind = format_of(path)
    if kind == "parquet":
        return parquet_rows(path, fields)
    if kind == "jsonl":
        return jsonl_rows(path, fields)
    return wet_rows(path) if kind == "wet" else text_rows(path, fields)
