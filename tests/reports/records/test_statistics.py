from __future__ import annotations

import pytest

import bitmeter as bm
from bitmeter.reports.records.statistics import statistics_document, statistics_paper, statistics_records

DOCUMENTS = ["abab" * 9, "abcd" * 9, "the rain and the sea"]


@pytest.mark.parametrize("null", [None, bm.Corpus.from_documents(["rose " * 8, "sea " * 7])])
def test_rows_are_the_values_of_the_document(null: bm.Corpus | None) -> None:
    found = bm.text_statistics("kt", bm.Corpus.from_documents(DOCUMENTS), at="min-k,zlib", null=null)
    rows = list(statistics_records(found).rows)
    document = statistics_document(found)
    assert len(rows) == 2 * len(DOCUMENTS)
    assert [row[2] for row in rows] == [value for one in document["statistics"] for value in one["values"]]
    assert [row[0] for row in rows] == 2 * document["documents"]
    if null is None:
        assert all(row[3] is None for row in rows)
    else:
        assert [row[3] for row in rows] == [q for one in document["statistics"] for q in one["quantiles"]]
        assert all(0 <= row[3] <= 1 for row in rows)


def test_the_table_of_a_paper_has_means_with_intervals() -> None:
    found = bm.text_statistics("kt", bm.Corpus.from_documents(DOCUMENTS), at="min-k")
    ((name, documents, mean, low, high),) = statistics_paper(found).rows
    assert (name, documents) == ("min-k", 3)
    assert low <= mean <= high
    assert mean == pytest.approx(sum(found.statistics[0].values) / 3)
