"""Sentences drawn in the core: by the probabilities of the model, and no others."""

from __future__ import annotations

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.models.ngram.sampler import draw
from tests.coding.models import TEXT, words

MODEL = words()


def test_what_is_drawn_costs_what_was_drawn() -> None:
    for text in draw(MODEL, 30, 5, 1.0, 20):
        ids = MODEL.outcomes.index(text.ids)
        ends = [2] if text.ended else []
        logs = MODEL.with_oov("class").logprobs(
            np.append(ids, ends).astype(np.int64), np.array([0, len(text.logprobs)])
        )
        np.testing.assert_allclose(text.logprobs, logs, rtol=1e-6)
        assert len(text.ids) <= 20


def test_first_words_come_as_often_as_they_are_likely() -> None:
    number = 4000
    first = [text.ids[0] if len(text.ids) else 2 for text in draw(MODEL, number, 7, 1.0, 1)]
    expected = np.exp(MODEL.predict(np.zeros(0, dtype=np.int64)))
    counts = np.bincount(np.maximum(first, 0), minlength=len(expected))
    spread = np.sqrt(number * expected * (1 - expected)) + 1
    assert (np.abs(counts - number * expected) < 5 * spread).all()


def test_scores_that_are_no_distribution_draw_nothing() -> None:
    model = bm.NGram(order=2, smoothing="stupid-backoff").fit(TEXT)
    with pytest.raises(ModelError, match="nothing can be drawn by them"):
        draw(model, 1, 0, 1.0, None)
