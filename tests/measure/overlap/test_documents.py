"""Columns of documents: the function for filters."""

from __future__ import annotations

import pytest

import bitmeter as bm
from bitmeter.errors import InputTypeError


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
