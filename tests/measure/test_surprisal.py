"""Word surprisals against whole tables of predictions."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bitmeter as bm
from tests.measure.test_divergence import TEXT, table
from tests.models.networks import tiny


def test_words_sum_to_the_score() -> None:
    words = bm.word_surprisals(tiny(), TEXT, corrected=False)
    assert b"".join(words.words) == TEXT
    assert [word.strip() for word in words.words] == TEXT.split()
    assert math.fsum(words.nats) == pytest.approx(bm.score(tiny(), TEXT).nats, abs=1e-4)
    assert words.tokens.sum() == bm.score(tiny(), TEXT).tokens


def test_the_correction_by_hand() -> None:
    """p(word) = p(tokens) · B(after) / B(before), B by summing a whole prediction."""
    logs = table(tiny(), TEXT)
    ids = tiny().units.split(TEXT).ids
    begins = np.array([name[:1] in (b" ", b"\n", b"\t", b"\r", b"\v", b"\f") for name in tiny().outcomes.names])
    begins[0] = True  # the end of the text
    mass = np.log(np.exp(logs[:, begins]).sum(axis=1))
    own = logs[np.arange(len(ids)), ids]
    words = bm.word_surprisals(tiny(), TEXT)
    at = 0
    for place, (number, nats) in enumerate(zip(words.tokens.tolist(), words.nats.tolist(), strict=True)):
        expected = -own[at : at + number].sum() - mass[at + number] + (mass[at] if place else 0.0)
        assert nats == pytest.approx(expected, abs=2e-5)
        at += number
    # All but the last end cancels: the whole costs what it did, and its end.
    plain = bm.word_surprisals(tiny(), TEXT, corrected=False)
    assert math.fsum(words.nats) == pytest.approx(math.fsum(plain.nats) - mass[-1], abs=1e-4)


def test_documents_of_any_length() -> None:
    corpus = bm.Corpus.from_documents(["", "one", TEXT.decode() * 3])
    words = bm.word_surprisals(tiny(), corpus, corrected=False)
    assert set(words.doc.tolist()) == {1, 2}
    assert math.fsum(words.nats) == pytest.approx(bm.score(tiny(), corpus).nats, abs=1e-3)
