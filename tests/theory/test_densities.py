"""Distributions of scipy.stats of every kind: closed forms, scipy's own figures, and sums."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bitmeter as bm
from bitmeter.errors import ConvergenceError, InputTypeError, NotFiniteError, UndefinedError

WIDE = stats.multivariate_normal([0, 0], [[2, 0.5], [0.5, 1]])
ROUND = stats.multivariate_normal([1, 0], np.eye(2))


def nats(measure: Any, *arguments: Any) -> float:
    return float(measure(*arguments, unit="nats"))


def test_multivariate_normal() -> None:
    assert nats(bm.entropy, WIDE) == pytest.approx(float(WIDE.entropy()), rel=1e-13)
    # ½ (tr Σ + μᵀμ − d − ln |Σ|) against the unit covariance, with |Σ| = 1.75 and tr Σ = 3.
    assert nats(bm.kl_divergence, WIDE, ROUND) == pytest.approx(0.5 * (3 + 1 - 2 - math.log(1.75)), rel=1e-13)
    assert bm.kl_divergence(WIDE, WIDE) == pytest.approx(0.0, abs=1e-14)
    assert nats(bm.cross_entropy, WIDE, ROUND) == pytest.approx(
        nats(bm.entropy, WIDE) + nats(bm.kl_divergence, WIDE, ROUND), rel=1e-13
    )
    sampled = bm.monte_carlo_cross_entropy(WIDE, ROUND, seed=1, unit="nats")
    assert abs(sampled.value - nats(bm.cross_entropy, WIDE, ROUND)) < 4 * sampled.standard_error
    # Independent variables add up, in every measure.
    square = stats.multivariate_normal([0, 0], np.diag([4, 9]))
    parts = [stats.norm(0, 2), stats.norm(0, 3)]
    for measure in (bm.entropy, bm.varentropy):
        assert nats(measure, square) == pytest.approx(sum(nats(measure, part) for part in parts), rel=1e-7)
    renyi = sum(bm.renyi_entropy(part, 2, unit="nats") for part in parts)
    assert bm.renyi_entropy(square, 2, unit="nats") == pytest.approx(renyi, rel=1e-7)
    assert not bm.explain_infinite(WIDE, ROUND)
    with pytest.raises(UndefinedError, match="singular"):
        bm.entropy(stats.multivariate_normal([0, 0], np.ones((2, 2)), allow_singular=True))
    with pytest.raises(UndefinedError):
        bm.js_divergence(WIDE, ROUND)
    with pytest.raises(InputTypeError, match="both"):
        bm.cross_entropy(WIDE, stats.norm())
    with pytest.raises(InputTypeError, match="variables"):
        bm.cross_entropy(WIDE, stats.multivariate_normal(np.zeros(3)))


def test_new_style_is_old_style() -> None:
    new, old = (stats.Normal(mu=0, sigma=1), stats.Normal(mu=1, sigma=2)), (stats.norm(0, 1), stats.norm(1, 2))
    for measure in (bm.cross_entropy, bm.kl_divergence, bm.js_divergence):
        assert measure(*new) == pytest.approx(measure(*old), rel=1e-12)
        assert measure(new[0], old[1]) == pytest.approx(measure(*old), rel=1e-12)
        assert measure(old[0], new[1]) == pytest.approx(measure(*old), rel=1e-12)
    assert bm.entropy(stats.Uniform(a=0, b=4)) == 2.0
    assert bm.cross_entropy(stats.norm(), stats.Uniform(a=0, b=4)) == math.inf
    assert bm.explain_infinite(stats.norm(), stats.Uniform(a=0, b=4)).mass == pytest.approx(0.5, abs=1e-4)
    # A transformed one, and one that is not normal: ∫ by quadrature.
    assert nats(bm.entropy, stats.exp(stats.Normal())) == pytest.approx(float(stats.lognorm(1).entropy()), rel=1e-9)
    logistic = stats.make_distribution(stats.logistic)()
    assert nats(bm.entropy, logistic) == pytest.approx(2.0, rel=1e-9)
    assert nats(bm.cross_entropy, stats.Normal(), logistic) == pytest.approx(
        nats(bm.cross_entropy, stats.norm(), stats.logistic()), rel=1e-9
    )
    sampled = bm.monte_carlo_cross_entropy(*new, seed=1, unit="nats")
    assert abs(sampled.value - nats(bm.cross_entropy, *old)) < 4 * sampled.standard_error
    with pytest.raises(InputTypeError, match="array parameters"):
        bm.entropy(stats.Normal(mu=[0, 1]))


def test_discrete_closed_forms() -> None:
    # geom(p): H(p)/p. D(poisson(a)‖poisson(b)) = a ln(a/b) − a + b. A fair die of 8: 3 bits.
    assert bm.entropy(stats.geom(0.1)) == pytest.approx((-0.9 * math.log2(0.9) - 0.1 * math.log2(0.1)) / 0.1, rel=1e-13)
    assert nats(bm.kl_divergence, stats.poisson(3), stats.poisson(4)) == pytest.approx(
        3 * math.log(3 / 4) + 1, rel=1e-12
    )
    assert bm.entropy(stats.randint(0, 8)) == pytest.approx(3.0, rel=1e-14)
    assert bm.varentropy(stats.randint(0, 8)) == pytest.approx(0.0, abs=1e-14)
    assert bm.renyi_entropy(stats.randint(0, 8), 0.5) == pytest.approx(3.0, rel=1e-14)
    # The first terms of the asymptotic series: ½ ln(2πeλ) − 1/(12λ), and ½ ln(2πe n/4) for a fair binomial.
    large = 0.5 * math.log(2 * math.pi * math.e * 1e6) - 1 / 12e6
    assert nats(bm.entropy, stats.poisson(1e6)) == pytest.approx(large, rel=1e-8)
    coins = 0.5 * math.log(2 * math.pi * math.e * 10**9 / 4)
    assert nats(bm.entropy, stats.binom(10**9, 0.5)) == pytest.approx(coins, rel=1e-8)


@settings(deadline=None, max_examples=30)
@given(st.floats(0.01, 200), st.floats(0.01, 200))
def test_poisson_agrees_with_its_table(a: float, b: float) -> None:
    p, q = stats.poisson(a), stats.poisson(b)
    table = p.pmf(range(700))
    assert bm.entropy(p) == pytest.approx(bm.entropy(table, normalise=True), rel=1e-10, abs=1e-12)
    assert nats(bm.kl_divergence, p, q) == pytest.approx(a * math.log(a / b) - a + b, rel=1e-9, abs=1e-11)
    middle = bm.js_divergence(table, q.pmf(range(700)), normalise=True)
    assert bm.js_divergence(p, q) == pytest.approx(middle, rel=1e-8, abs=1e-11)


def test_discrete_ones_that_cannot_follow() -> None:
    p, q = stats.binom(10, 0.3), stats.binom(8, 0.3)
    assert bm.cross_entropy(p, q) == math.inf
    assert bm.cross_entropy(q, p) < math.inf
    assert [event for event, _ in bm.explain_infinite(p, q).events] == [9, 10]
    assert bm.entropy(stats.Binomial(n=10, p=0.3)) == pytest.approx(bm.entropy(p), rel=1e-12)
    assert bm.entropy(stats.rv_discrete(values=([1, 2], [0.5, 0.5]))) == 1.0
    assert bm.perplexity(stats.randint(0, 8)) == pytest.approx(8.0, rel=1e-13)
    with pytest.raises(ConvergenceError, match="heavy"):
        bm.entropy(stats.zipf(2))
    with pytest.raises(ConvergenceError, match="tail"):
        bm.renyi_entropy(stats.poisson(3), 0.01)
    with pytest.raises(InputTypeError, match="both"):
        bm.cross_entropy(stats.poisson(3), stats.norm())
    with pytest.raises(NotFiniteError, match="domain"):
        bm.entropy(stats.poisson(-1))
    sampled = bm.monte_carlo_cross_entropy(stats.poisson(3), stats.poisson(4), seed=1)
    assert abs(sampled.value - float(bm.cross_entropy(stats.poisson(3), stats.poisson(4)))) < 4 * sampled.standard_error


def test_kernel_density_estimates() -> None:
    data = np.random.default_rng(1).normal(size=100)
    kernel = stats.gaussian_kde(data)
    sampled = bm.monte_carlo_cross_entropy(kernel, kernel, seed=1, unit="nats")
    assert abs(sampled.value - nats(bm.entropy, kernel)) < 4 * sampled.standard_error
    # Against a normal model the cross-entropy needs only two moments: of the data, and of the kernel.
    second = data.var() + data.mean() ** 2 + float(kernel.covariance[0, 0])
    expected = 0.5 * math.log(2 * math.pi) + 0.5 * second
    assert nats(bm.cross_entropy, kernel, stats.norm()) == pytest.approx(expected, rel=1e-12)
    assert bm.kl_divergence(kernel, stats.norm()) > 0
    # One point: the kernel itself, a normal distribution.
    single = stats.gaussian_kde([0.0, 0.0, 1e-9], bw_method=1e9)
    assert nats(bm.entropy, single) == pytest.approx(
        float(stats.norm(0, float(single.covariance[0, 0]) ** 0.5).entropy())
    )
    plane = stats.gaussian_kde(np.random.default_rng(1).normal(size=(2, 50)))
    with pytest.raises(UndefinedError, match="monte_carlo"):
        bm.entropy(plane)
    assert bm.monte_carlo_cross_entropy(plane, ROUND, samples=1000, seed=1).value > 0
