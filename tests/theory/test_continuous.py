"""M4: densities. Closed forms against quadrature, Monte Carlo against both."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import bitmeter as bm
from bitmeter import errors
from bitmeter.theory import continuous


def test_two_gaussians() -> None:
    # −∫ p ln q = ½ ln 2πσ² + (s² + (m − μ)²)/2σ²; that is 1.862 and, less the entropy, .443 for N(0,1)‖N(1,2).
    p, q = stats.norm(0, 1), stats.norm(1, 2)
    expected = 0.5 * math.log(2 * math.pi * 4) + (1 + 1) / 8
    assert bm.cross_entropy(p, q, unit="nats") == pytest.approx(expected, rel=1e-12)
    assert expected == pytest.approx(1.862, abs=5e-4)
    assert bm.kl_divergence(p, q, unit="nats") == pytest.approx(math.log(2) + 2 / 8 - 0.5, rel=1e-12)
    assert bm.entropy(p) == pytest.approx(0.5 * math.log2(2 * math.pi * math.e), rel=1e-12)


PAIRS = [
    (stats.norm(0, 1), stats.norm(1, 2)),
    (stats.uniform(0, 1), stats.norm(0, 1)),
    (stats.gamma(3.0, scale=0.5), stats.expon(scale=2.0)),
    (stats.beta(2, 3), stats.uniform(-1, 3)),
    (stats.laplace(1, 2), stats.laplace(-1, 0.7)),
    (stats.gamma(2.5, scale=2.0), stats.gamma(4.0, scale=0.3)),
    (stats.beta(2, 3), stats.beta(4, 1.5)),
    (stats.lognorm(0.5, scale=2.0), stats.lognorm(1.5, scale=0.7)),
]


@pytest.mark.parametrize(("p", "q"), PAIRS)
def test_closed_forms_agree_with_quadrature(p: Any, q: Any) -> None:
    closed = continuous._closed_cross(p, q)
    assert closed is not None
    assert closed == pytest.approx(continuous._integral(p, lambda x: -q.logpdf(x)), rel=1e-9)
    assert bm.kl_divergence(p, q, unit="nats") == pytest.approx(
        continuous._integral(p, lambda x: p.logpdf(x) - q.logpdf(x)), rel=1e-7
    )


@pytest.mark.parametrize(("p", "q"), [*PAIRS, (stats.norm(0, 1), stats.t(3)), (stats.logistic(), stats.cauchy())])
def test_cross_entropy_is_entropy_plus_divergence(p: Any, q: Any) -> None:
    cross, h, d = (float(x) for x in (bm.cross_entropy(p, q), bm.entropy(p), bm.kl_divergence(p, q)))
    assert cross == pytest.approx(h + d, rel=1e-9, abs=1e-9)
    assert d >= 0.0
    estimate = bm.monte_carlo_cross_entropy(p, q, samples=200_000, seed=3)
    assert abs(estimate.value - cross) <= 4.5 * estimate.standard_error + 1e-12
    js = bm.js_divergence(p, q)
    assert 0.0 <= js <= 1.0
    assert js == pytest.approx(bm.js_divergence(q, p), abs=1e-9)


def test_infinite_where_the_support_ends() -> None:
    p, q = stats.norm(0, 1), stats.uniform(0, 1)
    assert bm.cross_entropy(p, q) == bm.kl_divergence(p, q) == math.inf
    found = bm.explain_infinite(p, q)
    assert found.mass == pytest.approx(0.5 + stats.norm.sf(1), rel=1e-12)
    assert found.events[0][0] == (-math.inf, 0.0)
    assert bm.monte_carlo_cross_entropy(p, q, samples=1000, seed=0).value == math.inf


def test_infinite_where_moments_are() -> None:
    # A Cauchy or a t with two degrees has no variance: a Gaussian needs infinitely many bits for it.
    assert bm.cross_entropy(stats.cauchy(), stats.norm()) == math.inf
    assert bm.cross_entropy(stats.t(2), stats.norm()) == math.inf
    assert bm.cross_entropy(stats.pareto(0.5), stats.expon(0)) == math.inf


def test_renyi_of_a_gaussian() -> None:
    # ½ ln 2πσ² + ½ ln α / (α − 1)
    for order in (0.5, 2.0, 3.0):
        expected = 0.5 * math.log(2 * math.pi * 4) + 0.5 * math.log(order) / (order - 1)
        assert bm.renyi_entropy(stats.norm(5, 2), order, unit="nats") == pytest.approx(expected, rel=1e-10)
    assert bm.renyi_entropy(stats.norm(5, 2), 1.0) == bm.entropy(stats.norm(5, 2))
    with pytest.raises(errors.UndefinedError):
        bm.renyi_entropy(stats.norm(), math.inf)


@pytest.mark.parametrize("q", [stats.gennorm(3.0), stats.logistic()])
def test_what_diverges_is_said(q: Any) -> None:
    # A Cauchy has no mean, so −∫ p ln q is infinite for every q with exponential tails: no number may be invented.
    with pytest.raises(errors.ConvergenceError, match="monte_carlo_cross_entropy"):
        bm.cross_entropy(stats.cauchy(), q)
    # A tail that grows doubly exponentially overflows, which is as good as a proof.
    assert bm.cross_entropy(stats.cauchy(), stats.gumbel_r()) == math.inf


def test_heavy_tails_that_converge() -> None:
    # −∫ p ln q for Cauchy p = q is ln 4π.
    assert bm.entropy(stats.cauchy(), unit="nats") == pytest.approx(math.log(4 * math.pi), rel=1e-12)
    t3 = stats.t(3)
    found = continuous._integral(t3, lambda x: -t3.logpdf(x))
    assert found == pytest.approx(float(t3.entropy()), rel=1e-9)
    logistic = stats.logistic()
    estimate = bm.monte_carlo_cross_entropy(t3, logistic, samples=400_000, seed=5)
    assert abs(float(bm.cross_entropy(t3, logistic)) - estimate.value) < 4.5 * estimate.standard_error


def test_what_is_refused() -> None:
    good = stats.norm()
    bad: list[Any] = [[0.5, 0.5], stats.poisson(3), stats.norm(np.array([0.0, 1.0]), 1), stats.norm(0, -1), "x", None]
    for value in bad:
        for call in (bm.cross_entropy, bm.kl_divergence, bm.js_divergence, bm.monte_carlo_cross_entropy):
            with pytest.raises(errors.BitmeterError):
                call(good, value)
    with pytest.raises(errors.RangeError):
        bm.monte_carlo_cross_entropy(good, good, samples=1)
