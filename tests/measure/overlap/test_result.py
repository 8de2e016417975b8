"""The result of overlap: rows, JSON, pickles."""

from __future__ import annotations

import json
import pickle

import bitmeter as bm


def found() -> bm.Overlap:
    texts = bm.Corpus.from_documents(["to be or not", "", "nothing"])
    return bm.overlap(texts, b"or not to be", length=5)


def test_rows_and_json() -> None:
    result = found()
    assert result.rows() == [
        {"document": "documents:1", "bytes": 12, "units": 12, "covered": 11, "coverage": 11 / 12, "longest": 6,
         "source": "text"},
        {"document": "documents:2", "bytes": 0, "units": 0, "covered": 0, "coverage": 0.0, "longest": 0, "source": ""},
        {"document": "documents:3", "bytes": 7, "units": 7, "covered": 0, "coverage": 0.0, "longest": 3, "source": ""},
    ]  # fmt: skip
    parsed = json.loads(result.to_json())
    assert parsed["schema"] == "bitmeter.overlap/1"
    assert parsed["coverage"] == result.coverage == 11 / 19
    assert (parsed["documents"], parsed["documents_with_match"]) == (result.documents, result.touched) == (3, 1)


def test_pickles() -> None:
    result = found()
    assert pickle.loads(pickle.dumps(result)).to_dict() == result.to_dict()
    assert "11" in str(result)
