"""What an n-gram model says, as other programs read it."""

from __future__ import annotations

import tempfile
from pathlib import Path

import bitmeter as bm


def arpa(model: bm.NGram) -> dict[tuple[str, ...], tuple[float, float]]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.arpa"
        model.save(path)
        rows = [line.split("\t") for line in path.read_text().splitlines() if "\t" in line]
    return {tuple(row[1].split(" ")): (float(row[0]), float(row[2]) if len(row) > 2 else 0.0) for row in rows}
