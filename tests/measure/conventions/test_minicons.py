from __future__ import annotations

import math

from bitmeter.measure.conventions.minicons import CONVENTION
from tests.measure.made import made_score


def test_the_mean_of_the_texts_means() -> None:
    found = CONVENTION.figures(made_score([2.0, 9.0, 0.0], [2, 3, 0]))
    assert found == {"mean log-probability per token": -(1.0 + 3.0) / 2}
    assert CONVENTION.figures(made_score([0.0], [0])) == {"mean log-probability per token": -math.inf}
