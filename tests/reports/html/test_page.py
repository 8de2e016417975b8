"""What a report says, as data."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.reports.html.inputs import gather
from bitmeter.reports.html.packing import BUDGET
from bitmeter.reports.html.page import SCHEMA, page_data
from tests.reports.html.hostile import HOSTILE
from tests.reports.html.test_packing import unpacked

TEXT = b"".join(b"line %d of a small text, twice %d\n" % (i, 2 * i) for i in range(80))


def data_of(*scores: bm.Score, budget: int = BUDGET) -> dict:  # type: ignore[type-arg]
    return page_data(gather(list(scores)), "A title", "2026-11-17", "bitmeter report", budget)


def test_the_figures_are_those_of_the_runs() -> None:
    first, second = (bm.score(name, TEXT, docs="line", alternatives=3) for name in ("kt", "uniform"))
    found = data_of(first, second)
    assert found["schema"] == SCHEMA
    assert [run["figure"] for run in found["runs"]] == [first.bits_per_byte, 8.0]
    assert found["runs"][0]["tokens"] == len(TEXT)
    assert first.interval is not None
    assert found["runs"][0]["ends"] == [first.interval.low, first.interval.high]
    row = bm.compare(first, second).rows[1]
    verdict = found["verdicts"][0]
    assert (verdict["difference"], verdict["ends"], verdict["p"]) == (row.difference, [row.low, row.high], row.p_value)
    assert verdict["won"] == [80.0, 80]  # of A, the first
    assert found["left"] == []
    assert found["documents"]["bits"][1][0] == 8.0 * found["documents"]["bytes"][0]
    assert np.cumsum(unpacked(found["text"]["documents"])).tolist()[-1] == len(TEXT)


def test_runs_that_must_not_be_compared_have_no_difference() -> None:
    found = data_of(bm.score("kt", TEXT, docs="line"), bm.score("kt", TEXT, docs="file"))
    (verdict,) = found["verdicts"]
    assert not verdict["agree"]
    assert "difference" not in verdict
    assert verdict["reasons"][0].startswith("docs")
    assert found["against"] == []


def test_without_a_trace_the_page_says_so() -> None:
    score = bm.Score.from_json(bm.score("kt", TEXT).to_json())
    found = data_of(score)
    assert "text" not in found
    assert "no text" in found["left"][0]
    mixed = data_of(bm.score("uniform", TEXT), score)
    assert mixed["left"] == ["without a trace, and so not in the text: kt"]
    assert len(mixed["models"]) == 1


def test_a_total_alone_is_shown() -> None:
    found = data_of(bm.score("zlib", TEXT))
    assert found["runs"][0]["tokens"] is None
    assert found["runs"][0]["running"] is None


def test_what_the_budget_leaves_out_is_said() -> None:
    score = bm.score("kt", TEXT, alternatives=5)
    packed = len(json.dumps(data_of(score)["models"]))
    assert "3 alternatives" in data_of(score, budget=int(0.9 * packed))["left"][-1]
    assert data_of(score, budget=0)["left"][-1].endswith("no alternatives, entropies or ranks")


def test_infinite_scores_make_a_page() -> None:
    first = bm.score(bm.Distribution({"a": 0.5, "b": 0.5}), b"abc abd\n" * 4, oov="none")
    found = data_of(first, bm.score("kt", b"abc abd\n" * 4))
    assert found["runs"][0]["figure"] == "inf"
    assert found["verdicts"][0]["difference"] in ("-inf", -math.inf)


@pytest.mark.parametrize("text", [b"", b"a", b"\n", HOSTILE])
def test_small_and_strange_texts_make_a_page(text: bytes) -> None:
    found = data_of(bm.score("kt", text, alternatives=2), bm.score("uniform", text, alternatives=2))
    assert found["runs"][0]["bytes"] == len(text)


def test_groups_are_tables() -> None:
    rows = [{"text": f"row {i} of text", "domain": "ab"[i % 2]} for i in range(24)]
    runs = [bm.score(name, bm.Corpus.from_records(rows), group="domain") for name in ("kt", "uniform")]
    found = data_of(*runs)["groups"]
    assert [row["group"] for row in found["rows"]] == ["a", "b", "a", "b"]
    assert {row["group"] for row in found["differences"]} == {"a", "b"}
