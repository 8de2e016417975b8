"""`bitmeter filter`: what it refuses, what it prints, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import run
from tests.filter.made import rows, write_jsonl


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return str(write_jsonl(tmp_path / "a.jsonl", [*rows(), "broken"]))


def test_json_and_summary(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(
        capsys, "filter", "kt", "a.jsonl", "-o", "o.jsonl", "--max", "6.8", "--json", "--summary", "s"
    )
    assert (code, said) == (0, "")
    found = json.loads(printed)
    assert found["outcomes"]["kept"]["documents"] == len(Path("o.jsonl").read_text().splitlines())
    assert json.loads(Path("s").read_text())["documents"] == found["documents"] == 10
    code, printed, _ = run(capsys, "filter", "kt", "a.jsonl", "-o", "o.jsonl", "--max", "6.8")
    assert (code, "done before" in printed) == (0, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--keep", "nonsense", "-o", "o.jsonl"], "percentages"),
        (["--max", "nan", "-o", "o.jsonl"], "finite"),
        (["--by", "cost", "-o", "o.jsonl"], "bits_per_byte"),
        (["--sample", "x", "-o", "o.jsonl"], "uniform:P"),
        (["--unscored", "x", "-o", "o.jsonl"], "drop"),
        (["--add", "x", "-o", "o.jsonl"], "nats"),
    ],
)
def test_wrong_words_are_usage_errors(
    source: str, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, error = run(capsys, "filter", "kt", source, *words)
    assert (code, printed) == (2, "")
    assert said in error


@pytest.mark.parametrize(
    ("words", "expected", "said"),
    [
        ([], 2, "-o OUT"), (["-o", "o.jsonl"], 2, "a copy of the corpus"),
        (["-o", "a.jsonl", "--max", "1"], 2, "also an input"), (["-o", "o.txt"], 2, "suffix"),
        (["-o", "o.jsonl", "--min", "2", "--max", "1"], 2, "nothing would be kept"),
        (["-o", "o.jsonl", "--table", "none.csv"], 1, "no table"),
        (["-o", "none/o.jsonl", "--max", "1"], 1, "no folder"), (["-o", "o.jsonl", "--tag", "t"], 2, "alike"),
        (["-o", "o.jsonl", "--max", "1", "--seed", "3"], 2, "--seed 3 is the seed"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_an_error(
    source: str, words: list[str], expected: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, printed, error = run(capsys, "filter", "kt", "a.jsonl", *words)
    assert (code, printed) == (expected, "")
    assert said in error
    assert sorted(path.name for path in Path().iterdir()) == ["a.jsonl"]


def test_a_file_that_cannot_be_read_is_named_and_the_exit_code_says_it(
    source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("b.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00")
    code, printed, said = run(capsys, "filter", "kt", "a.jsonl", "b.jsonl.gz", "-o", "out", "--max", "6.8")
    assert code == 1
    assert "unreadable" in printed
    assert "1 file could not be read" in said
    assert [path.name for path in Path("out").glob("*.jsonl*")] == ["a.jsonl"]


def test_a_dry_run_needs_no_output(source: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, said = run(capsys, "filter", "kt", "a.jsonl", "--dry-run", "--keep", "30%", "-o", "o.jsonl")
    assert (code, said) == (0, "")
    assert "nothing was written" in printed
    assert sorted(path.name for path in Path().iterdir()) == ["a.jsonl"]
