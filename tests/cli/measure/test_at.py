"""`bitmeter score --at`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.cli.texts import write_texts


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)


def test_statistics_of_each_line(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["score", "kt", "harbour.txt", "--docs", "line", "--at", "min-k,min-k++,zlib", "--at", "binoculars:uniform"]
    code, printed, error = run(capsys, *words, "--null", "half.txt")
    assert (code, error) == (0, "")
    assert max(map(len, printed.splitlines())) <= 80
    found = json.loads(run(capsys, *words, "--json")[1])
    assert [one["name"] for one in found["statistics"]] == ["min-k", "min-k++", "zlib", "binoculars"]
    assert len(found["documents"]) == 8


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--null", "half.txt"], "--null is for --at"),
        (["--at", "min-k", "-o", "x.doc"], ".csv"),
        (["--at", "min-k", "--eos", "yes"], "--eos"),
        (["--at", "max-k"], "no statistic"),
        (["--at", "binoculars"], "binoculars:MODEL"),
        (["half.txt", "--at", "zlib"], "one of each"),
    ],
)
def test_mistakes(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, error = run(capsys, "score", "kt", "harbour.txt", *words)
    assert (code, printed) == (2, "")
    assert said in error


def test_a_compressor_has_no_statistics(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, error = run(capsys, "score", "xz", "harbour.txt", "--at", "zlib")
    assert code == 1
    assert "divergence" not in error
    assert "statistics of documents need a model that does" in " ".join(error.split())
