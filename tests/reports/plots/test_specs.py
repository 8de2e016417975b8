"""Plots as data: the figures in a specification are those of the scores, and the schema of Vega-Lite accepts it."""

from __future__ import annotations

import json
from typing import Any

import altair
import pytest

import bitmeter as bm
from bitmeter.reports.html.inputs import gather
from bitmeter.reports.plots.specs import KINDS, spec_of, sweep_spec
from bitmeter.reports.series.sizes import SizedModel
from tests.reports.series.test_position import ByContext

TEXT = b"".join(b"line %d of a small text, twice %d\n" % (i, 2 * i) for i in range(60))


@pytest.fixture(scope="module")
def runs() -> list[bm.Score]:
    return [bm.score(name, TEXT, docs="line", alternatives=2) for name in ("kt", "uniform")]


@pytest.mark.parametrize("kind", list(KINDS))
def test_every_specification_is_valid_and_names_the_models(kind: str, runs: list[bm.Score]) -> None:
    spec = spec_of(kind, gather(runs))
    altair.Chart.from_dict(spec, validate=True)
    assert json.loads(json.dumps(spec, allow_nan=False)) == spec
    assert {row["model"] for row in spec["data"]["values"]} == {"kt", "uniform:256"}


def rows(spec: dict[str, Any], model: str) -> list[dict[str, Any]]:
    return [row for row in spec["data"]["values"] if row["model"] == model]


def test_the_running_curve_ends_at_the_figure(runs: list[bm.Score]) -> None:
    last = rows(spec_of("running", gather(runs)), "kt")[-1]
    assert runs[0].interval is not None
    assert (last["figure"], last["low"], last["high"]) == (
        runs[0].interval.estimate, runs[0].interval.low, runs[0].interval.high,
    )  # fmt: skip


def test_the_histogram_counts_every_word(runs: list[bm.Score]) -> None:
    assert sum(row["words"] for row in rows(spec_of("histogram", gather(runs)), "kt")) == runs[0].words


def test_the_comparison_has_figures_and_differences(runs: list[bm.Score]) -> None:
    found = rows(spec_of("compare", gather(runs)), "uniform:256")
    difference = bm.compare(*runs).rows[1]
    assert found[0]["value"] == 8.0
    assert (found[1]["value"], found[1]["low"]) == (difference.difference, difference.low)


def test_a_sweep_has_its_front() -> None:
    models = [SizedModel("a", 100, "byte", 2.0, 1.9, 2.1, True), SizedModel("b", None, "byte", 3.0, None, None, False)]
    spec = sweep_spec(models)
    altair.Chart.from_dict(spec, validate=True)
    assert spec["data"]["values"] == [{"model": "a", "size": 100, "figure": 2.0, "low": 1.9, "high": 2.1, "best": True}]


def test_what_cannot_be_drawn_says_why() -> None:
    bare = bm.Score.from_json(bm.score("kt", TEXT).to_json())
    with pytest.raises(bm.BitmeterError, match="--trace"):
        spec_of("histogram", gather(bare))
    with pytest.raises(bm.BitmeterError, match="--alternatives"):
        spec_of("calibration", gather(bm.score("kt", TEXT)))
    with pytest.raises(bm.BitmeterError, match="only totals"):
        spec_of("running", gather(bm.score("zlib", TEXT)))
    with pytest.raises(bm.BitmeterError, match="no model"):
        sweep_spec([SizedModel("b", None, "byte", 3.0, None, None, False)])


def test_models_with_windows_have_a_second_panel(runs: list[bm.Score]) -> None:
    windowed = bm.score(ByContext(64), TEXT, docs="line", ctx="disjoint.16")
    spec = spec_of("position", gather([runs[0], windowed]))
    altair.HConcatChart.from_dict(spec, validate=True)
    whole, window = spec["hconcat"]
    assert {row["model"] for row in whole["data"]["values"]} == {"kt", "summing"}
    assert {row["model"] for row in window["data"]["values"]} == {"summing"}
    first = window["data"]["values"][0]
    assert (first["position"], first["figure"]) == (1.0, 2.0), "a bit, and one for the token of the beginning"
    colours = [panel["layer"][0]["encoding"]["color"]["scale"] for panel in (whole, window)]
    assert colours[0] == colours[1], "a model has one colour"
