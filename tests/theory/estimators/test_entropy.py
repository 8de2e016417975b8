"""Entropy estimators: closed forms, brute force, and infomeasure where it is right."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitmeter.errors import (
    BitmeterError,
    ChoiceError,
    EmptyError,
    InputError,
    InputTypeError,
    NegativeError,
    RangeError,
)
from bitmeter.theory.estimators.entropy import ENTROPY_METHODS, EntropyEstimate, estimate_entropy
from bitmeter.theory.estimators.spectrum import FORMULAS, Spectrum, plug_in_deviation
from tests.theory.strategies import count_lists, estimate, quick

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its own imports warn
    import infomeasure


# The first six from the tests of DiscreteEntropy.jl, several of them from R's `entropy`; Grassberger 2003 from its
# formula, the jackknife from its definition, NSB from an independent quadrature (all in nats).
@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("maximum-likelihood", 1.522955),
        ("miller-madow", 1.745177),
        ("chao-shen", 1.876548),
        ("james-stein", 1.609438),
        ("zhang", 1.773413),
        ("chao-wang-jost", 1.847870),
        ("grassberger", 1.912032),
        ("jackknife", 1.886844),
    ],
)
def test_reference_counts(method: str, expected: float) -> None:
    assert estimate([1, 2, 3, 2, 1], method) == pytest.approx(expected, abs=5e-7)


@pytest.mark.parametrize(
    ("method", "theirs"),
    [
        ("maximum-likelihood", "discrete"),
        ("miller-madow", "miller_madow"),
        ("chao-shen", "chao_shen"),
        ("chao-wang-jost", "chao_wang_jost"),
        ("zhang", "zhang"),
        ("james-stein", "shrink"),
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_equals_infomeasure(method: str, theirs: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    sample = rng.zipf(1.5, size=200) % 50
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = infomeasure.entropy(sample, approach=theirs, base="e")
    found = estimate_entropy(sample, method, unit="nats", resamples=0).value
    assert found == pytest.approx(expected, rel=1e-9)


# Mean errors over 100 replicates at N = 1000, measured independently; the standard error of a mean of 60 is below .02.
@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("maximum-likelihood", -1.20),
        ("miller-madow", -0.94),
        ("grassberger", -0.64),
        ("zhang", -0.91),
        ("chao-shen", -0.63),
        ("chao-wang-jost", -0.35),
        ("jackknife", -0.73),
        ("james-stein", -0.80),
        ("nsb", -0.41),
    ],
)
def test_bias_on_a_zipf_law(method: str, expected: float) -> None:
    p = 1 / np.arange(1, 10_001)
    p /= p.sum()
    truth = -math.fsum((p * np.log(p)).tolist())
    known = {"alphabet_size": 10_000} if method in ("james-stein", "nsb") else {}
    rng = np.random.default_rng(2)
    errors = [estimate(rng.multinomial(1000, p), method, **known) - truth for _ in range(60)]
    assert np.mean(errors) == pytest.approx(expected, abs=0.06)


@quick
@given(count_lists, st.sampled_from([m for m in ENTROPY_METHODS if m != "nsb"]))
def test_order_and_unit_do_not_matter(counts: list[int], method: str) -> None:
    one = estimate(counts, method)
    assert estimate(sorted(counts), method) == pytest.approx(one, rel=1e-13)
    assert estimate([*counts, 0, 0], method) == one
    bits = estimate_entropy(counts, method, of="counts", resamples=0)
    assert bits.value * math.log(2) == pytest.approx(one, rel=1e-12)


def test_samples_and_counts_agree() -> None:
    text = "abracadabra"
    expected = estimate_entropy(text)
    assert estimate_entropy(Counter(text), of="counts") == expected
    assert estimate_entropy(list(text)) == expected
    assert estimate_entropy(text.encode()) == expected
    assert (expected.observations, expected.symbols) == (11, 5)
    assert expected.coverage == pytest.approx(1 - 2 / 11)


@pytest.mark.parametrize("method", ENTROPY_METHODS)
@pytest.mark.parametrize("counts", [[1], [5], [1, 1], [1] * 30, [2, 2], [10**9, 1]])
def test_degenerate_samples(method: str, counts: list[int]) -> None:
    size = {"alphabet_size": len(counts)} if method == "nsb" else {}
    result = estimate_entropy(counts, method, of="counts", **size)
    assert math.isfinite(result.value)
    assert result.value >= 0
    assert result.interval is not None
    assert 0 <= result.interval[0] <= result.interval[1] < math.inf
    if counts in ([1], [5]) and method != "grassberger":
        assert result.value == pytest.approx(0, abs=1e-12)


def test_large_alphabet() -> None:
    rng = np.random.default_rng(3)
    counts = rng.poisson(1.5, size=3_000_000)
    result = estimate_entropy(counts, of="counts", unit="nats")
    assert result.value == pytest.approx(math.log(3_000_000), abs=0.005)  # uniform over three million
    assert result.interval is not None
    assert result.interval[1] - result.interval[0] < 0.01


def test_interval_is_reproducible_and_centred() -> None:
    first = estimate_entropy("the quick brown fox jumps over the lazy dog")
    assert first == estimate_entropy("the quick brown fox jumps over the lazy dog", seed=0)
    assert first.interval is not None
    assert sum(first.interval) / 2 == pytest.approx(first.value)
    assert estimate_entropy("abc", resamples=0).interval is None
    wide = estimate_entropy("the quick brown fox jumps over the lazy dog", confidence=0.99).interval
    assert wide is not None
    assert wide[0] < first.interval[0]


@pytest.mark.parametrize(("size", "draws"), [(50, 1000), (5000, 20_000)])  # symbol by symbol, and by Poisson groups
def test_interval_covers(size: int, draws: int) -> None:
    p = 1 / np.arange(1, size + 1)
    p /= p.sum()
    truth = -math.fsum((p * np.log2(p)).tolist())
    rng = np.random.default_rng(4)
    inside = 0
    for _ in range(100):
        interval = estimate_entropy(rng.multinomial(draws, p), of="counts", resamples=60, seed=rng).interval
        assert interval is not None
        inside += interval[0] <= truth <= interval[1]
    assert inside >= 86  # of 95 expected; P(binomial(100, .93) < 86) < .005


def test_says_when_undersampled() -> None:
    assert "undersampled" in estimate_entropy("abcdefgh").note
    assert "No estimator is unbiased" in estimate_entropy("abcdefgh").note
    assert "well sampled" in estimate_entropy("ab" * 50).note
    assert "coverage 0.0000" in str(estimate_entropy("abcdefgh"))
    assert estimate_entropy("ab" * 500).well_sampled
    assert not estimate_entropy("ab" * 50).well_sampled


@pytest.mark.parametrize("exponent", [1.5, 1.8, 2.0])
@pytest.mark.parametrize("draws", [1000, 100_000])
def test_heavy_tails_are_not_well_sampled_though_nearly_all_was_seen(exponent: float, draws: int) -> None:
    # The intervals contain the truth .02 to .92 of the time (benchmarks/estimators.py), at coverages up to .998.
    p = 1 / np.arange(1, 10**6 + 1) ** exponent
    rng = np.random.default_rng(draws)
    for _ in range(5):
        drawn = np.searchsorted(np.cumsum(p) / p.sum(), rng.random(draws))
        found = estimate_entropy(drawn, resamples=0)
        assert found.coverage > 0.9 or exponent == 1.5
        assert not found.well_sampled
        assert "sampled: " in found.note


def test_what_is_called_well_sampled_is_covered() -> None:
    rng = np.random.default_rng(3)
    laws = [np.full(100, 0.01), 1 / np.arange(1.0, 101.0), 0.5 ** np.arange(1.0, 40.0)]
    called = inside = 0
    for p in (law / law.sum() for law in laws):
        truth = -math.fsum((p * np.log2(p)).tolist())
        for _ in range(60):
            found = estimate_entropy(rng.multinomial(2000, p), of="counts", resamples=60, seed=rng)
            assert found.interval is not None
            called += found.well_sampled
            inside += found.well_sampled and found.interval[0] <= truth <= found.interval[1]
    assert called >= 120
    assert inside >= 0.9 * called  # .95 expected


def test_a_biased_method_says_so_on_a_sample_that_is_large_enough() -> None:
    counts = np.random.default_rng(1).multinomial(20_000, np.full(1000, 0.001))
    assert estimate_entropy(counts, of="counts", resamples=0).well_sampled
    plug_in = estimate_entropy(counts, "maximum-likelihood", of="counts", resamples=0)
    assert not plug_in.well_sampled
    assert plug_in.note.startswith("biased: ")


def test_the_deviation_is_that_of_many_samples() -> None:
    rng = np.random.default_rng(1)
    for p in (np.full(20, 0.05), np.array([0.7, 0.2, 0.1])):
        spectra = [Spectrum.of_counts(rng.multinomial(500, p)) for _ in range(2000)]
        values = [FORMULAS["maximum-likelihood"](s, None) for s in spectra]
        # The standard deviation of 2,000 values is known to 2 %; for equal probabilities the formula takes the
        # spread of the frequencies for that of the probabilities, and is too high, by up to √3.
        ratio = float(np.mean([plug_in_deviation(s) for s in spectra])) / float(np.std(values))
        assert (0.95 < ratio < 1.05) if p.size == 3 else (0.95 < ratio < 1.8)


def test_is_frozen() -> None:
    result = estimate_entropy("ab")
    assert isinstance(result, EntropyEstimate)
    with pytest.raises(AttributeError):
        result.value = 1.0  # type: ignore[misc]
    assert type(result.value) is float


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"data": ""}, EmptyError),
        ({"data": None}, InputTypeError),
        ({"data": "ab", "method": "magic"}, ChoiceError),
        ({"data": "ab", "method": "nsb"}, InputError),
        ({"data": "abc", "method": "nsb", "alphabet_size": 2}, RangeError),
        ({"data": "abc", "alphabet_size": 5}, InputError),
        ({"data": "abc", "method": "james-stein", "alphabet_size": 2.5}, InputTypeError),
        ({"data": [1, -2], "of": "counts"}, NegativeError),
        ({"data": [0, 0], "of": "counts"}, EmptyError),
        ({"data": [1.5], "of": "counts"}, InputError),
        ({"data": {}, "of": "counts"}, EmptyError),
        ({"data": "ab", "of": "text"}, ChoiceError),
        ({"data": "ab", "confidence": 1.0}, RangeError),
        ({"data": "ab", "resamples": -1}, NegativeError),
        ({"data": "ab", "seed": "x"}, InputTypeError),
        ({"data": "ab", "unit": "bans"}, ChoiceError),
    ],
)
def test_bad_input(arguments: dict[str, Any], error: type[BitmeterError]) -> None:
    with pytest.raises(error):
        estimate_entropy(**arguments)
