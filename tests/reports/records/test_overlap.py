"""Overlap as a table: the rows of the result, in every format."""

from __future__ import annotations

import csv
from pathlib import Path

import pyarrow.parquet as pq

import bitmeter as bm
from bitmeter.reports.formats.writing import write_table
from bitmeter.reports.records.overlap import overlap_document, overlap_records


def test_each_format_holds_the_rows(tmp_path: Path) -> None:
    found = bm.overlap(bm.Corpus.from_documents(["to be", "né"]), b"to be or not", length=3)
    for suffix in ("csv", "parquet"):
        write_table(overlap_records(found), tmp_path / f"rows.{suffix}")
    with open(tmp_path / "rows.csv", encoding="utf-8", newline="") as file:
        assert [float(row["coverage"]) for row in csv.DictReader(file)] == [1.0, 0.0]
    rows = pq.read_table(tmp_path / "rows.parquet").to_pylist()
    names = list(found.rows()[0])
    assert [{name: row[name] for name in names} for row in rows] == found.rows()
    assert {row["length"] for row in rows} == {3}


def test_the_document_is_the_result_and_its_version() -> None:
    found = bm.overlap(b"to be", b"to be or not", length=3)
    document = overlap_document(found)
    assert list(document)[:2] == ["schema", "version"]
    assert {key: value for key, value in document.items() if key != "version"} == found.to_dict()
    itself = overlap_records(bm.overlap(b"abc abc abc", length=3))
    assert [dict(zip((c.name for c in itself.columns), row, strict=True))["corpus"] for row in itself.rows] == [None]
