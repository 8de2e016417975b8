from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.cli.texts import write_texts


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("kt", "uniform"):
        words = ["score", name, "harbour.txt", "--docs", "line", "-o", f"{name}.json", "--trace", f"{name}.parquet"]
        assert run(capsys, *words, "--alternatives", "3")[0] == 0
    return tmp_path


def data_of(page: Path) -> dict:  # type: ignore[type-arg]
    found = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return json.loads(found[1])  # type: ignore[no-any-return]


def test_saved_runs_find_their_traces(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "report", "kt.json", "uniform.json", "-o", "r.html", "--title", "Harbour")
    assert (code, printed, said) == (0, "", "")
    found = data_of(folder / "r.html")
    assert found["title"] == "Harbour"
    assert len(found["models"]) == 2
    assert found["against"][0]["b"] == "uniform:256"


def test_runs_of_the_history_are_named_by_their_numbers(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BITMETER_DATA", str(folder / "data"))
    for name in ("kt", "uniform"):
        assert run(capsys, "score", name, "harbour.txt")[0] == 0
    code, printed, _ = run(capsys, "report", "1", "2", "-o", "r.html")
    assert (code, printed.startswith("note: none of the runs has a trace")) == (0, True)
    page = (folder / "r.html").read_text(encoding="utf-8")
    assert all(f"<li>{name}: " in page for name in ("kt", "uniform:256"))
    for words in (["plot", "running", "1", "-o", "a.svg"], ["plot", "compare", "1", "2", "-o", "b.svg"]):
        assert run(capsys, *words) == (0, "", "")
        assert (folder / words[-1]).read_text().startswith("<svg")
    for words in (["report", "7", "-o", "c.html"], ["plot", "running", "7", "-o", "c.svg"]):
        code, _, said = run(capsys, *words)
        assert (code, "there is no run 7 in the history; `bitmeter runs list` lists them" in said) == (2, True)


def test_a_trace_of_another_name_is_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "kt.parquet").rename("other.parquet")
    assert run(capsys, "report", "kt.json", "-o", "bare.html")[1].startswith("note: none of the runs has a trace")
    assert run(capsys, "report", "kt.json", "-o", "r.html", "--trace", "other.parquet") == (0, "", "")
    assert "text" in data_of(folder / "r.html")
    code, _, said = run(capsys, "report", "uniform.json", "-o", "s.html", "--trace", "other.parquet")
    assert code == 1
    assert "belongs to none of the runs" in said


def test_what_a_budget_leaves_out_is_noted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no alternatives" in run(capsys, "report", "kt.json", "-o", "r.html", "--budget", "0")[1]


def test_mistakes_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "there is no saved run missing.json" in run(capsys, "report", "missing.json", "-o", "r.html")[2]
    assert "is also an input" in run(capsys, "report", "kt.json", "-o", "kt.json", "--force")[2]
    (folder / "r.html").write_text("mine")
    assert "--force" in run(capsys, "report", "kt.json", "-o", "r.html")[2]
    assert (folder / "r.html").read_text() == "mine"
