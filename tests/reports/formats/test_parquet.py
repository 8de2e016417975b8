"""Parquet."""

from __future__ import annotations

import math
from pathlib import Path

import pyarrow.parquet as pq

from bitmeter._version import __version__
from bitmeter.reports.formats.parquet import ParquetTable
from bitmeter.reports.formats.table import Column


def test_kinds_and_metadata(tmp_path: Path) -> None:
    columns = [Column("t"), Column("i", "integer"), Column("n", "number"), Column("f", "flag"), Column("d", "data")]
    table = ParquetTable(tmp_path / "x.parquet", "example/1", columns)
    table.write([["a", 1, math.inf, True, {"k": [1]}], [None, None, None, None, None]])
    table.write([["b\udcff", 2, 1, False, []]])
    table.end({"short": "bm1-00000000", "more": [1]})
    table.close()
    found = pq.read_table(tmp_path / "x.parquet")
    assert found.to_pylist() == [
        {"t": "a", "i": 1, "n": math.inf, "f": True, "d": '{"k": [1]}'},
        dict.fromkeys("tinfd"),
        {"t": "b\\udcff", "i": 2, "n": 1.0, "f": False, "d": "[]"},
    ]
    metadata = pq.read_metadata(tmp_path / "x.parquet").metadata
    assert metadata[b"bitmeter.schema"] == b"example/1"
    assert metadata[b"bitmeter.version"] == __version__.encode()
    assert metadata[b"bitmeter.short"] == b"bm1-00000000"
    assert metadata[b"bitmeter.more"] == b"[1]"
