"""The sums of each document as it ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.measure.documents.ended import DocumentBatch

LINES = b"".join(b"line %d\n" % i * (i % 4) for i in range(60)) + b"last"


def heard(model: object, text: object, **keywords: object) -> tuple[bm.Score, DocumentBatch]:
    batches: list[DocumentBatch] = []
    score = bm.score(model, text, documents=batches.append, **keywords)  # type: ignore[arg-type]
    assert [batch.first for batch in batches] == np.cumsum([0, *(len(b.nats) for b in batches[:-1])]).tolist()
    names = ("nats", "bytes", "chars", "words", "tokens", "oov")
    columns: dict[str, Any] = {name: np.concatenate([getattr(batch, name) for batch in batches]) for name in names}
    return score, DocumentBatch(first=0, closed=batches[0].closed, **columns)


@pytest.mark.parametrize("docs", ["line", "blank", "file"])
def test_each_document_is_that_of_the_score(docs: str) -> None:
    score, found = heard("kt", LINES, docs=docs)
    assert score.by_document is not None
    for name in ("nats", "bytes", "chars", "words", "tokens"):
        np.testing.assert_array_equal(getattr(found, name), getattr(score.by_document, name))


def test_documents_that_are_joined_in_the_score_are_not_joined_here(monkeypatch: pytest.MonkeyPatch) -> None:
    _, apart = heard("kt", LINES, docs="line")
    monkeypatch.setattr("bitmeter.measure.sums.MOST_DOCUMENTS", 16)
    score, found = heard("kt", LINES, docs="line")
    assert score.by_document is not None
    assert score.by_document.sizes is not None
    assert len(found.nats) == score.documents > len(score.by_document)
    for one, other in zip(apart[1:7], found[1:7], strict=True):
        np.testing.assert_array_equal(one, other)


def test_unknown_words_and_empty_documents() -> None:
    model = bm.NGram(order=2).fit(b"to be or not to be\n")
    corpus = bm.Corpus.from_documents([b"to see or to hear", b"", b"to be"])
    score, found = heard(model, corpus, oov="class")
    assert (found.oov.tolist(), score.oov) == ([2, 0, 0], 2)
    assert found.bytes.tolist() == [17, 0, 5]
    assert found.closed
    assert not heard(model, corpus)[1].closed


def test_a_long_document_comes_once() -> None:
    corpus = bm.Corpus.from_documents([b"a" * 3_000_000, b"b"])
    score, found = heard("uniform", corpus)
    assert found.tokens.tolist() == [3_000_000, 1]
    assert found.nats.sum() == pytest.approx(score.nats)


def test_a_compressor_has_none() -> None:
    with pytest.raises(ModelError, match="no figures of documents"):
        heard("zlib", LINES)
