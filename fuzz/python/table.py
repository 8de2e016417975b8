"""A table in an archive's bundle: read, and used for a score."""

from __future__ import annotations

from engine import Folder, main, mutated_json

import bitmeter as bm

FOLDER = Folder()
TABLES = [
    bm.Distribution({"a": 0.5, "b": 0.25, "c": 0.25}),
    bm.Conditional({"?": {"a": 0.5, "?": 0.5}, "a": {"a": 0.1, "?": 0.9}}, other="?", start="?"),
    bm.Distribution({97: 0.5, 98: 0.5}),
]


def seeds() -> list[bytes]:
    found = []
    for table in TABLES:
        model = bm.TableModel(table)
        found.append((FOLDER.path / model.bundle(FOLDER.path)[0]).read_bytes())
    return found


def run(data: bytes) -> None:
    FOLDER.file("table.json", data)
    model = bm.TableModel.unbundle(FOLDER.path, "an archive")
    score = bm.score(model, b"abca")
    assert score.nats >= 0.0, "a cost below nothing"


if __name__ == "__main__":
    main("table", run, seeds, mutated_json)
