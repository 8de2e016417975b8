"""`bitmeter score --per-document`, --input-format and --on-bad."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import jsonschema
import pandas as pd  # type: ignore[import-untyped]
import pyarrow.parquet as pq
import pytest

import bitmeter as bm
from tests.cli.running import run
from tests.cli.texts import LINES, write_texts

SCHEMA = Path(__file__).parents[3] / "docs" / "schemas" / "documents-1.json"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_texts(tmp_path)
    rows = [{"name": "a", "text": "one two"}, {"name": "b", "text": None}, {"name": 'c"', "text": ""}]
    (tmp_path / "odd.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "parquet"])
def test_every_document_has_a_row(suffix: str, here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    name = f"out.{suffix}"
    code, printed, _ = run(capsys, "score", "kt", "rows.jsonl", "--per-document", name, "--id", "id")
    assert code == 0
    assert "8 docs" in printed
    frame = {
        "csv": pd.read_csv, "tsv": pd.read_table, "parquet": pd.read_parquet,
        "jsonl": lambda path: pd.read_json(path, lines=True),
    }[suffix](name)  # fmt: skip
    score = bm.score("kt", "rows.jsonl")
    assert score.by_document is not None
    assert frame["nats"].tolist() == pytest.approx(score.by_document.nats.tolist(), rel=1e-12)
    assert frame["bits"].sum() == pytest.approx(score.bits, rel=1e-12)
    assert frame["id"].astype(str).tolist() == [str(number) for number in range(8)]
    assert frame["line"].tolist() == list(range(1, 9))
    if suffix == "parquet":
        signed = pq.read_metadata(name).metadata
        assert signed[b"bitmeter.signature"].decode() == str(score.signature)


def test_null_and_empty_records(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, printed, _ = run(capsys, "score", "kt", "odd.jsonl", "--per-document", "out.jsonl", "--id", "name")
    assert code == 0
    assert "1 record left out, of 3: odd.jsonl, line 2" in printed
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for row in rows:
        jsonschema.Draft202012Validator(schema["properties"]["rows"]["items"]).validate(row)
    assert [(row["id"], row["line"], row["bytes"]) for row in rows] == [("a", 1, 7), ('c"', 3, 0)]
    assert rows[1]["perplexity_per_token"] is None
    again = ["score", "kt", "odd.jsonl", "--per-document", "out.json", "--on-bad"]
    code, _, said = run(capsys, *again, "fail")
    assert code == 1
    assert "line 2: 'text' is null" in said
    assert not Path("out.json").exists()
    assert run(capsys, *again, "skip")[0] == 0
    jsonschema.Draft202012Validator(schema).validate(json.loads(Path("out.json").read_text()))
    code, printed, _ = run(capsys, "score", "kt", "odd.jsonl", "--on-bad", "skip")
    assert (code, "left out" in printed) == (0, True)
    assert run(capsys, "score", "kt", "odd.jsonl")[0] == 1


def test_lines_and_files_of_plain_text(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "score", "kt", "texts", "--docs", "line", "--per-document", "out.csv")[0] == 0
    frame = pd.read_csv("out.csv")
    assert frame["path"].nunique() == 3
    assert frame["line"].tolist()[:2] == [1, 2]
    bm.NGram(order=2).fit(LINES.encode()).save("m.bmn")
    code, _, said = run(capsys, "score", "m.bmn", "half.txt", "--like", "kenlm", "--per-document", "kenlm.csv")
    assert (code, said) == (0, "")
    frame = pd.read_csv("kenlm.csv")
    assert frame["bits_per_byte"].isna().all()
    assert frame["tokens"].sum() == bm.score("m.bmn", "half.txt", like="kenlm").tokens


@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet", "text"])
def test_stdin(kind: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    frame = pd.DataFrame({"text": LINES.splitlines()})
    frame.to_csv("in.csv", index=False)
    frame.to_parquet("in.parquet")
    frame.to_json("in.jsonl", orient="records", lines=True)
    Path("in.text").write_text(LINES)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(f"in.{kind}").read_bytes())))
    code, printed, said = run(capsys, "score", "uniform", "-", "--input-format", kind, "-q", "--per", "document")
    assert (code, said) == (0, "")
    expected = 8.0 * len(LINES) if kind == "text" else 8.0 * (len(LINES) - 8) / 8
    assert float(printed) == pytest.approx(expected)


def test_mistakes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for more, said in (
        (["--per-document", "x.docx"], "does not say how"), (["--per-document", "x.md"], "one row per document"),
        (["--id", "id"], "--per-document FILE"), (["--on-bad", "mend"], "one of fail, skip"),
        (["--input-format", "xml"], "one of text, jsonl"),
        (["--per-document", "x.csv", "--docs", "line"], "each record"),
        (["half.txt", "--per-document", "x.csv"], "one model and one text"),
        (["--per-document", "rows.jsonl"], "input"),
        (["--per-document", "x.csv", "--prove"], "--per-document"),
    ):  # fmt: skip
        code, printed, error = run(capsys, "score", "kt", "rows.jsonl", *more)
        assert (code, printed) == (2, ""), more
        assert said in error
    code, _, error = run(capsys, "score", "kt", "half.txt", "--per-document", "x.csv", "--id", "id")
    assert code == 2
    assert "--id is about records" in error
