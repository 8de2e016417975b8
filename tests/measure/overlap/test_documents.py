"""Columns of documents: files by suffix, and the function for filters."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import bitmeter as bm
from bitmeter.errors import FileFormatError, InputTypeError
from bitmeter.measure.overlap.documents import check_table, write_table


def test_each_format_holds_the_rows(tmp_path: Path) -> None:
    found = bm.overlap(bm.Corpus.from_documents(["to be", "né"]), b"to be or not", length=3)
    for suffix in (".jsonl", ".csv", ".parquet"):
        write_table(found, tmp_path / f"rows{suffix}")
    rows = [json.loads(line) for line in (tmp_path / "rows.jsonl").read_text(encoding="utf-8").splitlines()]
    assert rows == found.rows()
    with open(tmp_path / "rows.csv", encoding="utf-8", newline="") as file:
        assert [float(row["coverage"]) for row in csv.DictReader(file)] == [1.0, 0.0]
    assert pq.read_table(tmp_path / "rows.parquet").to_pylist() == rows
    with pytest.raises(FileFormatError, match="--force"):
        write_table(found, tmp_path / "rows.csv")
    write_table(found, tmp_path / "rows.csv", force=True)
    with pytest.raises(FileFormatError, match="suffixes"):
        check_table(tmp_path / "rows.xls")


def test_columns_are_those_of_overlap() -> None:
    documents: list[str | bytes | bm.Document] = ["to be or", "", "not to be", b"nothing"]
    index = bm.OverlapIndex.build(b"to be or not to be")
    found = bm.overlap(bm.Corpus.from_documents(documents), index, length=4)
    columns = bm.overlap_columns(index, length=4)(documents)
    assert columns["overlap"].tolist() == [row["coverage"] for row in found.rows()]
    assert columns["longest_match"].tolist() == found.document_longest.tolist()
    words = bm.overlap_columns(index, unit="words", length=2, threads=2)
    assert words([bm.Corpus.from_text("be or x").documents().__next__()])["overlap"].tolist() == [2 / 3]
    assert [len(values) for values in words([]).values()] == [0, 0]
    with pytest.raises(InputTypeError):
        words([3])  # type: ignore[list-item]
