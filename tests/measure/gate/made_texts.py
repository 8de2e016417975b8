"""A text and n-gram models of several orders and forms."""

from __future__ import annotations

import random
from pathlib import Path

import bitmeter as bm

_WORDS = [
    "the",
    "a",
    "ship",
    "sea",
    "harbour",
    "old",
    "man",
    "went",
    "to",
    "his",
    "boat",
    "and",
    "saw",
    "that",
    "it",
    "was",
]
_RANDOM = random.Random(1)
TEXT = "".join(
    " ".join(_RANDOM.choice(_WORDS) for _ in range(_RANDOM.randint(5, 12))) + "\n" for _ in range(60)
).encode()


def models(folder: Path) -> list[str]:
    """A trigram model, a bigram model, and the first compact with four bits per probability."""
    (folder / "text.txt").write_bytes(TEXT)
    names = [str(folder / name) for name in ("m3.bmn", "m2.bmn", "c3.bmn")]
    bm.NGram(order=3).fit(folder / "text.txt").save(names[0])
    bm.NGram(order=2).fit(folder / "text.txt").save(names[1])
    bm.convert(names[0], names[2], compact=True, bits=4)
    return names
