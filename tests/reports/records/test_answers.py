"""Minimal pairs and choices as tables."""

from __future__ import annotations

import math

import pytest

import bitmeter as bm
from bitmeter.reports.records.answers import (
    choices_document,
    choices_paper,
    choices_records,
    pair_paper,
    pair_records,
    preferences_document,
)

PAIRS = [{"good": "ab", "bad": "abc", "group": "x"}, {"good": "abcd", "bad": "a", "group": "y"}]


def test_the_pairs_of_a_uniform_model() -> None:
    """By hand: 8 bits per byte, so that the shorter sentence is preferred, by 8 and by -24 bits."""
    found = bm.prefer("uniform", PAIRS)
    table = pair_records(found)
    rows = [dict(zip((c.name for c in table.columns), row, strict=True)) for row in table.rows]
    assert [row["margin_bits"] for row in rows] == [pytest.approx(8.0), pytest.approx(-24.0)]
    assert [row["preferred"] for row in rows] == ["good", "bad"]
    assert rows[0]["good_nats"] == pytest.approx(16 * math.log(2.0))
    assert {row["short"] for row in rows} == {found.short}
    assert pair_records(bm.prefer("uniform", [{"good": "a", "bad": "b"}])).about["accuracy"] == 0.5
    assert preferences_document(found)["short"] == found.short
    paper = pair_paper(found)
    assert [row[0] for row in paper.rows] == ["x", "y", "all", "macro"]
    assert [row[2] for row in paper.rows] == pytest.approx([100.0, 0.0, 50.0, 50.0])


def test_choices() -> None:
    items = [{"q": "a", "c": ["b", "cc"], "l": 0}]
    found = bm.choose("uniform", items, given="q", choices="c", label="l")
    document = choices_document(found)
    assert (document["short"], document["signature"]) == (found.signature.short, str(found.signature))
    assert list(document)[:2] == ["schema", "version"]


ITEMS = [
    {"q": "one and one is", "a": [" two", " three"], "right": 0},
    {"q": "two and one is", "a": [" two", " three", " one"], "right": 1},
]


@pytest.mark.parametrize("calibrate", [None, "so"])
def test_rows_of_choices_have_one_answer_each(calibrate: str | None) -> None:
    found = bm.choose("kt", ITEMS, given="q", choices="a", label="right", calibrate=calibrate)
    table = choices_records([found, found])
    names = [column.name for column in table.columns]
    rows = [dict(zip(names, row, strict=True)) for row in table.rows]
    assert len(rows) == 2 * found.answers == 10
    assert [row["nats"] for row in rows[:5]] == found.nats.tolist()
    assert [(row["item"], row["answer"]) for row in rows[:5]] == [(1, 1), (1, 2), (2, 1), (2, 2), (2, 3)]
    assert [row["label"] for row in rows[:5]] == [True, False, False, True, False]
    for way in ("sum", "byte", "char", "token"):
        picked = [row["answer"] - 1 for row in rows[:5] if row[f"picked_by_{way}"]]
        assert picked == found.ways[way].picked.tolist()
    assert all((row["picked_by_calibrated"] is None) == (calibrate is None) for row in rows)


def test_the_table_of_choices_for_a_paper_has_a_row_for_each_way() -> None:
    found = bm.choose("kt", ITEMS, given="q", choices="a", label="right")
    table = choices_paper([found])
    assert [row[2] for row in table.rows] == list(found.ways)
    assert [row[4] for row in table.rows] == [100 * way.accuracy.share for way in found.ways.values()]
