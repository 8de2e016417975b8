"""Minimal pairs and choices as tables."""

from __future__ import annotations

import math

import pytest

import bitmeter as bm
from bitmeter.reports.records.answers import choices_document, pair_paper, pair_records, preferences_document

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
