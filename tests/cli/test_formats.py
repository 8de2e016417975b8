"""--format, -o and --json: what is printed, and what is saved."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pandas as pd  # type: ignore[import-untyped]
import pytest
import typer

import bitmeter as bm
from bitmeter.cli.formats import Formats, chosen_formats
from tests.cli.running import run
from tests.cli.texts import write_texts


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_texts(tmp_path)
    (tmp_path / "quoted.txt").write_text('She said "no", and "no, thanks"; then\t"a | b" \\ nothing.\n' * 30)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_the_options_ask_for() -> None:
    assert chosen_formats(None, json=False) == Formats("table")
    assert chosen_formats(None, json=True) == chosen_formats("json", json=False) == Formats("json")
    path = Path("x.csv")
    assert chosen_formats(None, json=True, output=path) == Formats("json", path, "csv")
    assert chosen_formats("tsv", json=False, output=path) == Formats("table", path, "tsv")
    assert chosen_formats(None, json=False, output=Path("x"), default="json") == Formats("table", Path("x"), "json")
    for wrong in (
        {"name": "csv", "json": True}, {"name": None, "json": True, "quiet": True},
        {"name": "csv", "json": False, "quiet": True},
        {"name": "parquet", "json": False}, {"name": None, "json": False, "output": Path("x.docx")},
        {"name": None, "json": False, "output": Path("x.txt")},
    ):  # fmt: skip
        with pytest.raises(typer.BadParameter):
            chosen_formats(**wrong)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "parquet", "jsonl"])
def test_pandas_reads_every_row_of_a_trace(suffix: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, said = run(capsys, "trace", "kt", "quoted.txt", "-o", f"units.{suffix}", "--top", "1")
    assert (code, said) == (0, "")
    path = Path(f"units.{suffix}")
    if suffix == "parquet":
        frame = pd.read_parquet(path)
        assert bm.Trace.load(path).signature.short.startswith("bm1-")
    elif suffix == "jsonl":
        frame = pd.read_json(path, lines=True)
    else:
        frame = pd.read_csv(path, sep="," if suffix == "csv" else "\t", keep_default_na=False)
    score = bm.score("kt", "quoted.txt")
    assert len(frame) == score.tokens
    if suffix != "parquet":
        assert frame["bits"].sum() == pytest.approx(score.bits, rel=1e-12)
        assert frame["nats"].sum() == pytest.approx(score.nats, rel=1e-12)
        assert '"' in set(frame["unit"])


def test_all_units_on_stdout_are_a_table(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = run(capsys, "trace", "kt", "quoted.txt", "--all")
    Path("all.tsv").write_text(printed)
    assert len(pd.read_table("all.tsv", keep_default_na=False)) == bm.score("kt", "quoted.txt").tokens


def test_json_in_a_file_is_json_on_stdout(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["compare", "uniform", "kt", "--on", "harbour.txt"], ["diverge", "uniform", "kt", "half.txt"],
        ["entropy", "half.txt"], ["models"], ["sets"],
    ):  # fmt: skip
        _, printed, _ = run(capsys, *words, "--json", "-o", f"{words[0]}.json")
        assert json.loads(Path(f"{words[0]}.json").read_text()) == json.loads(printed)


def test_several_scores_in_one_file(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["score", "-m", "kt", "-m", "uniform", "harbour.txt", "half.txt"]
    code, printed, _ = run(capsys, *words, "-o", "scores.csv")
    assert code == 0
    frame = pd.read_csv("scores.csv")
    assert frame["perplexity_per_byte"].tolist()[1] == pytest.approx(256.0)
    assert frame["signature"].str.startswith("schema:1|").all()
    assert "ppl/word" in printed
    code, _, said = run(capsys, *words, "-o", "run.json")
    assert code == 2
    assert "-o FILE.csv" in said


def test_statistics_choices_and_proofs_are_tables_too(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    choices = ["sums.jsonl", "--given", "question", "--choices", "choices", "--label", "label"]
    for words, columns in (
        (["rows.jsonl", "--at", "min-k"], ["document", "statistic", "value"]),
        (["harbour.txt", "--prove"], ["model", "text", "bytes"]),
        (choices, ["item", "answer", "label"]),
    ):
        assert run(capsys, "score", "kt", *words, "-o", "found.csv", "--force")[0] == 0
        _, printed, _ = run(capsys, "score", "kt", *words, "--format", "csv")
        assert Path("found.csv").read_text() == printed
        frame = pd.read_csv("found.csv")
        assert frame.columns.tolist()[:3] == columns
        assert pd.api.types.is_numeric_dtype(frame.iloc[:, 2]) or pd.api.types.is_bool_dtype(frame.iloc[:, 2])
        for kind in ("md", "latex"):
            code, printed, said = run(capsys, "score", "kt", *words, "--format", kind)
            assert (code, said) == (0, "")
            assert "Measured by bitmeter" in printed


def test_a_run_is_loaded_as_before(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = run(capsys, "score", "kt", "harbour.txt", "--json", "-o", "run.json")
    assert "figures" not in json.loads(Path("run.json").read_text())
    Path("printed.json").write_text(printed)
    assert bm.Score.load("printed.json") == bm.Score.load("run.json")


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_jq_reads_a_perplexity(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = run(capsys, "score", "uniform", "harbour.txt", "--json")
    found = subprocess.run(
        ["jq", "-r", ".figures.perplexity_per_byte, .tool.name, .short"], input=printed, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    value, tool, short = found.stdout.split()
    assert float(value) == pytest.approx(256.0)
    assert (tool, short[:4]) == ("bitmeter", "bm1-")


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_reads_every_row_of_a_trace(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "trace", "kt", "quoted.txt", "-o", "units.csv", "--top", "1")
    code = 'd <- read.csv("units.csv", na.strings=""); cat(nrow(d), sprintf("%.10f", sum(d$bits)), is.numeric(d$nats))'
    found = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True, cwd=here)
    number, bits, numeric = found.stdout.split()
    score = bm.score("kt", "quoted.txt")
    assert int(number) == score.tokens
    assert float(bits) == pytest.approx(score.bits, abs=1e-9)
    assert numeric == "TRUE"
