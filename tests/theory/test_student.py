"""Student's t distribution against scipy's."""

from __future__ import annotations

import math

import pytest
from scipy.special import stdtr, stdtrit

from bitmeter.theory.student import t_quantile, t_tail


@pytest.mark.parametrize("level", [0.75, 0.9, 0.95, 0.975, 0.995, 0.9995, 0.99995])
@pytest.mark.parametrize("degrees", [1, 1.37, 2, 3, 4.5, 10, 37.2, 200, 5000.5, 19_999, 99_999, 2e6, 1e12])
def test_scipy_agrees(degrees: float, level: float) -> None:
    """scipy's own inverse is exact to nine digits or so; the distribution function at our quantile says the rest."""
    found = t_quantile(degrees, level)
    assert found == pytest.approx(float(stdtrit(degrees, level)), rel=2e-8)
    assert float(stdtr(degrees, -found)) == pytest.approx(1.0 - level, rel=2e-11)


def test_closed_forms() -> None:
    """One degree is Cauchy's distribution, and two have an algebraic quantile."""
    for level in (0.6, 0.9, 0.975, 0.9999):
        assert t_quantile(1, level) == pytest.approx(math.tan(math.pi * (level - 0.5)), rel=1e-11)
        alpha = 4 * level * (1 - level)
        assert t_quantile(2, level) == pytest.approx(2 * (level - 0.5) * math.sqrt(2 / alpha), rel=1e-11)


@pytest.mark.parametrize("t", [0.0, 1e-200, 1e-9, 0.1, 1.0, 2.5, 12.0, 40.0, 1e6])
@pytest.mark.parametrize("degrees", [1, 1.37, 4.5, 37.2, 5000.5, 2e6, 1e12])
def test_tail(degrees: float, t: float) -> None:
    assert t_tail(degrees, t) == pytest.approx(float(stdtr(degrees, -t)), rel=1e-9, abs=1e-300)
