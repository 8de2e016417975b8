from __future__ import annotations

import math

import pytest

from bitmeter.measure.conventions.hf_evaluate import CONVENTION
from tests.measure.made import made_score


def test_the_mean_of_the_perplexities_of_texts() -> None:
    found = CONVENTION.figures(made_score([2.0, 8.0], [2, 4]))
    assert found == {"mean_perplexity": pytest.approx((math.exp(1) + math.exp(2)) / 2, rel=1e-15)}
