"""The file of the history: made, refused, damaged, read-only."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from bitmeter.errors import FileFormatError
from bitmeter.history.database import connected, history_file, is_on


def test_the_variables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("BITMETER_DATA", str(tmp_path / "mine"))
    assert history_file() == tmp_path / "mine" / "history.sqlite"
    monkeypatch.delenv("BITMETER_DATA")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    assert history_file() == tmp_path / "home" / "bitmeter" / "history.sqlite"
    assert is_on()
    for word in ("off", "0", "no", " FALSE "):
        monkeypatch.setenv("BITMETER_HISTORY", word)
        assert not is_on()


def made(path: Path) -> Path:
    with connected(path, write=True) as database:
        assert database.execute("SELECT count(*) FROM runs").fetchone() == (0,)
    return path


def test_it_is_made_for_the_user_alone(tmp_path: Path) -> None:
    path = made(made(tmp_path / "a" / "b" / "history.sqlite"))
    assert path.stat().st_mode & 0o077 == 0
    with connected(path, write=False) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_what_raises_is_undone(tmp_path: Path) -> None:
    path = made(tmp_path / "h")
    row = "INSERT INTO runs VALUES (1, x'00', 0, 1, '', '', '', '', '', '', 0, 0, NULL)"
    with pytest.raises(FileFormatError, match="UNIQUE"), connected(path, write=True) as database:
        list(map(database.execute, [row, row]))
    with connected(path, write=False) as database:
        assert database.execute("SELECT count(*) FROM runs").fetchone() == (0,)


def cut(path: Path) -> None:
    made(path)
    path.write_bytes(path.read_bytes()[:100] + b"\xff" * 3000)


def foreign(path: Path) -> None:
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE mine (a)")
    database.commit()
    database.close()


def newer(path: Path) -> None:
    made(path)
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 7")
    database.close()


@pytest.mark.parametrize("write", [True, False])
@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda path: path.write_bytes(b"not a database at all" * 100), "is damaged .*Move it away"),
        (cut, "damaged|cannot be used"),
        (foreign, "a database of another program"),
        (newer, "has version 7, and this bitmeter reads version 1"),
        (lambda path: path.mkdir(), "is not a file"),
    ],
    ids=["garbage", "cut", "foreign", "newer", "folder"],
)
def test_what_is_no_history_is_refused_and_left_alone(
    spoil: object,
    said: str,
    tmp_path: Path,
    write: bool,
) -> None:
    path = tmp_path / "h"
    assert callable(spoil)
    spoil(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(FileFormatError, match=said), connected(path, write=write) as database:
        database.execute("SELECT * FROM runs").fetchall()
    if path.is_file() and "another program" in said:
        assert path.read_bytes() == before


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(FileFormatError, match="Set BITMETER_DATA"), connected(tmp_path / "file" / "h", write=True):
        pass


def test_a_read_only_history_can_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = made(tmp_path / "h")
    # Also root, for whom every file is writable, must take the other way.
    monkeypatch.setattr(os, "access", lambda *_: False)
    with connected(path, write=False) as database:
        assert database.execute("SELECT count(*) FROM runs").fetchone() == (0,)
