"""--html on score and compare: measured and reported in one go."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bitmeter.cli import reporting
from bitmeter.cli.reporting import reported
from tests.cli.running import run
from tests.cli.see.test_report import data_of
from tests.cli.texts import write_texts


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_score_prints_what_it_always_prints(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["score", "kt", "harbour.txt", "--docs", "line"]
    assert run(capsys, *words, "--html", "r.html") == run(capsys, *words)
    found = data_of(folder / "r.html")
    assert found["models"][0]["k"] == 5  # alternatives, without being asked for
    assert run(capsys, *words, "--html", "s.html", "-q", "--alternatives", "2")[1] == run(capsys, *words, "-q")[1]
    assert data_of(folder / "s.html")["models"][0]["k"] == 2


def test_several_models_are_one_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "score", "-m", "kt", "-m", "uniform", "-m", "zlib", "harbour.txt", "--html", "r.html")[0] == 0
    found = data_of(folder / "r.html")
    assert [run_["name"] for run_ in found["runs"]] == ["kt", "uniform:256", "zlib:9"]
    assert found["left"] == ["without a trace, and so not in the text: zlib:9"]
    assert "one text" in run(capsys, "score", "-m", "kt", "harbour.txt", "half.txt", "--html", "s.html")[2]


def test_a_comparison_of_models_and_of_runs(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "compare", "kt", "uniform", "--on", "harbour.txt", "--docs", "line", "--html", "r.html")[0] == 0
    assert data_of(folder / "r.html")["verdicts"][0]["agree"]
    for name in ("kt", "uniform"):
        run(capsys, "score", name, "harbour.txt", "-o", f"{name}.json", "--trace", f"{name}.parquet")
    code, printed, _ = run(capsys, "compare", "kt.json", "uniform.json", "--html", "s.html", "--json")
    assert code == 0
    assert json.loads(printed)["schema"] == "bitmeter.comparison/1"
    assert len(data_of(folder / "s.html")["models"]) == 2


def test_a_long_text_has_its_trace_on_disk_and_no_alternatives(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reporting, "_KEPT", 100)
    monkeypatch.setattr(reporting, "DETAILED", 100)
    assert run(capsys, "score", "kt", "harbour.txt", "--html", "r.html")[0] == 0
    found = data_of(folder / "r.html")
    assert "h" not in found["models"][0]
    with reported(Path("r.html"), None) as room:
        keywords = room.added({"force": False}, "kt", "harbour.txt")
        assert keywords["trace"] == room.traces[0]
        assert keywords["alternatives"] is None
    assert not room.traces[0].parent.exists()


def test_without_html_nothing_is_added() -> None:
    with reported(None, None) as room:
        assert room.added({"docs": "line"}, "kt", "t.txt") == {"docs": "line"}


@pytest.mark.parametrize("option", [["--prove"], ["--at", "min-k"]])
def test_other_outputs_refuse_it(folder: Path, capsys: pytest.CaptureFixture[str], option: list[str]) -> None:
    code, _, said = run(capsys, "score", "kt", "harbour.txt", "--html", "r.html", *option)
    assert code == 2
    assert "--html" in said
