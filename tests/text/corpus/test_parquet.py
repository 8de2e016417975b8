"""Parquet files whose few bytes stand for many: memory is bounded, or the page is named."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bitmeter.errors import RecordError
from bitmeter.text.corpus import parquet
from bitmeter.text.corpus.corpus import Corpus
from tests.peak import PROMISED, peak_of
from tests.text.helpers import data_of

ROW = 1 << 20


def entries(rows: int) -> pa.Table:
    """Rows that all name one entry of a dictionary."""
    return pa.table({"text": pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * ROW]))})


def strings(rows: int) -> pa.Table:
    return pa.table({"text": pa.array(["y" * ROW] * rows)})


def write(kind: str, path: Path, rows: int) -> None:
    if kind == "dictionary":
        pq.write_table(entries(rows), path)
    elif kind == "plain":
        pq.write_table(strings(rows), path, compression="zstd", use_dictionary=False, write_batch_size=1)
    elif kind == "encoded":
        pq.write_table(strings(rows), path, compression="zstd")
    else:
        pq.write_table(
            strings(rows), path, compression="zstd", use_dictionary=False, column_encoding={"text": "DELTA_BYTE_ARRAY"}
        )  # all but the first repeat the one before


@pytest.mark.parametrize("kind", ["dictionary", "encoded", "plain", "delta"])
def test_few_bytes_that_stand_for_many_take_little_memory(kind: str, tmp_path: Path) -> None:
    write(kind, tmp_path / "x.parquet", 400)
    assert (tmp_path / "x.parquet").stat().st_size < 1 << 18
    peak, lines = peak_of(
        "from bitmeter.text.corpus.corpus import Corpus\n"
        "print(sum(len(block.data) for block in Corpus(sys.argv[1]).blocks()))\n",
        tmp_path / "x.parquet",
    )
    assert lines == [str(400 * ROW)]
    assert peak < PROMISED + 2 * ROW


@pytest.mark.parametrize("kind", ["dictionary", "encoded", "plain", "delta"])
@pytest.mark.parametrize("size", [1, 1000, ROW, 3 * ROW])
def test_rows_come_whole_whatever_the_block(kind: str, size: int, tmp_path: Path) -> None:
    rows = [f"{number} " * (number % 7) for number in range(300)]
    table = pa.table({"text": pa.array(rows).dictionary_encode() if kind == "dictionary" else rows})
    pq.write_table(
        table, tmp_path / "x.parquet", row_group_size=70, data_page_size=500,
        use_dictionary=kind in ("dictionary", "encoded"),
        column_encoding={"text": "DELTA_BYTE_ARRAY"} if kind == "delta" else None,
    )  # fmt: skip
    assert data_of(Corpus(tmp_path / "x.parquet")) == [row.encode() for row in rows]
    blocks = list(parquet.parquet_blocks(str(tmp_path / "x.parquet"), "text", size))
    assert b"".join(block.data for block in blocks) == "".join(rows).encode()
    assert sum(len(block.ends) for block in blocks) == len(rows)
    assert max(len(block.data) for block in blocks) <= size


def test_a_page_that_is_too_large_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(strings(150), tmp_path / "x.parquet", compression="zstd", use_dictionary=False)
    with pytest.raises(
        RecordError, match=r"row group 1: a page of the column 'text' has 157,28.,... bytes \(.*packed\)"
    ):
        data_of(Corpus(tmp_path / "x.parquet"))
    pq.write_table(strings(3), tmp_path / "x.parquet", compression="none", use_dictionary=False)
    assert len(data_of(Corpus(tmp_path / "x.parquet"))) == 3
    monkeypatch.setattr(parquet, "LARGEST_PAGE", ROW // 2)
    with pytest.raises(RecordError, match=r"at most 524,288 fit in memory"):
        data_of(Corpus(tmp_path / "x.parquet"))
