"""Normalisation before measuring: explicit, named, and in the signature."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

import numpy as np

from bitmeter._util.check import choice
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.labels import Collector
from bitmeter.text.corpus.readers import NO_ENDS, Block
from bitmeter.text.corpus.sources import Resolved, Source

__all__ = ["NORMALISERS", "normalised"]


def _text(change: Callable[[str], str]) -> Callable[[bytes], bytes]:
    """Apply a function to the text; bytes that are not UTF-8 stay."""

    def changed(data: bytes) -> bytes:
        return change(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    return changed


#: Functions on a document, by name.
NORMALISERS: dict[str, Callable[[bytes], bytes]] = {
    "nfc": _text(lambda text: unicodedata.normalize("NFC", text)),
    "nfkc": _text(lambda text: unicodedata.normalize("NFKC", text)),
    "lower": _text(str.lower),
    "newlines": lambda data: data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"),
}


def _boundary(data: bytes, start: int) -> int:
    """Where the last part of a text that can be changed by itself ends; `start` if there is none.

    What precedes a space or a newline changes in the same way whatever follows: neither composes with a character
    before it, and both end a word for the lower case of Greek. But a carriage return and a newline are one line end.
    """
    space, newline = data.rfind(b" ", start), data.rfind(b"\n", start)
    while newline > max(space, start) and data[newline - 1] == 0x0D:
        newline = data.rfind(b"\n", start, newline)
    return max(space, newline, start)


def normalised(corpus: Corpus, how: str) -> Corpus:
    r"""The corpus with each document changed, in parts that end before white space.

    Examples
    --------
    >>> [document.data for document in normalised(Corpus.from_text("One\r\nTwo"), "newlines")]
    [b'One\nTwo']
    """
    change = NORMALISERS[choice(how, "norm", NORMALISERS)]

    def read(docs: str, field: str, size: int, labels: Collector | None) -> Iterator[Block]:
        held: list[bytes] = []  # the beginning of a part that has not ended
        for block in corpus.blocks(size):
            start = 0
            for end in block.ends.tolist():
                data = change(b"".join((*held, block.data[start:end])))
                yield Block(data, np.array([len(data)], dtype=np.int64))
                held, start = [], end
            end = _boundary(block.data, start)
            if end > start:
                yield Block(change(b"".join((*held, block.data[start:end]))), NO_ENDS)
                held, start = [], end
            held.append(block.data[start:])

    made = Corpus._made(Resolved([Source(corpus.name, "record", read)], list(corpus.notes)), None)
    made.docs = corpus.docs
    made.origin = corpus
    return made
