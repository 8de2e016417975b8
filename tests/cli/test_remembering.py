"""What is said where a run cannot be remembered."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter.cli.remembering import remember
from bitmeter.history.runs import History


def test_scores_are_remembered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BITMETER_DATA", str(tmp_path))
    remember([], "score")
    assert not (tmp_path / "history.sqlite").exists()
    remember([bm.score("kt", b"to be")], "score")
    assert [line.model for line in History().runs()] == ["kt"]


def test_control_characters_do_not_reach_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a\x1b[2J").touch()
    monkeypatch.setenv("BITMETER_DATA", str(tmp_path / "a\x1b[2J"))
    remember([bm.score("kt", b"to be")], "score")
    said = capsys.readouterr().err
    assert said.startswith("note: this run is not in the history: ")
    assert "\x1b" not in said


def test_a_python_without_sqlite_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    before = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "bitmeter.history.database":
            raise ImportError(name)
        return before(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    remember([bm.score("kt", b"to be")], "score")
