"""Checks and sweeps as tables: the figures are those of the result."""

from __future__ import annotations

from typing import Any

import bitmeter as bm
from bitmeter.reports.formats.table import Table
from bitmeter.reports.records.gate import (
    check_document,
    check_paper,
    check_records,
    sweep_document,
    sweep_paper,
    sweep_records,
)
from bitmeter.reports.records.machine import figures_of

LINES = b"".join(b"line %d of a small text\n" % i for i in range(40))


def rows(table: Table) -> list[dict[str, Any]]:
    names = [column.name for column in table.columns]
    assert len(set(names)) == len(names)
    return [dict(zip(names, row, strict=True)) for row in table.rows]


def test_a_check() -> None:
    found = bm.check("kt", "uniform", on=LINES, docs="line", allow=0.1, kl=0.01)
    first, second = rows(check_records(found))
    assert (first["figure"], first["value"], first["most"]) == ("difference", found.limits[0].value, 0.1)
    assert second["figure"] == "mean KL"
    assert first["verdict"] == "worse"
    assert not first["passed"]
    assert first["short"].split() == [found.base.signature.short, found.new.signature.short]
    document = check_document(found)
    whole = document["comparison"]["rows"]
    assert [row["figures"] for row in whole] == [figures_of(found.base), figures_of(found.new)]
    assert document["divergence"]["schema"] == "bitmeter.divergence/1"
    assert len(list(check_paper(found).rows)) == 2
    assert "worse" in check_paper(found).caption[0]


def test_a_sweep() -> None:
    found = bm.sweep("kt", "uniform", on=LINES, docs="line")
    table = rows(sweep_records(found))
    assert [row["name"] for row in table] == ["kt", "uniform"]
    assert table[1]["kl_bits_per_token"] == found.rows[1].kl
    assert table[1]["difference_bits"] == found.rows[1].row.difference
    assert table[1]["perplexity_per_byte"] == 256.0
    assert {row["schema"] for row in table} == {"bitmeter.sweep-row/1"}
    document = sweep_document(found)
    assert document["rows"][1]["figures"]["bits_per_byte"] == 8.0
    assert document["rows"][1]["kl"] == found.rows[1].kl
    assert list(document)[:2] == ["schema", "version"]
    paper = sweep_paper(found)
    assert [len(row) for row in paper.rows] == [len(paper.columns)] * 2
