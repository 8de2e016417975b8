"""Texts going past an n-gram model."""

from __future__ import annotations

import functools
import io
from typing import Any

import numpy as np
import pytest
import sentencepiece
import tokenizers

import bitmeter as bm
from bitmeter import _core
from bitmeter.models.ngram.session import NGramSession
from bitmeter.models.session import Batch, Options
from bitmeter.text.corpus.sample import sample_text
from bitmeter.text.units.sentencepiece import SentencePiece
from bitmeter.text.units.tokenizers import Tokenizer
from bitmeter.text.units.words import Words
from tests.models.made_up import made_up_text

TEXT = made_up_text(400, 30)
MODEL = bm.NGram(order=3).fit(TEXT.encode())


def test_a_long_document_goes_by_in_pieces() -> None:
    session = MODEL._unit_session()
    ids = MODEL.units.split(TEXT.replace("\n", " ").encode()).ids
    whole = MODEL.logprobs(ids, np.array([0, len(ids)]))
    parts = []
    for i in range(0, len(ids), 7):
        part = ids[i : i + 7]
        parts.append(session.logprobs(part, np.array([0, len(part)]), continues=i > 0))
    assert np.concatenate(parts).tolist() == whole.tolist()


@pytest.mark.parametrize("length", [2046, 2047, 2048, 2049, 4095, 4096, 5000])
def test_words_longer_than_what_is_looked_up_at_once_are_whole(length: int) -> None:
    """Against the words of the same text by the plain splitter, and by the model word after word."""
    model = bm.NGram(2).fit(b"to be or not to be\n" + b"x" * length + b" y\n")
    for lead in (0, 1, 2040, 2047, 2048, 2049):
        text = b"y" * lead + b" " + b"x" * length + b" to be  " + b"x" * (length + 1) + b"\n"
        found = model.score(text, docs="file", eos="no")
        split = model.units.split(text)
        assert found.cuts.tolist() == Words().split(text).cuts.tolist() == split.cuts.tolist()
        assert found.ids.tolist() == split.ids.tolist()
        known = [word in (b"to", b"be", b"y", b"x" * length) for word in text.split()]
        assert (~found.unknown).tolist() == known


@functools.cache
def pieces(*, normalised: bool) -> SentencePiece:
    """A vocabulary by the package's trainer."""
    model = io.BytesIO()
    lines = sample_text()[:30_000].splitlines()
    settings: dict[str, Any] = (
        {} if normalised else {"normalization_rule_name": "identity", "remove_extra_whitespaces": False}
    )
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=500, byte_fallback=True, minloglevel=2, **settings
    )
    return SentencePiece.from_data(model.getvalue(), "pieces.model")


@pytest.mark.parametrize("normalised", [True, False])
@pytest.mark.parametrize("compact", [True, False])
@pytest.mark.parametrize("eos", ["yes", "no", "nonblank"])
def test_pieces_are_scored_as_by_their_ids(eos: str, *, compact: bool, normalised: bool) -> None:
    """Splitting and scoring in one pass over the bytes, against splitting first."""
    units = pieces(normalised=normalised)
    text = sample_text()[:20_000].encode()
    model = bm.NGram(order=3, units=units).fit(text)
    model = model.compact() if compact else model
    lines = [
        *text.splitlines(keepends=True),
        b"",
        b" \n",
        "\xdcber \U0001f600\xff".encode("latin-1", "replace"),
        b" ",
        b"end",
    ]
    data = b"".join(lines)
    ends = np.cumsum([len(line) for line in lines])
    for threads in (1, 3):
        model.threads = threads
        session = model.open(Options(eos))
        assert isinstance(session, NGramSession)
        batch = Batch(data, ends, units, eos=eos, end=model.end)
        found = session.score(batch)
        plain = Batch(data, ends, units, eos=eos, end=model.end)
        other = model.open(Options(eos))
        assert isinstance(other, NGramSession)
        logs = other.logprobs(plain.split.ids, plain.split.bounds, continues=False)
        assert found.logprobs.tolist() == logs.tolist()
        for name in ("ids", "cuts", "bounds"):
            assert getattr(found.split, name).tolist() == getattr(plain.split, name).tolist(), name
        assert found.blank.tolist() == plain.blank.tolist()
        assert batch.lossy == plain.lossy
        assert (batch.lossy > 100) is normalised  # else the one line that is not UTF-8
        assert session.stepper().predict().tolist() == other.stepper().predict().tolist()


@pytest.mark.parametrize("compact", [True, False])
def test_tokens_of_a_tokenizer_file_are_scored_as_by_their_ids(*, compact: bool) -> None:
    """The same for a tokenizer.json, and for a text that is not in its normal form, which the package splits."""
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.normalizer = tokenizers.normalizers.NFC()
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=500, initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(sample_text()[:30_000].splitlines(), trainer)
    units = Tokenizer.from_data(made.to_str().encode(), "tokenizer.json")
    assert units.encoder is not None
    text = sample_text()[:20_000].encode()
    model = bm.NGram(order=3, units=units).fit(text)
    model = model.compact() if compact else model
    for last in (b"end\xff", "cafe\u0301".encode()):
        data = text + last
        ends = np.append(_core.line_ends(text), [len(text), len(data)])
        batch, plain = (Batch(data, ends, units, eos="yes", end=model.end) for _ in range(2))
        found = model.open(Options("yes")).score(batch)
        other = model.open(Options("yes"))
        assert isinstance(other, NGramSession)
        logs = other.logprobs(plain.split.ids, plain.split.bounds, continues=False)
        assert found.logprobs.tolist() == logs.tolist()
        assert found.split.cuts.tolist() == plain.split.cuts.tolist()
        assert batch.lossy == plain.lossy == len(last)
        totals = other.totals(batch)
        assert (totals is None) is (last[-1] == 0x81)


def test_files_of_many_pieces_at_once() -> None:
    """More bytes than are split at a time, in documents of which one is longer than the rest."""
    units = pieces(normalised=True)
    text = sample_text().encode()[:400_000]
    model = bm.NGram(order=4, units=units).fit(text[:50_000])
    ends = np.array([100, 300_000, 300_000, len(text)])
    found = model.open(Options("yes")).score(Batch(text, ends, units, eos="yes", end=model.end))
    plain = Batch(text, ends, units, eos="yes", end=model.end).split
    assert found.split.ids.tolist() == plain.ids.tolist()
    assert found.logprobs.tolist() == model.logprobs(plain.ids, plain.bounds).tolist()
