"""Min-K %, Min-K%++, zlib and Binoculars' ratio, against the published formulas computed directly."""

from __future__ import annotations

import json
import math
import zlib
from typing import Any

import numpy as np
import pytest
import torch
import transformers

import bitmeter as bm
from bitmeter.errors import BitmeterError
from bitmeter.measure.membership.rows import Moments
from bitmeter.measure.membership.statistics import STATISTICS, min_k, min_k_plus
from tests.models.networks import TINY

TEXTS = ["The harbour was quiet. A ship came in at dawn.", "Rain fell on the town all day, and on the sea."]


def direct(text: str, share: float) -> dict[str, float]:
    """As the authors of Min-K%++ write it: a loop over the logits of the network, in double precision."""
    network: Any = transformers.AutoModelForCausalLM.from_pretrained(TINY, dtype=torch.float64).eval()
    tokenizer: Any = transformers.AutoTokenizer.from_pretrained(TINY)
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    begin = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    with torch.no_grad():
        logits = network(torch.tensor([[begin, *ids]])).logits[0, :-1]
    logs = torch.log_softmax(logits, dim=-1)
    p = logs.exp()
    own = logs.gather(1, torch.tensor(ids)[:, None])[:, 0]
    mu = (p * logs).sum(-1)
    sigma = (p * logs.square()).sum(-1) - mu.square()
    scaled = ((own - mu) / sigma.sqrt()).numpy()
    number = max(1, int(len(ids) * share))
    return {
        "min-k": float(np.sort(own.numpy())[:number].mean()),
        "min-k++": float(np.sort(scaled)[:number].mean()),
        "zlib": float(-own.sum() / math.log(2.0) / (8 * len(zlib.compress(text.encode(), 9)))),
        # With itself as the other model, the cross-entropy is the entropy.
        "binoculars": float(own.sum() / mu.sum()),
    }


def test_the_published_formulas() -> None:
    model = f"hf:{TINY},dtype=float64"
    found = bm.text_statistics(model, bm.Corpus.from_documents(TEXTS), at=list(STATISTICS), other=model, share=0.3)
    for place, text in enumerate(TEXTS):
        expected = direct(text, 0.3)
        for one in found.statistics:
            assert one.values[place] == pytest.approx(expected[one.name], rel=1e-9), one.name


def test_means_and_quantiles() -> None:
    texts = bm.Corpus.from_documents(["abab" * 9, "abcd" * 9, "", "aabb" * 9])
    found = bm.text_statistics("kt", texts, at="min-k, zlib", null=bm.Corpus.from_documents(["abab" * 9, "qwxz" * 9]))
    assert len(found.documents) == 3  # the empty one has no token
    one = found.statistics[0]
    assert one.mean.estimate == pytest.approx(one.values.mean(), rel=1e-12)
    assert one.mean.low is not None
    expected = [float((np.sum(one.null < v) + 0.5 * np.sum(one.null == v)) / 2) for v in one.values]
    assert one.quantiles.tolist() == expected
    assert one.quantiles[0] == 0.75  # above one text of the null, and equal to the other
    read = json.loads(found.to_json())
    assert read["statistics"][0]["values"] == one.values.tolist()
    assert "not a verdict" in str(found)


def test_certain_predictions() -> None:
    zeros = np.zeros(3)
    sure = Moments(zeros, zeros, zeros, zeros)
    assert min_k_plus(sure, 0.2) == 0.0
    missed = Moments(np.array([-math.inf, 0.0, 0.0]), zeros, zeros, zeros)
    assert min_k_plus(missed, 0.2) == -math.inf
    assert min_k(np.array([-3.0]), 0.01) == -3.0


@pytest.mark.parametrize(
    ("options", "pattern"),
    [
        ({"at": "max-k"}, "no statistic"), ({"at": ""}, "no statistic"), ({"at": []}, "no statistic"),
        ({"at": "binoculars"}, "other"), ({"at": "zlib", "other": "uniform"}, "not among"),
        ({"share": 0.0}, "share"), ({"null": b""}, "no document"),
    ],
)  # fmt: skip
def test_mistakes(options: dict[str, Any], pattern: str) -> None:
    with pytest.raises(BitmeterError, match=pattern):
        bm.text_statistics("kt", b"some text", **options)
    with pytest.raises(BitmeterError, match="does not expose"):
        bm.text_statistics("zlib", b"some text")
