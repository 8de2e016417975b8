"""Wilson's interval against its definition, and averages."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitmeter.measure.answers.accuracy import accuracy, macro_accuracy, mean_margin, wilson


@given(st.integers(1, 500), st.floats(0.0, 1.0), st.floats(0.5, 0.999))
def test_wilson_inverts_the_score_test(items: int, share: float, confidence: float) -> None:
    """At both ends, the share is z standard errors of the null away: (p − π)² = z² π (1 − π) / n."""
    found = wilson(share * items, items, confidence)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    assert found.low is not None
    assert found.high is not None
    assert 0.0 <= found.low <= found.estimate <= found.high <= 1.0
    for end in (found.low, found.high):
        if 1e-9 < end < 1 - 1e-9:
            assert (found.estimate - end) ** 2 == pytest.approx(z * z * end * (1 - end) / items, rel=1e-6, abs=1e-12)


def test_published_figures() -> None:
    # Newcombe (1998), Statistics in Medicine 17, table I, method 3: 81/263, 15/148, 0/20, 1/29.
    for right, items, low, high in ((81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611),
                                    (1, 29, 0.0061, 0.1718)):  # fmt: skip
        found = wilson(right, items, 0.95)
        assert (round(found.low or 0.0, 4), round(found.high or 0.0, 4)) == (low, high)


def test_ties_and_macro() -> None:
    one = accuracy(np.array([1.0, 0.5, 0.0]), [False, True, False], 0.95)
    other = accuracy(np.array([1.0]), [False], 0.95)
    assert (one.right, one.items, one.ties, one.share) == (1.5, 3, 1, 0.5)
    assert macro_accuracy([one, other], 0.95).estimate == 0.75


def test_margins() -> None:
    found = mean_margin(np.array([1.0, 2.0, 3.0]), 0.95)
    assert found is not None
    assert found.estimate == pytest.approx(2.0)
    assert mean_margin(np.array([1.0, math.inf]), 0.95) is None
