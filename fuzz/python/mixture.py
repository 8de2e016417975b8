"""The file of a mixture, next to the models that it names."""

from __future__ import annotations

from engine import Folder, main, mutated_json

import bitmeter as bm

FOLDER = Folder()


def seeds() -> list[bytes]:
    model = bm.NGram(order=2, units="bytes").fit(b"to be or not to be\n" * 3)
    model.save(FOLDER.path / "m.bmn", force=True)
    words = bm.NGram(order=2).fit(b"to be or not to be\n" * 3)
    words.save(FOLDER.path / "w.bmn", force=True)
    made = [
        bm.MixtureModel([bm.NGram.load(FOLDER.path / "m.bmn"), "kt"]),
        bm.MixtureModel([bm.NGram.load(FOLDER.path / "w.bmn"), bm.Cache(5)], buckets=True).fit(b"be to or\n" * 9),
    ]
    found = []
    for number, mixture in enumerate(made):
        mixture.save(FOLDER.path / f"{number}.bmx", force=True)
        found.append((FOLDER.path / f"{number}.bmx").read_bytes())
    return found


def run(data: bytes) -> None:
    model = bm.load(str(FOLDER.file("x.bmx", data)))
    score = bm.score(model, b"to be\n")
    assert score.nats > 0.0, "a cost below nothing"


if __name__ == "__main__":
    main("mixture", run, seeds, mutated_json)
