"""Logits of any size are normalised: a constant that is added to all changes nothing but their rounding."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import bitmeter as bm
from bitmeter.models.causal.hf.head import chosen
from bitmeter.models.causal.logits import log_rows, log_sums
from tests.models.causal.trained.made import trained

LARGE = (0.0, 1e4, 1e8, 3e38)


@pytest.mark.parametrize("constant", LARGE)
def test_rows_sum_to_one(constant: float) -> None:
    logits = torch.randn(5, 40, generator=torch.Generator().manual_seed(1)) + constant
    for values in (logits, logits.double()):
        assert log_rows(values).double().exp().sum(-1).tolist() == pytest.approx([1.0] * 5, abs=1e-5)
    top, rest = log_sums(logits)
    exact = torch.log_softmax(logits.double() - constant, dim=-1)
    found = (logits.double() - top.double()[:, None]) - rest.double()[:, None]
    torch.testing.assert_close(found, exact, atol=2e-6, rtol=0)


@pytest.mark.parametrize("constant", LARGE)
@pytest.mark.parametrize("step", [7, 40])
def test_a_head_in_parts_is_normalised(constant: float, step: int) -> None:
    torch.manual_seed(2)
    head = torch.nn.Linear(3, 40).requires_grad_(False)
    head.bias += constant
    states, each = torch.randn(1, 3).repeat(40, 1), torch.arange(40)
    found = chosen(states, each, head, lambda logits: logits, step)
    assert float(found.exp().sum()) == pytest.approx(1.0, abs=1e-5)


@pytest.mark.parametrize("kind", ["lstm", "transformer"])
def test_a_network_cannot_claim_that_a_text_costs_nothing(kind: str) -> None:
    model = trained(kind, "bytes")
    network = model._fitted[0]
    kept = network.bias.data.clone()
    try:
        network.bias.data += 3e38
        assert bm.score(model, b"the dog sat on the mat").per("token") >= math.log2(256)
        network.bias.data.copy_(kept + 64.0)
        raised = bm.score(model, b"the dog sat on the mat").bits
        network.bias.data.copy_(kept)
        assert raised == pytest.approx(bm.score(model, b"the dog sat on the mat").bits, abs=1e-3)
        assert np.isfinite(raised)
    finally:
        network.bias.data.copy_(kept)
