"""Which names out of a file may be followed."""

from pathlib import Path

import pytest

from bitmeter._util.paths import is_inside


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../a", "a/../../b", "a/..", "/a", "//host/share", "C:\\a", "C:a", "\\\\host\\share", "a\\b",
     "a\0b", "a\nerror: type rm", "a\x1b[2J", "a\u2028b", "up/a", "loop", "out.bmn"],
)  # fmt: skip
def test_names_that_leave_the_folder(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "a").write_bytes(b"")
    (folder / "up").symlink_to("..")
    (folder / "loop").symlink_to("loop")
    (folder / "out.bmn").symlink_to(tmp_path / "a")
    assert not is_inside(name, folder)


def test_names_that_stay(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "a.bmn").write_bytes(b"")
    (tmp_path / "link.bmn").symlink_to("sub/a.bmn")
    for name in ("sub/a.bmn", "link.bmn", "sub", "absent", "hf:x,trust=yes"):
        assert is_inside(name, tmp_path)
    (tmp_path / "sub" / "weights").symlink_to("/etc/passwd")
    assert not is_inside("sub", tmp_path)  # a folder counts with all that is in it
