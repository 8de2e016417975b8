"""The correction for skew: it is monotone, inverts itself, and vanishes without skew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from bitmeter.measure.interval.skew import Skew, batched, lean_of_rates, lean_of_sums

LEANS = st.floats(-1.0, 1.0)


@given(LEANS, st.floats(0.01, 5.0), st.floats(0.01, 100.0))
@settings(deadline=None)
def test_it_only_widens_and_to_one_side_more(lean: float, half: float, scale: float) -> None:
    skew = Skew(lean, scale)
    below, above = skew.below(half * scale), skew.above(half * scale)
    assert min(below, above) >= half * scale
    if lean > 1e-6:
        assert above >= below - 1e-9 * scale
    turned = Skew(-lean, scale)
    assert (turned.below(half * scale), turned.above(half * scale)) == pytest.approx((above, below))


@given(LEANS, st.floats(-3.0, 3.0))
@settings(deadline=None)
def test_bending_undoes_straightening(lean: float, t: float) -> None:
    # y = t + at²/3 + a²t³/27 + a/6, and 3/a·(∛(1 + a(y − a/6)) − 1) is t again.
    if abs(lean) < 1e-3:
        return
    y = t + lean * t * t / 3 + lean**2 * t**3 / 27 + lean / 6
    assert Skew(lean, 1.0)._bent(y) == pytest.approx(t, abs=1e-6)


def test_without_skew_nothing_changes() -> None:
    skew = Skew(0.0, 0.5)
    assert (skew.below(1.3), skew.above(1.3), skew.straightened(-0.7)) == (1.3, 1.3, 0.7)


def test_the_lean_of_sums_is_the_third_moment_of_the_mean() -> None:
    x = np.random.default_rng(0).standard_exponential(50)
    x -= x.mean()
    # Of a mean of k equal values the skewness is that of one value over √k.
    assert lean_of_sums(x) == pytest.approx(stats.skew(x) / np.sqrt(50), rel=1e-12)
    assert lean_of_rates(x / 50, np.full(50, 1 / 50)) == pytest.approx(lean_of_sums(x), rel=1e-12)
    assert lean_of_sums(np.zeros(3)) == lean_of_rates(np.zeros(3), np.ones(3)) == 0.0


def test_batches_hold_all() -> None:
    x = np.random.default_rng(1).standard_normal(1000)
    sizes = np.asarray(1.0 + np.arange(1000) % 7, dtype=np.float64)
    found = batched(x, sizes)
    assert (found.size, found.sum()) == (24, pytest.approx(x.sum()))
