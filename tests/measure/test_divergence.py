"""Divergences and word surprisals against whole tables of predictions."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import bitmeter as bm
from bitmeter.errors import BitmeterError, IncomparableError
from tests.models.networks import TINY, model, tiny

TEXT = b"The value of the expression is true.\n  Two spaces before, and a few words after."


def table(made: bm.HuggingFace, text: bytes) -> np.ndarray:
    """ln p of every id at every place, and one behind the end."""
    ids = made.units.split(text).ids
    return np.array([made.predict(ids[:place]) for place in range(len(ids) + 1)])


def test_divergence_is_that_of_the_tables() -> None:
    coarse = tiny("bfloat16")
    found = bm.divergence(tiny(), coarse, TEXT)
    p, q = table(tiny(), TEXT)[:-1], table(coarse, TEXT)[:-1]
    np.testing.assert_allclose(found.nats, (np.exp(p) * (p - q)).sum(axis=1), atol=2e-4)
    assert found.same_top_rate == (p.argmax(axis=1) == q.argmax(axis=1)).mean()
    assert found.mean == pytest.approx(math.fsum(found.nats) / len(found) / math.log(2))
    assert found.percentile(50) == pytest.approx(np.percentile(found.nats, 50, method="inverted_cdf") / math.log(2))
    costs = [bm.score(made, TEXT).nats for made in (tiny(), coarse)]
    assert found.log_ratio * len(found) * math.log(2) == pytest.approx(costs[1] - costs[0], abs=2e-3)
    assert found.to_dict()["tokens"] == len(found)


def test_a_model_does_not_diverge_from_itself() -> None:
    found = bm.divergence(tiny(), TINY.as_uri().replace("file://", "hf:"), TEXT)
    assert found.mean < 1e-12
    assert found.same_top_rate == 1.0
    assert "same top     100.000 %" in str(found)


def test_models_of_other_tokens_are_refused() -> None:
    with pytest.raises(IncomparableError, match="do not predict the same tokens"):
        bm.divergence(tiny(), model("llama"), TEXT)
    for text in (b"", b"a"):
        if text:
            assert len(bm.divergence(tiny(), tiny(), text)) == 1
        else:
            with pytest.raises(BitmeterError, match="nothing to compare"):
                bm.divergence(tiny(), tiny(), text)


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


def test_torch_is_as_it_was_between_rows_and_after() -> None:
    """Walks side by side, ended in the order in which they began, leave no mode of torch on."""
    trained = bm.Neural("lstm", "bytes", width=8, threads=1).fit(b"one two three\n" * 20, epochs=1)
    for made in (tiny(), trained):
        walks = [made.predictions(np.arange(3, 60), 1) for _ in range(2)]
        for place in range(2):
            next(walks[place])
            assert not torch.is_inference_mode_enabled()
        while walks:
            walks.pop(0)  # which ends it
            assert not torch.is_inference_mode_enabled()


def test_two_precisions_of_one_model_are_told_apart() -> None:
    found = bm.divergence(tiny(), tiny("bfloat16"), TEXT)
    assert (found.first, found.second) == ("hf:tiny (float32)", "hf:tiny (bfloat16, logits float32)")
    assert bm.divergence(tiny(), tiny(), TEXT).first == "hf:tiny"
