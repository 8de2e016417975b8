"""Rows of JSON as a text."""

from __future__ import annotations

import math

from engine import Folder, main, mutated_json

import bitmeter as bm

FOLDER = Folder()


def seeds() -> list[bytes]:
    return [
        b'{"text": "a rose", "id": 1}\n{"text": "\\u00e9\\ud83d\\ude00"}\n',
        b'\xef\xbb\xbf{"text": ""}\n\n{"text": "x"}',
    ]


def run(data: bytes) -> None:
    file = FOLDER.file("t.jsonl", data)
    score = bm.score("uniform", file)
    assert math.isclose(score.bits, 8 * score.bytes), "a byte costs eight bits"


if __name__ == "__main__":
    main("jsonl", run, seeds, lambda draw, data: b"\n".join(
        mutated_json(draw, line) if draw.random() < 0.5 else line for line in data.split(b"\n")
    ))  # fmt: skip
