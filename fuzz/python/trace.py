"""A saved trace: its units, costs and groups."""

from __future__ import annotations

import numpy as np
from columns import mutated_columns
from engine import Folder, main

import bitmeter as bm

FOLDER = Folder()


def seeds() -> list[bytes]:
    found = []
    for number, alternatives in enumerate((None, 2)):
        file = FOLDER.path / f"{number}.parquet"
        bm.score("kt", b"to be or\nnot to be\n", docs="line", trace=file, force=True, alternatives=alternatives)
        found.append(file.read_bytes())
    return found


def run(data: bytes) -> None:
    trace = bm.Trace.load(FOLDER.file("t.parquet", data))
    assert not np.isnan(trace.bits).any(), "NaN"
    assert (trace.bits >= -1e-6).all(), "a cost below nothing"
    assert len(trace.units) == len(trace) == len(list(trace)), "as many units as rows"
    for unit in trace.top(3):
        str(unit)
    assert np.isclose(trace.group("word").bits.sum(), trace.bits.sum()), "groups cost what their units cost"
    trace.group("document")
    trace.document(0)
    if len(trace):
        str(trace[-1])
    trace.save(FOLDER.path / "again.parquet", force=True)
    bm.Trace.load(FOLDER.path / "again.parquet")


if __name__ == "__main__":
    main("trace", run, seeds, mutated_columns)
