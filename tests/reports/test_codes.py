"""A prefix code as a table."""

from __future__ import annotations

import bitmeter as bm
from bitmeter.coding.prefix.code import PrefixCode
from bitmeter.reports.codes import code_table


def columns(code: PrefixCode, p: bm.Distribution | None) -> dict[str, list[str]]:
    return {str(column.header): [str(cell) for cell in column.cells] for column in code_table(code, p).columns}


def test_the_most_likely_first_with_ideal_lengths() -> None:
    p = bm.Distribution({"a": 0.25, "b": 0.5, "c": 0.25})
    found = columns(PrefixCode.huffman(p), p)
    assert found["label"][0] == "'b'"
    assert found["p"] == ["0.5000", "0.2500", "0.2500"]
    assert found["−log2 p"] == ["1.00", "2.00", "2.00"]
    assert found["bits"] == ["1", "2", "2"]
    assert [len(word) for word in found["word"]] == [1, 2, 2]


def test_without_probabilities_there_are_no_such_columns() -> None:
    p = bm.Distribution({"a": 0.5, "b": 0.5})
    assert list(columns(PrefixCode.huffman(p), None)) == ["label", "bits", "word"]


def test_a_long_code_is_cut() -> None:
    p = bm.Distribution.uniform(list(range(64)))
    found = columns(PrefixCode.huffman(p), p)
    assert len(found["label"]) == 41
    assert found["label"][-1] == "… 24 more"
