"""What the columns of a table are: by their names or as the user says, and stated either way."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.check import choice
from bitmeter.errors import ChoiceError, FileFormatError
from bitmeter.measure.audit.tables.names import ROLES, UNITS, VALUES
from bitmeter.measure.audit.tables.reading import Column, RawTable

__all__ = ["TableColumns", "read_columns"]

_SCALES = {"nats": 1.0, "bits": math.log(2.0), "log10": math.log(10.0)}
_WORDS = {"nats": "natural logarithms", "bits": "bits", "log10": "logarithms of base 10", "prob": "probabilities"}


@dataclass
class TableColumns:
    """The columns of a table by what they are.

    Attributes
    ----------
    logprobs
        ln p of each unit, as the table has it: it may be NaN or above zero.
    doc, start, end, ids, counted
        Whole numbers per unit; None for those that the table does not have. `counted` is how many bytes it says a unit
        has.
    pieces
        The units as text, bytes or lists of bytes.
    scored
        Which rows the table counts; all if it does not say.
    rows, top
        Whole predictions, and the likeliest units, as they are in the table.
    names
        The column of each role.
    assumptions
        How columns were read, in sentences.
    """

    logprobs: Floats
    scored: Bools
    doc: Ints | None = None
    start: Ints | None = None
    end: Ints | None = None
    ids: Ints | None = None
    counted: Floats | None = None
    pieces: list[Any] | None = None
    rows: Column | None = None
    top: Column | None = None
    names: dict[str, str] = field(default_factory=dict)
    assumptions: list[str] = field(default_factory=list)


def read_columns(table: RawTable, columns: object, unit: str | None) -> TableColumns:
    """Which column is what.

    Parameters
    ----------
    columns
        "role=column,role=column", or a mapping; None for the names that are known.
    unit
        Of the costs; None for what the name says.

    Examples
    --------
    >>> from bitmeter.measure.audit.tables.reading import read_table
    >>> found = read_columns(read_table({"start": [0], "end": [2], "bits": [3.0]}), None, None)
    >>> found.names, found.logprobs.round(4).tolist()
    ({'start': 'start', 'end': 'end', 'logprob': 'bits'}, [-2.0794])
    """
    chosen = _mapped(table, columns)
    by_lower = {name.lower(): name for name in reversed(table.columns)}
    names: dict[str, str] = {}
    for role, known in ROLES.items():
        found = chosen.get(role) or next((by_lower[name] for name in known if name in by_lower), None)
        if (found is not None and found not in chosen.values()) or role in chosen:
            names[role] = str(found)
    _tell_bytes(table, names, chosen)
    value = chosen.get("logprob") or next((by_lower[name] for name in VALUES if name in by_lower), None)
    if value is None:
        message = (
            f"{table.name} has the columns {', '.join(table.columns)}, and none of log-probabilities; name it: "
            "--columns logprob=COLUMN (in Python columns={'logprob': 'COLUMN'}), with --unit nats, bits, log10 or prob"
        )
        raise FileFormatError(message, value=table.name)
    names["logprob"] = value
    assumptions = [f"{role} is the column {name}" for role, name in names.items() if role != name]
    logs = _logs(table, value, unit, assumptions)
    unread = [name for name in table.columns if name.lower() in VALUES and name not in names.values()]
    assumptions += [_unread(table, name, logs) for name in unread]
    result = TableColumns(logs, np.ones(len(table), dtype=np.bool_), names=names, assumptions=assumptions)
    result.doc = _documents(table, names.get("doc"))
    result.start, result.end = _whole(table, names.get("start")), _whole(table, names.get("end"))
    result.ids = _whole(table, names.get("id"))
    if "bytes" in names:
        result.counted = _numbers(table, names["bytes"])
    if "piece" in names:
        column = table.columns[names["piece"]]
        if isinstance(column, list):
            result.pieces = column
        elif result.ids is None:
            result.ids = _whole(table, names["piece"])
            names["id"] = names.pop("piece")
            assumptions.append(f"{names['id']} holds numbers, so they are taken for ids")
    if "scored" in names:
        result.scored = _numbers(table, names["scored"]) != 0
        assumptions.append(f"rows with {names['scored']} = 0 are not part of the table's sum")
    result.rows = table.columns[names["row"]] if "row" in names else None
    result.top = table.columns[names["top"]] if "top" in names else None
    if result.doc is None and table.documents is not None:
        result.doc = table.documents
        assumptions.append("each row of the file is a document")
    if result.ids is None and result.pieces is None and (result.start is None or result.end is None):
        message = (
            f"{table.name} does not say which bytes its units are: it needs start and end (byte offsets), or piece, or "
            f"id with --units tokenizer:FILE; it has {', '.join(table.columns)}"
        )
        raise FileFormatError(message, value=table.name)
    return result


def _mapped(table: RawTable, columns: object) -> dict[str, str]:
    """What the user says, checked."""
    if columns is None:
        return {}
    if isinstance(columns, str):
        pairs = [part.partition("=") for part in columns.split(",") if part]
        roles = [role.strip() for role, _, _ in pairs]
        found = dict(zip(roles, (name.strip() for *_, name in pairs), strict=True))
        if len(found) < len(roles):
            twice = next(role for role in roles if roles.count(role) > 1)
            message = f"columns names {twice!r} twice; each role is one column (--columns)"
            raise ChoiceError(message, value=columns)
    elif isinstance(columns, Mapping):
        found = {str(role): str(name) for role, name in columns.items()}
    else:
        message = f"columns is {columns!r:.60}; it must be role=column,role=column or a mapping"
        raise ChoiceError(message, value=columns)
    for role, name in found.items():
        choice(role, "a column's role", ("logprob", *ROLES))
        if name not in table.columns:
            message = f"{table.name} has no column {name!r}; it has {', '.join(table.columns)}"
            raise ChoiceError(message, value=name)
    return found


def _tell_bytes(table: RawTable, names: dict[str, str], chosen: Mapping[str, str]) -> None:
    """A column `bytes` of lists or bytes holds the units, not their sizes."""
    name = names.get("bytes")
    if name is None or "bytes" in chosen or isinstance(table.columns[name], np.ndarray):
        return
    del names["bytes"]
    if "piece" not in chosen:
        names["piece"] = name


def _logs(table: RawTable, name: str, unit: str | None, assumptions: list[str]) -> Floats:
    column = table.columns[name]
    truths = column.dtype == np.bool_ if isinstance(column, np.ndarray) else any(isinstance(v, bool) for v in column)
    if truths:
        message = f"{table.name}: {name} holds truth values, not log-probabilities; name another (--columns logprob=…)"
        raise FileFormatError(message, value=name)
    values = _numbers(table, name)
    known, cost = VALUES.get(name.lower(), ("nats", False))
    if unit is not None:
        known = choice(unit, "unit", UNITS)
    by = "as said" if unit is not None else "by the column's name" if name.lower() in VALUES else "by default"
    assumptions.append(f"{name} holds {_WORDS[known]}, {by}; --unit says otherwise")
    if known == "prob":
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(values)
    finite = values[~np.isnan(values)]
    positive = bool(len(finite)) and bool((finite >= 0).all()) and bool((finite > 0).any())
    if positive and not cost:
        assumptions.append(f"{name} is nowhere below zero, so it is taken for costs, −log p")
    negative = bool(len(finite)) and bool((finite <= 0).all()) and bool((finite < 0).any())
    if cost and negative:
        assumptions.append(f"{name} is nowhere above zero, so it is taken for log p")
    as_cost = positive or (cost and not negative)
    scaled = np.asarray(values * _SCALES[known], dtype=np.float64)
    return np.asarray(-scaled + 0.0) if as_cost else scaled


def _unread(table: RawTable, name: str, logs: Floats) -> str:
    """That another column holds costs, and whether they are the same."""
    said = f"{name} holds costs, too, by its name, and is not read"
    try:
        other = _logs(table, name, None, [])
    except FileFormatError:
        return said
    with np.errstate(invalid="ignore"):
        apart = np.abs(other - logs)[other != logs]
    worst = float(np.nanmax(apart, initial=0.0))
    return said + (f", though it differs by up to {worst:.4g} nats" if worst > 1e-3 else "")


def _numbers(table: RawTable, name: str) -> Floats:
    column = table.columns[name]
    if isinstance(column, list):
        values = np.empty(len(column))
        for at, value in enumerate(column):
            number = _number(value, written=table.precision == "decimal")
            if number is None:
                message = f"{table.name}: {name} of row {at + 1} is {value!r:.40}, not a number"
                raise FileFormatError(message, value=name)
            values[at] = number
        column = values
    if column.ndim != 1:
        message = f"{table.name}: {name} has the shape {column.shape}; it must hold one number per unit"
        raise FileFormatError(message, value=name)
    return np.asarray(column, dtype=np.float64)


def _number(value: object, *, written: bool) -> float | None:
    """A value as a number: NaN for none, and what is written as one in a file of text."""
    if value is None or (written and isinstance(value, str) and not value.strip()):
        return math.nan
    try:
        return float(value) if isinstance(value, int | float) or (written and isinstance(value, str)) else None
    except (ValueError, OverflowError):
        return None


def _documents(table: RawTable, name: str | None) -> Ints | None:
    """The documents, numbered as they come where they have names."""
    column = [] if name is None else table.columns[name]
    if not isinstance(column, list) or name is None:
        return _whole(table, name)
    numbers: dict[object, int] = {}
    try:
        return np.array([numbers.setdefault(value, len(numbers)) for value in column], dtype=np.int64)
    except TypeError as error:
        message = f"{table.name}: {name} holds lists; it must hold one value per unit"
        raise FileFormatError(message, value=name) from error


def _whole(table: RawTable, name: str | None) -> Ints | None:
    if name is None:
        return None
    values = _numbers(table, name)
    wrong = ~((values == np.floor(values)) & (np.abs(values) < 2.0**53))
    if wrong.any():
        at = int(np.argmax(wrong))
        message = f"{table.name}: {name} of row {at + 1} is {values[at]}, not a whole number"
        raise FileFormatError(message, value=name)
    return values.astype(np.int64)
