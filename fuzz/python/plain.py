"""Plain and compressed files as a text, with documents by file, line and paragraph."""

from __future__ import annotations

import bz2
import gzip
import lzma
import math

import zstandard
from engine import Folder, main

import bitmeter as bm

FOLDER = Folder()
TEXT = "a rose is\n\na rose é\n".encode()
#: The first byte of an input chooses the suffix.
SUFFIXES = (".txt", ".txt.gz", ".txt.bz2", ".txt.xz", ".txt.zst")


def seeds() -> list[bytes]:
    packed = (TEXT, gzip.compress(TEXT), bz2.compress(TEXT), lzma.compress(TEXT), zstandard.compress(TEXT))
    return [bytes([number]) + data for number, data in enumerate(packed)]


def run(data: bytes) -> None:
    file = FOLDER.file("t" + SUFFIXES[data[0] % len(SUFFIXES)] if data else "t.txt", data[1:])
    for docs in ("file", "line", "blank"):
        score = bm.score("uniform", file, docs=docs)
        assert math.isclose(score.bits, 8 * score.bytes), "a byte costs eight bits"


if __name__ == "__main__":
    main("plain", run, seeds)
