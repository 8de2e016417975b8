"""Moments of predictions, against sums written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import IncomparableError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.divergence import as_predictor
from bitmeter.measure.membership.rows import moments, moments_of_rows
from bitmeter.measure.options import settle

SETTINGS = settle(convention("bitmeter"), None, None, None, None, None, None, None, None, 0.95)


@given(st.lists(st.floats(0.0, 1.0), min_size=2, max_size=6).filter(lambda x: sum(x) > 0.1))
def test_the_moments_are_those_of_the_formula(weights: list[float]) -> None:
    p = [weight / sum(weights) for weight in weights]
    with np.errstate(divide="ignore"):
        row = np.log(np.array([p]))
    found = moments_of_rows(row, row, row[:, 0])
    first = math.fsum(x * math.log(x) for x in p if x > 0)
    second = math.fsum(x * math.log(x) ** 2 for x in p if x > 0)
    assert found.means[0] == pytest.approx(first, abs=1e-9)
    assert found.deviations[0] ** 2 == pytest.approx(second - first**2, abs=1e-9)
    assert found.crosses[0] == pytest.approx(first, abs=1e-9)


def test_an_outcome_that_the_other_excludes_costs_infinitely() -> None:
    p, q = np.log(np.array([[0.5, 0.5]])), np.array([[0.0, -math.inf]])
    assert moments_of_rows(p, q, p[:, 0]).crosses.tolist() == [-math.inf]


def test_the_log_probabilities_are_those_of_the_score() -> None:
    text = b"to be or not to be"
    one = as_predictor("kt")
    found = moments(one, one, text, SETTINGS)
    assert found.logprobs == pytest.approx(bm.score("kt", text).trace.logprob, rel=1e-12)
    assert len(moments(one, one, b"", SETTINGS)) == 0
    with pytest.raises(IncomparableError, match="outcomes"):
        moments(one, as_predictor(bm.Distribution({"a": 0.5, "b": 0.5})), text, SETTINGS)
