"""E-values: no growth under the null, no looking ahead, growth when one model is better (fixed seeds)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from bitmeter._util.check import Floats
from bitmeter.measure.interval.anytime import e_process


@pytest.mark.parametrize("kind", ["normal", "skewed", "coin"])
def test_wealth_does_not_grow_when_neither_model_is_better(kind: str) -> None:
    rng = np.random.default_rng(14)
    draws: dict[str, Callable[[], Floats]] = {
        "normal": lambda: rng.normal(0, 0.05, 150),
        "skewed": lambda: 0.05 * (rng.exponential(1.0, 150) - 1.0),
        "coin": lambda: rng.choice([-0.25, 0.25], 150),  # the worst case: always at the clip
    }
    draw = draws[kind]
    n = np.exp(rng.standard_normal(150)) * 2000
    wealth = np.stack([e_process(n * draw(), np.zeros(150), n) for _ in range(2000)])
    means = wealth.mean(axis=0)
    errors = wealth.std(axis=0) / math.sqrt(2000)
    assert np.all(means <= 1.0 + 4.0 * errors + 1e-12)
    assert np.mean(wealth.max(axis=1) >= 20) <= 0.05
    assert np.all(wealth[:, 0] == 1.0), "nothing is known before the first document"


def test_bets_do_not_look_ahead() -> None:
    rng = np.random.default_rng(15)
    d = rng.normal(0.02, 0.05, 60)
    whole = e_process(d, np.zeros(60), np.ones(60))
    for stop in (1, 2, 30):
        assert e_process(d[:stop], np.zeros(stop), np.ones(stop)) == pytest.approx(whole[:stop], rel=1e-12)


def test_wealth_grows_when_one_model_is_better() -> None:
    rng = np.random.default_rng(16)
    for sign in (1.0, -1.0):
        crossed = [
            e_process(sign * rng.normal(0.02, 0.03, 100), np.zeros(100), np.ones(100)).max() >= 20 for _ in range(200)
        ]
        assert np.mean(crossed) > 0.9
