"""Cross-entropy and divergence rates: closed forms, and samples that agree with them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter import HiddenMarkov, Iid, Markov, Mixture, cross_entropy_rate, kl_divergence_rate
from bitmeter.errors import BitmeterError, UndefinedError

P = Markov([[0.9, 0.1], [0.3, 0.7]])
Q = Markov([[0.8, 0.2], [0.4, 0.6]])
FLIP = [[0.9, 0.1], [0.1, 0.9]]
#: Sum over pi(i) P(i, j) of -log2 Q(i, j), written out.
CROSS = -(0.75 * (0.9 * math.log2(0.8) + 0.1 * math.log2(0.2)) + 0.25 * (0.3 * math.log2(0.4) + 0.7 * math.log2(0.6)))


def test_one_sample_and_many_agree_with_the_closed_form() -> None:
    exact = cross_entropy_rate(P, Q)
    assert exact.value == pytest.approx(CROSS, abs=1e-14)
    assert (exact.method, exact.standard_error) == ("closed form", 0.0)
    many = cross_entropy_rate(P, Q, method="monte-carlo", n=20_000, paths=100, seed=1)
    assert "100 paths of 20000" in many.method
    assert abs(many.value - CROSS) <= 4 * many.standard_error
    assert many.standard_error < 1e-3
    one = cross_entropy_rate(P, Q, method="one-sample", n=2 * 10**6, seed=2)
    assert abs(one.value - CROSS) <= 4 * one.standard_error
    assert one.standard_error < 2e-3


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6))
def test_closed_form_is_the_growth_of_expected_surprise(seed: int) -> None:
    # E[-log q(X^n)] - E[-log q(X^(n-1))] over all words of a stationary p, for any orders.
    rng = np.random.default_rng(seed)
    size = int(rng.integers(2, 4))

    def chain() -> Iid | Markov:
        order = int(rng.integers(0, 3))
        rows = rng.dirichlet(np.ones(size), size=size**order)
        return Iid(rows[0]) if order == 0 else Markov(rows, order=order)

    p: Any = chain()
    if rng.random() < 0.3:
        p = HiddenMarkov(rng.dirichlet(np.ones(2), size=2), rng.dirichlet(np.ones(size), size=2))
    q = chain()

    def surprise(n: int) -> float:
        return float(-(p.block_probabilities(n) * np.log2(q.block_probabilities(n))).sum())

    assert cross_entropy_rate(p, q).value == pytest.approx(surprise(5) - surprise(4), abs=1e-10)
    if not isinstance(p, HiddenMarkov):
        divergence = kl_divergence_rate(p, q)
        assert divergence.value >= 0
        assert divergence.value == pytest.approx(cross_entropy_rate(p, q).value - p.entropy_rate, abs=1e-12)


def test_own_model() -> None:
    assert cross_entropy_rate(P, P).value == P.entropy_rate
    assert kl_divergence_rate(P, P).value == 0.0
    assert kl_divergence_rate(P, Markov(P.transition)).value == 0.0
    noisy = HiddenMarkov(FLIP, FLIP)
    assert cross_entropy_rate(noisy, noisy).value == pytest.approx(0.7665963, abs=5e-8)


def test_small_divergences_keep_their_digits() -> None:
    # D ~ sum of pi d^2 / (2 p(1-p)) for a step of d in each row: lost if two rates of order one were subtracted.
    d = 1e-8
    near = Markov([[0.9 - d, 0.1 + d], [0.3, 0.7]])
    expected = 0.75 * d**2 / (2 * 0.09) / math.log(2)
    assert kl_divergence_rate(P, near).value == pytest.approx(expected, rel=0.05)


def test_impossible_is_infinite() -> None:
    golden = Markov([[0.5, 0.5], [1, 0]])
    for model in (golden, Iid([1, 0])):
        assert cross_entropy_rate(P, model).value == math.inf
        assert kl_divergence_rate(P, model).value == math.inf
    assert cross_entropy_rate(P, golden, method="monte-carlo", n=1000, seed=1).value == math.inf
    assert cross_entropy_rate(P, golden, method="one-sample", n=1000, seed=1).value == math.inf
    # What q forbids, golden never does; so the other way round is finite.
    assert math.isfinite(cross_entropy_rate(golden, P).value)
    # Only the start is impossible, or only a step on the way to where p settles.
    assert cross_entropy_rate(P, Markov(P.transition, [1, 0])).value == math.inf
    falls = Markov([[0.5, 0.5, 0], [0, 0.5, 0.5], [0, 0, 1]], [1, 0, 0])
    refuses = Markov([[1, 0, 0], [0, 0.5, 0.5], [0, 0, 1]], [1, 0, 0])
    assert cross_entropy_rate(falls, refuses).value == math.inf
    assert cross_entropy_rate(falls, falls).value == 0.0


def test_mixtures_as_models_and_as_processes() -> None:
    coins = Mixture([Iid([0.9, 0.1]), Iid([0.5, 0.5])])
    # As a model, a mixture is as good as its best component.
    found = cross_entropy_rate(P, coins)
    best = min(cross_entropy_rate(P, part).value for part in coins.components)
    assert found.value == pytest.approx(best)
    sampled = cross_entropy_rate(P, coins, method="monte-carlo", n=20_000, seed=5)
    assert abs(sampled.value - best) <= 4 * sampled.standard_error
    # As a process, its components are met with their weights.
    expected = np.mean([cross_entropy_rate(part, Q).value for part in coins.components])
    assert cross_entropy_rate(coins, Q).value == pytest.approx(expected)
    assert cross_entropy_rate(coins, coins).value == pytest.approx(coins.entropy_rate)
    assert kl_divergence_rate(coins, Iid([0.5, 0.5])).value == pytest.approx(1 - coins.entropy_rate)


def test_bad_input() -> None:
    calls: list[Any] = [
        lambda: cross_entropy_rate(1, Q),  # type: ignore[arg-type]
        lambda: cross_entropy_rate(P, None),  # type: ignore[arg-type]
        lambda: cross_entropy_rate(P, Iid([1.0])),
        lambda: cross_entropy_rate(P, Markov(Q.transition, labels="ab")),
        lambda: cross_entropy_rate(P, Q, method="magic"),  # type: ignore[arg-type]
        lambda: cross_entropy_rate(P, Q, n=0),
        lambda: cross_entropy_rate(P, Q, paths=1),
        lambda: cross_entropy_rate(P, Q, paths=10**6),
        lambda: cross_entropy_rate(P, Q, unit="dits"),  # type: ignore[arg-type]
        lambda: cross_entropy_rate(P, Q, seed="x"),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(BitmeterError):
            call()


def test_a_start_that_rules_out_the_model_is_seen_though_a_mixture_is_rated_by_its_parts() -> None:
    # State 0 is visited once, at the start, and then never: both models hold it impossible, so every path costs inf.
    p = Markov([[0, 0.5, 0.5], [0, 1, 0], [0, 0, 1]], initial=[1, 0, 0])
    q = Mixture([Iid([0, 0.5, 0.5]), Iid([0, 0.9, 0.1])])
    assert cross_entropy_rate(p, q, n=1000, seed=1).value == math.inf


def test_a_start_that_rules_out_the_better_model_by_chance_is_left_to_samples() -> None:
    # Half of the paths pass through state 2, after which the first model holds what follows impossible: those pay the
    # second model's 2 bits, the others -log2 0.97. No closed form is claimed.
    p = Markov([[0, 0.5, 0.5, 0], [0, 0, 0, 1], [0, 0, 0, 1], [0, 0, 0, 1]], initial=[1, 0, 0, 0])
    good = Markov([[0.25] * 4, [0.25] * 4, [0.1, 0.1, 0.8, 0], [0.01, 0.01, 0.01, 0.97]], initial=[0.25] * 4)
    found = cross_entropy_rate(p, Mixture([good, Iid([0.25] * 4)]), n=2000, paths=400, seed=1)
    assert abs(found.value - (2 - math.log2(0.97)) / 2) <= 4 * found.standard_error
    with pytest.raises(UndefinedError):
        cross_entropy_rate(p, Mixture([good, Iid([0.25] * 4)]), method="exact")
