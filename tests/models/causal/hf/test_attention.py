"""Attention sequence by sequence: the figures of each sequence alone, and a network that is left as it was."""

from __future__ import annotations

import functools
import threading
from typing import Any

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

import bitmeter as bm
from bitmeter.models.causal.hf.attention import Apart
from bitmeter.models.causal.hf.scorer import Scorer
from tests.models.causal.hf.test_model import TEXTS, check_against_loop
from tests.models.networks import TINY, network, plain_loop, tiny

#: Some makes round to float32 within, whatever their weights; a token that saw another's would be off by 0.01 and more.
ROUNDING = 1e-6
#: Lengths that fill rows in many ways, a single token among them.
LENGTHS = (5, 1, 17, 2, 9, 30, 3, 8, 1, 12)
PARTS = [(0, 0, 3), (0, 3, 10), (0, 10, 11), (1, 0, 6), (1, 6, 11)]


def sequences(size: int) -> list[np.ndarray[Any, np.dtype[np.int64]]]:
    generator = np.random.default_rng(5)
    return [generator.integers(0, size, 1 + length) for length in LENGTHS]


@functools.cache
def rater(make: str, batch: int = 0) -> Scorer:
    return Scorer(network(make).double(), row=min(512, batch or 512), batch=batch or 512)


def check_alone(made: Scorer) -> None:
    """Every sequence has the figures that the network itself gives when it sees nothing else."""
    given = sequences(300)
    for found, ids in zip(made.logprobs(given, [1] * len(given)), given, strict=True):
        with torch.inference_mode():
            logs = made._network(torch.tensor(ids[None, :-1])).logits[0].double().log_softmax(-1)
        np.testing.assert_allclose(found, logs[range(len(ids) - 1), ids[1:]], atol=ROUNDING, rtol=0)


def mask_of(parts: list[tuple[int, int, int]], dtype: torch.dtype) -> torch.Tensor:
    """Nought where a token sees another, written out token by token."""
    found = torch.full((2, 1, 11, 11), torch.finfo(dtype).min, dtype=dtype)
    for row, begin, end in parts:
        for place in range(begin, end):
            found[row, 0, place, begin : place + 1] = 0.0
    return found


# ---- in networks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("batch", [0, 40])
@pytest.mark.parametrize(
    ("make", "packs", "cuts"),
    [
        ("llama", True, True),  # fewer heads for keys than for queries
        ("gpt2", True, True),
        ("gpt_neox", True, True),
        ("mistral", True, True),  # sees 8 back: what is longer has a row of its own
        ("gemma2", True, False),  # caps what goes into the softmax, which torch's function cannot
        ("bloom", False, False),  # positions come from a mask of its own
        ("mamba", False, False),  # has no attention
    ],
)
def test_each_sequence_is_rated_as_if_alone(make: str, packs: bool, cuts: bool, batch: int) -> None:
    made = rater(make, batch)
    assert (made.packs, made.cuts, made.pads) == (packs, cuts, True)
    check_alone(made)
    assert made.cuts == cuts


@pytest.mark.parametrize("make", ["llama", "gpt2", "gpt_neox", "mistral"])
def test_with_and_without_are_the_same_to_rounding(make: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made = rater(make)
    given = sequences(300)
    cut = np.concatenate(made.logprobs(given, [1] * len(given)))
    monkeypatch.setattr(made, "cuts", False)
    masked = np.concatenate(made.logprobs(given, [1] * len(given)))
    np.testing.assert_allclose(cut, masked, atol=ROUNDING, rtol=0)


def test_it_is_what_runs_when_a_text_is_scored(monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise all of the above would hold of nothing."""
    asked: list[int] = []
    answer = Apart._answer

    def counted(self: Apart, *args: Any, **given: Any) -> torch.Tensor:
        asked.append(len(self._parts))
        return answer(self, *args, **given)

    monkeypatch.setattr(Apart, "_answer", counted)
    check_against_loop(tiny(), bm.Corpus.from_documents(TEXTS[:12]), 1e-5)
    assert max(asked) > 2


def test_half_precision_and_casting_keep_their_type() -> None:
    for dtype in ("bfloat16", "autocast"):
        made = tiny(dtype)
        assert (made.packs, made._scorer.cuts) == (True, True)
        given = sequences(made.size)
        cut = np.concatenate(made.score_sequences(given, [1] * len(given)))
        exact = np.concatenate([plain_loop(tiny(), ids, 1) for ids in given])
        np.testing.assert_allclose(cut, exact, atol=0.3, rtol=0.05)


def test_a_bodywith_attention_of_its_own_takes_the_mask() -> None:
    made = network("llama").double()
    made.set_attn_implementation("eager")
    eager = Scorer(made, row=512, batch=512)
    assert (eager.packs, eager.cuts) == (True, False)
    check_alone(eager)
    assert made.config._attn_implementation == "eager"


@pytest.mark.parametrize("fails", ["by a figure", "by an error"])
def test_where_it_would_change_a_figure_the_mask_is_used(monkeypatch: pytest.MonkeyPatch, fails: str) -> None:
    answer = Apart._answer

    def wrong(self: Apart, *args: Any, **given: Any) -> torch.Tensor:
        if fails == "by an error":
            raise RuntimeError
        return answer(self, *args, **given) * 1.01

    monkeypatch.setattr(Apart, "_answer", wrong)
    made = bm.HuggingFace(TINY)
    assert (made.packs, made._scorer.cuts) == (True, False)
    check_against_loop(made, bm.Corpus.from_documents(TEXTS[:6]), 1e-5)


def test_a_bodythat_can_take_neither_has_each_sequence_by_itself() -> None:
    """Its answers depend on how many tokens there are: nothing may stand beside a sequence, nor behind it."""

    class Counting(torch.nn.Module):  # type: ignore[misc]  # torch has no types here
        def __init__(self, inner: torch.nn.Module) -> None:
            super().__init__()
            self.inner = inner

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            found: torch.Tensor = self.inner(ids) * (1.0 + ids.shape[1] / 10)
            return found

    made = network("llama").double()
    made.model.embed_tokens = Counting(made.model.embed_tokens)
    made.model.embed_tokens.weight = made.model.embed_tokens.inner.weight
    counting = Scorer(made, row=512, batch=512)
    assert (counting.packs, counting.cuts, counting.pads) == (False, False, False)
    check_alone(counting)


# ---- what is left behind ---------------------------------------------------------------------------------------------


def test_the_bodyis_left_as_it_was() -> None:
    made = rater("llama")
    body = made._network
    ids = torch.tensor(sequences(300)[2][None])
    with torch.inference_mode():
        before = body(ids).logits
    said, how = body.config.to_dict(), body.config._attn_implementation
    made.logprobs(sequences(300), [1] * len(LENGTHS))
    with torch.inference_mode():
        assert torch.equal(body(ids).logits, before)
    assert body.config.to_dict() == said
    assert body.config._attn_implementation == how == "sdpa"
    assert not any(part._forward_hooks or part._forward_pre_hooks for part in body.modules())


def test_after_an_exception_nothing_is_left_on() -> None:
    made = rater("gpt2")
    given = sequences(300)
    right = made.logprobs(given, [1] * len(given))
    entered: list[int] = []

    def broken(*_: Any) -> None:
        entered.append(1)
        raise KeyboardInterrupt

    hook = made._network.transformer.h[1].mlp.register_forward_pre_hook(broken)
    with pytest.raises(KeyboardInterrupt):
        made.logprobs(given, [1] * len(given))
    hook.remove()
    assert entered
    assert not torch.overrides._get_current_function_mode_stack()
    assert not torch.is_inference_mode_enabled()
    assert made.cuts
    for found, expected in zip(made.logprobs(given, [1] * len(given)), right, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_another_thread_is_not_met() -> None:
    """Two models may be at work at once, each with rows of its own."""
    mask = mask_of(PARTS, torch.float64)
    query = torch.randn(2, 3, 11, 4, dtype=torch.float64)
    expected = scaled_dot_product_attention(query, query, query, attn_mask=mask)
    found: list[torch.Tensor] = []

    def other() -> None:
        found.append(scaled_dot_product_attention(query, query, query, attn_mask=mask))

    with Apart(mask, PARTS) as apart:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
    assert apart.calls == 0
    assert torch.equal(found[0], expected)


def test_two_models_at_once_keep_to_their_own_rows() -> None:
    pair = [rater("llama"), rater("gpt2")]
    given = sequences(300)
    alone = [made.logprobs(given, [1] * len(given)) for made in pair]
    found: dict[int, list[Any]] = {0: [], 1: []}

    def run(place: int) -> None:
        found[place] += [pair[place].logprobs(given, [1] * len(given)) for _ in range(5)]

    threads = [threading.Thread(target=run, args=(place,)) for place in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for place in range(2):
        assert len(found[place]) == 5
        for rates in found[place]:
            for ours, expected in zip(rates, alone[place], strict=True):
                np.testing.assert_allclose(ours, expected, atol=ROUNDING, rtol=0)


# ---- the calls themselves --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["plain", "scaled", "shared keys", "a bias", "a bias by head", "yes or no", "wider"])
def test_a_call_is_answered_as_under_the_mask(way: str) -> None:
    torch.manual_seed(2)
    heads = 4
    query = torch.randn(2, heads, 11, 8, dtype=torch.float64)
    key, value = (torch.randn(2, 2 if way == "shared keys" else heads, 11, 8, dtype=torch.float64) for _ in range(2))
    value = torch.randn(2, heads, 11, 5, dtype=torch.float64) if way == "wider" else value
    ours = mask_of(PARTS, torch.float64)
    mask: torch.Tensor = ours
    how: dict[str, Any] = {}
    if way == "scaled":
        how = {"scale": 0.7, "dropout_p": 0.0}
    elif way == "shared keys":
        how = {"enable_gqa": True}
    elif way == "a bias":  # as for distance; what a network puts into the mask stays in force
        mask = ours + torch.arange(11, dtype=torch.float64)
    elif way == "a bias by head":
        mask = ours + torch.randn(2, heads, 11, 11, dtype=torch.float64)
    elif way == "yes or no":
        mask = ours == 0.0
    expected = scaled_dot_product_attention(query, key, value, attn_mask=mask, **how)
    with Apart(ours, PARTS) as apart:
        found = scaled_dot_product_attention(query, key, value, attn_mask=mask, **how)
        by_place = scaled_dot_product_attention(query, key, value, mask, **how)
    assert apart.calls == 2
    assert found.shape == expected.shape
    torch.testing.assert_close(found, expected, atol=1e-12, rtol=0)
    assert torch.equal(found, by_place)


def test_calls_of_another_kind_go_through_as_they_are() -> None:
    ours = mask_of(PARTS, torch.float64)
    whole = torch.randn(2, 3, 11, 4, dtype=torch.float64)
    calls: list[tuple[torch.Tensor, torch.Tensor, dict[str, Any]]] = [
        (whole, whole, {"is_causal": True}),  # no mask: each row is one sequence
        (whole, whole, {}),
        (whole[:1], whole[:1], {"attn_mask": ours[:1]}),  # fewer rows
        (whole[:, :, :1], whole, {"attn_mask": ours[:, :, :1]}),  # one token more, with a cache
        (whole[:, :, :5], whole[:, :, :5], {"attn_mask": ours[:, :, :5, :5]}),
        (whole[0], whole[0], {"attn_mask": ours[0]}),
        (whole, whole, {"attn_mask": ours[:1]}),  # one mask for all rows
    ]
    with Apart(ours, PARTS) as apart:
        found = [scaled_dot_product_attention(query, key, key, **how) for query, key, how in calls]
    assert apart.calls == 0
    for answer, (query, key, how) in zip(found, calls, strict=True):
        assert torch.equal(answer, scaled_dot_product_attention(query, key, key, **how))
