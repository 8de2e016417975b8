"""What is said where a run cannot be remembered."""

from __future__ import annotations

import builtins
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter import cli
from bitmeter.cli.remembering import notes, remember
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
    (tmp_path / "text.txt").write_text("to be")
    monkeypatch.setenv("BITMETER_DATA", str(tmp_path / "a\x1b[2J"))
    for words in (["score", "kt"], ["trace", "kt"]):
        assert cli._run([*words, str(tmp_path / "text.txt")]) == 0
        said = capsys.readouterr().err
        assert said.startswith("note: this run is not in the history: ")
        assert "\x1b" not in said
        assert len(said.splitlines()) == 1


def test_a_note_waits_for_the_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("BITMETER_DATA", str(tmp_path / "file"))
    remember([bm.score("kt", b"to be")], "score")
    assert capsys.readouterr().err == ""
    assert [note.partition(":")[0] for note in notes] == ["note"]
    # The next command does not say what an earlier one would have said.
    assert cli._run(["explain", "kenlm"]) == 0
    assert capsys.readouterr().err == ""
    assert notes == []


def test_a_python_without_sqlite_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    before = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "bitmeter.history.database":
            raise ImportError(name)
        return before(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    remember([bm.score("kt", b"to be")], "score")
