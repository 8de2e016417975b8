"""Divergences against whole tables of predictions."""

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
    # In bfloat16 a call of another shape rounds in another way, the more so by a processor that multiplies it itself.
    assert found.log_ratio * math.log(2) == pytest.approx((costs[1] - costs[0]) / len(found), abs=5e-4)
    assert found.to_dict()["tokens"] == len(found)


def test_a_model_does_not_diverge_from_itself() -> None:
    found = bm.divergence(tiny(), TINY.as_uri().replace("file://", "hf:"), TEXT)
    assert found.mean < 1e-12
    assert found.same_top_rate == 1.0
    assert "same top     100.000 %" in str(found)


def test_models_of_other_tokens_are_refused() -> None:
    with pytest.raises(IncomparableError, match="do not predict the same outcomes"):
        bm.divergence(tiny(), model("llama"), TEXT)
    for text in (b"", b"a"):
        if text:
            assert len(bm.divergence(tiny(), tiny(), text)) == 1
        else:
            with pytest.raises(BitmeterError, match="nothing to compare"):
                bm.divergence(tiny(), tiny(), text)


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


def test_two_precisions_of_one_model_differ() -> None:
    found = bm.divergence(tiny(), tiny("bfloat16"), TEXT)
    assert (found.first, found.second) == ("hf:tiny (float32)", "hf:tiny (bfloat16, logits float32)")
    assert bm.divergence(tiny(), tiny(), TEXT).first == "hf:tiny"


# ---- models that step through a text ---------------------------------------------------------------------------------


def test_the_divergence_of_counted_bytes_has_a_closed_form() -> None:
    """After one byte, kt gives it 1.5/129 and each other 0.5/129; the first byte is uniform under both."""
    found = bm.divergence("uniform", "kt", b"ab")
    row = np.full(256, 0.5 / 129)
    row[97] = 1.5 / 129
    expected = math.fsum(np.log(1 / 256 / row) / 256)
    np.testing.assert_allclose(found.nats, [0.0, expected], atol=1e-12)


@pytest.mark.parametrize("docs", ["line", "joined"])
def test_what_came_costs_what_the_scores_say(docs: str) -> None:
    text = b"to be or not to be\n\nthat is the question\n" * 300  # more than one block
    found = bm.divergence("uniform", "kt", text, docs=docs)
    scores = [bm.score(name, text, docs=docs) for name in ("uniform", "kt")]
    assert len(found) == scores[0].tokens
    assert found.log_ratio * len(found) * math.log(2) == pytest.approx(scores[1].nats - scores[0].nats, rel=1e-9)


def test_a_pruned_model_of_words_against_its_original() -> None:
    text = b"to be or not to be\nthat is the question\nto be is xyzzy\n"
    original = bm.NGram(order=3).fit(text * 3 + b"or not to do\n" * 2)
    pruned = original.prune(1e-2)
    found = bm.divergence(original, pruned, text, docs="line")
    scores = [bm.score(model, text, docs="line", oov="class") for model in (original, pruned)]
    assert found.log_ratio * len(found) * math.log(2) == pytest.approx(scores[1].nats - scores[0].nats, rel=1e-9)
    assert found.mean > 0.0
    rows = [
        sum(math.exp(p) * (p - q) for p, q in zip(original.predict(ids), pruned.predict(ids), strict=True) if p > -99)
        for line in text.splitlines()
        for ids in [original.units.split(line).ids[:i] for i in range(len(line.split()))]
    ]
    np.testing.assert_allclose(found.nats, rows, atol=1e-9)


def test_words_of_another_vocabulary_are_refused() -> None:
    one, two = (bm.NGram(order=1).fit(text) for text in (b"to be or not\n", b"so be or not\n"))
    assert len(one.outcomes) == len(two.outcomes)
    with pytest.raises(IncomparableError, match="do not predict the same outcomes"):
        bm.divergence(one, two, b"to be")
    with pytest.raises(BitmeterError, match=r"the unit id .* is none of them"):
        bm.divergence("uniform:10", "uniform:10", b"to be")
    with pytest.raises(BitmeterError, match="does not expose the distribution of the next unit"):
        bm.divergence("kt", "zstd", b"to be")
    with pytest.raises(BitmeterError, match="there are no windows"):
        bm.divergence("kt", "kt", b"to be", ctx="16.8")


def test_infinite_costs_are_no_nan() -> None:
    flat = bm.Distribution.uniform(list(range(256)))
    some = bm.Distribution({97: 0.5, 98: 0.5})
    assert bm.divergence(some, some, b"abz").log_ratio == 0.0
    assert bm.divergence(bm.TableModel(some, "bytes"), bm.TableModel(some, "bytes"), b"abz").mean == 0.0
    assert math.isfinite(bm.divergence(flat, flat, b"abz").log_ratio)
