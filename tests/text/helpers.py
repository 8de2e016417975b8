"""What tests of texts share: units of every kind, and documents put together from blocks."""

from __future__ import annotations

import numpy as np

from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import Units
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.unicode import Graphemes, Sentences, UnicodeWords
from bitmeter.text.units.words import Words

EVERY = [
    Bytes(), Characters(), Graphemes(), Words(), Words("lmplz"), Words("srilm"), Words(vocabulary=["to", "be,", "né"]),
    UnicodeWords(), UnicodeWords(vocabulary=["to", "be", ","]), Sentences(),
]  # fmt: skip


def name_of(units: Units) -> str:
    """For the ids of tests."""
    return units.name


def cut_up(corpus: Corpus, size: int) -> list[bytes]:
    """The documents, from blocks of one size."""
    found: list[bytes] = []
    begun = b""
    for block in corpus.blocks(size):
        assert len(block.data) <= size
        assert block.ends.dtype == np.int64
        start = 0
        for end in block.ends.tolist():
            assert start <= end <= len(block.data)
            found.append(begun + block.data[start:end])
            begun, start = b"", end
        begun += block.data[start:]
    assert begun == b""
    return found


def data_of(corpus: Corpus) -> list[bytes]:
    """The bytes of each document."""
    return [document.data for document in corpus]
