"""The folder of a trained network: each of its files in turn, loaded and used.

An input is the name of a file, a NUL and the content of that file; the other files of the folder are sound.
"""

from __future__ import annotations

import functools
import random
import shutil

from engine import Folder, main, mutated_bytes, mutated_json

import bitmeter as bm

FOLDER = Folder()
TEXT = b"the cat sat on the mat\nand the dog lay on the rug\n" * 8
#: The models in the folder, by the units that they predict.
KINDS = ("bytes", "bpe", "words")
FILES = ("model.json", "curve.json", "tokenizer.json", "words.txt", "weights.safetensors")


@functools.cache
def seeds() -> list[bytes]:
    found = []
    for kind in KINDS:
        folder = FOLDER.path / kind
        model = bm.Neural("lstm", kind, width=4, layers=1, context=8, vocabulary=258, threads=1)
        model.fit(TEXT, epochs=0.1, batch=2, looks=1).save(folder, force=True)
        shutil.copytree(folder, FOLDER.path / f"{kind}-sound")
        there = [name for name in FILES if (folder / name).exists()]
        found += [f"{kind}/{name}".encode() + b"\0" + (folder / name).read_bytes() for name in there]
    return found


def mutate(draw: random.Random, data: bytes) -> bytes:
    name, _, content = data.partition(b"\0")
    if name.endswith(b".json"):
        return name + b"\0" + mutated_json(draw, content)
    if name.endswith(b".safetensors") and len(content) > 8:  # the header is JSON after its length
        size = int.from_bytes(content[:8], "little")
        header = mutated_json(draw, content[8 : 8 + size])
        return name + b"\0" + len(header).to_bytes(8, "little") + header + content[8 + size :]
    return name + b"\0" + mutated_bytes(draw, content, content)


def run(data: bytes) -> None:
    name, _, content = data.partition(b"\0")
    kind, _, file = name.decode("latin-1").partition("/")
    if kind not in KINDS or file not in FILES:
        return
    (FOLDER.path / kind / file).write_bytes(content)
    try:
        score = bm.score(bm.load(str(FOLDER.path / kind)), b"the cat\n")
        assert score.nats > 0.0, "a cost below nothing"
        str(bm.LearningCurve.load(FOLDER.path / kind))
    finally:
        shutil.copyfile(FOLDER.path / f"{kind}-sound" / file, FOLDER.path / kind / file)


if __name__ == "__main__":
    main("model_json", run, seeds, mutate)
