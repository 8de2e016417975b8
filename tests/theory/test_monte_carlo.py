"""Cross-entropy of densities by sampling: the closed form lies within its error."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import bitmeter as bm


def test_errors_of_many_estimates_are_standard_normal() -> None:
    # ½ ln 2πσ² + (s² + (m − μ)²)/2σ² for p = N(0, 1), q = N(1, 2), in nats.
    exact = 0.5 * math.log(2 * math.pi * 4) + (1 + 1) / 8
    p, q = stats.norm(0, 1), stats.norm(1, 2)
    found = [bm.monte_carlo_cross_entropy(p, q, samples=2000, unit="nats", seed=seed) for seed in range(200)]
    z = np.array([(one.value - exact) / one.standard_error for one in found])
    assert abs(z.mean()) < 4 / math.sqrt(200)
    assert z.std() == pytest.approx(1.0, abs=4 / math.sqrt(400))


def test_one_seed_one_estimate_in_every_unit() -> None:
    p, q = stats.expon(), stats.gamma(2.0)
    bits = bm.monte_carlo_cross_entropy(p, q, samples=1000, seed=5)
    nats = bm.monte_carlo_cross_entropy(p, q, samples=1000, seed=5, unit="nats")
    assert bm.monte_carlo_cross_entropy(p, q, samples=1000, seed=5) == bits
    assert (nats.value, nats.standard_error) == pytest.approx(
        (bits.value * math.log(2), bits.standard_error * math.log(2))
    )
    assert str(bits).endswith(" bits (1,000 samples)")


def test_the_error_falls_with_the_root_of_the_samples() -> None:
    p, q = stats.norm(0, 1), stats.norm(1, 2)
    few, many = (bm.monte_carlo_cross_entropy(p, q, samples=n, seed=1).standard_error for n in (10_000, 160_000))
    assert few / many == pytest.approx(4.0, rel=0.1)
