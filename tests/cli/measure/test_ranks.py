"""`bitmeter score` of stupid back-off: sums of scores, without bits and perplexity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import bitmeter as bm
from bitmeter.cli.measure.ranks import ranks

TEXT = b"to be or not to be\nthat is the question\n"
PLAIN: dict[str, Any] = {
    "docs": None, "field": None, "eos": None, "oov": None, "like": "bitmeter", "first": None, "den": None,
    "norm": None, "ctx": None, "confidence": 0.95, "trace": None, "alternatives": None,
}  # fmt: skip


@pytest.fixture
def text(tmp_path: Path) -> str:
    (tmp_path / "text").write_bytes(TEXT)
    return str(tmp_path / "text")


def test_the_sum_is_that_of_the_sentences(text: str) -> None:
    model = bm.NGram(order=2, smoothing="stupid-backoff").fit(TEXT)
    found = json.loads(ranks(model, text, PLAIN, json=True) or "")
    assert (found["schema"], found["tokens"], found["unknown"], found["perplexity"]) == (
        "bitmeter.ranks/1",
        12,
        0,
        None,
    )
    assert sum(found["ln_score_of_sentences"]) == pytest.approx(found["ln_score"], rel=1e-12)
    assert len(found["ln_score_of_sentences"]) == 2
    said = ranks(model, text, PLAIN, json=False) or ""
    assert said.splitlines()[0].endswith(": 2 sentences, 12 words and ends, 0 of them unknown")
    assert f"{found['ln_score']:,.4f} in all" in said


def test_a_distribution_is_left_to_score(text: str) -> None:
    assert ranks(bm.NGram(order=2).fit(TEXT), text, PLAIN, json=False) is None
    assert ranks(bm.load("kt"), text, PLAIN, json=False) is None


@pytest.mark.parametrize(
    "option", [{"like": "kenlm"}, {"norm": "lower"}, {"confidence": 0.9}, {"alternatives": 2}, {"oov": "spelled"}]
)
def test_what_only_a_distribution_has_is_left_to_score(option: dict[str, Any], text: str) -> None:
    model = bm.NGram(order=2, smoothing="stupid-backoff").fit(TEXT)
    assert ranks(model, text, {**PLAIN, **option}, json=False) is None
