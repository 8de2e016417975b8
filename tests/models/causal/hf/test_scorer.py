"""What a network can take is the same in every precision and on every processor, and never changes a figure."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
import transformers

from bitmeter.models.causal.hf import scorer
from bitmeter.models.causal.hf.scorer import Scorer
from tests.models.causal.hf.test_attention import sequences
from tests.models.networks import SIZE, network

PRECISIONS = ("float64", "float32", "bfloat16", "autocast")
COMMON = {
    "vocab_size": SIZE, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "num_key_value_heads": 1,
    "intermediate_size": 48, "max_position_embeddings": 48, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2,
}  # fmt: skip


def untrained(make: str) -> Any:
    """With the small weights that a network begins with, so that what leaks and what a cap changes is little."""
    torch.manual_seed(3)
    config: Any
    if make == "lfm2":  # a convolution along the row, which no mask stops, and attention
        config = transformers.Lfm2Config(**COMMON, layer_types=["conv", "full_attention"])
    elif make == "recurrent_gemma":  # a state that runs along the row; its cap has a name of its own
        config = transformers.RecurrentGemmaConfig(
            **{**COMMON, "num_hidden_layers": 3}, attention_window_size=8, lru_width=32, logits_soft_cap=2.0
        )
    elif make == "granite":
        config = transformers.GraniteConfig(**COMMON, logits_scaling=3.0)
    elif make == "cohere":
        config = transformers.CohereConfig(**COMMON, logit_scale=0.3)
    else:
        config = transformers.Gemma2Config(**COMMON, head_dim=16, final_logit_softcapping=2.0, query_pre_attn_scalar=16)
    return transformers.AutoModelForCausalLM.from_config(config).eval()


def rater(made: Any, precision: str) -> Scorer:
    if precision == "autocast":
        return Scorer(made, row=512, batch=512, autocast=torch.bfloat16)
    return Scorer(made.to(getattr(torch, precision)), row=512, batch=512)


def ways(made: Scorer) -> tuple[bool, bool, bool]:
    return made.packs, made.cuts, made.pads


def expected(make: str) -> tuple[bool, bool, bool]:
    return {
        "llama": (True, True, True),
        "gpt2": (True, True, True),
        "gemma2": (True, False, True),
        "bloom": (False, False, True),
    }[make]


# ---- the thresholds --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("make", ["llama", "gpt2", "gemma2", "bloom"])
def test_no_threshold_is_near_what_it_decides(make: str, precision: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower or higher, the decisions are the same: another order of the same additions cannot turn one."""
    fine, coarse = scorer._ROUNDING, scorer._COARSE_ROUNDING
    for factor in (0.2, 1.0, 5.0):
        monkeypatch.setattr(scorer, "_ROUNDING", fine * factor)
        monkeypatch.setattr(scorer, "_COARSE_ROUNDING", coarse * factor**0.4)  # half and twice: bfloat16 leaves less
        made = rater(network(make), precision)
        assert ways(made) == expected(make)
        assert made._shape_logits is not None
        assert made._in_parts


@pytest.mark.parametrize("make", ["llama", "gpt2"])
def test_eager_attention_rounds_to_float32_in_a_float64_network(make: str) -> None:
    """Its softmax is float32, so that a row of another length differs by 1e-8 and more, which is no leak."""
    made = network(make)
    made.set_attn_implementation("eager")
    assert ways(rater(made, "float64")) == (True, False, True)


# ---- leaks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", PRECISIONS)
@pytest.mark.parametrize("make", ["lfm2", "recurrent_gemma"])
def test_a_state_that_runs_along_the_row_forbids_packing(make: str, precision: str) -> None:
    assert ways(rater(untrained(make), precision)) == (False, False, True)


def test_a_leak_below_the_rounding_of_bfloat16_is_seen_by_its_derivative(monkeypatch: pytest.MonkeyPatch) -> None:
    """By figures alone it would be packed, and a sequence would depend on the one before it."""
    monkeypatch.setattr(Scorer, "_keeps_apart", lambda *_: True)
    made = rater(untrained("lfm2"), "bfloat16")
    assert made.packs
    assert not rater(untrained("lfm2"), "float32").packs  # there the figures show it
    monkeypatch.undo()
    generator = np.random.default_rng(1)
    assert not made._keeps_apart([generator.integers(0, SIZE, 5), generator.integers(0, SIZE, 9)])


def test_the_search_for_leaks_leaves_nothing_behind() -> None:
    body = network("llama")
    rater(body, "float32")
    assert not any(part._forward_hooks for part in body.modules())
    assert all(weight.grad is None for weight in body.parameters())
    assert torch.is_grad_enabled()


def test_without_derivatives_the_figures_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> None:
        raise NotImplementedError

    monkeypatch.setattr(torch.autograd, "grad", none)
    assert rater(network("llama"), "float32").packs
    assert not rater(untrained("lfm2"), "float32").packs


@pytest.mark.parametrize("precision", PRECISIONS)
def test_positions_that_go_on_along_the_row_forbid_packing(precision: str) -> None:
    """No leak, but the second sequence is at positions that are not its own."""
    made = network("gpt2")
    forward = made.transformer.forward

    def deaf(input_ids: torch.Tensor, **given: Any) -> Any:
        return forward(input_ids, **{**given, "position_ids": torch.arange(input_ids.shape[1])[None]})

    made.transformer.forward = deaf
    found = rater(made, precision)
    assert ways(found) == (False, False, True)


# ---- the head --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("precision", ["float32", "bfloat16", "autocast"])
@pytest.mark.parametrize("make", ["gemma2", "recurrent_gemma", "granite", "cohere"])
def test_the_head_is_followed_by_what_the_configuration_names(make: str, precision: str) -> None:
    """A cap changes small logits by less than bfloat16 rounds, but ours has the network's own bits."""
    made = rater(untrained(make), precision)
    assert made._shape_logits is not None
    ids = torch.tensor(sequences(SIZE)[4][None])
    with made._quiet():
        own = made._network(input_ids=ids, use_cache=False).logits.float()
        ours = made._logits_of(made._states(ids, None, None))
        bare = made._head(made._states(ids, None, None)).float()
    torch.testing.assert_close(ours, own, atol=1e-6, rtol=0)
    assert float((bare - own).abs().max()) > 1e-4


@pytest.mark.parametrize("precision", PRECISIONS)
def test_what_no_configuration_names_is_left_to_the_network(precision: str) -> None:
    made = network("llama")
    forward = made.forward

    def capped(*args: Any, **given: Any) -> Any:
        found = forward(*args, **given)
        found.logits = (found.logits / 12.0).tanh() * 12.0
        return found

    made.forward = capped
    found = rater(made, precision)
    assert found._shape_logits is None
    assert ways(found) == (True, True, True)


def test_a_network_that_rounds_its_logits_keeps_doing_so() -> None:
    """A mamba of float64 answers in float32: decided by the type, and not by a difference of 3e-8."""
    assert rater(network("mamba"), "float64")._shape_logits is None
    assert rater(network("mamba"), "float32")._shape_logits is not None
