"""`bitmeter trace`: the surprisals of the library, as a table, as tab-separated values and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter import cli
from tests.cli.running import run
from tests.cli.texts import LINES, write_texts


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_texts(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_json_lines_are_one_unit_each(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = run(capsys, "trace", "kt", "harbour.txt", "--all", "--format", "jsonl")
    rows = [json.loads(line) for line in printed.splitlines()]
    assert "".join(row["unit"] for row in rows) == LINES
    assert sum(row["nats"] for row in rows) == pytest.approx(bm.score("kt", "harbour.txt").nats, rel=1e-12)


def test_the_entropy_of_a_uniform_model_is_eight_bits(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = run(capsys, "trace", "uniform", "half.txt", "--top", "1", "--alternatives", "2", "--json")
    (row,) = json.loads(printed)["rows"]
    assert row["entropy_bits"] == 8.0
    assert row["entropy_nats"] == pytest.approx(8 * 0.6931471805599453, rel=1e-12)
    assert [one["nats"] for one in row["alternatives"]] == pytest.approx([row["nats"]] * 2, rel=1e-12)


def test_the_sums_over_units_are_the_sum_of_all(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole = bm.score("kt", "harbour.txt").nats
    for by in ("char", "word", "sentence", "document", "7"):
        _, printed, _ = run(capsys, "trace", "kt", "harbour.txt", "--by", by, "--all", "--json")
        nats = [row["nats"] for row in json.loads(printed)["rows"]]
        assert sum(nats) == pytest.approx(whole, rel=1e-12)
    assert len(nats) == -(-len(LINES) // 7)


def test_an_impossible_unit_is_infinite(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bm.NGram(order=1, smoothing="maximum-likelihood").fit(b"to be\n").save("ml.bmn")
    _, printed, _ = run(capsys, "trace", "ml.bmn", "half.txt", "--oov", "none", "--top", "1", "--json")
    assert json.loads(printed)["rows"][0]["nats"] == "inf"


def test_tab_separated_values_are_a_table(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli._run(["trace", "kt", "odd.txt", "--by", "word", "--all"]) == 0
    lines = capsys.readouterr().out.split("\n")
    rows = [line.split("\t") for line in lines[1:-1]]
    assert lines[0].split("\t") == ["doc", "start", "end", "unit", "bits", "nats", "short"]
    assert {len(row) for row in rows} == {7}
    score = bm.score("kt", "odd.txt")
    assert sum(float(row[4]) for row in rows) == pytest.approx(score.bits, rel=1e-12)
    units = [row[3].encode("latin-1", "backslashreplace") for row in rows]
    assert b"".join(units).count(rb"\xff\xfe") == 1  # bytes that are not UTF-8, as they are


def test_a_forgotten_text_is_named(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bm.NGram(order=2).fit(LINES.encode()).save("model.bmn")
    for model in ("kt", "model.bmn"):
        code, printed, said = run(capsys, "trace", model)
        assert (code, printed) == (2, "")
        assert f"a text is needed: bitmeter trace {model} TEXT" in said
    bm.score("kt", "harbour.txt", trace="kt.parquet")
    Path("kt.parquet").rename("kt")
    assert run(capsys, "trace", "kt")[0] == 0


@pytest.mark.parametrize(
    "words", [["--first", "skip"], ["--norm", "lower"], ["--docs", "line"], ["--alternatives", "3"]], ids=" ".join
)
def test_a_saved_trace_takes_no_conventions(here: Path, words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    text = here / "saved.txt"
    text.write_text("to be or not to be\n")
    assert run(capsys, "trace", "kt", str(text), "-o", str(here / "t.parquet"))[0] == 0
    code, printed, error = run(capsys, "trace", str(here / "t.parquet"), "--top", "1", *words)
    assert (code, printed) == (2, "")
    assert "scored already" in " ".join(error.split())
