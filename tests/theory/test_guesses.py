"""What a random guess costs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import digamma

from bitmeter import dirichlet_cross_entropy


@given(st.integers(1, 10**6), st.floats(0.01, 100))
def test_it_is_the_difference_of_digammas(outcomes: int, concentration: float) -> None:
    expected = digamma(outcomes * concentration) - digamma(concentration)
    found = dirichlet_cross_entropy(outcomes, concentration, unit="nats")
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)
    assert found >= math.log(outcomes) - 1e-12


def test_a_flat_dirichlet_costs_a_harmonic_number() -> None:
    # ψ(V) − ψ(1) = 1 + 1/2 + … + 1/(V−1).
    harmonic = math.fsum(1 / k for k in range(1, 10_000))
    assert dirichlet_cross_entropy(10_000, unit="nats") == pytest.approx(harmonic, rel=1e-13)
    assert dirichlet_cross_entropy(2) == pytest.approx(1 / math.log(2), rel=1e-13)
    assert dirichlet_cross_entropy(1) == 0.0
    assert dirichlet_cross_entropy(10_000, 1e9, unit="nats") == pytest.approx(math.log(10_000), abs=1e-8)


def test_guesses_that_are_drawn_cost_so_much() -> None:
    # 400 draws of −ln q(0), q from a flat Dirichlet over 1000 outcomes; its standard deviation is π/√6.
    draws = np.random.default_rng(1).dirichlet(np.ones(1000), size=400)
    costs = -np.log(draws[:, 0])
    assert costs.mean() == pytest.approx(
        dirichlet_cross_entropy(1000, unit="nats"), abs=4 * math.pi / math.sqrt(6 * 400)
    )
