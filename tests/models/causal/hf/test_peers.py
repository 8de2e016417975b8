"""Other tools' arithmetic: the functions that they call, on a real size of vocabulary, and only with `like`."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest
import torch
import transformers

import bitmeter as bm
from bitmeter.models.arithmetic import ARITHMETICS
from bitmeter.models.causal.hf.peers import as_peers
from bitmeter.reports.figures import tool_figures
from tests.models.causal.hf.test_kinds import saved

LARGE = 49_152  # that of SmolLM2
TEXTS = ["to be or not to be", "that is the question", "whether it is nobler in the mind to suffer"]


@functools.cache
def logits() -> torch.Tensor:
    return torch.randn(37, LARGE, generator=torch.Generator().manual_seed(2)) * 3.0


TARGETS = torch.arange(37) * 1311


@pytest.mark.parametrize("way", [way for way in ARITHMETICS if way != "own"])
def test_each_way_is_the_function_that_its_tools_call(way: str) -> None:
    """evaluate: cross_entropy of transposed logits; lm-eval, lmppl and the manual: of rows; torchmetrics: softmax."""
    cross = torch.nn.functional.cross_entropy
    expected = {
        "log-softmax": -cross(logits(), TARGETS, reduction="none"),
        "log-softmax-single": -cross(logits(), TARGETS, reduction="none"),
        "log-softmax-columns": -cross(logits()[None].transpose(1, 2), TARGETS[None], reduction="none")[0],
        "softmax": torch.nn.functional.softmax(logits(), dim=1)[torch.arange(37), TARGETS].log(),
    }[way]
    found = as_peers(logits(), TARGETS, way)
    assert found.dtype == torch.float64
    torch.testing.assert_close(found, expected.double(), atol=2e-6, rtol=0)
    exact = logits().double().log_softmax(1)[torch.arange(37), TARGETS]
    assert float((found - exact).abs().max()) < 1e-3


@functools.cache
def model() -> bm.HuggingFace:
    import tempfile

    torch.manual_seed(3)
    config = transformers.LlamaConfig(
        vocab_size=LARGE, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=24,
        max_position_embeddings=64,
    )  # fmt: skip
    made = transformers.LlamaForCausalLM(config)
    with torch.no_grad():
        made.lm_head.weight.mul_(40.0)
    with tempfile.TemporaryDirectory() as folder:
        from pathlib import Path

        return bm.HuggingFace(saved(made, Path(folder)))


def row_logits(text: str, *, led: bool) -> tuple[torch.Tensor, torch.Tensor]:
    ids = model().units.split(text.encode()).ids
    if led:
        assert model().bos_id is not None
        ids = np.append(np.int64(model().bos_id or 0), ids)
    with torch.inference_mode():
        found = model()._network(torch.tensor(ids[None])).logits[0, :-1]
    return found, torch.tensor(ids[1:])


def figure(tool: str) -> float:
    found = tool_figures(bm.score(model(), bm.Corpus.from_documents(TEXTS), like=tool))[0]
    return next(iter(found.values()))


def test_evaluate() -> None:
    """mean over texts of exp(Σ cross_entropy(logits.transpose(1, 2)) / n), in float32, as its metric computes it."""
    each = []
    for text in TEXTS:
        rows, ids = row_logits(text, led=True)
        costs = torch.nn.functional.cross_entropy(rows[None].transpose(1, 2), ids[None], reduction="none")
        each.append(float(torch.exp(costs.sum(1) / len(ids))))
    assert figure("hf-evaluate") == pytest.approx(sum(each) / len(each), rel=5e-7)


def test_lmppl_and_torchmetrics() -> None:
    each, total, count = [], torch.tensor(0.0), 0
    for text in TEXTS:
        rows, ids = row_logits(text, led=False)
        each.append(math.exp(float(torch.nn.functional.cross_entropy(rows, ids, reduction="none").sum() / len(ids))))
        total = total - rows.softmax(1)[torch.arange(len(ids)), ids].log().sum()
        count += len(ids)
    assert figure("lmppl") == pytest.approx(sum(each) / len(each), rel=5e-7)
    # Its mean is a float32 of 16.4, whose last bit is 2e-6; torch's order of additions decides that bit.
    assert figure("torchmetrics") == pytest.approx(float(torch.exp(total / count)), rel=6e-6)


def test_only_with_like_and_said_so() -> None:
    text = bm.Corpus.from_documents(TEXTS)
    plain, like = bm.score(model(), text), bm.score(model(), text, like="hf-evaluate")
    assert plain.signature.precision == "float32"
    assert like.signature.precision == f"float32, {ARITHMETICS['log-softmax-columns']}"
    assert any("against the exact ones" in note for note in like.notes)
    assert not any("against the exact ones" in note for note in plain.notes)
    assert plain.nats == pytest.approx(like.nats, rel=1e-3)
    assert bm.Score.from_json(like.to_json()) == like


@pytest.mark.parametrize("tool", ["minicons", "lmppl", "hf-evaluate", "lm-eval", "torchmetrics", "hf-docs"])
def test_documents_in_memory_are_the_texts_of_a_tool(tool: str) -> None:
    """`like` asked for records, and a corpus that has its documents was refused."""
    assert tool_figures(bm.score(model(), bm.Corpus.from_documents(TEXTS), like=tool))[0]


def test_a_trace_with_details_has_the_same_figures() -> None:
    text: Any = bm.Corpus.from_documents(TEXTS)
    plain = bm.score(model(), text, like="lmppl")
    assert bm.score(model(), text, like="lmppl", alternatives=2).nats == pytest.approx(plain.nats, rel=1e-9)
