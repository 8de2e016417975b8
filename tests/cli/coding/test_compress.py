"""`bitmeter compress`: the archive of the library, from a file and from a pipe."""

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
    (tmp_path / "text").write_bytes(TEXT)
    return tmp_path


def test_the_archive_is_that_of_the_library(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "compress", "kt", "text")
    assert (code, said) == (0, "")
    assert printed.startswith("text.bmz: 200 bytes in ")
    bm.compress("kt", "text", "other.bmz")
    assert Path("text.bmz").read_bytes() == Path("other.bmz").read_bytes()


def test_from_a_pipe_into_a_pipe(here: Path) -> None:
    done = subprocess.run([*MAIN, "compress", "kt", "-"], input=TEXT, capture_output=True, check=True)
    (here / "piped.bmz").write_bytes(done.stdout)
    bm.decompress("piped.bmz", "back")
    assert (here / "back").read_bytes() == TEXT


def test_an_embedded_model_is_counted(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bm.NGram(order=2).fit(TEXT).save("m.bmn")
    run(capsys, "compress", "m.bmn", "text", "-o", "without.bmz")
    run(capsys, "compress", "m.bmn", "text", "-o", "with.bmz", "--embed")
    assert Path("with.bmz").stat().st_size > Path("without.bmz").stat().st_size + 1000
    Path("m.bmn").unlink()
    assert run(capsys, "decompress", "with.bmz", "-o", "back")[0] == 0
    assert Path("back").read_bytes() == TEXT


def test_a_model_that_gives_only_a_total_is_refused(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "compress", "xz", "text")
    assert (code, printed) == (1, "")
    assert said.startswith("error: xz")
    assert not Path("text.bmz").exists()
