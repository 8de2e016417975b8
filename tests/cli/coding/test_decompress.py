"""`bitmeter decompress`: the file as it was, or nothing."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import bitmeter as bm
from tests.cli.running import MAIN, run

TEXT = b"to be or not to be\nthat is the question\n" * 5


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    bm.compress("kt", TEXT, "text.bmz")
    return tmp_path


def test_the_name_loses_its_suffix(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "decompress", "text.bmz") == (0, "text: 200 bytes, decoded with kt\n", "")
    assert (here / "text").read_bytes() == TEXT


def test_from_a_pipe_into_a_pipe(here: Path) -> None:
    archive = (here / "text.bmz").read_bytes()
    done = subprocess.run([*MAIN, "decompress", "-"], input=archive, capture_output=True, check=True)
    assert done.stdout == TEXT


def test_a_name_without_the_suffix_needs_another(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "text.bmz").rename(here / "archive")
    code, _, said = run(capsys, "decompress", "archive")
    assert (code, "name the file to write: -o FILE" in said) == (2, True)
    assert run(capsys, "decompress", "archive", "-o", "text")[0] == 0


def test_a_damaged_archive_writes_nothing(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = bytearray((here / "text.bmz").read_bytes())
    whole[-3] ^= 0xFF
    (here / "text.bmz").write_bytes(whole)
    code, printed, said = run(capsys, "decompress", "text.bmz")
    assert (code, printed) == (1, "")
    assert said.startswith("error: ")
    assert not (here / "text").exists()
