from __future__ import annotations

import json
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.reports.plots.drawing import FORMATS, PLOTS

TEXT = b"".join(b"line %d of a small text\n" % i for i in range(40))
STARTS = {"svg": b"<svg", "png": b"\x89PNG", "html": b"<!DOCTYPE html>", "json": b"{"}


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_is_written(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"plot.{ending}"
    assert bm.plot("running", bm.score("kt", TEXT, docs="line"), path) is None
    assert path.read_bytes().lstrip().startswith(STARTS[ending])
    with pytest.raises(bm.BitmeterError, match="exists"):
        bm.plot("running", bm.score("kt", TEXT, docs="line"), path)


def test_a_page_of_one_plot_fetches_nothing(tmp_path: Path) -> None:
    bm.plot("compare", bm.score("kt", TEXT, docs="line"), tmp_path / "p.html")
    assert '<script src="http' not in (tmp_path / "p.html").read_text()


def test_without_a_path_it_is_a_chart() -> None:
    chart = bm.plot("running", bm.score("kt", TEXT, docs="line"))
    assert chart.to_dict()["title"] == "Running cross-entropy"


def test_a_sweep_is_drawn_from_its_json(tmp_path: Path) -> None:
    bm.NGram(order=2).fit(TEXT).save(tmp_path / "two.bmn")
    found = bm.sweep("kt", str(tmp_path / "two.bmn"), on=TEXT, docs="line", kl=False)
    (tmp_path / "s.json").write_text(found.to_json(), encoding="utf-8")
    bm.plot("sweep", tmp_path / "s.json", tmp_path / "p.json")
    assert len(json.loads((tmp_path / "p.json").read_text())["data"]["values"]) == 1
    assert "sweep" in PLOTS


@pytest.mark.parametrize(("kind", "path"), [("nothing", "p.svg"), ("running", "p.gif"), ("running", "p"), (3, "p.svg")])
def test_unknown_kinds_and_endings_are_refused(tmp_path: Path, kind: str, path: str) -> None:
    with pytest.raises(bm.BitmeterError):
        bm.plot(kind, bm.score("kt", TEXT), tmp_path / path)
