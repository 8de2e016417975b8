"""Thresholds by language: CCNet's table of percentiles, tables of least and largest values, and ROOTS' by name."""

from __future__ import annotations

import csv
import io
import math
from fractions import Fraction
from typing import Any

from bitmeter._util.files import as_path, label, read_whole
from bitmeter.errors import FileFormatError, InputError, MissingSourceError

__all__ = ["TABLES", "Limits", "read_cuts", "read_limits"]

#: The least and the largest value that are kept, by language; "" for all others.
Limits = dict[str, tuple[float, float]]

#: The largest perplexities that the filter of ROOTS (BigScience) kept, by language.
ROOTS = {
    "": 10000.0, "ar": 2300.0, "bn": 2000.0, "ca": 2500.0, "en": 1500.0, "es": 1300.0, "eu": 3000.0, "fr": 1770.0,
    "hi": 1517.0, "id": 5000.0, "pt": 3038.0, "ur": 1495.0, "vi": 1600.0, "zh": 2095.0,
}  # fmt: skip

#: Tables that are known by name.
TABLES: dict[str, Limits] = {"roots": {language: (-math.inf, most) for language, most in ROOTS.items()}}


def _rows(path: Any) -> list[list[str]]:
    name = as_path(path)
    try:
        data = read_whole(name, 1 << 24)
    except FileNotFoundError as error:
        known = ", ".join(TABLES)
        message = f"there is no table {label(str(name))}; give a CSV file, or one of the known tables: {known}"
        raise MissingSourceError(message, path=str(name)) from error
    try:
        rows = [row for row in csv.reader(io.StringIO(data.decode("utf-8-sig"))) if row]
    except (csv.Error, UnicodeDecodeError) as error:
        message = f"{label(str(name))} is not a CSV file: {error}"
        raise FileFormatError(message, value=str(name)) from error
    if len(rows) < 2:
        message = f"{label(str(name))} has no rows of figures; it must be a CSV file with a header"
        raise FileFormatError(message, value=str(name))
    return rows


def _number(text: str, path: Any, line: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        message = f"{label(str(path))}, line {line}: {text!r:.40} is not a number"
        raise FileFormatError(message, value=text)
    return value


def read_limits(path: Any) -> Limits:
    """A table by name, or a CSV file with the columns language and max, or language, min and max; * for all others."""
    if isinstance(path, str) and path in TABLES:
        return TABLES[path]
    head, *rows = _rows(path)
    names = [name.strip().lower() for name in head]
    if "language" not in names or not {"min", "max"} & set(names):
        message = (
            f"{label(str(path))} has the columns {', '.join(map(repr, head[:6]))}; a table of limits has language, and "
            "min or max or both. For CCNet's table of percentiles name the percentiles: --buckets 30%,60%"
        )
        raise FileFormatError(message, value=str(path))
    found: Limits = {}
    for line, row in enumerate(rows, 2):
        cells = {name: cell.strip() for name, cell in zip(names, row, strict=False)}
        language = cells.get("language", "")
        low = _number(cells["min"], path, line) if cells.get("min") else -math.inf
        high = _number(cells["max"], path, line) if cells.get("max") else math.inf
        language = "" if language == "*" else language
        if language in found:
            message = f"{label(str(path))}, line {line}: the language {language or '*'!r} comes twice"
            raise FileFormatError(message, value=language)
        found[language] = low, high
    return found


def _layout(head: list[str]) -> str:
    """What a table of percentiles looks like."""
    turned = all(cell.strip().replace(".", "", 1).isdigit() for cell in head[1:]) and len(head) > 1
    return (
        "A table of percentiles has a row for each percentile, whose number comes first, and a column for each "
        "language (percentile,en,fr / 30,159.4,201.3 / 60,…)"
    ) + ("; this one has its percentiles in the header: exchange rows and columns" if turned else "")


def read_cuts(path: Any, shares: tuple[Fraction, ...]) -> dict[str, tuple[float, ...]]:
    """The perplexities at these percentiles, by language, from a table like CCNet's: a row per percentile."""
    if isinstance(path, str) and path in TABLES:
        message = f"the table {path} has one limit per language and no percentiles; leave out --buckets"
        raise InputError(message, value=path)
    head, *rows = _rows(path)
    languages = [name.strip() for name in head[1:]]
    percentiles = [float(100 * share) for share in shares]
    wanted: dict[float, list[float]] = {}
    for line, row in enumerate(rows, 2):
        try:
            percentile = _number(row[0], path, line)
        except FileFormatError as error:
            message = f"{error}. {_layout(head)}"
            raise FileFormatError(message, value=row[0]) from error
        if percentile in percentiles:
            if len(row) != len(head):
                message = f"{label(str(path))}, line {line} has {len(row)} cells, and the header {len(head)}"
                raise FileFormatError(message, value=str(path))
            wanted[percentile] = [_number(cell, path, line) for cell in row[1:]]
    missing = [percentile for percentile in percentiles if percentile not in wanted]
    if missing:
        message = f"{label(str(path))} has no row for the percentile {missing[0]:g}. {_layout(head)}"
        raise FileFormatError(message, value=str(path))
    columns = [wanted[percentile] for percentile in percentiles]
    return {language: tuple(column[place] for column in columns) for place, language in enumerate(languages)}
