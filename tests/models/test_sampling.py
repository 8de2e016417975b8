"""Sampling: the right distribution, at every temperature, from every kind of model, and again from the same seed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import bitmeter as bm
from bitmeter import errors
from bitmeter.text.corpus.sample import sample_text
from tests.models.made_up import made_up_text

TEXT = made_up_text(300, 12).encode()
MODEL = bm.NGram(order=3).fit(TEXT)
PROSE = bm.NGram(order=3).fit(sample_text()[:60_000].encode())


def chi_square(model: bm.NGram, history: bytes, drawn: list[bm.SampledText], temperature: float) -> float:
    """The p-value of what follows a history in drawn sentences, against what the model predicts."""
    wanted = model.units.split(history).ids if history else np.zeros(0, dtype=np.int64)
    weights = np.exp(model.predict(wanted) / temperature)
    counts = np.zeros(len(weights))
    for text in drawn:
        ids = model.outcomes.index(text.ids)
        if len(ids) >= len(wanted) and (ids[: len(wanted)] == wanted).all():
            counts[2 if len(ids) == len(wanted) else ids[len(wanted)]] += 1
    expected = weights / weights.sum() * counts.sum()
    assert (counts[expected == 0] == 0).all()
    few = expected < 5  # put together
    observed = np.append(counts[~few], counts[few].sum())
    hoped = np.append(expected[~few], expected[few].sum())
    kept = hoped > 0
    assert kept.sum() > 3
    return float(stats.chisquare(observed[kept], hoped[kept]).pvalue)


@pytest.mark.parametrize("temperature", [1.0, 0.6, 2.0])
@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_what_is_drawn_is_what_is_predicted(order: int, temperature: float) -> None:
    model = bm.NGram(order=order).fit(TEXT)
    drawn = model.sample(6000, seed=order, temperature=temperature)
    for history in (b"", b"w0"):
        assert chi_square(model, history, drawn, temperature) > 1e-4  # 24 tests with a fixed seed


def test_the_test_can_fail() -> None:
    assert chi_square(MODEL, b"", MODEL.sample(6000, seed=1, temperature=0.8), 1.0) < 1e-6


def test_a_history_that_has_seen_everything() -> None:
    model = bm.NGram(order=2, vocab=["a", "b"]).fit(b"a b a a b b\n" * 3 + b"b a\n\nzz a zz\nzz zz b zz\n" * 2)
    drawn = model.sample(4000, seed=5)
    assert chi_square(model, b"", drawn, 1.0) > 1e-4
    assert any(b"<unk>" in text.data for text in drawn)


def test_the_entropy_of_the_sample_is_that_of_the_model() -> None:
    drawn = PROSE.sample(60, seed=7, length=60)
    logs = np.concatenate([text.logprobs for text in drawn])
    entropies = []
    for text in drawn:
        ids = PROSE.outcomes.index(text.ids)
        for i in range(len(text.logprobs)):
            row = PROSE.predict(ids[:i])
            finite = row[row > -math.inf]
            entropies.append(float(-(np.exp(finite) * finite).sum()))
    # Both means are of the same places, so that their difference has mean zero.
    difference = -logs - np.array(entropies)
    assert abs(difference.mean()) < 4 * difference.std() / math.sqrt(len(logs))
    rating = PROSE.with_oov("class")
    for text in drawn:
        if text.ended:
            rated = rating.logprobs(np.append(PROSE.outcomes.index(text.ids), 2), np.array([0, len(text.logprobs)]))
            assert rated.tolist() == pytest.approx(text.logprobs.tolist(), rel=1e-12)


def test_one_seed_is_one_text() -> None:
    first, again, more = MODEL.sample(3, seed=4), MODEL.sample(3, seed=4), MODEL.sample(5, seed=4)
    assert [t.data for t in first] == [t.data for t in again] == [t.data for t in more[:3]]
    assert [t.data for t in MODEL.sample(3, seed=5)] != [t.data for t in first]
    # Written down, so that another machine would be caught drawing otherwise.
    drawn = "to be or not to be be or not to be be or not to be be or not to be to be be"
    small = bm.NGram(order=2).fit(b"to be or not to be\n" * 4)
    assert [str(t) for t in small.sample(3, seed=0)] == ["not to <unk> or not to be or not to be", "", drawn]


def test_lengths_and_ends() -> None:
    short = MODEL.sample(50, seed=1, length=2)
    assert {len(text.ids) for text in short} == {0, 1, 2}
    assert all(text.ended == (len(text.logprobs) > len(text.ids)) for text in short)
    assert MODEL.sample(0) == []
    assert all(text.bits > 0 for text in short)


def test_bytes_and_characters_come_out_as_text() -> None:
    for units in ("bytes", "characters"):
        model = bm.NGram(order=5, units=units).fit(TEXT)
        for text in model.sample(5, seed=2):
            assert text.ended == text.data.endswith(b"\n")
            if b"<unk>" not in text.data:
                rated = bm.score(model, text.data)
                assert rated.nats == pytest.approx(-math.fsum(text.logprobs.tolist()), rel=1e-12)


def test_every_predictor() -> None:
    letters = bm.Distribution({"a": 0.5, "b": 0.25, "</s>": 0.25})
    drawn = bm.sample(letters, 4000, seed=3)
    lengths = np.bincount([len(text.ids) for text in drawn])
    assert lengths[:4] / 4000 == pytest.approx([0.25 * 0.75**k for k in range(4)], abs=0.03)
    assert {byte for text in drawn for byte in text.data} == set(b"ab")
    chain = bm.Conditional({"a": {"b": 1.0}, "b": {"a": 0.5, "</s>": 0.5}}, start="a")
    assert {text.data[:4] for text in bm.sample(chain, 50, seed=1)} == {b"b", b"bab", b"baba"}
    for name in ("uniform", "kt"):
        (text,) = bm.sample(name, 1, seed=1, length=40)
        assert (len(text.data), text.ended) == (40, False)
    assert len(bm.sample("uniform", seed=1)[0].data) == 256
    with pytest.raises(errors.ModelError, match="does not expose the distribution of the next unit"):
        bm.sample("zstd")
    with pytest.raises(errors.ModelError, match="does not name its 10 outcomes"):
        bm.sample("uniform:10")
    with pytest.raises(errors.InputError):
        bm.sample("uniform", temperature=0.0)


def test_a_network_keeps_what_it_computed() -> None:
    """Its stepper and its whole predictions draw the same text; only the last one is computed again each time."""
    model = bm.Neural("lstm", "bytes", width=8, threads=1).fit(b"one two three\n" * 20, epochs=1)

    class Whole:
        name, units, fingerprint = "whole", model.units, "whole"
        traits, outcomes = model.traits, model.outcomes
        logprobs, predict = model.logprobs, model.predict

    drawn = bm.sample(model, 2, seed=3, length=60)
    assert [text.data for text in drawn] == [text.data for text in bm.sample(Whole(), 2, seed=3, length=60)]
    for text in drawn:
        end = [model.traits.end.id] if text.ended and model.traits.end is not None else []
        ids = np.concatenate((text.ids, np.array(end, dtype=np.int64)))
        np.testing.assert_allclose(text.logprobs, model.logprobs(ids, np.array([0, len(ids)])), atol=1e-5)
