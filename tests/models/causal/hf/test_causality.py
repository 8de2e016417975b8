"""A network that sees later tokens is found by its derivative, in every precision, and no other is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from bitmeter.errors import ModelError
from bitmeter.models.causal.hf.causality import looks_ahead, slope_of_later
from bitmeter.models.causal.hf.scorer import Scorer
from tests.models.causal.hf.test_kinds import made
from tests.models.networks import SIZE, network

PROBE = np.random.default_rng(7).integers(3, SIZE, 24)


def logits(body: Any) -> Any:
    return lambda ids: body(input_ids=torch.tensor(ids[None]), use_cache=False).logits[0]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16])
@pytest.mark.parametrize("make", ["llama", "mistral", "gemma2", "gpt2", "gpt_neox", "bloom", "mamba"])
def test_a_causal_network_has_no_slope_at_all(make: str, dtype: torch.dtype) -> None:
    body = network(make).to(dtype)
    assert slope_of_later(body, lambda: logits(body)(PROBE), 12) == 0.0


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("kind", ["bert", "roberta", "xlnet"])
def test_an_untrained_encoder_is_a_hundred_times_above_the_threshold(kind: str, dtype: torch.dtype) -> None:
    """Its figures move by less than bfloat16 rounds; the derivative shows it all the same."""
    body = made(kind).eval().to(dtype)
    share = slope_of_later(body, lambda: logits(body)(PROBE), 12)
    assert share is not None
    assert share > 1e-3  # 1e-5 is the threshold
    assert looks_ahead(body, PROBE, logits(body), allowed=1.0)


def test_without_a_derivative_the_figures_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> None:
        raise NotImplementedError

    monkeypatch.setattr(torch.autograd, "grad", none)
    for kind, ahead in (("bert", True), ("gpt2", False)):
        body = (made(kind) if ahead else network(kind)).eval()
        with torch.no_grad():
            assert looks_ahead(body, PROBE, logits(body), allowed=1e-5) == ahead


def test_a_peek_at_the_next_token_alone_is_refused() -> None:
    body = network("llama")
    forward = body.model.forward

    def peeking(input_ids: torch.Tensor, **given: Any) -> Any:
        found = forward(input_ids, **given)
        later = body.model.embed_tokens(input_ids.roll(-1, 1)) * 1e-3
        found.last_hidden_state = found.last_hidden_state + later
        return found

    body.model.forward = peeking
    with pytest.raises(ModelError, match="changes with the tokens behind it"):
        Scorer(body, row=512, batch=512)


def test_a_type_that_a_kernel_does_not_have_is_a_typed_error(monkeypatch: pytest.MonkeyPatch) -> None:
    body = network("llama")

    def fails(*_: Any, **__: Any) -> Any:
        message = "expected scalar type Float but found Double\nand a wall of text"
        raise RuntimeError(message)

    body.forward = fails
    with pytest.raises(ModelError, match=r"m cannot be run in float32 on cpu: RuntimeError: expected"):
        Scorer(body, row=512, batch=512, name="m")
