"""`bitmeter overlap`: tables, JSON, files of rows, and indices."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run


@pytest.fixture(autouse=True)
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("text.txt").write_text("to be or not to be\nthat is the question\n")
    Path("corpus.txt").write_text("whether to be or not to be here\nis the question\n")


def test_json_and_rows(capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, error = run(
        capsys, "overlap", "text.txt", "--in", "corpus.txt", "-n", "10", "--docs", "line", "--in-docs", "line",
        "-o", "rows.jsonl", "--json",
    )  # fmt: skip
    assert (code, error) == (0, "")
    found = json.loads(printed)
    # "to be or not to be" of the first line, without its newline; " is the question\n" of the second.
    assert (found["covered"], found["units"], found["longest"]) == (18 + 16, 40, 18)
    rows = [json.loads(line) for line in Path("rows.jsonl").read_text().splitlines()]
    assert [{name: row[name] for name in found["by_document"][0]} for row in rows] == found["by_document"]
    assert [row["source"] for row in rows] == ["corpus.txt:1", "corpus.txt:2"]


def test_an_index_is_saved_and_used(capsys: pytest.CaptureFixture[str]) -> None:
    first = run(capsys, "overlap", "text.txt", "--in", "corpus.txt", "-n", "10", "--index", "c.bmi", "--json")
    second = run(capsys, "overlap", "text.txt", "--in", "c.bmi", "-n", "10", "--json", "--threads", "2")
    assert first == second
    assert run(capsys, "overlap", "text.txt", "--in", "c.bmi", "--index", "d.bmi")[0] == 2
    assert run(capsys, "overlap", "text.txt", "--in", "corpus.txt", "--index", "c.bmi")[0] in (1, 2)
    assert run(capsys, "overlap", "c.bmi", "--self", "-n", "12", "-q")[1] == "0.0\n"
    assert run(capsys, "overlap", "corpus.txt", "--self", "-n", "4", "-q", "--index", "e.bmi")[0] == 0


def test_wrong_calls(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--self" in run(capsys, "overlap", "text.txt")[2]
    assert run(capsys, "overlap", "text.txt", "--self", "--in", "corpus.txt")[0] == 2
    assert run(capsys, "overlap", "text.txt", "--in", "corpus.txt", "-n", "0")[0] == 2
    assert run(capsys, "overlap", "text.txt", "--in", "corpus.txt", "-o", "rows.xls")[0] == 2
    Path("bad.bmi").write_bytes(b"bitmeter.overlap" + bytes(200))
    code, _, error = run(capsys, "overlap", "text.txt", "--in", "bad.bmi")
    assert code == 1
    assert "bad.bmi is not an index of a corpus, or is damaged" in error
