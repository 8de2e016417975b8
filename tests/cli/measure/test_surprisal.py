"""`bitmeter surprisal`: items in, one row per word out, read by pandas and R."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pandas as pd  # type: ignore[import-untyped]
import pytest

import bitmeter as bm
from tests.cli.running import run

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "surprisal-1.json"
ITEMS = """\
item,condition,sentence
1,"a, b","The boat lay ""still"" in the harbour."
2,b,She never came home late.
3,a,NA and null are words.
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "items.csv").write_text(ITEMS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def words() -> list[str]:
    text = 'The boat lay "still" in the harbour. She never came home late. NA and null are words.'
    return text.split()


def test_pandas_reads_every_word(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("out.csv", "out.tsv", "out.parquet", "out.jsonl"):
        code, printed, said = run(
            capsys, "surprisal", "kt", "items.csv", "--text", "sentence", "--item", "item", "-o", name
        )
        assert (code, said) == (0, "")
        assert printed.startswith(f"{name}: 17 words of 3 items")
    frames = [
        pd.read_csv("out.csv", keep_default_na=False), pd.read_table("out.tsv", keep_default_na=False),
        pd.read_parquet("out.parquet"), pd.read_json("out.jsonl", lines=True),
    ]  # fmt: skip
    sentences = ['The boat lay "still" in the harbour.', "She never came home late.", "NA and null are words."]
    expected = bm.word_surprisals("kt", bm.Corpus.from_documents(sentences))
    for frame in frames:
        assert frame["word"].tolist() == words()
        assert frame["surprisal_nats"].astype(float).tolist() == pytest.approx(expected.nats.tolist(), rel=1e-12)
        assert frame["condition"].tolist()[0] == "a, b"


def test_json_obeys_the_schema(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    document = json.loads(run(capsys, "surprisal", "kt", "items.csv", "--text", "sentence", "--json")[1])
    jsonschema.Draft202012Validator(schema).validate(document)
    more = ["--frequency", "counts.txt", "--spillover", "2", "--format", "jsonl"]
    Path("counts.txt").write_text("boat 3\n")
    for line in run(capsys, "surprisal", "kt", "items.csv", "--text", "sentence", *more)[1].splitlines():
        jsonschema.Draft202012Validator(schema["properties"]["rows"]["items"]).validate(json.loads(line))


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
def test_r_reads_every_word(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "surprisal", "kt", "items.csv", "--text", "sentence", "-o", "out.csv", "--spillover", "1")
    code = (
        'd <- read.csv("out.csv", na.strings="", colClasses=c(word="character"));'
        'cat(nrow(d), sprintf("%.9f", sum(d$surprisal_bits)), is.numeric(d$entropy_bits));'
        'cat("", sum(is.na(d$previous1_length)));'
        'cat("", d$word[13])'
    )
    found = subprocess.run(["Rscript", "-e", code], capture_output=True, text=True, check=True, cwd=here).stdout
    frame = pd.read_csv("out.csv", keep_default_na=False)
    total = f"{frame['surprisal_bits'].sum():.6f}"
    number, bits, numeric, missing, word = found.split()
    assert (number, numeric, missing, word) == ("17", "TRUE", "3", "NA")
    assert float(bits) == pytest.approx(float(total), abs=1e-5)


def test_mistakes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for code, more, said in (
        (2, [], "--text COLUMN"), (1, ["--text", "absent"], "no field 'absent'"),
        (2, ["--text", "sentence", "--words", "verse"], "'space'"),
        (2, ["--text", "sentence", "--word-ends", "x"], "ends"),
        (1, ["--text", "sentence", "--frequency", "absent.txt"], "does not exist"),
        (2, ["--text", "sentence", "-o", "items.csv"], "also an input"),
    ):  # fmt: skip
        found, printed, error = run(capsys, "surprisal", "kt", "items.csv", *more)
        assert (found, printed) == (code, "")
        assert said in error
