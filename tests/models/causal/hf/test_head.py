"""The head by parts of the vocabulary: what log_softmax over all of it gives in float64."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter.models.causal.hf.head import chosen, is_linear
from bitmeter.models.causal.hf.scorer import Scorer
from tests.models.causal.hf.test_attention import check_alone, rater
from tests.models.networks import model, network


def layer(size: int, *, bias: bool, dtype: torch.dtype, spread: float = 1.0) -> torch.nn.Linear:
    torch.manual_seed(size)
    made = torch.nn.Linear(6, size, bias=bias, dtype=dtype)
    with torch.no_grad():
        made.weight.mul_(spread)
    return made


def reference(states: torch.Tensor, targets: torch.Tensor, head: torch.nn.Linear, shape: Any) -> torch.Tensor:
    logits = shape(head(states)).double()
    found: torch.Tensor = logits.log_softmax(-1).gather(1, targets[:, None])[:, 0]
    return found


@settings(deadline=None, max_examples=60)
@given(st.integers(1, 40), st.integers(1, 60), st.integers(1, 12), st.booleans(), st.booleans())
def test_parts_of_any_size(size: int, step: int, positions: int, bias: bool, capped: bool) -> None:
    head = layer(size, bias=bias, dtype=torch.float64, spread=20.0)
    states = torch.randn(positions, 6, dtype=torch.float64)
    targets = torch.randint(0, size, (positions,))

    def shape(logits: torch.Tensor) -> torch.Tensor:
        return (logits / 3.0).tanh() * 3.0 if capped else logits

    with torch.inference_mode():
        found = chosen(states, targets, head, shape, step)
        torch.testing.assert_close(found, reference(states, targets, head, shape), atol=1e-12, rtol=0)


def test_a_large_vocabulary_in_float32() -> None:
    """Off by rounding of the logits alone: log_softmax in float32 is off by more than ten times that."""
    head = layer(50_000, bias=False, dtype=torch.float32, spread=8.0)
    states, targets = torch.randn(40, 6), torch.randint(0, 50_000, (40,))
    with torch.inference_mode():
        found = chosen(states, targets, head, lambda logits: logits)
        expected = reference(states, targets, head, lambda logits: logits)
    assert found.dtype == torch.float64
    torch.testing.assert_close(found, expected, atol=2e-6, rtol=0)


def test_what_is_certain_has_no_positive_logarithm() -> None:
    head = layer(5000, bias=False, dtype=torch.float32, spread=300.0)
    with torch.inference_mode():
        states = torch.randn(64, 6)
        found = chosen(states, head(states).argmax(1), head, lambda logits: logits, 100)
    assert float(found.max()) <= 0.0
    assert float(found.max()) > -1e-6


def test_infinite_logits_and_nan() -> None:
    head = layer(10, bias=True, dtype=torch.float32)
    states = torch.zeros(3, 6)
    targets = torch.tensor([0, 1, 9])
    with torch.no_grad():
        head.bias.zero_()
        head.bias[:4] = -math.inf  # all of the first part: tokens that never come
        found = chosen(states, targets, head, lambda logits: logits, 4)
        assert found.tolist() == [-math.inf, -math.inf, pytest.approx(-math.log(6))]
        head.bias[5] = math.inf  # the only one that can come
        assert chosen(states, targets, head, lambda logits: logits, 4)[2] == -math.inf
        head.bias[7] = math.nan
        assert chosen(states, targets, head, lambda logits: logits, 4).isnan().all()


class Louder(torch.nn.Linear):  # type: ignore[misc]  # torch has no types here
    def forward(self, states: torch.Tensor) -> torch.Tensor:
        return super().forward(states) * 2.0


@pytest.mark.parametrize("way", ["plain", "hooked", "of another class", "replaced"])
def test_only_a_plain_layer_is_taken_apart(way: str) -> None:
    made = network("llama").double()
    head = made.get_output_embeddings()
    if way == "hooked":
        head.register_forward_hook(lambda _, __, found: found * 2.0)
    elif way == "of another class":
        other = Louder(16, 300, bias=False, dtype=torch.float64)
        other.weight = head.weight
        made.set_output_embeddings(other)
    elif way == "replaced":
        forward = head.forward
        head.forward = lambda states: forward(states) * 2.0
    assert is_linear(made.get_output_embeddings()) == (way == "plain")
    taken = Scorer(made, row=512, batch=512)
    assert taken._in_parts == (way == "plain")
    check_alone(taken)


def test_networks_use_it() -> None:
    for make in ("llama", "gpt2", "gemma2"):
        assert rater(make)._in_parts
    assert model("mamba")._scorer._in_parts
    assert not rater("mamba")._in_parts  # its logits are float32 where its weights are float64, so it answers itself
