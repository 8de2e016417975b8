"""Vocabularies learned from a text: they give every text back, and the same text gives the same file."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, ChoiceError, EmptyError, MissingPackageError, ModelError, RangeError
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.sample import sample_text
from bitmeter.text.units.pieces_training import learn_pieces, vocabulary_spec
from bitmeter.text.units.sentencepiece import SentencePiece
from tests.cli.running import run

TEXT = sample_text()[:40_000]


@pytest.mark.parametrize("algorithm", ["unigram", "bpe"])
def test_pieces_give_any_text_back(algorithm: str) -> None:
    corpus = Corpus.from_text(TEXT)
    data = learn_pieces(corpus, algorithm, 600)
    assert data == learn_pieces(corpus, algorithm, 600)
    units = SentencePiece.from_data(data, "m.model")
    assert units.vocabulary_size == 600
    for text in (TEXT, "  two  spaces \n\tand Ünïcode: \u4e2d\u6587 \U0001f600 \x00", " "):
        split = units.split(text.encode())
        assert split.lossy == 0
        assert units.join(split.ids) == b" " + text.encode()  # after the space that is added


def test_long_lines_are_learned_from() -> None:
    line = "zebra crossing " * 5000
    units = SentencePiece.from_data(learn_pieces(Corpus.from_text(line), "bpe", 300), "m.model")
    assert any(token == b" zebra" for token in units.token_bytes)


@pytest.mark.parametrize(
    ("text", "algorithm", "size", "error"),
    [
        (TEXT, "words", 600, ChoiceError),
        (TEXT, "unigram", 10, RangeError),
        ("a b a b", "unigram", 5000, ModelError),
        ("", "bpe", 300, EmptyError),
    ],
)
def test_what_cannot_be_learned(text: str, algorithm: str, size: int, error: type[BitmeterError]) -> None:
    with pytest.raises(error):
        learn_pieces(Corpus.from_text(text), algorithm, size)


def test_names() -> None:
    assert vocabulary_spec("sentencepiece:unigram:300") == ("unigram", 300)
    for name in (None, "words", "sentencepiece:x.model", "sentencepiece:unigram:", "sentencepiece:bpe:x"):
        assert vocabulary_spec(name) is None


def test_an_absent_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentencepiece", None)
    with pytest.raises(MissingPackageError, match="sentencepiece"):
        learn_pieces(Corpus.from_text(TEXT), "bpe", 300)


def test_train_learns_the_vocabulary_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, model, pieces = tmp_path / "text.txt", tmp_path / "lm.bmn", tmp_path / "lm.model"
    text.write_text(TEXT, encoding="utf-8")
    command = ("train", str(text), "-o", str(model), "--order", "3", "--units", "sentencepiece:unigram:500")
    code, printed, _ = run(capsys, *command)
    assert code == 0
    assert "lm.model: unigram, 500 pieces" in " ".join(printed.split())
    again = bm.NGram(3, units=f"sentencepiece:{pieces}").fit(text)
    found, expected = (bm.score(lm, TEXT[:2000].encode()) for lm in (bm.load(str(model)), again))
    assert found.bits == expected.bits
    model.unlink()
    code, _, said = run(capsys, *command)  # the vocabulary would be overwritten
    assert code == 2
    assert "lm.model exists already" in " ".join(said.split())
    assert not model.exists()
