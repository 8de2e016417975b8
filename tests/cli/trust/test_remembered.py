"""Runs by name."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer

import bitmeter as bm
from bitmeter.cli.trust.remembered import named_run, remembered_runs
from bitmeter.history.runs import History

TEXT = b"to be or not to be\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("BITMETER_DATA", str(tmp_path / "data"))
    return tmp_path


def test_a_number_is_of_the_history_and_a_path_is_a_file(here: Path) -> None:
    kept, saved = bm.score("kt", TEXT), bm.score("uniform", TEXT)
    History().record([kept])
    for name in ("1", "run.json"):
        saved.save(name)
    assert named_run("1").whole() == kept
    assert named_run("./1").whole() == named_run("run.json").whole() == saved
    assert named_run(saved.signature.short).path == Path("run.json")
    assert named_run(kept.signature.short).line == remembered_runs("1")[0]


@pytest.mark.parametrize("name", ["2", "bm1-0000", "kt", ""])
def test_what_there_is_not(name: str, here: Path) -> None:
    with pytest.raises(typer.BadParameter):
        named_run(name or "no such file")
    assert remembered_runs(name) == []
