"""`bitmeter compare`: differences of scores, of models on a text and of saved runs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bitmeter as bm
from tests.cli.running import run
from tests.cli.texts import write_texts
from tests.models.networks import TINY


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_difference_is_that_of_the_scores(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = run(capsys, "compare", "uniform", "kt", "--on", "harbour.txt", "--json")
    rows = json.loads(printed)["rows"]
    flat = bm.score("uniform", "harbour.txt").bits_per_byte
    assert rows[1]["difference"] == bm.score("kt", "harbour.txt").bits_per_byte - flat


def test_saved_runs_compare_as_their_models_do(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for model in ("uniform", "kt"):
        bm.score(model, "harbour.txt", docs="line").save(f"{model}.json")
    saved = run(capsys, "compare", "uniform.json", "kt.json")
    assert saved == run(capsys, "compare", "uniform", "kt", "--on", "harbour.txt", "--docs", "line")
    assert saved[0] == 0


def test_windows_are_for_the_models_that_have_them(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = here / "text.txt"
    text.write_bytes(b"a few words of text, and a few more words of text " * 4)
    code, printed, _ = run(capsys, "compare", "kt", f"hf:{TINY}", "--on", str(text), "--ctx", "16.8", "--json")
    assert code == 0
    expected = [bm.score("kt", text), bm.score(f"hf:{TINY}", text, ctx="16.8")]
    assert [row["bits_per_byte"] for row in json.loads(printed)["rows"]] == [one.bits_per_byte for one in expected]


@pytest.mark.parametrize(
    ("words", "part"),
    [
        (["kt"], "needs at least two"),
        (["kt", "uniform"], "there is no saved run kt; to compare models type: bitmeter compare kt uniform --on TEXT"),
        (["run.json", "run.json", "--ctx", "8.4"], "--ctx is for scoring, and saved runs are scored already"),
    ],
)
def test_mistakes(words: list[str], part: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "compare", *words)
    assert (code, printed) == (2, "")
    assert part in said


def test_several_processes_compare_as_one(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model that learns is scored by this process, the others by both."""
    assert run(capsys, "train", "harbour.txt", "-o", "m.bmn", "--order", "2")[0] == 0
    words = ["compare", "m.bmn", "uniform", "kt", "--on", "harbour.txt", "--docs", "line", "--json"]
    code, alone, _ = run(capsys, *words)
    assert code == 0
    assert run(capsys, *words, "--workers", "2")[:2] == (0, alone)
    code, _, said = run(capsys, *words, "--workers", "2", "--html", "r.html")
    assert code == 2
    assert "--html needs traces" in said
