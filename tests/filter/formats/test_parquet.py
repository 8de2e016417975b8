"""Parquet in and out: all columns, nulls set aside."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, FileFormatError, RecordError
from bitmeter.filter.formats.parquet import with_columns
from bitmeter.filter.reading import read_rows
from bitmeter.filter.records import Fields
from tests.filter.made import TEXTS, model, values


def written(folder: Path, columns: dict[str, object]) -> Path:
    pq.write_table(pa.table(columns), folder / "a.parquet", row_group_size=4)
    return folder / "a.parquet"


def test_rows_keep_their_columns_and_order(tmp_path: Path) -> None:
    name = model(tmp_path)
    lists = [[number] * number for number in range(len(TEXTS))]
    path = written(tmp_path, {"id": range(len(TEXTS)), "text": TEXTS, "more": lists})
    figures = values(name, TEXTS)
    limit = sorted(figures)[4]
    bm.filter_corpus(name, path, tmp_path / "out.parquet", max=limit, add="value,tokens", tag=None)
    found = pq.read_table(tmp_path / "out.parquet")
    kept = [number for number, value in enumerate(figures) if value <= limit]
    assert found["id"].to_pylist() == kept
    assert found["more"].to_pylist() == [lists[number] for number in kept]
    assert found["value"].to_pylist() == pytest.approx([figures[number] for number in kept], rel=1e-12)
    assert found.schema.names == ["id", "text", "more", "value", "tokens"]


def test_nulls_are_set_aside(tmp_path: Path) -> None:
    path = written(tmp_path, {"text": ["a", None, "b"], "lang": ["en", "en", None]})
    rows = list(read_rows(str(path), Fields(language="lang")))
    assert [text for batch in rows for text in batch.texts] == [b"a"]
    assert [bad.place for batch in rows for bad in batch.bad] == ["row 2", "row 3"]


def test_an_output_without_rows_has_the_columns(tmp_path: Path) -> None:
    path = written(tmp_path, {"id": [1, 2], "text": ["a", "b"]})
    bm.filter_corpus("kt", path, tmp_path / "out.parquet", max=0.0)
    assert pq.read_table(tmp_path / "out.parquet").schema.names == ["id", "text"]


def test_wrong_columns_are_errors(tmp_path: Path) -> None:
    path = written(tmp_path, {"text": ["a"], "n": [1]})
    with pytest.raises(RecordError, match="no column 'body'"):
        list(read_rows(str(path), Fields(text="body")))
    with pytest.raises(RecordError, match="must be text"):
        list(read_rows(str(path), Fields(text="n")))
    with pytest.raises(FileFormatError, match="--prefix"):
        list(read_rows(str(path), Fields(added=("n",))))
    with pytest.raises(FileFormatError, match="already"):
        with_columns(pa.record_batch({"n": [1]}), {"n": [2.0]})


@pytest.mark.parametrize("cut", [0, 4, 30, 200])
def test_damaged_files_are_errors(tmp_path: Path, cut: int) -> None:
    path = written(tmp_path, {"text": ["a" * 300]})
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(BitmeterError):
        list(read_rows(str(path), Fields()))
