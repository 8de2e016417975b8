"""Answers after contexts as lm-eval and minicons score them, and sentences by a masked model as minicons does.

tests/parity/answers holds the items, the masked model and the figures of both tools (figures.json, with versions);
make_answers.py is how they were obtained.
"""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import bitmeter as bm
from bitmeter.models.masked.model import Masked

HERE = Path(__file__).parent / "answers"
FIGURES: dict[str, Any] = json.loads((HERE / "figures.json").read_text())
ITEMS: list[dict[str, Any]] = [json.loads(line) for line in (HERE / "items.jsonl").read_text("utf-8").splitlines()]
PAIRS = [(item["context"], choice) for item in ITEMS for choice in item["choices"]]
#: In nats; the tools compute in float32.
CLOSE = 1e-4


@pytest.fixture(scope="module")
def tiny() -> bm.HuggingFace:
    return bm.HuggingFace(HERE.parent / "tiny")


def costs(model: Any, pairs: list[tuple[str, str]], **keywords: Any) -> np.ndarray:
    rows = bm.Corpus.from_records([{"context": a, "answer": b} for a, b in pairs], field="answer")
    found = bm.score(model, rows, given="context", **keywords)
    assert found.by_document is not None
    return found.by_document.nats


def test_lm_eval(tiny: bm.HuggingFace) -> None:
    """With a space in the context, in the answer and in neither, an empty context, and one that is too long."""
    assert np.allclose(-costs(tiny, PAIRS, like="lm-eval"), FIGURES["lm-eval"]["loglikelihood"], rtol=0, atol=CLOSE)


def test_lm_eval_choices(tiny: bm.HuggingFace) -> None:
    found = bm.choose(tiny, HERE / "items.jsonl", given="context", like="lm-eval", calibrate="Answer:")
    assert np.allclose(-found.nats, FIGURES["lm-eval"]["loglikelihood"], rtol=0, atol=CLOSE)
    # As its metrics are defined: acc, acc_norm (per character of the choice), acc_bytes, and mutual information.
    logs, alone = (np.array(FIGURES["lm-eval"][name]) for name in ("loglikelihood", "unconditional"))
    chars, sizes = (np.array([size(choice) for _, choice in PAIRS]) for size in (len, lambda c: len(c.encode())))
    for way, values in (("sum", logs), ("char", logs / chars), ("byte", logs / sizes), ("calibrated", logs - alone)):
        ends = found.bounds.tolist()
        picked = [int(np.argmax(values[a:b])) for a, b in pairwise(ends)]
        assert found.ways[way].picked.tolist() == picked
        right = sum(p == item["label"] for p, item in zip(picked, ITEMS, strict=True))
        assert found.ways[way].accuracy.right == right


def test_minicons(tiny: bm.HuggingFace) -> None:
    pairs = [tuple(pair) for pair in FIGURES["minicons"]["pairs"]]
    ours = -costs(tiny, pairs, between=" ", first="skip")
    assert np.allclose(ours, FIGURES["minicons"]["conditional"], rtol=0, atol=CLOSE)


def test_a_loop_in_torch(tiny: bm.HuggingFace) -> None:
    import transformers

    network = transformers.AutoModelForCausalLM.from_pretrained(HERE.parent / "tiny").eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(HERE.parent / "tiny")
    pairs = [(a, b) for a, b in PAIRS if a and len(a) < 100]
    expected = []
    for context, answer in pairs:
        before, behind = (tokenizer(text)["input_ids"] for text in (context, answer))
        ids = torch.tensor([[tokenizer.bos_token_id, *before, *behind]])
        with torch.inference_mode():
            logs = torch.log_softmax(network(ids).logits[0].double(), dim=-1)
        places = range(len(before), len(before) + len(behind))
        expected.append(sum(float(logs[place, ids[0, place + 1]]) for place in places))
    assert np.allclose(-costs(tiny, pairs, border="apart"), expected, rtol=0, atol=CLOSE)


def test_masked_as_minicons() -> None:
    theirs = FIGURES["masked"]
    nats, tokens = Masked(HERE / "masked").pseudo([text.encode() for text in theirs["sentences"]])
    assert np.allclose(-nats, theirs["within_word_l2r"], rtol=0, atol=CLOSE)
    # Where no word has several tokens, nothing else is masked.
    several = [abs(a - b) > CLOSE for a, b in zip(theirs["original"], theirs["within_word_l2r"], strict=True)]
    assert several == [False, True, True, False]
    assert tokens.tolist() == [4, 8, 8, 1]
