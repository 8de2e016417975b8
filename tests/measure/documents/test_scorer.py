"""Scores of many documents in one call are those of `score`, one document after the other."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import InputError, ModelError
from bitmeter.measure.documents.scorer import DocumentScorer
from bitmeter.models.ngram.session import NGramSession
from bitmeter.models.session import Batch
from tests.models.networks import tiny

TEXT = b"to be or not to be\nthat is the question\nto die to sleep\n" * 3
NGRAM = bm.NGram(order=3).fit(TEXT)
DOCUMENTS = [
    b"to be",
    b"",
    b"question xyz\nto be\n",
    b" \n",
    b"\xff\xfe",
    "né à\n".encode(),
    b"to be or not to be\n" * 40,
]


def joined(documents: list[bytes]) -> tuple[bytes, np.ndarray]:
    return b"".join(documents), np.cumsum([len(document) for document in documents])


PIECES = Path(__file__).parents[2] / "parity" / "filters"


def of_pieces(form: str) -> bm.NGram:
    """A model of pieces in each of its forms; "tokens" are those of a model that was trained by them."""
    units = f"sentencepiece:{PIECES / 'tiny.sp.model'}"
    if form == "tokens":
        return bm.NGram(order=3, units=units).fit(PIECES / "train.txt")
    model = bm.NGram.load(PIECES / "tiny.arpa.bin", units=units)
    return model if form == "kenlm" else model.fast() if form == "fast" else model.compact()


@pytest.mark.parametrize("form", ["kenlm", "fast", "compact", "tokens"])
@pytest.mark.parametrize(
    "conventions", [{}, {"eos": "no"}, {"eos": "nonblank"}, {"norm": "ccnet"}, {"sentences": "line"}, {"oov": "none"}],
    ids=str,
)  # fmt: skip
def test_sums_by_the_session_are_those_of_units(
    form: str, conventions: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    if form == "tokens" and conventions.get("oov"):
        conventions = {"eos": "yes"}
    scorer = DocumentScorer(of_pieces(form), **conventions)
    lines = (PIECES / "train.txt").read_bytes().splitlines(keepends=True)[:200]
    awkward = ["生 zzz \U0001f9ff\U0001f9ff 漢字 Μῆνιν", "\U0001f9ff", "a  b\tc \n\n d ", "ﬁ ½ ㌔ e\u0301", "x" * 300]
    documents = [*DOCUMENTS, *lines, *(text.encode() for text in awkward)]
    together = scorer.score(*joined(documents))
    called: list[int] = []

    def refused(self: NGramSession, batch: Batch) -> None:
        called.append(len(batch.ends))

    monkeypatch.setattr(NGramSession, "totals", refused)
    apart = scorer.score(*joined(documents))
    assert called
    for name in ("nats", "tokens", "bytes", "chars", "words", "oov"):
        assert getattr(together, name).tolist() == getattr(apart, name).tolist()  # to the bit
    assert together.oov.any() or form == "tokens"


@pytest.mark.parametrize(
    ("model", "conventions"),
    [
        ("kt", {}), ("uniform", {}), ("universal:small", {}), ("zlib", {}), (NGRAM, {}), (NGRAM, {"oov": "class"}),
        (NGRAM, {"oov": "skipped", "eos": "no"}), (NGRAM, {"eos": "no", "oov": "none"}), ("kt", {"norm": "lower"}),
        (NGRAM, {"like": "kenlm"}), ("uniform", {"first": "skip"}), (bm.NGram(order=2, units="chars").fit(TEXT), {}),
        (tiny(), {}), (tiny(), {"ctx": "8.4"}),
    ],
    ids=str,
)  # fmt: skip
def test_figures_are_those_of_score(model: object, conventions: dict[str, str]) -> None:
    scorer = DocumentScorer(bm.load(model), **conventions)
    found = scorer.score(*joined(DOCUMENTS))
    signature = scorer.signature
    for number, document in enumerate(DOCUMENTS):
        keywords: dict[str, Any] = {"first": signature.first, "eos": signature.eos, "oov": signature.oov, **conventions}
        if scorer.name == "zlib:6":
            keywords = {}
        text = document if "like" in conventions else bm.Corpus.from_documents([document])
        alone = bm.score(model, text, **keywords)
        # A network adds up in single precision, in another order for other batches.
        tolerance = 1e-6 if "float32" in signature.precision else 1e-14
        assert found.nats[number] == pytest.approx(alone.nats, rel=tolerance, abs=1e-300)
        assert (found.chars[number], found.words[number]) == (alone.chars, alone.words) or signature.den == "original"
        if alone.tokens is not None:
            assert (found.tokens[number], found.bytes[number]) == (alone.tokens, len(document))
            assert found.oov.sum() >= alone.oov
    assert signature.model.startswith(scorer.name)


@settings(max_examples=30)
@given(st.lists(st.binary(max_size=30), max_size=12), st.randoms())
def test_a_document_does_not_depend_on_the_others(documents: list[bytes], random: object) -> None:
    scorer = DocumentScorer(NGRAM)
    found = scorer.score(*joined(documents))
    order = list(range(len(documents)))
    random.shuffle(order)  # type: ignore[attr-defined]
    again = scorer.score(*joined([documents[number] for number in order]))
    assert found.nats[order].tolist() == again.nats.tolist()
    assert found.tokens[order].tolist() == again.tokens.tolist()


def test_large_documents_and_many_small_ones_are_the_same() -> None:
    documents = [TEXT * 4000, *DOCUMENTS * 3, TEXT]
    scorer = DocumentScorer(NGRAM)
    found = scorer.score(*joined(documents))
    assert found.nats[-1] == scorer.score(*joined([TEXT])).nats[0]
    assert found.nats[0] == pytest.approx(bm.score(NGRAM, TEXT * 4000).nats, rel=1e-14)


def test_the_default_of_a_model_that_cannot_spell_is_kenlms(tmp_path) -> None:  # type: ignore[no-untyped-def]
    NGRAM.save(tmp_path / "m.arpa")
    scorer = DocumentScorer(bm.load(tmp_path / "m.arpa"))
    assert (scorer.signature.oov, scorer.signature.eos) == ("class", "yes")
    assert not scorer.covers_bytes
    import bitmeter.kenlm as kenlm

    model = kenlm.Model(str(tmp_path / "m.arpa"))
    texts = ["to be or not", "the xyz question", ""]
    found = scorer.score(*joined([text.encode() for text in texts]))
    perplexities = [model.perplexity(text) for text in texts]
    assert np.exp(found.nats / found.tokens).tolist() == pytest.approx(perplexities, rel=1e-5)


def test_lines_as_sentences_are_what_split_gives() -> None:
    text = "to be\n\nor not\n"
    scorer = DocumentScorer(NGRAM, oov="class", sentences="split")
    found = scorer.score(*joined([text.encode(), b"", b"\nto", b"be"]))
    whole = DocumentScorer(NGRAM, oov="class")
    for number, document in enumerate([text, "", "\nto", "be"]):
        parts = whole.score(*joined([line.encode() for line in document.split("\n")]))
        assert found.nats[number] == pytest.approx(math.fsum(parts.nats), rel=1e-14)
        assert found.tokens[number] == parts.tokens.sum()
    assert found.bytes.tolist() == [len(text), 0, 3, 2]


def test_what_cannot_be_is_refused() -> None:
    for sentences in ("line", "split"):
        with pytest.raises(InputError, match="newlines end its sentences"):
            DocumentScorer(NGRAM, sentences=sentences)
    with pytest.raises(ModelError, match="total"):
        DocumentScorer(bm.load("zlib"), eos="yes")
    with pytest.raises(InputError, match="sentences"):
        DocumentScorer(NGRAM, sentences="word")


def test_sentences_are_added_as_loops_of_python_add_them() -> None:
    import bitmeter.kenlm as kenlm

    model = of_pieces("kenlm")
    pieces = bm.units_of(f"sentencepiece:{PIECES / 'tiny.sp.model'}")
    loop = kenlm.Model(str(PIECES / "tiny.arpa.bin"))
    lines = (PIECES / "train.txt").read_text(encoding="utf-8").splitlines()[:60]
    documents = ["\n".join(lines[start : start + 9]) for start in range(0, 60, 5)]
    scorer = DocumentScorer(model, like="roots", norm="none", sentences="split")
    found = scorer.score(*joined([document.encode() for document in documents]))
    for number, document in enumerate(documents):
        total, length = 0.0, 0
        for line in document.split("\n"):
            words = pieces.written(line.encode())  # type: ignore[attr-defined]
            total, length = total + loop.score(" ".join(words)), length + len(words) + 1
        assert found.tokens[number] == length
        assert found.perplexity is not None
        assert found.perplexity[number] == round(10.0 ** (-total / length), 1)
    assert DocumentScorer(model).score(*joined([b"to be"])).perplexity is None
