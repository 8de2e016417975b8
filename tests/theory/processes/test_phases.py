"""Phases of growing length: an entropy per symbol that does not settle."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bitmeter import Iid, Phases, autocorrelation, converge, cross_entropy_rate, entropy_curves, example_process
from bitmeter.errors import InputError, ShapeError, UndefinedError


def test_the_entropy_per_symbol_swings_for_ever() -> None:
    # Phases of 1, 2, 4, … symbols, constant and fair coin in turn: after m phases there are 2^m − 1 symbols, and the
    # coin's number (2 + 8 + …): a closed form by adding them up.
    swings = example_process("swings")
    curve = entropy_curves(swings, 2**20)
    for m in range(1, 21):
        coins = sum(2**k for k in range(1, m, 2))
        assert curve.average[2**m - 2] == pytest.approx(coins / (2**m - 1), abs=1e-12)
    assert isinstance(swings, Phases)
    assert swings.rate_limits == pytest.approx((1 / 3, 2 / 3), abs=1e-15)
    assert curve.average[2**19 - 2 :].min() == pytest.approx(1 / 3, abs=1e-5)
    assert curve.average[2**19 - 2 :].max() == pytest.approx(2 / 3, abs=1e-5)


def test_limits_of_three_kinds_are_those_of_the_curve() -> None:
    phases = Phases([[1, 0], [0.5, 0.5], [0.9, 0.1]], 2, 3)
    curve = entropy_curves(phases, 2 * (3**13 - 1) // 2).average[3**10 :]
    assert phases.rate_limits == pytest.approx((curve.min(), curve.max()), abs=1e-4)


def test_what_does_not_exist_is_refused() -> None:
    swings = Phases([[1, 0], [0.5, 0.5]])
    with pytest.raises(UndefinedError, match=r"between 0\.333333 and 0\.666667 bits"):
        _ = swings.entropy_rate
    coin = Iid([0.5, 0.5])
    for p, q in ((swings, coin), (coin, swings)):
        with pytest.raises(UndefinedError, match="no average over time settles"):
            cross_entropy_rate(p, q, method="monte-carlo", n=100, paths=2)
    with pytest.raises(UndefinedError, match="entropy_curves"):
        converge(swings, 100)
    with pytest.raises(UndefinedError):
        autocorrelation(swings, 3)
    assert not swings.settles
    assert not swings.is_stationary
    assert not swings.is_ergodic
    # The same entropy in all phases: the limit exists although the process is not stationary.
    assert Phases([[0.9, 0.1], [0.1, 0.9]]).entropy_rate == pytest.approx(coin.entropy_rate * 0.4689956, abs=1e-7)


def test_samples_and_log_probabilities_follow_the_phases() -> None:
    phases = Phases([[1, 0], [0, 1], [0.5, 0.5]], 3, 2)
    draws = phases.sample(21, seed=1, paths=4000)
    assert (draws[:, :3] == 0).all()
    assert (draws[:, 3:9] == 1).all()
    assert draws[:, 9:].mean() == pytest.approx(0.5, abs=0.01)
    assert (draws[:7] == phases.sample(21, seed=1, paths=7)).all()
    assert phases.logprob(draws[0]) == pytest.approx(12 * math.log(0.5), rel=1e-12)
    assert phases.logprob([1]) == -math.inf
    words = phases.block_probabilities(4)
    assert words[0, 0, 0, 1] == 1.0
    assert np.isclose(words.sum(), 1.0)


def test_bad_phases() -> None:
    with pytest.raises(ShapeError, match="at least two"):
        Phases([[0.5, 0.5]])
    with pytest.raises(InputError, match="use Iid"):
        Phases([[0.5, 0.5], [0.5, 0.5]])
