"""Atomic writes: a file appears whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from bitmeter._util.files import as_path, replacing, unwritten
from bitmeter.errors import FileFormatError, InputTypeError


def test_a_file_appears_whole_at_the_end(tmp_path: Path) -> None:
    final = tmp_path / "x.bin"
    with replacing(final) as beside:
        assert beside.parent == tmp_path
        beside.write_bytes(b"half")
        assert not final.exists()
        beside.write_bytes(b"whole")
    assert final.read_bytes() == b"whole"
    assert os.listdir(tmp_path) == ["x.bin"]


def test_an_error_leaves_nothing_behind_and_the_old_file_in_place(tmp_path: Path) -> None:
    final = tmp_path / "x.bin"
    final.write_bytes(b"old")

    def half() -> None:
        with replacing(final, force=True) as beside:
            beside.write_bytes(b"half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        half()
    assert final.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.bin"]


def test_nothing_is_overwritten_unless_forced(tmp_path: Path) -> None:
    final = tmp_path / "x.bin"
    final.write_bytes(b"old")
    with (
        pytest.raises(FileFormatError, match=r"exists already; type --force"),
        replacing(final),
    ):
        pass
    assert final.read_bytes() == b"old"
    with replacing(final, force=True) as beside:
        beside.write_bytes(b"new")
    assert final.read_bytes() == b"new"


def test_the_mode_is_that_of_an_ordinary_new_file(tmp_path: Path) -> None:
    ordinary, final = tmp_path / "a", tmp_path / "b"
    ordinary.write_bytes(b"")
    with replacing(final) as beside:
        beside.write_bytes(b"")
    assert stat.S_IMODE(final.stat().st_mode) == stat.S_IMODE(ordinary.stat().st_mode)


def test_folders_and_missing_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="is a folder; name a file in it"), replacing(tmp_path):
        pass
    with pytest.raises(FileFormatError, match="cannot be written: No such file"), replacing(tmp_path / "no" / "x"):
        pass


def test_an_error_of_the_system_is_named_with_its_reason(tmp_path: Path) -> None:
    full = OSError(errno.ENOSPC, "a library's own message")
    with (
        pytest.raises(FileFormatError, match=r"x cannot be written: No space left on"),
        replacing(tmp_path / "x"),
    ):
        raise full
    assert str(unwritten("x", OSError("no number"))) == "x cannot be written: no number"


@pytest.mark.parametrize("value", [None, 5, b"x", ["x"]])
def test_what_is_no_path_is_refused(value: Any) -> None:
    with pytest.raises(InputTypeError, match="is not a path"):
        as_path(value)


@pytest.mark.parametrize("value", ["", "a\0b", "a\ud800"])
def test_what_cannot_name_a_file_is_refused(value: str) -> None:
    with pytest.raises(FileFormatError, match="cannot be the name of a file"):
        as_path(value)


def test_paths_stay_paths() -> None:
    assert as_path("a/b") == as_path(Path("a/b")) == Path("a/b")
