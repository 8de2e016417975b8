"""Networks with int8 weights: the figures of the network whose weights are the rounded ones."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers.pytorch_utils import Conv1D

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.models.causal.hf.int8 import Int8Linear, quantise
from tests.models.networks import TINY, tiny

TEXT = "Some words, and then a few more words of text. " * 3


@pytest.mark.parametrize("native", [False, True])
def test_a_layer_is_its_weights_rounded_to_the_scale_of_each_row(native: bool) -> None:
    weight = torch.tensor([[1.0, -0.5, 0.26], [0.0, 0.0, 0.0], [254.0, 1.0, -3.0]])
    layer = Int8Linear(weight, torch.tensor([1.0, 2.0, 3.0]), native=native)
    # By hand: scales 1/127, 1 (of a row of zeros) and 2. -63.5 rounds to the even -64, 0.5 to 0, -1.5 to -2.
    expected = torch.tensor([[1.0, -64 / 127, 33 / 127], [0.0, 0.0, 0.0], [254.0, 0.0, -4.0]])
    torch.testing.assert_close(layer.weight, expected)
    assert layer.weight_int8.dtype == torch.int8
    # The sums of whole numbers, 127 - 64 + 33, 0 and 127 - 2, fit in bfloat16, and so does 1.0.
    torch.testing.assert_close(layer(torch.ones(1, 3)), expected.sum(1)[None] + torch.tensor([1.0, 2.0, 3.0]))
    # 1.00390625 is half-way between two numbers of bfloat16 and goes to the even 1; 3 · 127 = 381 goes to 380.
    torch.testing.assert_close(layer(torch.full((1, 3), 1.00390625)), layer(torch.ones(1, 3)), rtol=0, atol=0)
    assert float(layer(torch.tensor([[3.0, 0.0, 0.0]]))[0, 2]) == 380.0 * 2.0 + 3.0


def test_both_ways_to_multiply_are_the_same_function() -> None:
    """They differ where a sum in float32 falls on the other side of a border between two numbers of bfloat16."""
    generator = torch.Generator().manual_seed(4)
    weight, x = torch.randn(40, 96, generator=generator), torch.randn(30, 96, generator=generator)
    here, there = (Int8Linear(weight, None, native=native) for native in (False, True))
    found = [layer(x) for layer in (here, there)]
    assert float((found[0] == found[1]).float().mean()) > 0.98
    torch.testing.assert_close(*found, rtol=2.0**-7, atol=0.0)
    by_hand = (x.to(torch.bfloat16).double() @ here.weight_int8.double().t()) * here.scale[:, 0].double()
    torch.testing.assert_close(found[0].double(), by_hand, rtol=2.0**-8 + 1e-5, atol=1e-5)


def test_a_model_is_the_float_model_with_rounded_weights_and_inputs() -> None:
    made, other = tiny("int8"), bm.HuggingFace(TINY, dtype="float32")
    layers = {name: layer for name, layer in made._network.named_modules() if isinstance(layer, Int8Linear)}
    assert layers
    with torch.no_grad():
        for name, layer in layers.items():
            same_layer = other._network.get_submodule(name)
            same_layer.weight.copy_(layer.weight.t() if isinstance(same_layer, Conv1D) else layer.weight)
            same_layer.register_forward_pre_hook(lambda _layer, given: (given[0].to(torch.bfloat16).float(),))
    own, same = (bm.score(model, TEXT.encode()).trace.logprob for model in (made, other))
    # What is left is that sums are rounded to bfloat16: 2^-9 of logits and states of a few units.
    np.testing.assert_allclose(own, same, atol=0.05, rtol=0)
    assert own.sum() == pytest.approx(same.sum(), rel=1e-3)
    exact = bm.score(bm.HuggingFace(TINY, dtype="float32"), TEXT.encode())
    assert own.sum() != pytest.approx(-exact.nats, rel=1e-7)
    assert own.sum() == pytest.approx(-exact.nats, rel=0.02)


def test_it_is_marked_and_another_model_and_packs_as_ever() -> None:
    made = tiny("int8")
    assert bm.score(made, b"abc").signature.precision == "int8 weights, products bfloat16"
    assert made.weights_fingerprint != bm.HuggingFace(TINY).weights_fingerprint
    assert made.weights_fingerprint == bm.HuggingFace(TINY, dtype="int8").weights_fingerprint
    assert made.packs
    row = np.exp(made.predict(np.array([5, 6, 7])))
    assert row.sum() == pytest.approx(1.0, abs=1e-9)


def test_what_has_no_layer_to_round_is_refused() -> None:
    class Bare(torch.nn.Module):  # type: ignore[misc]
        def get_output_embeddings(self) -> None:
            return None

    with pytest.raises(ModelError, match="no linear layer"):
        quantise(Bare(), "bare", native=True)
    with pytest.raises(ModelError, match="device_map"):
        bm.HuggingFace(TINY, dtype="int8", device_map="auto")
