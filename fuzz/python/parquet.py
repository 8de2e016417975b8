"""A column of a Parquet file as a text."""

from __future__ import annotations

import io
import math
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from columns import mutated_columns, written
from engine import Folder, main

import bitmeter as bm

FOLDER = Folder()


def seeds() -> list[bytes]:
    rows, ids = pa.array(["a rose", "", "é", "is a rose"]), pa.array([1, 2, 3, 4])
    entries = pa.dictionary(pa.int32(), pa.string())
    found = [
        written(pa.table({"text": rows.cast(kind), "id": ids}))
        for kind in (pa.string(), pa.large_binary(), entries)
    ]  # fmt: skip
    # What is not packed can be changed without the unpacking failing.
    labelled = pa.table({"text": rows, "id": pa.array(["x", "y", "x", "y"]).cast(entries)})
    found += [plain(labelled), plain(pa.table({"text": rows.cast(entries), "id": rows}), data_page_version="2.0")]
    found += [
        plain(pa.table({"text": rows, "id": ids}), use_dictionary=False, column_encoding={"text": encoding})
        for encoding in ("DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY")
    ]
    return found


def plain(table: pa.Table, **keywords: Any) -> bytes:
    """A file whose pages are not packed."""
    out = io.BytesIO()
    pq.write_table(table, out, compression="none", row_group_size=3, **keywords)
    return out.getvalue()


def run(data: bytes) -> None:
    file = FOLDER.file("t.parquet", data)
    score = bm.score("uniform", file)
    assert math.isclose(score.bits, 8 * score.bytes), "a byte costs eight bits"
    bm.score("uniform", file, cluster="id")


if __name__ == "__main__":
    main("parquet", run, seeds, mutated_columns)
