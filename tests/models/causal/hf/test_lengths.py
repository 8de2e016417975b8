"""A figure does not depend on what else goes through the network: neither beside it nor before it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest
import torch
import transformers as tf

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.models.causal.hf.lengths import Lengths, Positions, lengths_of
from bitmeter.models.causal.hf.scorer import Scorer
from tests.models.causal.hf.test_kinds import saved
from tests.models.networks import SIZE

COMMON: dict[str, Any] = {
    "vocab_size": SIZE, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 2,
    "intermediate_size": 48, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip
LONG = {"rope_type": "longrope", "short_factor": [1.0] * 8, "long_factor": [1.0 + i for i in range(8)]}


def grown(network: Any) -> Any:
    with torch.no_grad():
        for weight in network.parameters():
            if weight.ndim > 1:
                weight.mul_(8.0)
    return network.eval()


@functools.cache
def network(make: str) -> Any:
    torch.manual_seed(3)
    if make == "phi3":  # two tables of positions: up to 40 tokens, and beyond
        rule = {**LONG, "original_max_position_embeddings": 40, "rope_theta": 10000.0, "factor": 4.0}
        return grown(
            tf.Phi3ForCausalLM(
                tf.Phi3Config(
                    **COMMON, max_position_embeddings=160, original_max_position_embeddings=40, rope_parameters=rule
                )
            )
        )
    if make == "dynamic":  # a table that grows with the longest sequence, and stays
        rule = {"rope_type": "dynamic", "factor": 2.0, "rope_theta": 10000.0}
        return grown(tf.LlamaForCausalLM(tf.LlamaConfig(**COMMON, max_position_embeddings=40, rope_parameters=rule)))
    if make == "gpt_neo":  # a table of just so many positions, and layers that see 8 back
        return grown(
            tf.GPTNeoForCausalLM(
                tf.GPTNeoConfig(
                    vocab_size=SIZE,
                    hidden_size=16,
                    num_layers=2,
                    attention_types=[[["global", "local"], 1]],
                    num_heads=2,
                    intermediate_size=24,
                    window_size=8,
                    max_position_embeddings=48,
                )
            )
        )
    return grown(tf.MixtralForCausalLM(tf.MixtralConfig(**COMMON, num_local_experts=4, max_position_embeddings=48)))


def alone(body: Any, ids: Any) -> Any:
    """The network by itself, as it is after loading."""
    Positions(body)  # reads, changes nothing
    with torch.inference_mode():
        logs = body(torch.tensor(ids[None, :-1]), use_cache=False).logits[0].double().log_softmax(-1)
    return logs[range(len(ids) - 1), ids[1:]].numpy()


@pytest.mark.parametrize("batch", [512, 4096])
@pytest.mark.parametrize(("make", "sizes"), [
    ("phi3", (30, 60, 12, 38, 90, 41, 40, 61)),
    ("gpt_neo", (5, 40, 8, 3, 9, 30, 7, 2, 44, 6, 6, 5, 8, 8, 7, 8, 8)),
    ("mixtral", (5, 40, 8, 3, 9, 30, 7, 2)),
])  # fmt: skip
def test_a_sequence_has_its_own_figures_whatever_is_beside_it(make: str, sizes: tuple[int, ...], batch: int) -> None:
    """Phi-3: 3,000 tokens cost 25506.59 nats alone and 25623.13 beside 5,000. GPT-Neo: rows longer than its table."""
    body = network(make)
    made = Scorer(body, row=512, batch=batch)
    generator = np.random.default_rng(2)
    given = [generator.integers(0, SIZE, 1 + size) for size in sizes]
    expected = [alone(body, ids) for ids in given]
    for found, wanted in zip(made.logprobs(given, [1] * len(given)), expected, strict=True):
        np.testing.assert_allclose(found, wanted, atol=2e-4, rtol=0)  # the wrong table: 0.1 and more


def test_what_went_before_leaves_no_trace() -> None:
    """A dynamic table that has grown stays: the same sequence cost something else behind a longer one."""
    torch.manual_seed(3)
    body = network("dynamic")
    made = Scorer(body, row=512, batch=512)
    generator = np.random.default_rng(2)
    short, long = generator.integers(0, SIZE, 51), generator.integers(0, SIZE, 91)
    (first,) = made.logprobs([short], [1])
    made.logprobs([long], [1])
    (again,) = made.logprobs([short], [1])
    np.testing.assert_array_equal(first, again)
    both = made.logprobs([short, long], [1, 1])[0]
    np.testing.assert_array_equal(first, both)


def test_windows_longer_than_the_rule_are_named(tmp_path: Any) -> None:
    folder = saved(network("phi3"), tmp_path)
    model = bm.HuggingFace(folder)
    text = bm.Corpus.from_documents(["to be or not to be " * 2, "a" * 150])
    score = bm.score(model, text)
    assert any("more than 40 tokens" in note for note in score.notes)
    apart = [bm.score(model, bm.Corpus.from_documents([one])).nats for one in ("to be or not to be " * 2, "a" * 150)]
    assert score.nats == pytest.approx(sum(apart), rel=1e-6)
    with pytest.raises(ModelError, match=r"ctx=40\.20"):
        model.stepper()
    model.with_context("40.20", "bos").stepper()  # one rule: no doubt


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_experts_in_float64(precision: str) -> None:
    """torch has no product with all experts at once in float64: it was a traceback."""
    body = network("mixtral").to(getattr(torch, precision))
    body.set_experts_implementation("eager")
    made = Scorer(body, row=512, batch=512)
    ids = np.random.default_rng(2).integers(0, SIZE, 12)
    np.testing.assert_allclose(made.logprobs([ids], [1])[0], alone(body, ids), atol=1e-4, rtol=0)
    body.float()


def test_a_model_of_experts_loads_in_float64(tmp_path: Any) -> None:
    folder = saved(network("mixtral").float(), tmp_path)
    wide, narrow = (bm.score(bm.HuggingFace(folder, dtype=kind), b"to be or not to be") for kind in ("float64", "auto"))
    assert wide.nats == pytest.approx(narrow.nats, rel=1e-4)


# ---- what configurations say -----------------------------------------------------------------------------------------


def test_the_lengths_of_a_configuration() -> None:
    assert lengths_of(network("phi3").config) == Lengths(windows=(), tables=(40,))
    assert lengths_of(network("dynamic").config) == Lengths(scales=40)
    assert lengths_of(network("gpt_neo").config).windows == (8,)
    assert lengths_of(tf.MistralConfig(sliding_window=8)).windows == (8,)
    assert lengths_of(tf.Qwen2Config(use_sliding_window=False, sliding_window=8)).windows == ()
    assert lengths_of(tf.LlamaConfig()) == Lengths()
    for kind in ("yarn", "linear", "llama3"):  # tables that do not depend on the length
        config = tf.LlamaConfig()
        config.rope_parameters = {"rope_type": kind, "factor": 2.0, "original_max_position_embeddings": 16}
        assert lengths_of(config) == Lengths()


def test_no_two_lengths_of_an_unknown_rule_are_of_one_kind() -> None:
    config = tf.LlamaConfig()
    config.rope_parameters = {"rope_type": "of tomorrow"}
    found = lengths_of(config)
    assert found.kind(5) != found.kind(6)
    assert found.kind(5) == found.kind(5)


def test_kinds_of_lengths() -> None:
    found = Lengths(windows=(8,), tables=(40,), scales=None)
    assert [found.kind(size)[0] for size in (8, 9, 40, 41)] == [0, 1, 1, 2]
    assert found.positions == 40
