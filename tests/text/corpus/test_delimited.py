"""CSV and TSV: quotes as RFC 4180 has them, whatever the blocks, and errors that name the line."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import RecordError
from bitmeter.text.corpus.delimited import delimited_rows

CELLS = st.text(st.sampled_from('ab",\t\n\r é'), max_size=6)


def parts(data: bytes, size: int) -> list[bytes]:
    return [data[i : i + size] for i in range(0, len(data), size)]


@given(st.lists(st.tuples(CELLS, CELLS), max_size=5), st.integers(1, 9), st.sampled_from([",", "\t"]))
def test_what_python_writes_comes_back(cells: list[tuple[str, str]], size: int, separator: str) -> None:
    file = io.StringIO(newline="")
    writer = csv.writer(file, delimiter=separator, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([("id", "text"), *cells])
    data = file.getvalue().encode()
    found = [row for _, row in delimited_rows(parts(data, size), separator, "a.csv")]
    assert found == [{"id": a, "text": b} for a, b in cells]


def test_lines_are_numbered_where_rows_begin() -> None:
    data = b'\xef\xbb\xbfid,text\n1,"a\nb"\n\n2,c'
    assert list(delimited_rows([data], ",", "a.csv")) == [
        (2, {"id": "1", "text": "a\nb"}), (5, {"id": "2", "text": "c"})
    ]  # fmt: skip


@pytest.mark.parametrize("data", [b"", b"a,a\n1,2\n", b"a,b\n1\n", b"a,b\n1,2,3\n"])
def test_what_is_no_table_is_a_typed_error(data: bytes) -> None:
    with pytest.raises(RecordError, match=r"a\.csv"):
        list(delimited_rows([data], ",", "a.csv"))


def test_the_suffix_says_it(tmp_path: Path) -> None:
    """The same records score alike in every format."""
    (tmp_path / "a.csv").write_text('id,text\n1,"to be, or not"\n2,that\n')
    (tmp_path / "a.tsv").write_text("id\ttext\n1\tto be, or not\n2\tthat\n")
    (tmp_path / "a.jsonl").write_text('{"id": 1, "text": "to be, or not"}\n{"id": 2, "text": "that"}\n')
    scores = [bm.score("kt", tmp_path / f"a.{suffix}") for suffix in ("csv", "tsv", "jsonl")]
    assert {score.nats for score in scores} == {scores[0].nats}
    assert {score.signature.text for score in scores} == {scores[0].signature.text}
    assert {score.signature.docs for score in scores} == {scores[0].signature.docs}
    assert bm.score("kt", tmp_path / "a.csv", group="id").by_group is not None
    with pytest.raises(RecordError, match=r"no column 'body'; it has 'id', 'text'. Choose one with --field"):
        bm.score("kt", tmp_path / "a.csv", field="body")
