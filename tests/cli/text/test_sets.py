"""`bitmeter sets`: list and get."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bitmeter.data import catalogue
from tests.cli.running import run
from tests.data.made_sets import TEST, archive, known, serving


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setitem(catalogue.SETS, "made", known())
    monkeypatch.setattr(catalogue, "_LISTED", (*catalogue._LISTED, known()))


def test_list(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = run(capsys, "sets", "list")
    assert code == 0
    assert "wikitext2:test" in printed
    assert "gated" in printed
    assert max(map(len, printed.splitlines())) <= 80
    listed = json.loads(run(capsys, "sets", "list", "--json")[1])["rows"]
    assert {row["name"] for row in listed} == set(catalogue.SETS)
    assert run(capsys, "sets")[1] == printed


def test_get_and_score(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run(capsys, "score", "kt", "made:test")
    assert code == 1
    assert "bitmeter sets get made" in error
    with serving(archive()) as served:
        code, printed, error = run(capsys, "sets", "get", "made", "--from", served.address)
    assert (code, error) == (0, "")
    assert f"{len(TEST):,} bytes" in printed
    assert max(map(len, printed.splitlines())) <= 80
    assert "here already" in run(capsys, "sets", "get", "made")[1]
    for words in (["score", "kt", "made:test"], ["compare", "kt", "uniform", "--on", "made:test"]):
        code, printed, error = run(capsys, *words)
        assert code == 0, error
        assert "made:test" in printed
    code, printed, _ = run(capsys, "score", "made:test", "--docs", "line")  # a text, so that the model is the default
    assert (code, "universal" in printed) == (0, True)
    found = json.loads(run(capsys, "sets", "get", "made", "--json")[1])
    assert [row["name"] for row in found["files"]] == ["made:test", "made:train"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["get"], "name the set"),
        (["get", "nothing"], "there is no test set"),
        (["list", "wikitext2"], "takes no name"),
        (["drop", "wikitext2"], "neither list nor get"),
    ],
)
def test_mistakes(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run(capsys, "sets", *words)
    assert code == 2
    assert said in error


def test_a_gated_set(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run(capsys, "sets", "get", "paloma")
    assert code == 1
    assert "accept its terms" in error


def test_json_says_what_is_here_and_what_is_not_known(capsys: pytest.CaptureFixture[str]) -> None:
    def listed() -> dict[str, dict[str, Any]]:
        return {row["name"]: row for row in json.loads(run(capsys, "sets", "list", "--json")[1])["rows"]}

    found = listed()
    assert {name: row["here"] for name, row in found.items()} == dict.fromkeys(catalogue.SETS, False)
    valid = found["wikitext2"]["parts"]["valid"]
    assert (valid["sha256"], valid["size"], valid["here"]) == (None, None, False)
    assert (found["paloma"]["sha256"], found["wikitext2-tokens"]["size"]) == (None, None)
    with serving(archive()) as served:
        run(capsys, "sets", "get", "made", "--from", served.address)
    made = listed()["made"]
    assert (made["here"], made["parts"]["test"]["here"]) == (True, True)
