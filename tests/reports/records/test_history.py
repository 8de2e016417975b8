"""Remembered runs as a table."""

from __future__ import annotations

import math
from pathlib import Path

import bitmeter as bm
from bitmeter.history.runs import History
from bitmeter.reports.records.history import history_records


def test_a_row_per_run(tmp_path: Path) -> None:
    history = History(tmp_path / "h.sqlite")
    kept, infinite = bm.score("uniform", b"to be"), bm.score(bm.Distribution({"a": 1.0}), b"ab")
    history.record([kept])
    history.record([infinite])
    table = history_records(history.runs())
    rows = [dict(zip((c.name for c in table.columns), row, strict=True)) for row in table.rows]
    assert [row["bits"] for row in rows] == [math.inf, 8.0]
    assert rows[1]["short"] == kept.signature.short
    assert rows[1]["signature"] == str(kept.signature)
    assert rows[0]["whole"] is True
