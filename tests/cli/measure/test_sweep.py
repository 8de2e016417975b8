"""`bitmeter sweep`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.measure.gate.made_texts import models


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    models(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_table_picture_and_runs(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sweep", "m3.bmn", "m2.bmn", "c3.bmn", "--on", "text.txt", "--docs", "line", "--runs", "runs"]
    code, printed, error = run(capsys, *words, "--plot", "p.svg")
    assert (code, error) == (0, "")
    assert "same top" in printed
    assert max(map(len, printed.splitlines())) <= 80
    assert (here / "p.svg").read_text().startswith("<svg")
    assert len(list((here / "runs").iterdir())) == 5
    assert run(capsys, *words)[1] == printed  # also the speeds, which were measured once
    assert len(json.loads(run(capsys, *words, "--json")[1])["rows"]) == 3
    assert run(capsys, *words, "--plot", "p.svg")[0] == 2


def test_mistakes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "at least two" in run(capsys, "sweep", "kt", "--on", "text.txt")[2]
    assert run(capsys, "sweep", "kt", "uniform")[0] == 2


def test_json_has_the_interval_of_each_figure(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["sweep", "m3.bmn", "m2.bmn", "--on", "text.txt", "--docs", "line", "--no-kl", "--json"]
    for row in json.loads(run(capsys, *words)[1])["rows"]:
        found = row["interval"]
        assert found["low"] < row["bits_per_byte"] < found["high"]
        assert found["estimate"] == pytest.approx(row["bits_per_byte"])


def test_groups_are_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run(capsys, "sweep", "kt", "uniform", "--on", "text.txt", "--group", "file")
    assert code == 2
    assert "leave out --group" in " ".join(error.split())
