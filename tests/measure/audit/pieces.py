"""A text with accents, cut as SentencePiece does, and log-probabilities for it: what tables of other programs hold."""

from __future__ import annotations

import math
import re

import numpy as np

import bitmeter as bm
from bitmeter._util.arrays import Bools, Floats, Ints

LN2 = math.log(2.0)
DOCUMENTS = ["der Käse ist süß und schön\n", "ça va très bien à 5 €\n", "plain words without any\n"] * 8
TEXT = "".join(DOCUMENTS).encode()
CORPUS = bm.Corpus.from_documents(DOCUMENTS)


def cut(document: str) -> list[str]:
    """▁ for a space, one before the document, and a token of one byte for each byte that is not ASCII or a newline."""
    found: list[str] = []
    for part in re.findall(r"▁?[!-~]+|▁|.|\n", "▁" + document.replace(" ", "▁")):
        if (part.isascii() and part != "\n") or re.fullmatch(r"▁[!-~]*", part):
            found.append(part)
        else:
            found += [f"<0x{byte:02X}>" for byte in part.encode()]
    return found


PIECES = [piece for document in DOCUMENTS for piece in cut(document)]
DOC: Ints = np.repeat(np.arange(len(DOCUMENTS)), [len(cut(document)) for document in DOCUMENTS])
LOGPROB: Floats = -np.random.default_rng(7).uniform(0.1, 6.0, len(PIECES))
#: By the definition: −Σ log2 p over the bytes of the raw text.
BITS = -math.fsum((LOGPROB / LN2).tolist())
TRUE = BITS / len(TEXT)


def true_sizes() -> Floats:
    """The bytes of each piece; the space before a document is not in the text."""
    first = np.concatenate(([True], np.diff(DOC) > 0))
    sizes = [1 if piece.startswith("<0x") else len(piece.replace("▁", " ")) for piece in PIECES]
    return np.array(sizes, dtype=np.float64) - first


#: Which pieces begin with a space of the text, and which are single bytes.
SPACED: Bools = np.array([piece.startswith("▁") for piece in PIECES]) & ~np.concatenate(([True], np.diff(DOC) > 0))
FALLBACK: Bools = np.array([piece.startswith("<0x") for piece in PIECES])


def table(**more: object) -> dict[str, object]:
    """The columns of an honest table, and others."""
    return {"doc": DOC, "piece": PIECES, "logprob": LOGPROB, **more}
