"""Normalisation before measuring: explicit, named, and in the signature."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Ints
from bitmeter._util.check import choice
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.labels import Collector
from bitmeter.text.corpus.readers import NO_ENDS, Block
from bitmeter.text.corpus.sources import Resolved, Source

__all__ = ["NORMALISERS", "TOOLS", "normalise_documents", "normalised", "normaliser"]

#: The normalisers of other tools, which the core has.
TOOLS = ("ccnet", "edugp", "roots", "datatrove")


def _text(change: Callable[[str], str]) -> Callable[[bytes], bytes]:
    """Apply a function to the text; bytes that are not UTF-8 stay."""

    def changed(data: bytes) -> bytes:
        return change(data.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

    return changed


@cache
def _of_tool(name: str) -> _core.Normaliser:
    return _core.Normaliser(name)


def _tool(name: str) -> Callable[[bytes], bytes]:
    def changed(data: bytes) -> bytes:
        return _of_tool(name).documents(data, np.array([len(data)], dtype=np.int64))[0]

    return changed


#: Functions on a document, by name.
NORMALISERS: dict[str, Callable[[bytes], bytes]] = {
    "nfc": _text(lambda text: unicodedata.normalize("NFC", text)),
    "nfkc": _text(lambda text: unicodedata.normalize("NFKC", text)),
    "lower": _text(str.lower),
    "newlines": lambda data: data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"),
    **{name: _tool(name) for name in TOOLS},
}


def normaliser(how: str) -> Callable[[bytes], bytes]:
    """The function of a name, which changes one whole document; "none" and "data-juicer" leave it as it is.

    Examples
    --------
    >>> normaliser("ccnet")("Été 2026…".encode())
    b'ete 0000...'
    """
    name = choice(how, "norm", ("none", "data-juicer", *NORMALISERS))
    return NORMALISERS.get(name, bytes)


def normalise_documents(data: bytes, ends: Ints, how: str) -> tuple[bytes, Ints]:
    """Several whole documents that end at `ends`, each changed by itself; the bytes, and where they end now.

    Examples
    --------
    >>> data, ends = normalise_documents(b"One 1Two 2", np.array([5, 10]), "ccnet")
    >>> data, ends.tolist()
    (b'one 0two 0', [5, 10])
    """
    change = normaliser(how)
    if how in TOOLS:
        return _of_tool(how).documents(data, np.ascontiguousarray(ends, dtype=np.int64))
    places = [0, *ends.tolist()]
    changed = [change(data[a:b]) for a, b in pairwise(places)]
    return b"".join(changed), np.cumsum([len(one) for one in changed], dtype=np.int64)


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
    r"""The corpus with each document changed, in parts that end before white space: no normaliser looks across it.

    Examples
    --------
    >>> [document.data for document in normalised(Corpus.from_text("One\r\nTwo"), "newlines")]
    [b'One\nTwo']
    """
    change = NORMALISERS[choice(how, "norm", NORMALISERS)]

    def read_by_tool(docs: str, field: str, size: int, labels: Collector | None) -> Iterator[Block]:
        stream = _core.NormaliserStream(_of_tool(how))
        for block in corpus.blocks(size):
            yield Block(*stream.feed(block.data, block.ends))

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

    source = Source(corpus.name, "record", read_by_tool if how in TOOLS else read)
    made = Corpus._made(Resolved([source], list(corpus.notes)), None)
    made.docs = corpus.docs
    made.origin = corpus
    return made
