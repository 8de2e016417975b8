"""Averages over time and over the ensemble, and autocorrelation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter import HiddenMarkov, Iid, Markov, Mixture, autocorrelation, example_process, time_averages
from bitmeter.errors import BitmeterError, ShapeError, UndefinedError


def test_time_averages_are_the_ensemble_average_where_the_process_is_ergodic() -> None:
    # Stationary law (3/4, 1/4) of this chain: the mean of the symbols 0 and 1 is 1/4.
    run = time_averages(Markov([[0.9, 0.1], [0.3, 0.7]]), 100_000, paths=200, seed=1)
    assert run.limits == pytest.approx((0.25,), abs=1e-14)
    # σ² of the mean: π(1−π)(1+λ)/(1−λ) with λ = .6, that is .75, divided by n.
    assert np.abs(run.final - 0.25).max() < 5 * np.sqrt(0.75 / 100_000)
    assert run.ensemble[-1] == pytest.approx(0.25, abs=5 * np.sqrt(0.1875 / 200))
    assert run.mean == pytest.approx(0.25, abs=1e-14)


def test_time_averages_of_a_mixture_are_those_of_its_components() -> None:
    run = time_averages(example_process("two-coins"), 20_000, paths=200, seed=1)
    assert run.limits == pytest.approx((0.1, 0.5), abs=1e-14)
    assert run.mean == pytest.approx(0.3, abs=1e-14)
    assert np.abs(run.final - np.array(run.limits)[run.component]).max() < 0.02
    assert np.abs(run.final - run.mean).min() > 0.15
    assert run.ensemble[-1] == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / 200))


def test_time_averages_of_swings_have_no_limit() -> None:
    run = time_averages(example_process("swings"), 2**16 - 1, paths=50, points=10**6, seed=1)
    assert run.limits == ()
    # The share of 1s is half that of the coin: 1/3 at the end of a coin's phase, 1/6 at the end of a constant one.
    ends = {int(n): i for i, n in enumerate(run.n)}
    assert run.time[:, ends[2**16 - 1]] == pytest.approx(np.full(50, 1 / 3), abs=0.02)
    assert "no limit" in str(run)
    with pytest.raises(UndefinedError):
        _ = run.mean


@settings(deadline=None, max_examples=40)
@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.integers(0, 10))
def test_two_states_decay_with_the_second_eigenvalue(a: float, b: float, lags: int) -> None:
    found = autocorrelation(Markov([[1 - a, a], [b, 1 - b]]), lags)
    assert found == pytest.approx((1 - a - b) ** np.arange(lags + 1), abs=1e-12)


def test_closed_forms() -> None:
    assert autocorrelation(Iid([0.2, 0.3, 0.5]), 4) == pytest.approx([1, 0, 0, 0, 0], abs=1e-15)
    # A mixture never forgets: Var of the component means (.04) over the variance (.21).
    assert autocorrelation(example_process("two-coins"), 50)[1:] == pytest.approx(np.full(50, 0.04 / 0.21), abs=1e-14)
    # Noise ε on a ±1 chain multiplies the correlation by (1 − 2ε)².
    noisy = HiddenMarkov([[0.9, 0.1], [0.1, 0.9]], [[0.8, 0.2], [0.2, 0.8]])
    assert autocorrelation(noisy, 5)[1:] == pytest.approx(0.36 * 0.8 ** np.arange(1, 6), abs=1e-14)
    # Values change a periodic chain's sign, and labels that are numbers are the values.
    flip = Markov([[0, 1], [1, 0]], labels=[-3, 5])
    assert autocorrelation(flip, 3) == pytest.approx([1, -1, 1, -1], abs=1e-15)
    # A start that is not stationary: the long run counts.
    assert autocorrelation(Markov([[0.9, 0.1], [0.3, 0.7]], [1, 0]), 2) == pytest.approx([1, 0.6, 0.36], abs=1e-14)


def test_the_estimate_meets_the_closed_form() -> None:
    chain = Markov([[0.9, 0.1], [0.3, 0.7]])
    found = autocorrelation(chain.sample(10**6, seed=1), 5)
    assert found == pytest.approx(autocorrelation(chain, 5), abs=0.01)
    # By hand: 1, 2, 4 has mean 7/3; the products of the deviations −4/3, −1/3, 5/3.
    assert autocorrelation([1, 2, 4], 2) == pytest.approx([1, (4 / 9 - 5 / 9) / (42 / 9), (-20 / 9) / (42 / 9)])


def test_bad_input() -> None:
    with pytest.raises(UndefinedError, match="never varies"):
        autocorrelation([1, 1, 1], 1)
    with pytest.raises(UndefinedError, match="never varies"):
        autocorrelation(Iid([1.0, 0.0]), 1)
    with pytest.raises(ShapeError, match="each of 2 symbols"):
        time_averages(Iid([0.5, 0.5]), 10, values=[1, 2, 3])
    with pytest.raises(BitmeterError):
        autocorrelation([1.0, float("nan"), 2.0], 1)
    assert autocorrelation(Mixture([Iid([0.5, 0.5])]), 0) == pytest.approx([1.0])
