"""The names of the formats, and the format that the name of a file asks for. Imports nothing that takes time."""

from __future__ import annotations

import os

from bitmeter.errors import ChoiceError, InputError

__all__ = ["FORMATS", "SUFFIXES", "check_format", "format_of", "suffixes"]

#: The formats in which programs read tables, and "table", which people do.
FORMATS = ("table", "csv", "tsv", "json", "jsonl", "parquet", "md", "latex")
#: The format of a file by its suffix.
SUFFIXES = {
    ".csv": "csv", ".tsv": "tsv", ".tab": "tsv", ".json": "json", ".jsonl": "jsonl", ".ndjson": "jsonl",
    ".parquet": "parquet", ".pq": "parquet", ".md": "md", ".markdown": "md", ".tex": "latex", ".txt": "table",
}  # fmt: skip


def check_format(name: object) -> str:
    """One of `FORMATS`, or a typed error that lists them.

    Examples
    --------
    >>> check_format("csv")
    'csv'
    """
    if name not in FORMATS:
        message = f"the format is {name!r:.60}; it must be one of {', '.join(FORMATS)}"
        raise ChoiceError(message, value=name)
    return str(name)


def format_of(path: str | os.PathLike[str], default: str | None = None) -> str:
    """The format that the suffix of a file asks for, or the default; without a default, a typed error.

    Examples
    --------
    >>> format_of("out.CSV"), format_of("table.tex"), format_of("/dev/stdout", "csv")
    ('csv', 'latex', 'csv')
    """
    found = SUFFIXES.get(os.path.splitext(os.fspath(path))[1].lower(), default)
    if found is None:
        message = f"the name {os.fspath(path)!r} does not say how to write it; end it in {suffixes()}, or give --format"
        raise InputError(message, value=os.fspath(path))
    return found


def suffixes() -> str:
    """The suffixes, for a message.

    Examples
    --------
    >>> suffixes()
    '.csv, .tsv, .json, .jsonl, .parquet, .md or .tex'
    """
    return ".csv, .tsv, .json, .jsonl, .parquet, .md or .tex"
