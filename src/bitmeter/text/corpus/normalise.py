"""Normalisation before measuring: explicit, named, and in the signature."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator

import numpy as np

from bitmeter._util.check import choice
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.readers import Chunk
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


def normalised(corpus: Corpus, how: str) -> Corpus:
    r"""The corpus with each document changed; documents are held in memory one at a time.

    Examples
    --------
    >>> [document.data for document in normalised(Corpus.from_text("One\r\nTwo"), "newlines")]
    [b'One\nTwo']
    """
    change = NORMALISERS[choice(how, "norm", NORMALISERS)]

    def read(docs: str, field: str, size: int) -> Iterator[Chunk]:
        for document in corpus:
            data = change(document.data)
            yield Chunk(data, np.array([len(data)], dtype=np.int64))

    made = Corpus._made(Resolved([Source(corpus.name, "record", read)], list(corpus.notes)), None)
    made.docs = corpus.docs
    return made
