"""Models of dependence: their variances by quadrature, the tails by scipy, and which of them win."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from bitmeter import _core
from bitmeter.measure.interval.dependence import LENGTHS, STRENGTHS, Dependence, dependence


@pytest.mark.parametrize("length", LENGTHS)
def test_the_variances_are_those_of_an_exponential_correlation(length: float) -> None:
    # ∫∫ c_j(s) c_j(t) exp(−|s − t|/ℓ) ds dt / 2ℓ with c_0 = 1 and c_j = √2 cos πjt, by the midpoint rule.
    places = (np.arange(2000) + 0.5) / 2000
    kernel = np.exp(-np.abs(places[:, None] - places) / length) / (2.0 * length)
    variances = _core.dependence_variances(32).reshape(-1, 33)
    row = 1 + LENGTHS.index(length) * len(STRENGTHS)
    for wave in (0, 1, 2, 5, 20):
        cosine = np.ones(2000) if wave == 0 else math.sqrt(2.0) * np.cos(math.pi * wave * places)
        expected = float(cosine @ kernel @ cosine) / 2000**2
        assert variances[row, wave] - 1.0 == pytest.approx(STRENGTHS[0] * expected, abs=1e-3)


@given(st.integers(1, 32), st.floats(0.0, 50.0))
@settings(deadline=None)
def test_the_tails_of_whole_degrees_of_freedom(degrees: int, t: float) -> None:
    assert _core.two_tails(degrees, t) == pytest.approx(2.0 * stats.t.sf(t, degrees), abs=1e-12)


def test_the_half_width_is_exceeded_as_often_as_it_says() -> None:
    rng = np.random.default_rng(0)
    for degrees in (1, 2, 7, 32):
        weights, scales = rng.dirichlet(np.ones(43)), np.exp(rng.standard_normal(43))
        found = Dependence(weights.tolist(), scales.tolist(), degrees)
        for level in (0.5, 0.95, 0.999):
            half = found.half_width(level)
            expected = optimize.brentq(
                lambda h, v=degrees, w=weights, s=scales: 2.0 * (w * stats.t.sf(h / s, v)).sum() - (1.0 - level),  # noqa: B023
                1e-9, 1e9,
            )  # fmt: skip
            assert half == pytest.approx(expected, rel=1e-8)
            assert found.two_sided(half) == pytest.approx(1.0 - level, rel=1e-8)


def test_drift_outweighs_white_noise_where_there_is_drift() -> None:
    rng = np.random.default_rng(1)
    sizes = np.ones(400)
    white, drifting = [], []
    for _ in range(50):
        noise = rng.standard_normal(400)
        drift = np.repeat(rng.standard_normal(20), 20)
        one, other = (dependence(x - x.mean(), sizes, 32, 0.5) for x in (noise, 0.3 * noise + drift))
        white.append(one.weights[0])
        drifting.append(other.weights[0])
        assert other.half_width(0.95) > 2.0 * 1.96 * math.sqrt(1.09 / 400)
    assert np.median(white) > 0.6
    assert np.median(drifting) < 0.25 * np.median(white)


def test_a_long_text_is_summed_to_cells_with_the_same_result() -> None:
    rng = np.random.default_rng(2)
    x = np.repeat(rng.standard_normal(64), 512) + rng.standard_normal(64 * 512)
    x -= x.mean()
    whole = dependence(x, np.ones(x.size), 32, 0.5)
    by_cell = dependence(x.reshape(2048, 16).sum(axis=1), np.full(2048, 16.0), 32, 0.5)
    assert whole.half_width(0.95) == pytest.approx(by_cell.half_width(0.95), rel=1e-3)


def test_no_residuals_give_no_width() -> None:
    found = dependence(np.zeros(10), np.ones(10), 9, 0.5)
    assert (found.half_width(0.95), found.two_sided(0.0), found.two_sided(1.0)) == (0.0, 1.0, 0.0)
