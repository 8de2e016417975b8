"""What a killed process left is removed; what a living one uses is not."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import bitmeter
from bitmeter._util import leftovers
from bitmeter._util.drafts import Draft
from bitmeter._util.leftovers import is_temporary, sweep, temporary_folder, temporary_name, temporary_place

#: Makes a temporary file or folder, says so, and waits.
WAITING = """
import sys, tempfile
from bitmeter._util.drafts import Draft
from bitmeter._util.leftovers import temporary_folder
tempfile.tempdir = sys.argv[2]
if sys.argv[1] == "file":
    draft = Draft(sys.argv[2], named=True)
    draft.path.write_bytes(b"half")
else:
    held = temporary_folder()
    (held.__enter__() / "content").write_bytes(b"half")
print(flush=True)
sys.stdin.read()
"""


@pytest.fixture(autouse=True)
def new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this process had swept no folder yet."""
    monkeypatch.setattr(leftovers, "_swept", set())


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_only_what_a_dead_process_left_is_removed(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WAITING, kind, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        (name,) = os.listdir(tmp_path)
        sweep(str(tmp_path))
        assert os.listdir(tmp_path) == [name]
        child.send_signal(signal.SIGKILL)
        child.wait()
        assert os.listdir(tmp_path) == [name]
    sweep(str(tmp_path))
    assert os.listdir(tmp_path) == [name], "one look per process"
    monkeypatch.setattr(leftovers, "_swept", set())
    sweep(str(tmp_path))
    assert os.listdir(tmp_path) == []


def test_a_writer_sweeps_the_folder_it_writes_to(tmp_path: Path) -> None:
    (tmp_path / temporary_name()).write_bytes(b"left")
    Draft(str(tmp_path)).discard()
    assert os.listdir(tmp_path) == []


def test_names_of_others_are_left_alone(tmp_path: Path) -> None:
    others = [".bitmeter-notes.tmp", "bitmeter-data", ".bitmeter-0123456789ABCDEF.tmp", f"x{temporary_name()}"]
    for name in others:
        (tmp_path / name).write_bytes(b"")
    sweep(str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == sorted(others)


def test_a_link_of_such_a_name_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "kept").write_bytes(b"x")
    (tmp_path / temporary_name()).symlink_to("mine")
    (tmp_path / temporary_name()).symlink_to(Path("mine", "kept"))
    sweep(str(tmp_path))
    assert (tmp_path / "mine" / "kept").read_bytes() == b"x"


def test_a_folder_that_cannot_be_read_is_no_error(tmp_path: Path) -> None:
    sweep(str(tmp_path / "nothing"))


def test_temporary_names_are_recognised() -> None:
    names = {temporary_name() for _ in range(100)}
    assert len(names) == 100
    assert all(map(is_temporary, names))


def test_temporary_folders_are_private_and_deleted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with temporary_folder() as folder:
        assert folder.parent == tmp_path
        assert folder.stat().st_mode & 0o777 == 0o700
        (folder / "x").write_bytes(b"x")
    assert os.listdir(tmp_path) == []


def test_temporary_files_go_where_tempfile_puts_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert temporary_place() == str(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path / "nothing"))
    monkeypatch.delenv("TEMP", raising=False)
    monkeypatch.delenv("TMP", raising=False)
    assert os.path.isdir(temporary_place())


#: Folders that no later run could sweep, and why they are so.
UNSWEPT = {
    "models/pickling.py": "a mapped file may be in it, which Windows does not remove",
    "scale/on_ray.py": "Ray removes what it makes there, and keeps it while it runs",
}


def test_temporary_folders_are_such_that_a_later_run_sweeps_them() -> None:
    """After SIGKILL a folder by the standard library's name stays for ever."""
    source = Path(bitmeter.__file__).parent
    calls = re.compile(r"tempfile\.(?:TemporaryDirectory|mkdtemp|NamedTemporaryFile|mkstemp)\(")
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        for line in path.read_text().splitlines()
        if calls.search(line) and not line.lstrip().startswith((">>>", "..."))
    }
    assert found == set(UNSWEPT)
