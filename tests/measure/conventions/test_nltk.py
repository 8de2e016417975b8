"""NLTK's figure from a closed form; tests/parity/test_nltk.py compares with NLTK itself."""

from __future__ import annotations

import math

from bitmeter.measure.conventions.nltk import CONVENTION
from tests.measure.made import made_score


def test_two_to_the_mean_in_bits() -> None:
    score = made_score([math.log(2) * 6], [3])
    assert CONVENTION.figures(score)["perplexity"] == 4.0
    assert CONVENTION.settings == {"docs": "line", "eos": "yes", "oov": "class"}
