"""Scores made of chosen sums, so that figures can be checked against closed forms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.measure.aggregates import DocumentSums, WindowSums
from bitmeter.measure.run import Run


def documents_of(nats: Sequence[float], tokens: Sequence[int], words: Sequence[int] | None = None) -> DocumentSums:
    """Documents of ten bytes and characters each."""
    size = np.full(len(nats), 10, dtype=np.int64)
    counted = tokens if words is None else words
    return DocumentSums(
        np.array(nats, dtype=float), size, size, np.array(counted, np.int64), np.array(tokens, dtype=np.int64)
    )


def windows_of(costs: Sequence[Sequence[float]], opening: Sequence[int]) -> WindowSums:
    """Windows with the given costs of single tokens."""
    return WindowSums(
        np.array([math.fsum(window) for window in costs]),
        np.array([math.fsum(cost * cost for cost in window) for window in costs]),
        np.array([len(window) for window in costs], dtype=np.int64),
        np.array(opening, dtype=np.int64),
    )


def made_score(nats: Sequence[float], tokens: Sequence[int], **changes: Any) -> bm.Score:
    """A score of documents with these costs and token counts."""
    documents = documents_of(nats, tokens, changes.pop("words_by_document", None))
    total = math.inf if math.inf in nats else math.fsum(nats)
    values: dict[str, Any] = {
        "model": "made",
        "text": "made.txt",
        "nats": total,
        "known_nats": total,
        "bytes": int(documents.bytes.sum()),
        "chars": int(documents.chars.sum()),
        "words": int(documents.words.sum()),
        "tokens": int(documents.tokens.sum()),
        "documents": len(documents),
        "oov": 0,
        "skipped": 0,
        "invalid": 0,
        "impossible": 0,
        "signature": bm.Signature(),
        "by_document": documents,
    }
    return bm.Score(**{**values, **changes})


def in_blocks(patch: pytest.MonkeyPatch, size: int) -> None:
    """Have every run read so many bytes at once, whatever the model asks for."""
    begin = Run.__init__

    def begin_in_blocks(run: Run, *given: Any, **keywords: Any) -> None:
        begin(run, *given, **{**keywords, "block_bytes": size})

    patch.setattr(Run, "__init__", begin_in_blocks)
