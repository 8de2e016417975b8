"""Every format is read by its own reader."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from bitmeter.filter.reading import read_rows
from bitmeter.filter.records import Fields


def test_the_name_decides(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"text": "one"}\n')
    (tmp_path / "a.txt").write_text("one")
    (tmp_path / "a.wet").write_bytes(b"WARC/1.0\r\nContent-Length: 3\r\n\r\none\r\n\r\n")
    pq.write_table(pa.table({"text": ["one"]}), tmp_path / "a.parquet")
    for path in tmp_path.iterdir():
        [rows] = read_rows(str(path), Fields())
        assert list(rows.texts) == [b"one"]
