from __future__ import annotations

import math

from bitmeter.measure.conventions.torchmetrics import CONVENTION
from tests.measure.made import made_score


def test_e_to_the_mean_over_tokens() -> None:
    assert CONVENTION.figures(made_score([2.0, 4.0], [1, 2])) == {"perplexity": math.exp(2)}
