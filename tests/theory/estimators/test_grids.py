"""Samples near the limits of doubles, and rounded ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.theory.estimators.grids import moderate, spread_grids

NORMAL = np.random.default_rng(3).normal(size=4000)
#: Of the standard normal density, in nats.
ENTROPY = 0.5 * math.log(2 * math.pi * math.e)


@pytest.mark.parametrize("power", [1021, 1000, 10, -950, -1010])
def test_entropy_is_moved_by_the_logarithm_of_a_factor(power: int) -> None:
    # h(cX) = h(X) + ln c; near 1.8e308 the distance of two numbers is more than a double can hold.
    near = bm.estimate_differential_entropy(NORMAL, unit="nats")
    far = bm.estimate_differential_entropy(np.ldexp(NORMAL, power), unit="nats")
    assert far.value == pytest.approx(near.value + power * math.log(2), abs=1e-6)
    assert near.interval is not None
    assert far.interval is not None
    assert far.interval[0] == pytest.approx(near.interval[0] + power * math.log(2), abs=1e-6)


def test_divergence_and_information_do_not_depend_on_the_unit() -> None:
    other = np.random.default_rng(4).normal(1.0, 1.0, 4000)
    for estimate in (bm.estimate_kl_divergence, bm.estimate_mutual_information):
        near = estimate(NORMAL, other).value
        assert estimate(np.ldexp(NORMAL, 1021), np.ldexp(other, 1021)).value == pytest.approx(near, abs=1e-9)


def test_both_ends_of_what_a_double_can_hold() -> None:
    ends = np.random.default_rng(1).uniform(-1.0, 1.0, 2000) * 1.79e308
    # Uniform over 3.58e308, which is itself more than a double can hold.
    assert bm.estimate_differential_entropy(ends, unit="nats").value == pytest.approx(
        math.log(2) + math.log(1.79e308), abs=0.1
    )


@pytest.mark.parametrize("digits", [0, 1, 2])
def test_rounded_samples_have_the_entropy_of_what_was_rounded(digits: int) -> None:
    found = bm.estimate_differential_entropy(np.round(NORMAL, digits), unit="nats")
    # Rounded to whole numbers and spread, the variance is larger by 2/12 of a cell.
    truth = ENTROPY if digits else ENTROPY + 0.5 * math.log(1 + 2 / 12)
    assert found.value == pytest.approx(truth, abs=0.06)
    assert "spread" in found.note
    assert found.interval is not None


def test_rounded_samples_have_the_divergence_of_what_was_rounded() -> None:
    # D of two normals whose means are 1 apart is 1/2 nat.
    other = np.random.default_rng(4).normal(1.0, 1.0, 4000)
    for digits in (1, 2):
        found = bm.estimate_kl_divergence(np.round(NORMAL, digits), np.round(other, digits), unit="nats")
        assert found.value == pytest.approx(0.5, abs=0.08)
        assert "spread" in found.note
    assert "spread" not in bm.estimate_kl_divergence(NORMAL, other).note


def test_atoms_are_not_taken_for_rounding() -> None:
    mixed = np.r_[np.zeros(50), NORMAL[:500]]
    assert bm.estimate_differential_entropy(mixed).value == -math.inf
    tables, rounded = spread_grids([mixed[:, None]])
    assert not rounded
    assert np.array_equal(tables[0][:, 0], mixed)
    # Symbols, each of which occurs often, have no density either.
    assert bm.estimate_differential_entropy(np.repeat(np.arange(4.0), 50)).value == -math.inf


def test_ordinary_samples_stay_as_they_are() -> None:
    tables, shift = moderate([NORMAL[:, None]])
    assert shift == 0.0
    assert np.array_equal(tables[0][:, 0], NORMAL)
    assert moderate([np.zeros((2, 1))])[1] == 0.0
