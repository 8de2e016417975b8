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


def test_a_layer_is_its_weights_rounded_to_the_scale_of_each_row() -> None:
    weight = torch.tensor([[1.0, -0.5, 0.26], [0.0, 0.0, 0.0], [254.0, 1.0, -3.0]])
    layer = Int8Linear(weight, torch.tensor([1.0, 2.0, 3.0]))
    # By hand: scales 1/127, 1 (of a row of zeros) and 2. -63.5 rounds to the even -64, 0.5 to 0, -1.5 to -2.
    expected = torch.tensor([[1.0, -64 / 127, 33 / 127], [0.0, 0.0, 0.0], [254.0, 0.0, -4.0]])
    torch.testing.assert_close(layer.weight, expected)
    torch.testing.assert_close(layer(torch.ones(1, 3)), expected.sum(1)[None] + torch.tensor([1.0, 2.0, 3.0]))
    assert layer.weight_int8.dtype == torch.int8


def test_a_model_is_the_float_model_with_rounded_weights() -> None:
    made, other = tiny("int8"), bm.HuggingFace(TINY, dtype="float32")
    layers = {name: layer for name, layer in made._network.named_modules() if isinstance(layer, Int8Linear)}
    assert layers
    with torch.no_grad():
        for name, layer in layers.items():
            same_layer = other._network.get_submodule(name)
            same_layer.weight.copy_(layer.weight.t() if isinstance(same_layer, Conv1D) else layer.weight)
    own, same = (bm.score(model, TEXT.encode()).trace.logprob for model in (made, other))
    np.testing.assert_allclose(own, same, atol=1e-5, rtol=0)
    exact = bm.score(bm.HuggingFace(TINY, dtype="float32"), TEXT.encode())
    assert own.sum() != pytest.approx(-exact.nats, rel=1e-7)
    assert own.sum() == pytest.approx(-exact.nats, rel=0.02)


def test_it_is_marked_and_another_model_and_packs_as_ever() -> None:
    made = tiny("int8")
    assert bm.score(made, b"abc").signature.precision == "int8 weights, activations float32"
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
        quantise(Bare(), "bare")
    with pytest.raises(ModelError, match="device_map"):
        bm.HuggingFace(TINY, dtype="int8", device_map="auto")
