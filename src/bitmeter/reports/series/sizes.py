"""Size against bits: the models of a sweep."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from bitmeter._util.fields import Fields, read_fields
from bitmeter._util.files import as_path, read_whole, unread
from bitmeter.errors import FileFormatError, InputTypeError
from bitmeter.measure.gate.sweep import Sweep
from bitmeter.reports.figures import short_names

__all__ = ["SizedModel", "sized_models"]

_SCHEMA = "bitmeter.sweep/1"


@dataclass(frozen=True, slots=True)
class SizedModel:
    """A model of a sweep: the bytes of its files, its bits with their interval, and whether none beats it in both."""

    name: str
    size: int | None
    per: str
    figure: float
    low: float | None
    high: float | None
    best: bool


def sized_models(sweep: Any) -> tuple[SizedModel, ...]:
    """The models of a Sweep, or of the file that holds what `bitmeter sweep --json` printed."""
    if isinstance(sweep, Sweep):
        rows = [_of_row(row, sweep.comparison.per) for row in sweep.rows]
    elif isinstance(sweep, str | os.PathLike):
        rows = _read(sweep)
    else:
        message = f"{sweep!r:.60} is not a sweep; it must be what bitmeter.sweep gives, or the path of its JSON"
        raise InputTypeError(message, value=sweep)
    names = short_names([row.name for row in rows])
    return tuple(SizedModel(names[r.name], r.size, r.per, r.figure, r.low, r.high, r.best) for r in rows)


def _of_row(row: Any, per: str) -> SizedModel:
    found = row.score.interval
    low, high = (None, None) if found is None else (found.low, found.high)
    return SizedModel(row.name, row.size, per, row.score.per(per), low, high, row.best)


def _read(path: str | os.PathLike[str]) -> list[SizedModel]:
    name = str(as_path(path))
    try:
        data = read_whole(as_path(path), 1 << 26)
    except OSError as error:
        message = f"{name} {unread(error)}"
        raise FileFormatError(message, value=name) from error
    fields = read_fields(data, name, f"{name} is not a sweep", "`bitmeter sweep … --json > FILE` writes one")
    if "schema" not in fields or fields.value("schema") != _SCHEMA:
        fields.fail(f"expected the schema {_SCHEMA!r}")
    per = fields.text("per")
    return [_row(row, per) for row in fields.list_of_fields("rows")]


def _row(row: Fields, per: str) -> SizedModel:
    ends = None if row.is_null("interval") else row.fields("interval")

    def end(name: str) -> float | None:
        return None if ends is None or ends.is_null(name) else ends.real(name)

    size = None if row.is_null("size") else row.count("size")
    figure = row.real(f"bits_per_{per}", infinite=True)
    return SizedModel(row.text("name"), size, per, figure, end("low"), end("high"), row.flag("pareto"))
