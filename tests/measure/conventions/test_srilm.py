"""SRILM's figures from closed forms; tests/parity/test_srilm.py compares with SRILM itself."""

from __future__ import annotations

import math

import pytest

import bitmeter as bm
from bitmeter.measure.conventions.srilm import CONVENTION
from tests.measure.made import made_score


def test_words_and_ends_are_counted_apart() -> None:
    # Two sentences with words and a blank line: 3 + 2 words with an end each, one unknown word that was skipped.
    score = made_score(
        [6.0, 3.0, 0.0], [4, 3, 0], words_by_document=[3, 3, 0], oov=1,
        signature=bm.Signature(oov="skipped", eos="nonblank"),
    )  # fmt: skip
    assert CONVENTION.figures(score) == {
        "sentences": 2.0,
        "words": 6.0,
        "OOVs": 1.0,
        "zeroprobs": 0.0,
        "logprob": -9.0 / math.log(10),
        "ppl": math.exp(9 / 7),
        "ppl1": math.exp(9 / 5),
    }


def test_impossible_words_are_left_out() -> None:
    score = made_score([math.inf], [4], known_nats=3.0, impossible=1, signature=bm.Signature(eos="yes"))
    found = CONVENTION.figures(score)
    assert found["zeroprobs"] == 1.0
    assert found["ppl"] == pytest.approx(math.exp(3 / 3))
    assert found["ppl1"] == pytest.approx(math.exp(3 / 2))
