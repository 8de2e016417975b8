"""E-values: no growth under the null, no looking ahead, growth when one model is better (fixed seeds)."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from bitmeter._util.arrays import Floats
from bitmeter.measure.interval.anytime import e_process, shuffled, wealth


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


def test_bets_depend_on_sizes_alone() -> None:
    # The wealth is the mean over fixed bets of the product of 1 + bet · gain: by hand for two documents of one size.
    found = e_process([0.1, -0.05], [0.0, 0.0], [1, 1])
    gains = np.array([0.1, -0.05])[shuffled(2, 0)] / 0.25 * 0.5
    bets = np.array([0.3, 0.6, 0.95, -0.3, -0.6, -0.95])
    assert found == pytest.approx(
        [np.mean(1 + bets * gains[0]), np.mean((1 + bets * gains[0]) * (1 + bets * gains[1]))]
    )


def test_a_collection_in_the_order_of_its_kinds_is_no_evidence() -> None:
    # Two kinds of documents, each better under one model, equal overall: in order, the wealth would run away.
    rng = np.random.default_rng(3)
    crossed = in_order = 0
    for _ in range(200):
        d = np.append(rng.normal(0.05, 0.03, 100), rng.normal(-0.05, 0.03, 100))
        crossed += bool((e_process(d, np.zeros(200), np.ones(200)) >= 20).any())
        in_order += bool((wealth(d, np.ones(200), 0.25) >= 20).any())
    assert crossed / 200 <= 0.05
    assert in_order / 200 > 0.5


def test_short_documents_that_favour_one_model_are_no_evidence_about_bytes() -> None:
    # Half of the documents are short and favour one model; the long ones favour the other by as many bits.
    rng = np.random.default_rng(4)
    n = np.where(np.arange(200) % 2, 1000.0, 3000.0)
    crossed = [
        bool(
            (e_process(n * (np.where(n < 2000, 0.03, -0.01) + rng.normal(0, 0.01, 200)), np.zeros(200), n) >= 20).any()
        )
        for _ in range(100)
    ]
    assert np.mean(crossed) <= 0.05


def test_the_order_is_a_permutation_drawn_by_the_seed() -> None:
    assert sorted(shuffled(1000, 5).tolist()) == list(range(1000))
    assert shuffled(1000, 5).tolist() != shuffled(1000, 6).tolist()
    assert abs(np.corrcoef(shuffled(5000, 0), np.arange(5000))[0, 1]) < 0.05


def test_wealth_grows_when_one_model_is_better() -> None:
    rng = np.random.default_rng(16)
    for sign in (1.0, -1.0):
        crossed = [
            e_process(sign * rng.normal(0.03, 0.03, 200), np.zeros(200), np.ones(200)).max() >= 20 for _ in range(200)
        ]
        assert np.mean(crossed) > 0.9
