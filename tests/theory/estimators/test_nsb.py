"""The estimator of Nemenman, Shafee and Bialek: its integral, its moments, its limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitmeter.theory.estimators import nsb
from bitmeter.theory.estimators.entropy import estimate_entropy
from bitmeter.theory.estimators.spectrum import Spectrum
from tests.theory.strategies import count_lists, estimate, quick


def test_reference_nsb() -> None:
    assert estimate([1, 2, 3, 2, 1], "nsb", alphabet_size=5) == pytest.approx(1.5090, abs=5e-5)


@quick
@given(count_lists, st.integers(0, 20))
def test_nsb_is_its_integral(counts: list[int], unseen: int) -> None:
    """By brute force: a fine grid in ln β and log-gammas straight from the definition."""
    from scipy.special import digamma, gammaln, polygamma

    size = len(counts) + unseen
    if size == 1:
        assert estimate(counts, "nsb", alphabet_size=1) == 0
        return
    n = np.array(counts + [0] * unseen, dtype=float)
    u = np.linspace(-50, 12, 30_001)
    b = np.exp(u)[:, None]
    log_weight = gammaln(size * b[:, 0]) - gammaln(n.sum() + size * b[:, 0]) + (gammaln(n + b) - gammaln(b)).sum(1)
    log_weight += np.log(size * polygamma(1, size * b[:, 0] + 1) - polygamma(1, b[:, 0] + 1)) + u
    mean = digamma(n.sum() + size * b[:, 0] + 1) - ((n + b) / (n.sum() + size * b) * digamma(n + b + 1)).sum(1)
    weight = np.exp(log_weight - log_weight.max())
    expected = (weight * mean).sum() / weight.sum()
    assert estimate(counts, "nsb", alphabet_size=size) == pytest.approx(expected, abs=2e-4)


def test_nsb_moments_are_those_of_the_dirichlet() -> None:
    counts, beta = np.array([1, 2, 3, 2, 1, 0, 0]), 0.7
    drawn = np.random.default_rng(0).dirichlet(counts + beta, size=200_000)
    entropies = -(drawn * np.log(drawn)).sum(axis=1)
    mean, variance = nsb._moments(np.array([beta]), Spectrum.of_counts(counts[:5]), 7)
    assert mean[0] == pytest.approx(entropies.mean(), abs=5 * entropies.std() / math.sqrt(200_000))
    assert variance[0] == pytest.approx(entropies.var(), rel=0.02)


@pytest.mark.parametrize(
    ("counts", "size", "low", "high"),
    [
        ([10**6], 10**6, 0.0, 2e-6),  # one symbol a million times: hardly anything else can be
        ([10**5] * 10, 10, math.log(10) - 1e-5, math.log(10)),
        ([1] * 10**6, 10**6, math.log(10**6) - 1e-5, math.log(10**6)),
        ([1], 10**6, 0.5 * math.log(10**6) - 1e-6, 0.5 * math.log(10**6) + 1e-6),  # the prior is flat over entropies
    ],
)
def test_nsb_at_its_limits(counts: list[int], size: int, low: float, high: float) -> None:
    assert low <= estimate(counts, "nsb", alphabet_size=size) <= high


def test_nsb_finds_a_zipf_law() -> None:
    p = 1 / np.arange(1, 10_001)
    p /= p.sum()
    counts = np.random.default_rng(1).multinomial(10**6, p)
    result = estimate_entropy(counts, "nsb", of="counts", alphabet_size=10_000, unit="nats")
    assert result.value == pytest.approx(6.6073, abs=0.02)  # H of this law, by its definition
