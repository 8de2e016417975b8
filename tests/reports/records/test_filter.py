"""What a filter did as a table: counts that add up, and costs by hand."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.reports.records.filter import filter_document, filter_paper, filter_records


@pytest.fixture
def summary(tmp_path: Path) -> bm.FilterSummary:
    (tmp_path / "a.txt").write_bytes(b"abcd\nab\n")
    return bm.filter_corpus("uniform", tmp_path / "a.txt", tmp_path / "out.txt", by="bits", max=30)


def test_the_rows_of_a_uniform_model(summary: bm.FilterSummary) -> None:
    """By hand: 8 bits per byte, with the end of the line: "abcd" costs 40 bits and is dropped, and "ab" costs 24."""
    table = filter_records(summary)
    rows = {row[0]: dict(zip((c.name for c in table.columns), row, strict=True)) for row in table.rows}
    assert (rows["kept"]["bits"], rows["dropped"]["bits"]) == (24.0, 40.0)
    assert rows["kept"]["bits_per_byte"] == rows["dropped"]["bits_per_byte"] == 8.0
    assert rows["kept"]["perplexity_per_byte"] == pytest.approx(256.0)
    assert (rows["kept"]["share_of_documents"], rows["kept"]["share_of_bytes"]) == (0.5, pytest.approx(3 / 8))
    assert rows["kept"]["short"] == summary.signature.short


def test_the_document_has_the_same_costs(summary: bm.FilterSummary) -> None:
    document = filter_document(summary)
    assert document["outcomes"]["dropped"]["bits"] == 40.0
    assert (document["short"], document["signature"]) == (summary.signature.short, str(summary.signature))


def test_impossible_documents_are_infinite(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"ab\nzz\n")
    model = bm.Distribution({"a": 0.25, "b": 0.25, "\n": 0.5})
    found = bm.filter_corpus(model, tmp_path / "a.txt", tmp_path / "o.txt", by="bytes", max=99)
    table = filter_records(found)
    row = dict(zip((c.name for c in table.columns), next(iter(table.rows)), strict=True))
    assert row["impossible"] == 1
    assert row["bits"] == 5.0  # "ab" and the end of its line
    assert row["bits_per_byte"] == math.inf == row["perplexity_per_byte"]


def test_a_table_for_a_paper(summary: bm.FilterSummary) -> None:
    paper = filter_paper(summary)
    assert [row[0] for row in paper.rows] == [row[0] for row in filter_records(summary).rows]
    assert summary.signature.short in " ".join(paper.caption)
