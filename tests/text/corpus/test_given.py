"""Answers with their contexts: in step, however they are read."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bitmeter as bm
from bitmeter.text.corpus.given import with_contexts

ROWS = [{"q": f"question {i}" + " " * (i % 3), "a": f"answer {i}" * (i % 4)} for i in range(50)]


def files(folder: Path) -> list[bm.Corpus]:
    lines, table = folder / "rows.jsonl", folder / "rows.parquet"
    lines.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    pq.write_table(pa.Table.from_pylist(ROWS), table)
    return [bm.Corpus(lines, field="a"), bm.Corpus(table, field="a"), bm.Corpus.from_records(ROWS, field="a")]


@pytest.mark.parametrize("size", [1, 7, 1 << 20])
def test_every_source_gives_the_same(tmp_path: Path, size: int) -> None:
    for corpus in files(tmp_path):
        answers = with_contexts(corpus, "q")
        read = b"".join(block.data for block in answers.blocks(size))
        assert read == "".join(row["a"] for row in ROWS).encode()
        assert answers.take_contexts(50) == [row["q"].encode() for row in ROWS]
        assert answers.take_contexts(1) == []


def test_what_stands_between_is_the_answers_and_space_moves() -> None:
    corpus = bm.Corpus.from_records([{"q": "Why? ", "a": "B"}], field="a")
    answers = with_contexts(corpus, "q", between=b"\n", moves_space=True, change=bytes.lower)
    assert [document.data for document in answers] == [b" \nb"]
    assert answers.take_contexts(1) == [b"why?"]


def test_the_corpus_itself_stays_as_it_was() -> None:
    corpus = bm.Corpus.from_records(ROWS, field="a")
    with_contexts(corpus, "q", between=b" ")
    assert corpus.fingerprint() == bm.Corpus.from_records(ROWS, field="a").fingerprint()


def test_a_long_row_has_its_context(tmp_path: Path) -> None:
    row = {"q": "long é" * 300_000, "a": "b" * 10}
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    answers = with_contexts(bm.Corpus(path, field="a"), "q")
    assert [document.data for document in answers] == [b"b" * 10]
    assert answers.take_contexts(1) == [row["q"].encode()]


def test_refusals(tmp_path: Path) -> None:
    text = tmp_path / "a.txt"
    text.write_text("plain")
    with pytest.raises(bm.BitmeterError, match="holds no records"):
        with_contexts(bm.Corpus(text), "q")
    with pytest.raises(bm.BitmeterError, match="has no field 'x' to condition by"):
        list(with_contexts(bm.Corpus.from_records(ROWS, field="a"), "x"))
    with pytest.raises(bm.BitmeterError, match="must be text"):
        list(with_contexts(bm.Corpus.from_records([{"q": 3, "a": "b"}], field="a"), "q"))
    with pytest.raises(bm.BitmeterError, match="must be a mapping"):
        bm.Corpus.from_records(["a"])
