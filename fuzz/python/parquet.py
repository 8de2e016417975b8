"""A column of a Parquet file as a text."""

from __future__ import annotations

import math

import pyarrow as pa
from columns import mutated_columns, written
from engine import Folder, main

import bitmeter as bm

FOLDER = Folder()


def seeds() -> list[bytes]:
    rows = ["a rose", "", "é", "is a rose"]
    kinds = (pa.string(), pa.large_binary(), pa.dictionary(pa.int32(), pa.string()))
    return [written(pa.table({"text": pa.array(rows, pa.string()).cast(kind), "id": [1, 2, 3, 4]})) for kind in kinds]


def run(data: bytes) -> None:
    file = FOLDER.file("t.parquet", data)
    score = bm.score("uniform", file)
    assert math.isclose(score.bits, 8 * score.bytes), "a byte costs eight bits"
    bm.score("uniform", file, cluster="id")


if __name__ == "__main__":
    main("parquet", run, seeds, mutated_columns)
