"""Rows of documents."""

from __future__ import annotations

import math

import numpy as np

from bitmeter.measure.documents.ended import DocumentBatch
from bitmeter.reports.records.documents import COLUMNS, document_rows


def test_figures_by_hand() -> None:
    """Two bytes at 16 bits; an empty document; an impossible one; one whose perplexity per word no double holds."""
    size, words = np.array([2, 0, 1, 400]), np.array([1, 0, 1, 1])
    nats = np.array([16 * math.log(2.0), 0.0, math.inf, 3200 * math.log(2.0)])
    batch = DocumentBatch(5, nats, size, size, words, size, np.array([1, 0, 0, 0]), closed=False)
    names = [column.name for column in COLUMNS]
    rows = [dict(zip(names, row, strict=True)) for row in document_rows(batch, lambda doc: ("a.txt", doc - 4, doc))]
    assert [row["doc"] for row in rows] == [5, 6, 7, 8]
    assert (rows[0]["line"], rows[0]["id"], rows[0]["path"], rows[0]["oov"]) == (1, "5", "a.txt", 1)
    assert (rows[0]["bits"], rows[0]["bits_per_byte"], rows[0]["perplexity_per_byte"]) == (16.0, 8.0, 256.0)
    assert (rows[1]["bits"], rows[1]["bits_per_byte"], rows[1]["perplexity_per_token"]) == (0.0, None, None)
    assert rows[2]["perplexity_per_word"] == math.inf
    assert (rows[3]["bits_per_word"], rows[3]["perplexity_per_word"]) == (3200.0, None)
    closed = next(document_rows(batch._replace(closed=True), lambda doc: ("a", 1, None)))
    found = dict(zip(names, closed, strict=True))
    assert (found["bits_per_byte"], found["perplexity_per_char"], found["bits_per_token"]) == (None, None, 8.0)
