"""Rates from samples agree with closed forms, and their errors are honest."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from bitmeter import HiddenMarkov, Iid, Markov, cross_entropy_rate, kl_divergence_rate
from bitmeter.errors import UndefinedError
from bitmeter.theory.processes.sampled_rates import running

P = Markov([[0.9, 0.1], [0.3, 0.7]])


Q = Markov([[0.8, 0.2], [0.4, 0.6]])


FLIP = [[0.9, 0.1], [0.1, 0.9]]


#: Sum over pi(i) P(i, j) of -log2 Q(i, j), written out.
CROSS = -(0.75 * (0.9 * math.log2(0.8) + 0.1 * math.log2(0.2)) + 0.25 * (0.3 * math.log2(0.4) + 0.7 * math.log2(0.6)))


def test_standard_errors_are_honest() -> None:
    # 200 estimates: the standardised errors must have the spread of Student's t, and intervals must cover.
    for method, paths, freedom in (("monte-carlo", 20, 19), ("one-sample", 2, 31)):
        found: list[Any] = [
            cross_entropy_rate(P, Q, method=method, n=3000, paths=paths, seed=seed)  # type: ignore[arg-type]
            for seed in range(200)
        ]
        scores = np.array([(rate.value - CROSS) / rate.standard_error for rate in found])
        assert abs(scores.mean()) < 4 / math.sqrt(200)
        assert scores.var() == pytest.approx(freedom / (freedom - 2), rel=0.45)
        covered = np.mean([rate.lower <= CROSS <= rate.upper for rate in found])
        assert 0.90 <= covered <= 0.985


def test_hidden_models_are_sampled() -> None:
    noisy = HiddenMarkov(FLIP, FLIP)
    with pytest.raises(UndefinedError, match="monte-carlo"):
        cross_entropy_rate(P, noisy, method="exact")
    found = cross_entropy_rate(P, noisy, seed=1)
    assert found.method.startswith("Monte Carlo")
    # A hidden Markov model that is a Markov chain in truth must cost what that chain costs.
    disguised = HiddenMarkov(Q.transition, np.eye(2))
    sampled = cross_entropy_rate(P, disguised, seed=2)
    assert abs(sampled.value - CROSS) <= 4 * sampled.standard_error
    more = kl_divergence_rate(P, noisy, seed=1)
    assert more.value == pytest.approx(found.value - P.entropy_rate, abs=1e-12)
    assert more.lower < more.value < more.upper


def test_running_sums_are_the_log_probabilities_of_prefixes() -> None:
    ids = P.sample(50, seed=3, paths=4)
    ends = np.array([0, 1, 7, 50])
    sums = running(Q, ids, ends)
    for path, row in zip(ids, sums, strict=True):
        assert row == pytest.approx([0.0, *(-Q.logprob(path[:end]) for end in (1, 7, 50))], abs=1e-12)


def test_an_impossible_symbol_makes_the_rate_infinite() -> None:
    never = Iid([1.0, 0.0])
    for method in ("monte-carlo", "one-sample"):
        found = cross_entropy_rate(P, never, method=method, n=1000, seed=1)
        assert (found.value, found.standard_error) == (math.inf, 0.0)
