"""What both kinds of intervals share: scaling, infinities, and the edges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from bitmeter._util.check import Floats
from bitmeter.measure.interval.blocks import batch_means
from bitmeter.measure.interval.cluster import cluster_ratio
from bitmeter.measure.interval.paired import paired
from bitmeter.measure.interval.ratio import effective, standard_error
from tests.measure.interval.samples import COSTS, figures


@given(COSTS, st.floats(0.01, 100.0), st.floats(-100.0, 100.0))
@settings(deadline=None, max_examples=60)
@pytest.mark.parametrize("method", [cluster_ratio, batch_means])
def test_units_and_constants_pass_through(method: Any, x: Floats, factor: float, shift: float) -> None:
    n = 1.0 + np.arange(x.size) % 3
    plain = figures(method(x, n))
    small = 1e-8 * max(1.0, float(x.max())) * max(1.0, factor)
    assert figures(method(factor * x, n)) == pytest.approx([factor * value for value in plain], rel=1e-9, abs=small)
    assert figures(method(x, n).scaled(factor)) == pytest.approx(
        [factor * value for value in plain], rel=1e-9, abs=small
    )
    moved = [plain[0] + shift, plain[1] + shift, plain[2] + shift, plain[3]]
    assert figures(method(x + shift * n, n)) == pytest.approx(moved, rel=1e-9, abs=small)


@pytest.mark.parametrize("method", [cluster_ratio, batch_means])
def test_infinite_costs_give_an_infinite_estimate_and_no_interval(method: Any) -> None:
    found = method([1.0, math.inf, 2.0, math.inf], [1, 1, 1, 1])
    assert found.estimate == math.inf
    assert (found.low, found.high, found.standard_error, found.half_width) == (None, None, None, None)
    assert "infinite on 2 of 4" in found.note
    assert "inf (no interval: infinite on 2 of 4" in str(found)
    assert found.scaled(2.0) == found
    assert 3.0 not in found


@pytest.mark.parametrize("method", [cluster_ratio, batch_means])
def test_one_cluster_has_an_estimate_and_says_why_there_is_no_interval(method: Any) -> None:
    found = method([3.0], [2])
    assert (found.estimate, found.low, found.high) == (1.5, None, None)
    assert "does not show how" in found.note


@pytest.mark.parametrize("method", [cluster_ratio, batch_means])
def test_equal_clusters_give_an_interval_of_no_width(method: Any) -> None:
    found = method(np.full(40, 3.0), np.full(40, 2.0))
    assert figures(found) == (1.5, 1.5, 1.5, 0.0)
    assert 1.5 in found


@given(arrays(np.float64, 12, elements=st.floats(0, 1e90)), arrays(np.float64, 12, elements=st.floats(0, 1e90)))
@settings(deadline=None, max_examples=100)
def test_extreme_figures_stay_figures(a: Floats, b: Floats) -> None:
    n = np.where(np.arange(12) % 2, 1.0, 1e6)
    for found in (cluster_ratio(a, n), batch_means(a, n)):
        assert all(math.isfinite(value) for value in figures(found))
    test = paired(a, b, n)
    assert test.p_value is not None
    assert 0.0 <= test.p_value <= 1.0
    assert test.e_value is not None
    assert 0.0 < test.e_value <= 1e300


def test_effective_number_of_clusters() -> None:
    assert effective(np.full(7, 3.0)) == pytest.approx(7.0)
    assert effective(np.array([1.0, 3.0])) == pytest.approx(16 / 10)
    assert effective(np.array([5.0, 0.0])) == 1.0


def test_the_standard_error_of_equal_clusters_is_that_of_the_mean() -> None:
    x = np.random.default_rng(3).standard_normal(12)
    error, degrees = standard_error(x - x.mean(), np.ones(12))
    assert error == pytest.approx(stats.sem(x), rel=1e-12)
    assert degrees == pytest.approx(11.0)
