from __future__ import annotations

import math

import numpy as np
import pytest

from bitmeter.measure.conventions.llama_cpp import CONVENTION
from tests.measure.made import made_score, windows_of

COSTS = [[1.0, 2.0, 3.0], [4.0, 4.0, 7.0]]


def test_the_error_is_that_of_independent_tokens() -> None:
    every = np.concatenate(COSTS)
    found = CONVENTION.figures(made_score([float(every.sum())], [6], by_window=windows_of(COSTS, [1, 0])))
    expected = math.exp(every.mean())
    # The delta method: the error of exp(mean) is exp(mean) times the standard error of the mean.
    assert found["PPL"] == pytest.approx(expected, rel=1e-14)
    assert found["+/-"] == pytest.approx(expected * every.std(ddof=1) / math.sqrt(6), rel=1e-12)


def test_without_windows_it_is_the_mean_over_tokens() -> None:
    assert CONVENTION.figures(made_score([6.0], [3])) == {"perplexity": math.exp(2)}
    one = made_score([2.0], [1], by_window=windows_of([[2.0]], [1]))
    assert CONVENTION.figures(one) == {"perplexity": math.exp(2)}
