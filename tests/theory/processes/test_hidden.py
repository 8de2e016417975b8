"""Hidden Markov processes: rates by closed form, bounds and samples; verdicts about what is seen."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter import HiddenMarkov, Iid, Markov, cross_entropy_rate
from bitmeter.errors import ConvergenceError, UndefinedError

FLIP = [[0.9, 0.1], [0.1, 0.9]]
#: A bit that flips with .1 under a noise of .1: bounds from words of 16 symbols agree on these digits.
TRUTH = 0.7665963


def test_bounds_close_in_as_the_reference_says() -> None:
    noisy = HiddenMarkov(FLIP, FLIP)
    eight = noisy.rate_bounds(tolerance=1e-5)
    assert "8 symbols" in eight.method
    assert (round(eight.lower, 6), round(eight.upper, 6)) == (0.766592, 0.766598)
    tight = noisy.rate_bounds(tolerance=1e-10)
    assert tight.upper - tight.lower <= 1e-10
    assert tight.value == pytest.approx(TRUTH, abs=5e-8)
    assert noisy.entropy_rate == pytest.approx(TRUTH, abs=5e-8)
    assert noisy.rate(unit="nats").value == pytest.approx(tight.value * math.log(2), abs=1e-9)


def test_bounds_are_the_conditional_entropies() -> None:
    # Against block entropies: H(Y_n | Y^(n-1)) = H(Y^n) - H(Y^(n-1)), by listing all words with the forward algorithm.
    noisy = HiddenMarkov([[0.8, 0.2], [0.3, 0.7]], [[0.9, 0.1, 0.0], [0.2, 0.3, 0.5]])
    for work, length in ((13, 2), (37, 3), (109, 4)):
        found = noisy.rate_bounds(tolerance=0.0, work=work)
        assert f"words of {length} symbols" in found.method
        assert found.upper == pytest.approx(noisy.block_entropy(length) - noisy.block_entropy(length - 1), abs=1e-13)
        known = 0.0
        for state, weight in enumerate(noisy.stationary):
            start = HiddenMarkov(noisy.transition, noisy.emission, np.eye(2)[state])
            known += weight * (start.block_entropy(length) - start.block_entropy(length - 1))
        assert found.lower == pytest.approx(known, abs=1e-13)


def test_unifilar_processes_have_closed_forms() -> None:
    even = HiddenMarkov([[0.5, 0.5, 0], [0, 0, 1], [0.5, 0.5, 0]], [[1, 0], [0, 1], [0, 1]])
    assert even.rate().method == "closed form (unifilar)"
    assert even.entropy_rate == pytest.approx(2 / 3, abs=1e-14)
    # A Markov chain as a hidden one, each state emitting itself: same rate, same variance.
    chain = Markov([[0.9, 0.1], [0.3, 0.7]])
    seen = HiddenMarkov(chain.transition, np.eye(2))
    assert seen.entropy_rate == pytest.approx(chain.entropy_rate, abs=1e-14)
    assert seen.varentropy_rate == pytest.approx(chain.varentropy_rate, abs=1e-13)
    # Emissions that split a state's probability among symbols of its own add their entropy.
    split = HiddenMarkov(chain.transition, [[0.5, 0.5, 0], [0, 0, 1]])
    assert split.entropy_rate == pytest.approx(chain.entropy_rate + 0.75, abs=1e-14)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 10**6))
def test_bounds_hold_the_rate_of_a_markov_chain_in_disguise(seed: int) -> None:
    # Two copies of each state, indistinguishable from outside, are the same Markov chain; not unifilar.
    rows = np.random.default_rng(seed).dirichlet(np.ones(2), size=2)
    doubled = HiddenMarkov(np.kron(rows, np.full((2, 2), 0.5)), np.repeat(np.eye(2), 2, axis=0))
    found = doubled.rate_bounds()
    assert found.method.startswith("bounds")
    assert found.value == pytest.approx(Markov(rows).entropy_rate, abs=2e-9)


def test_where_bounds_stay_apart_a_grid_of_beliefs_settles_it() -> None:
    # Slow switching under much noise: the bounds need longer words than can be listed.
    slow = HiddenMarkov([[0.999, 0.001], [0.001, 0.999]], [[0.6, 0.4], [0.4, 0.6]])
    bounds = slow.rate_bounds(work=2**14)
    assert bounds.upper - bounds.lower > 1e-3
    found = slow.rate()
    assert found.method.startswith("belief grid")
    assert bounds.lower <= found.lower <= found.value <= found.upper <= bounds.upper
    assert found.upper - found.lower < 1e-8
    assert slow.entropy_rate == pytest.approx(found.value, abs=1e-12)


def _many_states() -> HiddenMarkov:
    # Five states in a ring, seen through much noise: too many for a grid, and too slow for the bounds.
    moves = 0.99 * np.eye(5) + 0.01 * np.roll(np.eye(5), 1, axis=1)
    return HiddenMarkov(moves, 0.1 * np.eye(5) + 0.9 * np.full((5, 5), 0.2))


def test_where_there_is_no_grid_samples_are_drawn() -> None:
    slow = _many_states()
    with pytest.raises(ConvergenceError, match=r"rate\(seed="):
        _ = slow.entropy_rate
    bounds = slow.rate_bounds(work=2**14)
    found = slow.rate(seed=1)
    assert found.method.startswith("Monte Carlo")
    assert 0 < found.standard_error < 1e-3
    assert bounds.lower - 4 * found.standard_error <= found.value <= bounds.upper + 4 * found.standard_error
    assert found == slow.rate(seed=1)
    with pytest.raises(UndefinedError, match="monte-carlo"):
        _ = slow.varentropy_rate


def test_monte_carlo_meets_the_truth() -> None:
    from bitmeter import cross_entropy_rate

    noisy = HiddenMarkov(FLIP, FLIP)
    found = cross_entropy_rate(noisy, noisy, method="monte-carlo", seed=3)
    assert abs(found.value - TRUTH) <= 4 * found.standard_error
    assert found.standard_error < 1e-3
    one = cross_entropy_rate(noisy, noisy, method="one-sample", n=10**6, seed=4)
    assert abs(one.value - TRUTH) <= 4 * one.standard_error


def test_the_variance_rate_is_that_of_long_samples() -> None:
    noisy = HiddenMarkov(FLIP, FLIP)
    sampled = cross_entropy_rate(noisy, noisy, method="monte-carlo", n=2000, paths=20_000, seed=5)
    assert sampled.variance_rate is not None
    assert 0 < sampled.variance_error < 0.02
    assert noisy.varentropy_rate == pytest.approx(sampled.variance_rate, abs=4 * sampled.variance_error)
    found = noisy.rate()
    assert found.variance_rate == pytest.approx(noisy.varentropy_rate, abs=1e-8)
    assert found.variance_error < 1e-8


def test_stationary_law_and_default_start() -> None:
    model = HiddenMarkov([[0.9, 0.1], [0.3, 0.7]], FLIP)
    assert model.initial == pytest.approx([0.75, 0.25], abs=1e-14)
    assert model.stationary == pytest.approx([0.75, 0.25], abs=1e-14)
    assert HiddenMarkov(np.eye(2), FLIP).initial.tolist() == [0.5, 0.5]
    with pytest.raises(UndefinedError, match="2 recurrent classes"):
        _ = HiddenMarkov(np.eye(2), FLIP).stationary


def test_verdicts_are_about_what_is_seen() -> None:
    # The hidden law moves, but all states emit alike: nothing is to be seen of it.
    blind = HiddenMarkov(FLIP, [[0.7, 0.3]] * 2, [1, 0])
    assert blind.is_stationary
    assert blind.is_mixing
    assert not HiddenMarkov(FLIP, FLIP, [1, 0]).is_stationary
    # Reducible, with classes that differ, and that do not.
    assert not HiddenMarkov(np.eye(2), FLIP).is_ergodic
    assert "word 0" in HiddenMarkov(np.eye(2), FLIP).is_ergodic.reason
    assert HiddenMarkov(np.eye(2), [[0.7, 0.3]] * 2).is_ergodic
    # A hidden period that shows, and one that does not.
    swap = [[0, 1], [1, 0]]
    assert HiddenMarkov(swap, FLIP).period == 2
    assert HiddenMarkov(swap, FLIP).is_ergodic
    assert not HiddenMarkov(swap, FLIP).is_mixing
    assert HiddenMarkov(swap, [[0.7, 0.3]] * 2).is_mixing
    reducible = HiddenMarkov(np.eye(2), [[0.9, 0.1], [0.5, 0.5]], [0.3, 0.7])
    parts = reducible.ergodic_components
    assert [weight for weight, _ in parts] == pytest.approx([0.3, 0.7])
    expected = 0.3 * Iid([0.9, 0.1]).entropy_rate + 0.7
    assert reducible.entropy_rate == pytest.approx(expected, abs=1e-9)
    with pytest.raises(UndefinedError):
        _ = reducible.varentropy_rate
    with pytest.raises(UndefinedError):
        _ = reducible.period
    assert [c.recurrent for c in reducible.classes] == [True, True]


def test_states_beside_symbols() -> None:
    model = HiddenMarkov(FLIP, [[0.5, 0.5, 0], [0, 0.5, 0.5]], labels="abc")
    seen, hidden = model.sample_with_states(1000, seed=1)
    assert (seen == model.sample(1000, seed=1)).all()
    assert set(seen[hidden == 0]) == {"a", "b"}
    many, states = model.sample_with_states(10, seed=1, paths=3)
    assert many.shape == states.shape == (3, 10)


def test_products_that_underflow_are_not_impossible() -> None:
    # ln(1e-200) twice: the move into the second state and what only it emits.
    rare = HiddenMarkov([[1, 1e-200], [0, 1]], [[1, 0], [1, 1e-200]], initial=[1, 0], normalise=True)
    assert rare.logprob([0, 1]) == pytest.approx(-400 * math.log(10), rel=1e-12)
    assert rare.logprobs([0, 1]) == pytest.approx([0.0, -400 * math.log(10)], rel=1e-12)
    assert rare.logprob([1, 0]) == -math.inf
    assert math.isfinite(cross_entropy_rate(rare, Iid([0.5, 0.5])).value)
    assert cross_entropy_rate(rare, Iid([1.0, 0.0])).value == math.inf
