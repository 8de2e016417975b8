"""Remembered runs as programs read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bitmeter.history.runs import RememberedRun
from bitmeter.reports.formats.table import Column, Table, columns_of
from bitmeter.reports.records.paper import narrowed

__all__ = ["history_paper", "history_records"]

_COLUMNS = (
    Column("id", "integer"), Column("date"), Column("time", "number", 0), Column("times", "integer"),
    *columns_of("verb model text per"), Column("bits", "number"), Column("bytes", "integer"), Column("whole", "flag"),
    *columns_of("short signature"),
)  # fmt: skip


def history_records(runs: Sequence[RememberedRun]) -> Table:
    """One row per run, the newest first: the date in UTC, the figure in bits per `per`, the signature."""
    rows: list[list[Any]] = []
    for run in runs:
        known = asdict(run) | {"date": run.date}
        rows.append([known[column.name] for column in _COLUMNS])
    return Table("bitmeter.runs/1", _COLUMNS, rows)


def history_paper(runs: Sequence[RememberedRun]) -> Table:
    """The runs for a page: without the long signatures."""
    titles = {"id": "run", "date": "date (UTC)", "model": "model", "text": "text", "bits": "bits", "per": "per",
              "short": "signature"}  # fmt: skip
    return narrowed(history_records(runs), titles, ())
