"""What other tools print for one model and one text, from our own log-probabilities, to the digits that they print.

tests/parity/tiny holds the model, the texts, and the figures that each tool gave (figures.json, with versions);
make_figures.py is how they were obtained.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch

import bitmeter as bm

TINY = Path(__file__).parent / "tiny"
FIGURES: dict[str, Any] = json.loads((TINY / "figures.json").read_text())
TEXTS, JOINED = TINY / "texts.jsonl", TINY / "joined.txt"


@pytest.fixture(scope="module")
def tiny() -> bm.HuggingFace:
    return bm.HuggingFace(TINY)


class Rounded(torch.nn.Module):  # type: ignore[misc]
    """An activation in half precision."""

    def __init__(self, inner: torch.nn.Module) -> None:
        super().__init__()
        self.inner = inner

    def forward(self, values: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self.inner(values.half().float()).half().float()
        return found


def printed(score: bm.Score) -> dict[str, float]:
    from bitmeter.reports.figures import tool_figures

    return tool_figures(score)[0]


@pytest.mark.parametrize("which", ["texts", "joined"])
def test_lm_eval(tiny: bm.HuggingFace, which: str) -> None:
    ours = printed(bm.score(tiny, TEXTS if which == "texts" else JOINED, like="lm-eval"))
    theirs = FIGURES["lm-eval"][which]
    for name, value in theirs.items():
        # It prints four decimals; a word here is long, so that the same error grows in the exponent.
        assert ours[name] == pytest.approx(value, rel=2e-5 if name == "word_perplexity" else 2e-6)
    assert f"{ours['bits_per_byte']:.4f}" == f"{theirs['bits_per_byte']:.4f}"
    assert f"{ours['byte_perplexity']:.4f}" == f"{theirs['byte_perplexity']:.4f}"


def test_hf_evaluate(tiny: bm.HuggingFace) -> None:
    score = bm.score(tiny, TEXTS, like="hf-evaluate")
    theirs = FIGURES["hf-evaluate"]
    assert printed(score)["mean_perplexity"] == pytest.approx(theirs["mean_perplexity"], rel=1e-5)
    documents = score.by_document
    assert documents is not None
    ours = [math.exp(x) for x in documents.nats / documents.tokens]
    assert ours == pytest.approx(theirs["perplexities"], rel=1e-5)


@pytest.mark.parametrize(("first", "which"), [("skip", "plain"), ("bos", "bos")])
def test_minicons(tiny: bm.HuggingFace, first: str, which: str) -> None:
    score = bm.score(tiny, TEXTS, like="minicons", first=first)
    theirs = FIGURES["minicons"][which]
    documents = score.by_document
    assert documents is not None
    assert (-documents.nats / documents.tokens).tolist() == pytest.approx(theirs, rel=1e-6)
    assert printed(score)["mean log-probability per token"] == pytest.approx(sum(theirs) / len(theirs), rel=1e-6)


def test_lmppl(tiny: bm.HuggingFace) -> None:
    theirs = FIGURES["lmppl"]
    ours = printed(bm.score(tiny, TEXTS, like="lmppl"))["mean_perplexity"]
    assert ours == pytest.approx(sum(theirs) / len(theirs), rel=1e-5)


def test_torchmetrics(tiny: bm.HuggingFace) -> None:
    ours = printed(bm.score(tiny, TEXTS, like="torchmetrics"))["perplexity"]
    assert ours == pytest.approx(FIGURES["torchmetrics"], rel=1e-5)


@pytest.mark.parametrize("ctx", ["64.64", "64.32", "64.10"])
def test_hf_docs(tiny: bm.HuggingFace, ctx: str) -> None:
    ours = printed(bm.score(tiny, JOINED, like="hf-docs", ctx=ctx))["perplexity"]
    assert ours == pytest.approx(FIGURES["hf-docs"][ctx], rel=2e-6)


def test_hf_docs_joins_its_texts_as_the_manual_does(tiny: bm.HuggingFace) -> None:
    """`"\\n\\n".join(texts)`, which is in the signature; given joined, the figures are the same."""
    texts = [json.loads(line)["text"] for line in TEXTS.read_text().splitlines()]
    score = bm.score(tiny, TEXTS, like="hf-docs", ctx="64.32")
    assert score.documents == 1
    assert score.signature.docs.startswith("joined-blank.1.")
    whole = bm.score(tiny, "\n\n".join(texts).encode(), like="hf-docs", ctx="64.32")
    assert printed(score) == printed(whole)
    assert printed(score) != printed(bm.score(tiny, TEXTS, like="hf-docs", ctx="64.32", docs="joined"))
    apart = bm.score(tiny, bm.Corpus.from_documents(texts), first="skip", ctx="64.32")
    assert apart.documents == len(texts)
    assert apart.signature.docs.startswith("record.")


def test_llama_cpp(tiny: bm.HuggingFace) -> None:
    """It takes GELU from a table in half precision. With the same rounding here, every digit that it prints agrees."""
    theirs = FIGURES["llama.cpp"]
    plain = printed(bm.score(tiny, JOINED, like="llama.cpp"))
    assert plain["PPL"] == pytest.approx(float(theirs["PPL"]), rel=1e-5)
    rounded = bm.HuggingFace(TINY)
    for block in rounded._network.transformer.h:
        block.mlp.act = Rounded(block.mlp.act)
    ours = printed(bm.score(rounded, JOINED, like="llama.cpp"))
    assert (f"{ours['PPL']:.4f}", f"{ours['+/-']:.5f}") == (theirs["PPL"], theirs["+/-"])


def test_a_saved_run_prints_the_same_figures(tiny: bm.HuggingFace) -> None:
    for tool, text in (("llama.cpp", JOINED), ("hf-docs", JOINED), ("lm-eval", TEXTS)):
        score = bm.score(tiny, text, like=tool)
        again = bm.Score.from_json(score.to_json())
        assert again == score
        assert printed(again) == printed(score)
