"""N-gram models of tokens that other programs trained: the figures of the loop of sentencepiece and kenlm."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import sentencepiece

import bitmeter as bm
import bitmeter.kenlm as kenlm
from bitmeter.measure.documents.scorer import DocumentScorer
from bitmeter.text.corpus.sample import sample_text
from bitmeter.text.units.sentencepiece import SentencePiece

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
    scorer = DocumentScorer(bm.NGram.load(arpa, units=f"sentencepiece:{pieces}"))
    found = scorer.score(b"".join(data), np.cumsum([len(one) for one in data]))
    for number, document in enumerate(documents):
        tokens = tokenizer.encode_as_pieces(document)
        assert found.tokens[number] == len(tokens) + 1
        assert -found.nats[number] / np.log(10) == pytest.approx(model.score(" ".join(tokens)), rel=1e-5)


def test_pieces_are_written_as_the_library_writes_them(files: tuple[Path, Path]) -> None:
    _, pieces = files
    tokenizer = sentencepiece.SentencePieceProcessor(model_file=str(pieces))
    units = bm.units_of(f"sentencepiece:{pieces}")
    assert isinstance(units, SentencePiece)
    assert list(units.pieces) == [tokenizer.id_to_piece(number) for number in range(len(tokenizer))]
    for text in [*LINES[:50], "", " ", "☃ snow ☃☃ ☃", "½ cup ‑ of ☃", "日本\u3000x", "a\tb  c ", "\U0001f9ff漢é\u0301"]:
        assert units.written(text.encode()) == tokenizer.encode(text, out_type=str)
