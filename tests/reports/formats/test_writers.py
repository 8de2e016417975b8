"""CSV, TSV, JSON and JSON lines: what is written is read again, also by pandas."""

from __future__ import annotations

import csv
import io
import json

import pandas as pd  # type: ignore[import-untyped]
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter.reports.formats.table import Column
from bitmeter.reports.formats.writers import text_writer

COLUMNS = [Column("a"), Column("b"), Column("n", "number")]
TEXT = st.text(alphabet="ab\"',;\t\n\r \\é")
ROWS = st.lists(st.tuples(TEXT, TEXT, st.floats(allow_nan=False)), max_size=6)


def written(kind: str, rows: list[tuple[str, str, float]]) -> str:
    stream = io.StringIO(newline="")
    writer = text_writer(kind, stream, "example/1", COLUMNS)
    writer.write(rows[:1])
    writer.write(rows[1:])
    writer.end({"signature": "s"}, ["Said."])
    return stream.getvalue()


@pytest.mark.parametrize(("kind", "separator"), [("csv", ","), ("tsv", "\t")])
@given(rows=ROWS)
@settings(deadline=None)
def test_every_row_and_every_letter_comes_back(kind: str, separator: str, rows: list[tuple[str, str, float]]) -> None:
    text = written(kind, rows)
    read = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator))
    assert read == [["a", "b", "n"], *([a, b, repr(n)] for a, b, n in rows)]
    frame = pd.read_csv(io.StringIO(text, newline=""), sep=separator, keep_default_na=False, na_values={"n": [""]})
    assert len(frame) == len(rows)
    assert frame["n"].astype(float).tolist() == [n for _, _, n in rows]
    for name, values in (("a", [row[0] for row in rows]), ("b", [row[1] for row in rows])):
        assert frame[name].astype(str).tolist() == values


@given(rows=ROWS)
def test_json_holds_rows_and_what_is_true_of_all(rows: list[tuple[str, str, float]]) -> None:
    document = json.loads(written("json", rows))
    assert (document["schema"], document["signature"]) == ("example/1", "s")
    lines = [json.loads(line) for line in written("jsonl", rows).split("\n")[:-1]]
    assert lines == document["rows"]
    assert [row["a"] for row in lines] == [a for a, _, _ in rows]


def test_formats_for_people() -> None:
    rows = [("x|y", "b", 1.23456)]
    assert written("md", rows).splitlines()[2] == r"| x\|y | b    | 1.2346 |"
    assert r"x\textbar{}y & b & 1.2346 \\" in written("latex", rows)
