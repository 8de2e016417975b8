"""`bitmeter check`: exit codes, files, refusals."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import bitmeter as bm
from tests.cli.running import run

TEXT = b"".join(b"line %d of a small text that goes on and on\n" % (i * 7919 % 1000) for i in range(60))


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "text.txt").write_bytes(TEXT)
    (tmp_path / "short.txt").write_bytes(TEXT[:400])
    bm.score("kt", TEXT, docs="line").save(tmp_path / "kt.json")
    bm.score("uniform", TEXT, docs="line").save(tmp_path / "uniform.json")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["kt.json", "uniform.json"], 1, "failed: worse"),
        (["uniform.json", "kt.json"], 0, "passed: better"),
        (["kt.json", "kt", "--on", "text.txt"], 0, "passed: equal"),
        (["kt", "uniform", "--on", "text.txt", "--docs", "line", "--allow", "9"], 0, "passed: equal"),
        (["kt", "zlib", "--on", "text.txt"], 0, "undecided"),
        (["kt", "zlib", "--on", "text.txt", "--strict"], 3, "undecided"),
        (["kt", "kt", "--on", "text.txt", "--kl", "0", "--same-top", "100%"], 0, "different top"),
    ],
)
def test_the_exit_code_says_the_verdict(
    words: list[str], code: int, said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(capsys, "check", *words)
    assert found[0] == code, found
    assert said in found[1]
    assert (found[2] == "") == (code == 0)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["kt", "uniform"], "is not a saved run"),
        (["kt.json", "uniform.json", "--on", "text.txt"], "--on is for scoring"),
        (["kt.json", "uniform.json", "--docs", "line"], "--docs is for scoring"),
        (["kt.json", "uniform.json", "--allow", "lots"], "--allow"),
        (["kt.json", "uniform.json", "--same-top", "1000%"], "same-top"),
        (["kt.json", "uniform.json", "--weights", "x"], "--weights"),
        (["kt.json", "uniform.json", "--junit", "text.txt"], "text.txt"),
        (["kt.json", "uniform.json", "--summary", "none/s.md"], "none"),
    ],
)
def test_mistakes_are_usage_errors(words: list[str], said: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, error = run(capsys, "check", *words)
    assert (code, printed) == (2, "")
    assert said in error


def test_faults_exit_with_1(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run(capsys, "check", "kt.json", "kt", "--on", "short.txt")
    assert code == 1
    assert "must not be compared" in error
    code, _, error = run(capsys, "check", "kt.json", "kt", "--on", "text.txt", "--kl", "1")
    assert code == 1
    assert "holds only sums" in error


def test_files_for_machines(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "summary.md").write_text("# Before\n")
    words = ["check", "kt.json", "uniform.json", "--junit", "j.xml", "--summary", "summary.md", "--json"]
    code, printed, _ = run(capsys, *words)
    assert code == 1
    assert json.loads(printed)["verdict"] == "worse"
    assert ET.parse(here / "j.xml").getroot()[0].attrib["failures"] == "1"
    summary = (here / "summary.md").read_text()
    assert summary.startswith("# Before\n### bitmeter check: failed")
    assert run(capsys, *words)[0] == 2  # j.xml is there
    assert run(capsys, *words, "--force")[0] == 1


def test_groups_are_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run(capsys, "check", "kt", "uniform", "--on", "text.txt", "--group", "file")
    assert code == 2
    assert "leave out --group" in " ".join(error.split())


@pytest.mark.parametrize("more", [[], ["--on", "text.txt"]])
def test_a_missing_run_is_named(more: list[str], here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run(capsys, "check", "kt.json", "nosuch.json", *more)
    assert code == 1
    assert "there is no file nosuch.json" in error
