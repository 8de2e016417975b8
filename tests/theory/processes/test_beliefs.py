"""The entropy rate from a grid of beliefs, against closed forms, proven bounds and samples."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter import HiddenMarkov, Markov
from bitmeter._util.arrays import Floats
from bitmeter.theory.processes.beliefs import BeliefRun, belief_run
from bitmeter.theory.processes.sampled_rates import monte_carlo

BITS = math.log(2)


def symmetric(flip: float, noise: float) -> tuple[Floats, Floats]:
    return tuple(np.array([[1 - x, x], [x, 1 - x]]) for x in (flip, noise))  # type: ignore[return-value]


def solved(moves: Floats, emits: Floats, tolerance: float = 1e-10) -> BeliefRun:
    run = belief_run(moves, emits, tolerance)
    assert run is not None
    return run


@pytest.mark.parametrize("flip", [1e-4, 0.01, 0.2, 0.5, 0.7])
def test_closed_forms(flip: float) -> None:
    # Without noise it is the Markov chain; under a noise of one half, or with independent states, a fair coin.
    chain = Markov(symmetric(flip, 0.0)[0])
    clear = solved(*symmetric(flip, 0.0))
    assert clear.mean / BITS == pytest.approx(chain.entropy_rate, abs=1e-9)
    assert clear.variance / BITS**2 == pytest.approx(chain.varentropy_rate, abs=1e-7)
    for moves, emits in (symmetric(flip, 0.5), symmetric(0.5, flip)):
        run = solved(moves, emits)
        assert run.mean == pytest.approx(BITS, abs=1e-12)
        assert run.variance == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("flip", "noise", "bits"),
    [
        # The first two from another method: the stationary law of the belief, by power iteration on 1001, 2001 and 4001
        # points with linear interpolation, reaches 0.99563483 and 0.98807811.
        (0.001, 0.45, 0.99563482),
        (0.01, 0.4, 0.98807811),
        # By bounds from words of 16 symbols.
        (0.1, 0.1, 0.7665963),
    ],
)
def test_figures_of_a_noisy_bit(flip: float, noise: float, bits: float) -> None:
    run = solved(*symmetric(flip, noise))
    assert run.mean / BITS == pytest.approx(bits, abs=6e-8 if flip == 0.1 else 1e-8)
    assert run.error < 1e-10
    # The names of states and of symbols do not matter.
    moves, emits = symmetric(flip, noise)
    for other in (emits[::-1], emits[:, ::-1]):
        assert solved(moves, other).mean == pytest.approx(run.mean, abs=1e-10)
    assert HiddenMarkov(*symmetric(flip, noise)).entropy_rate == pytest.approx(run.mean / BITS, abs=1e-9)


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(2, 3))
def test_two_states_lie_between_the_bounds(seed: int, symbols: int) -> None:
    rng = np.random.default_rng(seed)
    process = HiddenMarkov(rng.dirichlet(np.ones(2), size=2), rng.dirichlet(np.ones(symbols), size=2))
    run = solved(process.transition, process.emission)
    bounds = process.rate_bounds(work=2**16, unit="nats")
    assert bounds.lower - run.error - 1e-12 <= run.mean <= bounds.upper + run.error + 1e-12
    assert run.error < 1e-8


@settings(deadline=None, max_examples=10)
@given(st.integers(0, 10**6))
def test_three_states_lie_between_the_bounds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    process = HiddenMarkov(rng.dirichlet(np.ones(3), size=3), rng.dirichlet(np.ones(2), size=3))
    run = solved(process.transition, process.emission, 1e-8)
    bounds = process.rate_bounds(work=2**16, unit="nats")
    assert bounds.lower - run.error - 1e-12 <= run.mean <= bounds.upper + run.error + 1e-12


def test_samples_agree_where_bounds_stay_apart() -> None:
    process = HiddenMarkov([[0.99, 0.01], [0.002, 0.998]], [[0.5, 0.3, 0.2], [0.3, 0.3, 0.4]])
    run = solved(process.transition, process.emission)
    sampled = monte_carlo(process, process, 2**13, 4096, np.array([1, 2, 3, 4], dtype=np.uint64))
    assert abs(run.mean - sampled.value) <= 4 * sampled.standard_error < 1e-3
    assert sampled.variance_rate is not None
    assert abs(run.variance - sampled.variance_rate) <= 4 * sampled.variance_error


def test_states_that_are_copies_are_one() -> None:
    # Two copies of each state of a noisy bit, indistinguishable: four states, one free coordinate fewer than it seems.
    moves, emits = symmetric(0.05, 0.2)
    one = solved(moves, emits)
    copied = solved(np.kron(moves, np.full((2, 2), 0.5)), np.repeat(emits, 2, axis=0))
    assert copied.mean == pytest.approx(one.mean, abs=1e-9)
    assert copied.variance == pytest.approx(one.variance, abs=1e-7)


def test_too_many_states_have_no_grid() -> None:
    rng = np.random.default_rng(1)
    assert belief_run(rng.dirichlet(np.ones(5), size=5), rng.dirichlet(np.ones(2), size=5), 1e-9) is None
