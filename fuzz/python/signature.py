"""The line of a signature: what is read is written the same."""

from __future__ import annotations

import random

from engine import main, mutated_bytes

import bitmeter as bm

PIECES = [
    b"|",
    b":",
    b"\\",
    b"\\p",
    b"\\c",
    b"\\n",
    b"schema:1",
    b"docs:line.3.aa",
    b"text:",
    b"\xff",
    b"\n",
    b"x:y",
    b"",
]


def seeds() -> list[bytes]:
    score = bm.score("kt", b"to be or not to be", docs="line")
    return [str(score.signature).encode(), str(bm.Signature(model="a|b:c\\d")).encode(), b"schema:1"]


def mutate(draw: random.Random, data: bytes) -> bytes:
    parts = data.split(b"|")
    at = draw.randrange(len(parts))
    parts[at] = draw.choice([draw.choice(PIECES), parts[at] + draw.choice(PIECES), parts[draw.randrange(len(parts))]])
    return mutated_bytes(draw, b"|".join(parts), data) if draw.random() < 0.2 else b"|".join(parts)


def run(data: bytes) -> None:
    found = bm.Signature.parse(data.decode("utf-8", "surrogateescape"))
    assert bm.Signature.parse(str(found)) == found, "written otherwise than read"
    assert found.short.startswith("bm1-"), "the hash of the line"


if __name__ == "__main__":
    main("signature", run, seeds, mutate)
