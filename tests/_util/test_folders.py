"""Folders of the user."""

from __future__ import annotations

from pathlib import Path

import pytest

from bitmeter._util.folders import data_folder, state_folder
from bitmeter.errors import FileFormatError


def test_the_variable_decides(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder() == tmp_path / "bitmeter"


@pytest.mark.parametrize("given", ["", "relative/folder"])
def test_without_it_the_home_folder_does(given: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    # The XDG specification: a relative path is to be ignored.
    monkeypatch.setenv("XDG_STATE_HOME", given)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert state_folder() == tmp_path / ".local" / "state" / "bitmeter"
    monkeypatch.setattr("sys.platform", "darwin")
    assert state_folder() == tmp_path / "Library" / "Application Support" / "bitmeter"
    monkeypatch.setattr("sys.platform", "win32")
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert state_folder() == tmp_path / "local" / "bitmeter"


def test_a_user_without_a_home_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    monkeypatch.setattr("bitmeter._util.folders.Path.home", homeless)
    with pytest.raises(FileFormatError, match="XDG_STATE_HOME"):
        state_folder()


def test_what_is_fetched_has_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert data_folder() == tmp_path / "bitmeter"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr("sys.platform", "linux")
    assert data_folder() == tmp_path / ".local" / "share" / "bitmeter"
