"""Files that get their name when they are whole, with and without files that have no name."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from bitmeter._util.drafts import Draft
from bitmeter._util.leftovers import is_temporary


@pytest.fixture(params=["as the system has it", "with a temporary name"])
def draft(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    made = Draft(str(tmp_path), named=request.param == "with a temporary name")
    yield made
    made.discard()


def test_it_is_published_under_a_new_name(draft: Draft, tmp_path: Path) -> None:
    draft.path.write_bytes(b"x")
    draft.publish(str(tmp_path / "new"), replace=False)
    draft.discard()
    assert (os.listdir(tmp_path), (tmp_path / "new").read_bytes()) == (["new"], b"x")


@pytest.mark.parametrize("replace", [False, True])
def test_a_name_that_is_taken_is_replaced_or_refused(replace: bool, draft: Draft, tmp_path: Path) -> None:
    (tmp_path / "old").write_bytes(b"old")
    draft.path.write_bytes(b"new")
    if replace:
        draft.publish(str(tmp_path / "old"), replace=True)
    else:
        with pytest.raises(FileExistsError):
            draft.publish(str(tmp_path / "old"), replace=False)
    draft.discard()
    assert (os.listdir(tmp_path), (tmp_path / "old").read_bytes()) == (["old"], b"new" if replace else b"old")


def test_no_other_user_can_read_it_before(draft: Draft, tmp_path: Path) -> None:
    assert draft.path.stat().st_mode & 0o777 == 0o600
    draft.publish(str(tmp_path / "x"), replace=False)
    (tmp_path / "y").write_bytes(b"")
    assert (tmp_path / "x").stat().st_mode == (tmp_path / "y").stat().st_mode


def test_nothing_remains_of_what_is_discarded(draft: Draft, tmp_path: Path) -> None:
    draft.path.write_bytes(b"x")
    draft.discard()
    draft.discard()
    assert os.listdir(tmp_path) == []


def test_the_content_is_copied_to_an_open_file(draft: Draft, tmp_path: Path) -> None:
    content = os.urandom(3_000_000)
    draft.path.write_bytes(content)
    with (tmp_path / "copy").open("wb") as file:
        draft.copy_to(file.fileno())
    assert (tmp_path / "copy").read_bytes() == content


def test_a_temporary_name_is_of_a_fixed_length(tmp_path: Path) -> None:
    made = Draft(str(tmp_path), named=True)
    (name,) = os.listdir(tmp_path)
    made.discard()
    assert is_temporary(name)


@pytest.mark.parametrize("taken", [False, True])
def test_a_file_system_that_cannot_name_a_file_later_gets_a_copy(
    taken: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What some file systems in user space do; also without hard links."""

    def refuse(*names: Any, **options: Any) -> None:
        raise OSError(errno.EPERM, "no links here")

    made = Draft(str(tmp_path))
    if taken:
        (tmp_path / "x").write_bytes(b"old")
    made.path.write_bytes(b"new")
    monkeypatch.setattr(os, "link", refuse)
    made.publish(str(tmp_path / "x"), replace=taken)
    made.discard()
    assert (os.listdir(tmp_path), (tmp_path / "x").read_bytes()) == (["x"], b"new")


def test_a_system_without_nameless_files_is_served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "O_TMPFILE", os.O_RDONLY | os.O_DIRECTORY, raising=False)  # EISDIR, as old kernels answer
    made = Draft(str(tmp_path))
    assert is_temporary(made.path.name)
    made.discard()
    assert os.listdir(tmp_path) == []
