"""N-gram models of tokens that other programs trained: the figures of the loop of sentencepiece and kenlm."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import sentencepiece

import bitmeter as bm
import bitmeter.kenlm as kenlm
from bitmeter.errors import ModelError
from bitmeter.measure.documents.scorer import DocumentScorer
from bitmeter.models.ngram.tokenised import TokenisedNGram, _normaliser_name
from bitmeter.text.corpus.sample import sample_text

LINES = [line for line in sample_text()[:60_000].split("\n") if line.strip()]


@pytest.fixture(scope="module", params=["unigram", "bpe", "byte fallback"])
def files(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A SentencePiece model, and an n-gram model that was trained on its pieces as words."""
    folder = tmp_path_factory.mktemp("lm")
    made = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(LINES), model_writer=made, vocab_size=500, minloglevel=2, hard_vocab_limit=False,
        model_type="bpe" if request.param == "bpe" else "unigram", byte_fallback=request.param == "byte fallback",
    )  # fmt: skip
    (folder / "en.sp.model").write_bytes(made.getvalue())
    tokenizer = sentencepiece.SentencePieceProcessor(model_proto=made.getvalue())
    # Half of the lines have a character that the tokenizer does not know, so that it is a word of the model.
    lines = [line + " ☃" * (number % 2) for number, line in enumerate(LINES)]
    text = "\n".join(" ".join(tokenizer.encode_as_pieces(line)) for line in lines)
    bm.NGram(order=3).fit(text.encode() + b"\n").save(folder / "en.arpa")
    return folder / "en.arpa", folder / "en.sp.model"


def test_figures_are_those_of_the_loop(files: tuple[Path, Path]) -> None:
    arpa, pieces = files
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(pieces))
    model = kenlm.Model(str(arpa))
    documents = [*LINES[:200], "", "  ", "☃ snow ☃☃", "½ cup ‑ of ☃", "日本 x", "tab\there", "double  space ☃ "]
    data = [document.encode() for document in documents]
    scorer = DocumentScorer(TokenisedNGram(arpa, f"sentencepiece:{pieces}"))
    found = scorer.score(b"".join(data), np.cumsum([len(one) for one in data]))
    for number, document in enumerate(documents):
        tokens = tokenizer.encode_as_pieces(document)
        assert found.tokens[number] == len(tokens) + 1
        assert -found.nats[number] / np.log(10) == pytest.approx(model.score(" ".join(tokens)), rel=1e-5)


def test_a_pickle_of_it_gives_the_same(files: tuple[Path, Path]) -> None:
    arpa, pieces = files
    model = TokenisedNGram(bm.NGram.load(arpa), bm.units_of(f"sentencepiece:{pieces}"))
    score = bm.score(model, b"the value of an expression", oov="class", eos="yes")
    assert score.signature.units.startswith("sentencepiece:")
    assert model.traits.end is not None
    assert bm.score(model.with_oov("class"), b"the value of an expression", oov="class", eos="yes").nats == score.nats
    assert bm.score(model, "日本語".encode(), oov="none").impossible >= 0


def test_what_does_not_fit_is_refused(files: tuple[Path, Path], tmp_path: Path) -> None:
    arpa, pieces = files
    with pytest.raises(ModelError, match="knows its own units"):
        TokenisedNGram(bm.NGram(order=2, units="bytes").fit(b"abc"), f"sentencepiece:{pieces}")
    with pytest.raises(ModelError, match="has no tokens"):
        TokenisedNGram(arpa, "words")
    bm.NGram(order=1).fit(b"12345 67890\n").save(tmp_path / "other.bmn")
    with pytest.raises(ModelError, match="was not trained on them"):
        TokenisedNGram(tmp_path / "other.bmn", f"sentencepiece:{pieces}")


@pytest.mark.parametrize(
    "data", [b"", b"\x1a", b"\x1a\xff", b"\x1a\x03\x0a\x09x", b"\xff" * 30, b"\x0b", b"\x1a\x02\x08"]
)
def test_a_file_that_is_cut_has_no_name_of_a_normaliser(data: bytes) -> None:
    assert _normaliser_name(data) in (b"", b"x")
