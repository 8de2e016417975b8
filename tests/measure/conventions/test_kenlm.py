"""KenLM's figures from closed forms; tests/parity/test_kenlm.py compares with KenLM itself."""

from __future__ import annotations

import math

from bitmeter.measure.conventions.kenlm import CONVENTION
from tests.measure.made import made_score


def test_perplexity_with_and_without_unknown_words() -> None:
    found = CONVENTION.figures(made_score([10.0, 2.0], [4, 2], known_nats=8.0, oov=2))
    assert found == {
        "Perplexity including OOVs": math.exp(12 / 6),
        "Perplexity excluding OOVs": math.exp(8 / 4),
        "OOVs": 2.0,
        "Tokens": 6.0,
    }


def test_nothing_known_is_infinite() -> None:
    assert CONVENTION.figures(made_score([3.0], [2], known_nats=0.0, oov=2))["Perplexity excluding OOVs"] == math.inf
