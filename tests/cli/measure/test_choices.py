"""`bitmeter score --choices`: items with several answers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bitmeter as bm
from tests.cli.running import run


@pytest.fixture
def items(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rows = [{"q": "a", "c": ["b", "cc"], "l": 0}, {"q": "a", "c": ["bbb", "c"], "l": 0}]
    (tmp_path / "items.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return tmp_path


def test_the_figures_are_those_of_choose(items: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["score", "uniform", "items.jsonl", "--given", "q", "--choices", "c", "--label", "l"]
    code, printed, said = run(capsys, *words, "--json")
    assert (code, said) == (0, "")
    found = bm.choose("uniform", "items.jsonl", given="q", choices="c", label="l")
    document = json.loads(printed)
    assert document["short"] == found.signature.short
    assert document["rows"] == found.to_dict()["rows"]
    assert float(run(capsys, *words, "-q")[1]) == 0.5  # the shorter answer is likelier: right once of two


def test_what_is_missing_is_named(items: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = run(capsys, "score", "uniform", "items.jsonl", "--given", "q", "--choices", "c")
    assert code == 2
    assert "--label is missing" in said
    code, _, said = run(
        capsys, "score", "kt", "items.jsonl", "--given", "q", "--choices", "c", "--label", "l", "--eos", "no"
    )
    assert code == 2
    assert "--eos has no meaning for a choice" in said
