"""Atomic writes: a file appears whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from bitmeter._util.files import as_path, check_destination, is_written_through, label, read_whole, replacing, unwritten
from bitmeter.errors import FileFormatError, InputTypeError


def test_a_file_appears_whole_at_the_end(tmp_path: Path) -> None:
    final = tmp_path / "x.bin"
    with replacing(final) as beside:
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
    with (
        pytest.raises(FileFormatError, match="cannot be written: there is no folder"),
        replacing(tmp_path / "no" / "x"),
    ):
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


def test_names_that_are_not_utf8_are_names(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9")
    assert as_path(name) == Path(name)
    with replacing(tmp_path / name) as beside:
        beside.write_bytes(b"x")
    assert os.listdir(os.fsencode(tmp_path)) == [b"caf\xe9"]


@pytest.mark.parametrize("value", ["", "a\0b", "a\ud800"])
def test_what_cannot_name_a_file_is_refused(value: str) -> None:
    with pytest.raises(FileFormatError, match="cannot be the name of a file"):
        as_path(value)


def test_paths_stay_paths() -> None:
    assert as_path("a/b") == as_path(Path("a/b")) == Path("a/b")


def write(path: Path | str, content: bytes, *, force: bool = False) -> None:
    with replacing(path, force=force) as beside:
        beside.write_bytes(content)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("née.txt", "née.txt"),
        ("a\u00a0b\u3000", "a\u00a0b\u3000"),
        (os.fsdecode(b"n\xe9e\x80"), "n\\xe9e\\x80"),
        ("two\nlines\t\x1b[31m", "two\\nlines\\t\\x1b[31m"),
        ("\ud83d", "\\ud83d"),
    ],
)
def test_labels_are_text_of_one_line(name: str, shown: str) -> None:
    assert label(name) == shown
    assert shown.encode().decode() == shown


# ---- links -----------------------------------------------------------------------------------------------------------


def test_the_file_behind_a_link_is_replaced_and_the_link_stays(tmp_path: Path) -> None:
    (tmp_path / "far").mkdir()
    target, link, chain = tmp_path / "far" / "x", tmp_path / "link", tmp_path / "chain"
    target.write_bytes(b"old")
    link.symlink_to(Path("far", "x"))
    chain.symlink_to(link)
    write(chain, b"new", force=True)
    assert (chain.is_symlink(), link.is_symlink(), target.is_symlink()) == (True, True, False)
    assert target.read_bytes() == b"new"
    with pytest.raises(FileFormatError, match="exists already"):
        write(link, b"newer")


def test_links_to_nothing_to_folders_and_to_themselves_are_refused(tmp_path: Path) -> None:
    for name, target in (("dangling", "nothing"), ("folder", "."), ("a", "b"), ("b", "a")):
        (tmp_path / name).symlink_to(target)
    before = sorted(os.listdir(tmp_path))
    for name, reason in (("dangling", "which does not exist"), ("folder", "is a folder"), ("a", "do not end")):
        with pytest.raises(FileFormatError, match=reason):
            write(tmp_path / name, b"x", force=True)
    assert sorted(os.listdir(tmp_path)) == before


def test_other_hard_links_keep_the_old_content(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"old")
    os.link(tmp_path / "a", tmp_path / "b")
    write(tmp_path / "a", b"new", force=True)
    assert ((tmp_path / "a").read_bytes(), (tmp_path / "b").read_bytes()) == (b"new", b"old")


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o444])
def test_a_file_that_is_replaced_keeps_its_mode(mode: int, tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"old")
    (tmp_path / "x").chmod(mode)
    write(tmp_path / "x", b"new", force=True)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == mode


# ---- devices, FIFOs, descriptors -------------------------------------------------------------------------------------


@pytest.mark.parametrize("force", [False, True])
def test_a_fifo_is_written_through_and_stays(force: bool, tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(fifo, b"content", force=force)
        assert os.read(reader, 100) == b"content"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(fifo.lstat().st_mode)
    assert os.listdir(tmp_path) == ["fifo"]


def test_nothing_goes_through_after_an_error(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)

    def half() -> None:
        with replacing(fifo) as beside:
            beside.write_bytes(b"half")
            raise ZeroDivisionError

    try:
        with pytest.raises(ZeroDivisionError):
            half()
        assert os.read(reader, 100) == b""
    finally:
        os.close(reader)


def test_a_device_is_written_through(tmp_path: Path) -> None:
    """A terminal, whose place no file can take even for root: a failing test must not cost the machine a device."""
    ours, theirs = os.openpty()
    device, link = os.ttyname(theirs), tmp_path / "link"
    link.symlink_to(device)
    try:
        for path in (device, link):
            assert is_written_through(path)
            write(path, b"content", force=True)
            assert os.read(ours, 100) == b"content"
        assert stat.S_ISCHR(os.stat(device).st_mode)
        assert link.is_symlink()
    finally:
        os.close(ours)
        os.close(theirs)


def test_descriptors_are_written_where_they_are(tmp_path: Path) -> None:
    """As with `-o /dev/stdout > file`, to which other output goes too."""
    file = os.open(tmp_path / "out", os.O_RDWR | os.O_CREAT)
    try:
        os.write(file, b"before ")
        write(f"/dev/fd/{file}", b"content")
        os.write(file, b" after")
    finally:
        os.close(file)
    assert (tmp_path / "out").read_bytes() == b"before content after"
    with pytest.raises(FileFormatError, match="no such descriptor"):
        write("/dev/fd/9999", b"")


def test_sockets_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.chdir(tmp_path)  # the name of a socket is short
    with socket.socket(socket.AF_UNIX) as made:
        made.bind("s")
        with pytest.raises(FileFormatError, match="it is a socket"):
            write("s", b"", force=True)


# ---- before the work -------------------------------------------------------------------------------------------------


def test_a_destination_is_checked_without_being_touched(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"x")
    check_destination(tmp_path / "new")
    check_destination(tmp_path / "file", force=True)
    for path, reason in (
        (tmp_path / "file", "exists already"),
        (tmp_path, "is a folder"),
        (tmp_path / "file" / "x", "Not a directory"),
        (tmp_path / "no" / "x", "there is no folder"),
        (tmp_path / ("n" * 300), "File name too long"),
    ):
        with pytest.raises(FileFormatError, match=reason):
            check_destination(path)
    assert os.listdir(tmp_path) == ["file"]


def test_a_folder_that_cannot_be_written_to_is_refused_before_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may write everywhere
    with pytest.raises(FileFormatError, match="no file can be made in the folder"):
        check_destination(tmp_path / "x")


def test_a_file_that_another_process_makes_meanwhile_is_not_overwritten(tmp_path: Path) -> None:
    final = tmp_path / "x"

    def late() -> None:
        with replacing(final) as beside:
            beside.write_bytes(b"ours")
            final.write_bytes(b"theirs")

    with pytest.raises(FileFormatError, match="exists already"):
        late()
    assert final.read_bytes() == b"theirs"
    assert os.listdir(tmp_path) == ["x"]


def test_the_longest_name_can_be_written(tmp_path: Path) -> None:
    for name in ("n" * 255, "-", "-x", "a|b:c", "two\nlines"):
        for force in (False, True):
            write(tmp_path / name, b"x", force=force)
    assert len(os.listdir(tmp_path)) == 5


def test_the_umask_of_the_process_is_not_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(mask: int) -> int:
        raise AssertionError(mask)

    monkeypatch.setattr(os, "umask", forbidden)
    write(tmp_path / "x", b"x")
    write(tmp_path / "x", b"x", force=True)


def test_a_file_without_an_end_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "config.json").symlink_to("/dev/zero")
    with pytest.raises(OSError, match="more than 1,048,576 bytes"):
        read_whole(tmp_path / "config.json", 1 << 20)
    (tmp_path / "exact").write_bytes(b"x" * 10)
    assert read_whole(tmp_path / "exact", 10) == b"x" * 10
    with pytest.raises(OSError, match="more than 9 bytes"):
        read_whole(tmp_path / "exact", 9)
