"""The gamma function's family and the exponential integral, against scipy's."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special as scipy_special

from bitmeter.theory.special import digamma, gammaln, scaled_exp1, trigamma

ARGUMENTS = np.concatenate([np.geomspace(1e-12, 1e12, 4001), np.arange(1.0, 200.0), np.arange(0.5, 60.0)])


def test_gammaln() -> None:
    np.testing.assert_allclose(gammaln(ARGUMENTS), scipy_special.gammaln(ARGUMENTS), rtol=4e-15, atol=2e-14)
    factorials = [math.log(math.factorial(n)) for n in range(100)]
    np.testing.assert_allclose(gammaln(np.arange(100) + 1.0), factorials, rtol=4e-15, atol=1e-14)


def test_digamma() -> None:
    np.testing.assert_allclose(digamma(ARGUMENTS), scipy_special.digamma(ARGUMENTS), rtol=4e-15, atol=2e-15)


def test_trigamma_is_hurwitz_zeta() -> None:
    np.testing.assert_allclose(trigamma(ARGUMENTS), scipy_special.zeta(2, ARGUMENTS), rtol=4e-15)


@pytest.mark.parametrize("x", [1e-9, 1e-3, 0.3, 0.99, 1.0, 1.01, 2.0, 7.5, 30.0, 49.9, 50.0, 300.0])
def test_exponential_integral(x: float) -> None:
    assert scaled_exp1(x) == pytest.approx(float(scipy_special.exp1(x) * np.exp(x)), rel=2e-14)


def test_exponential_integral_far_out() -> None:
    """The asymptotic series Σ (−1)ᵏ k! / x^(k+1)."""
    x = 1e6
    assert scaled_exp1(x) == pytest.approx(1 / x - 1 / x**2 + 2 / x**3, rel=1e-15)


def test_shapes_are_kept() -> None:
    table = np.ones((2, 3))
    assert gammaln(table).shape == digamma(table).shape == trigamma(table).shape == (2, 3)
    assert gammaln(5).shape == ()
