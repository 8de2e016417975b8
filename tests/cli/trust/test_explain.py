"""`bitmeter explain`: signatures, runs, traces and tools, alone and against each other."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bitmeter as bm
from tests.cli.running import run


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    bm.score("kt", b"to be or not to be\n", trace="run.parquet").save("run.json")
    bm.score("kt", b"to be or not to be\n", first="skip").save("other.json")
    return tmp_path


def test_a_run_its_trace_and_its_signature_say_the_same(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    signature = str(bm.Score.load("run.json").signature)
    said = [run(capsys, "explain", name) for name in ("run.json", "run.parquet", signature)]
    assert said[0][0] == 0
    assert said[0] == said[1] == said[2]


def test_two_runs_differ_in_what_was_set(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "first" in run(capsys, "explain", "run.json", "other.json")[1]
    assert "first" not in run(capsys, "explain", "run.json", "run.json")[1]


def test_a_run_and_a_tool_in_either_order(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    there, back = run(capsys, "explain", "run.json", "kenlm"), run(capsys, "explain", "kenlm", "run.json")
    assert there[0] == 0
    assert there == back


def test_nonsense_is_a_mistake_of_the_command(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "explain", "nonsense")
    assert (code, printed) == (2, "")
    assert "none of the tools bitmeter, kenlm" in said


def test_a_short_signature_is_that_of_a_run_beside(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    short = bm.Score.load("run.json").signature.short
    assert run(capsys, "explain", short) == run(capsys, "explain", "run.json")
    assert run(capsys, "explain", short, "other.json") == run(capsys, "explain", "run.json", "other.json")


def test_a_short_signature_is_that_of_a_remembered_run(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BITMETER_DATA", str(here / "data"))
    (here / "text").write_text("to be or not to be, that is")
    short = json.loads(run(capsys, "score", "uniform", "text", "--json")[1])["short"]
    code, printed, said = run(capsys, "explain", short)
    assert (code, said) == (0, "")
    assert printed.startswith(f"{short}\n")


def test_an_unknown_short_signature_says_what_to_give_instead(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "explain", "bm1-00000000")
    assert (code, printed) == (2, "")
    assert "neither in the history (bitmeter runs list) nor the signature of a saved run" in said
    assert "the long signature" in said
