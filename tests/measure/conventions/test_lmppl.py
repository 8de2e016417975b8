from __future__ import annotations

import math

import pytest

from bitmeter.measure.conventions.lmppl import CONVENTION
from tests.measure.made import made_score


def test_the_mean_of_the_perplexities_of_texts() -> None:
    assert CONVENTION.figures(made_score([1.0, 3.0], [1, 1])) == {
        "mean_perplexity": pytest.approx((math.exp(1) + math.exp(3)) / 2, rel=1e-15)
    }
    assert CONVENTION.settings["first"] == "skip"
