"""Mutual information and its relatives from samples of symbols."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import BitmeterError, ChoiceError, InputError, RangeError, ShapeError

columns = st.integers(5, 40).flatmap(
    lambda n: st.tuples(*(st.lists(st.integers(0, 3), min_size=n, max_size=n) for _ in range(3)))
)


def channel(kinds: int, noise: float, n: int, seed: int) -> tuple[Any, Any, float]:
    """Uniform symbols and what a channel makes of them that replaces some at random; and the information, in bits."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, kinds, n)
    y = np.where(rng.random(n) < noise, rng.integers(0, kinds, n), x)
    same = (1 - noise) / kinds + noise / kinds**2
    other = noise / kinds**2
    truth = kinds * same * math.log2(same * kinds**2)
    return x, y, truth + (kinds * (kinds - 1) * other * math.log2(other * kinds**2) if other else 0)


def test_independent_bytes_have_no_information_worth_the_name() -> None:
    x, y = np.random.default_rng(1).integers(0, 256, (2, 10_000))
    with pytest.warns(UserWarning, match="takes chance for dependence"):
        plug_in = bm.mutual_information(x, y)
    assert plug_in == pytest.approx(2.82, abs=0.01)
    found = bm.estimate_mutual_information(x, y)
    assert found.plug_in == pytest.approx(plug_in, rel=1e-12)
    assert abs(found.value) < 0.15
    assert found.interval is not None
    assert found.interval[0] < 0 < found.interval[1]
    assert found.p_value is not None
    assert found.p_value > 0.05
    assert "undersampled" in found.note
    shuffled = bm.estimate_mutual_information(x, y, "shuffle")
    assert abs(shuffled.value) < 0.02


@pytest.mark.parametrize(("kinds", "noise", "n"), [(10, 1.0, 1000), (10, 0.5, 1000), (50, 0.5, 10_000), (4, 0.1, 500)])
def test_corrected_estimates_are_near_the_truth(kinds: int, noise: float, n: int) -> None:
    errors: dict[str, list[float]] = {"chao-wang-jost": [], "maximum-likelihood": []}
    covered = 0
    for seed in range(30):
        x, y, truth = channel(kinds, noise, n, seed)
        for method, found in errors.items():
            estimate = bm.estimate_mutual_information(x, y, method, permutations=0)
            found.append(estimate.value - truth)
            if method == "chao-wang-jost":
                assert estimate.interval is not None
                covered += estimate.interval[0] <= truth <= estimate.interval[1]
    best, plain = (abs(float(np.mean(found))) for found in errors.values())
    assert best < max(0.25 * plain, 3 * float(np.std(errors["chao-wang-jost"])) / math.sqrt(30))
    assert covered >= 24  # of 28.5 expected; P(binomial(30, .93) < 24) < .01


def test_p_values_of_independent_samples_are_uniform() -> None:
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 3, (2, 200, 60))
    found = [bm.estimate_mutual_information(a, b, permutations=99, seed=rng).p_value for a, b in zip(x, y, strict=True)]
    # A valid test: P(p ≤ α) ≤ α; 200 draws, so that 0.05 has a standard deviation of .0154.
    assert np.mean([p is not None and p <= 0.05 for p in found]) < 0.05 + 3.5 * 0.0154
    assert np.mean([p is not None and p <= 0.5 for p in found]) > 0.3


def test_the_condition_is_kept_by_permutations() -> None:
    # X and Y depend on each other only through Z: much information, none given Z.
    rng = np.random.default_rng(2)
    z = rng.integers(0, 5, 5000)
    x, y = ((z + (rng.random(5000) < 0.3)) % 5 for _ in range(2))
    alone = bm.estimate_mutual_information(x, y)
    given_z = bm.estimate_mutual_information(x, y, given=z)
    assert alone.value > 0.5
    assert alone.p_value == pytest.approx(1 / 201)
    assert abs(given_z.value) < 0.02
    assert given_z.p_value is not None
    assert given_z.p_value > 0.02


@settings(deadline=None, max_examples=40)
@given(columns)
def test_plug_in_values_are_those_of_the_tables(samples: tuple[list[int], list[int], list[int]]) -> None:
    for measure, function in (
        ("total-correlation", bm.total_correlation),
        ("dual-total-correlation", bm.dual_total_correlation),
        ("o-information", bm.o_information),
    ):
        found = bm.estimate_multivariate_information(
            *samples, measure=measure, method="maximum-likelihood", permutations=0
        )
        assert found.value == pytest.approx(function(*samples), abs=1e-9)
    found = bm.estimate_mutual_information(*samples[:2], "maximum-likelihood", given=samples[2], permutations=0)
    assert found.value == pytest.approx(bm.conditional_mutual_information(*samples), abs=1e-9)


@settings(deadline=None, max_examples=25)
@given(columns, st.sampled_from(["maximum-likelihood", "miller-madow", "grassberger", "chao-wang-jost"]))
def test_the_jackknife_leaves_out_each_observation(
    samples: tuple[list[int], list[int], list[int]], method: str
) -> None:
    x, y, _ = samples
    n = len(x)

    def value(a: list[int], b: list[int]) -> float:
        parts = (
            bm.estimate_entropy(v, method, resamples=0, unit="nats").value for v in (a, b, list(zip(a, b, strict=True)))
        )
        first, second, both = parts
        return first + second - both

    left = [value(x[:i] + x[i + 1 :], y[:i] + y[i + 1 :]) for i in range(n)]
    deviation = math.sqrt((n - 1) * float(np.var(left)))
    found = bm.estimate_mutual_information(x, y, method, unit="nats", permutations=0)
    assert found.value == pytest.approx(value(x, y), abs=1e-9)
    assert found.interval is not None
    assert found.interval[1] == pytest.approx(found.value + 1.959964 * deviation, abs=1e-6)


def test_against_infomeasure() -> None:
    import infomeasure

    rng = np.random.default_rng(3)
    x = rng.integers(0, 5, 500)
    y = (x + rng.integers(0, 3, 500)) % 5
    z = (x + rng.integers(0, 2, 500)) % 3
    for ours, theirs in (
        ("maximum-likelihood", "discrete"),
        ("miller-madow", "miller_madow"),
        ("chao-shen", "chao_shen"),
    ):
        found = bm.estimate_mutual_information(x, y, ours, permutations=0, unit="nats").value
        assert found == pytest.approx(float(infomeasure.mutual_information(x, y, approach=theirs, base="e")), abs=1e-9)
    given_z = bm.estimate_mutual_information(x, y, "maximum-likelihood", given=z, permutations=0, unit="nats").value
    expected = infomeasure.conditional_mutual_information(x, y, cond=z, approach="discrete", base="e")
    assert given_z == pytest.approx(float(expected), abs=1e-9)


def test_exclusive_or_is_synergy_and_copies_are_redundancy() -> None:
    x, y = np.random.default_rng(1).integers(0, 2, (2, 3000))
    synergy = bm.estimate_multivariate_information(x, y, x ^ y, measure="o-information")
    copies = bm.estimate_multivariate_information(x, x, x, measure="o-information")
    assert synergy.value == pytest.approx(-1, abs=0.02)
    assert copies.value == pytest.approx(1, abs=0.02)
    assert synergy.p_value == copies.p_value == pytest.approx(1 / 201)
    other = np.random.default_rng(2).integers(0, 2, 3000)
    nothing = bm.estimate_multivariate_information(x, y, other)
    assert nothing.p_value is not None
    assert nothing.p_value > 0.01
    assert abs(nothing.value) < 0.01


def test_a_seed_gives_the_same_test_and_words_may_be_many() -> None:
    rng = np.random.default_rng(1)
    x = [f"word {i}" for i in rng.zipf(1.5, 2000)]
    y = rng.zipf(1.3, 2000)
    first, second = (bm.estimate_mutual_information(x, y, seed=3) for _ in range(2))
    assert first == second
    assert "observations" in str(first)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"x": "abc", "y": "ab"}, ShapeError),
        ({"x": "ab", "y": "ab", "method": "magic"}, ChoiceError),
        ({"x": "ab", "y": "ab", "method": "shuffle", "permutations": 3}, RangeError),
        ({"x": "ab", "y": "ab", "confidence": 1.5}, RangeError),
        ({"x": "ab", "y": "ab", "permutations": -1}, RangeError),
        ({"x": [0.5, 0.25], "y": "ab", "method": "shuffle"}, InputError),
    ],
)
def test_bad_input(arguments: dict[str, Any], error: type[BitmeterError]) -> None:
    with pytest.raises((error, BitmeterError) if error is RangeError else error):
        bm.estimate_mutual_information(**arguments)


def test_one_variable_is_not_enough() -> None:
    with pytest.raises(ShapeError):
        bm.estimate_multivariate_information("abc")
    with pytest.raises(ChoiceError):
        bm.estimate_multivariate_information("abc", "abc", measure="entropy")
