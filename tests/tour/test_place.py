"""The place in the tour: remembered, never half-written, and a file that does not hold one does no harm."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from bitmeter.errors import FileFormatError
from bitmeter.tour.place import Place, place_file, recall, remember

NAMES = ("information", "entropy")


@pytest.fixture(autouse=True)
def state(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    return tmp_path / "bitmeter" / "tour.json"


def test_what_is_remembered_is_recalled(state: Path) -> None:
    assert recall(NAMES) is None
    remember(Place("entropy", 12))
    remember(Place("entropy", 31))
    assert recall(NAMES) == Place("entropy", 31)
    assert state == place_file()
    assert os.listdir(state.parent) == ["tour.json"]
    assert state.parent.stat().st_mode & 0o777 == 0o700


GOOD = {"schema": "bitmeter.tour/1", "lesson": "entropy", "line": 3}


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"[]", b"null", b"3", b"\xff\xfe", b"[" * 4000, b" " * 5000, b"1" * 4000, b'{"a":' * 700,
        *(json.dumps(GOOD | change).encode() for change in (
            {"schema": "bitmeter.tour/2"}, {"schema": None}, {"lesson": "no such"}, {"lesson": ["entropy"]},
            {"lesson": None}, {"lesson": "\x1b]0;owned\x07"}, {"line": -1}, {"line": 1e3}, {"line": True},
            {"line": "3"}, {"line": 10**30}, {"line": None},
        )),
    ],
)  # fmt: skip
def test_a_damaged_file_is_named_and_replaced(content: bytes, state: Path) -> None:
    state.parent.mkdir()
    state.write_bytes(content)
    with pytest.raises(FileFormatError, match=r"tour\.json, cannot be read") as error:
        recall(NAMES)
    assert "owned" not in str(error.value)
    remember(Place("entropy", 3))
    assert recall(NAMES) == Place("entropy", 3)


def test_a_pipe_or_a_folder_in_its_place_is_left_alone(state: Path) -> None:
    state.parent.mkdir()
    os.mkfifo(state)
    with pytest.raises(FileFormatError, match="not a regular file"):
        recall(NAMES)
    with pytest.raises(FileFormatError, match="not a regular file"):
        remember(Place("entropy"))
    state.unlink()
    state.mkdir()
    with pytest.raises(FileFormatError, match="cannot be read"):
        recall(NAMES)
    with pytest.raises(FileFormatError, match="not remembered"):
        remember(Place("entropy"))
    state.rmdir()
    state.symlink_to("/dev/zero")
    with pytest.raises(FileFormatError, match="not a regular file"):
        recall(NAMES)
    with pytest.raises(FileFormatError, match="not a regular file"):
        remember(Place("entropy"))


def test_a_folder_that_cannot_be_made_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    assert recall(NAMES) is None
    with pytest.raises(FileFormatError, match="not remembered"):
        remember(Place("entropy"))
