"""Where sets are kept, and what is noted of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from bitmeter.data.store import digest, file_of, folder_of, record, recorded, stored_file
from bitmeter.errors import FileFormatError
from tests.data.made_sets import TEST, known, sha256


def test_notes_are_kept_and_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    made = known()
    assert recorded(made) == {}
    folder_of(made).mkdir(parents=True)
    record(made, {"test": "a" * 64}, "here")
    record(made, {"train": "b" * 64}, "there")
    assert recorded(made) == {"test": "a" * 64, "train": "b" * 64}
    (folder_of(made) / "set.json").write_text('{"sha256": [1]}')
    with pytest.raises(FileFormatError, match="sets get"):
        recorded(made)


def test_files_have_their_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert stored_file(known(), "test") == tmp_path / "bitmeter" / "sets" / "made" / "test.txt"
    (tmp_path / "x").write_bytes(TEST)
    assert digest(tmp_path / "x") == sha256(TEST)
    assert file_of("no set at all") is None
