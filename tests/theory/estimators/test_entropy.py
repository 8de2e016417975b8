"""Entropy estimators: closed forms, brute force, and infomeasure where it is right."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
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
from bitmeter.theory.estimators import nsb, spectrum
from bitmeter.theory.estimators.entropy import ENTROPY_METHODS, EntropyEstimate, estimate_entropy
from bitmeter.theory.estimators.resampling import resamples, restore
from bitmeter.theory.estimators.spectrum import Spectrum

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its own imports warn
    import infomeasure

count_lists = st.lists(st.integers(1, 30), min_size=1, max_size=12)
quick = settings(deadline=None, max_examples=60)


def estimate(counts: Any, method: str, **more: Any) -> float:
    return estimate_entropy(counts, method, of="counts", unit="nats", resamples=0, **more).value


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


def test_reference_nsb() -> None:
    assert estimate([1, 2, 3, 2, 1], "nsb", alphabet_size=5) == pytest.approx(1.5090, abs=5e-5)


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


@quick
@given(count_lists)
def test_jackknife_is_its_definition(counts: list[int]) -> None:
    def plug_in(c: list[int]) -> float:
        n = sum(c)
        return -math.fsum(k / n * math.log(k / n) for k in c if k)

    total = sum(counts)
    left_out = math.fsum(k * plug_in([*counts[:i], k - 1, *counts[i + 1 :]]) for i, k in enumerate(counts) if total > 1)
    expected = total * plug_in(counts) - (total - 1) / total * left_out
    assert estimate(counts, "jackknife") == pytest.approx(expected, abs=1e-10)


@quick
@given(count_lists)
def test_zhang_is_its_double_sum(counts: list[int]) -> None:
    """Zhang 2012: Σ_v 1/v Σ_k p̂_k Π_{j<v} (1 − (n_k − 1)/(N − 1 − j)), with products over j = 0 … v − 1."""
    total = sum(counts)
    expected = 0.0
    for k in counts:
        product = 1.0
        for v in range(1, total - k + 1):
            product *= 1 - (k - 1) / (total - v)
            expected += k / total * product / v
    assert estimate(counts, "zhang") == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("a", [0.9, 0.3, 0.21, 0.19, 0.05, 1e-3])
@pytest.mark.parametrize("start", [2, 30, 10_000])
def test_tail_of_chao_wang_jost(a: float, start: int) -> None:
    terms = ((1 - a) ** j / (start + j) for j in range(int(60 / a)))
    assert spectrum._lerch(a, start) == pytest.approx(math.fsum(terms), rel=2e-15)


def test_tail_of_chao_wang_jost_for_rare_deficits() -> None:
    # Where a · start is tiny the closed form is well conditioned: (1 − a)^−N [−ln a − Σ_{r<N} (1 − a)^r / r].
    a, start = 1e-12, 1000
    series = math.fsum(math.exp(r * math.log1p(-a)) / r for r in range(1, start))
    assert spectrum._lerch(a, start) == pytest.approx(
        (-math.log(a) - series) * math.exp(-start * math.log1p(-a)), rel=1e-12
    )


def test_chao_wang_jost_keeps_its_digits() -> None:
    # f₁ = 1, f₂ = 14: the form with −ln A loses 1.5e-7 here. Expected: Zhang plus the series, summed term by term.
    counts = [1] + [2] * 14 + [50] * 20
    total, once, twice = sum(counts), 1, 14
    a = 2 * twice / ((total - 1) * once + 2 * twice)
    tail = math.fsum((1 - a) ** (1 + j) / (total + j) for j in range(2000))
    assert estimate(counts, "chao-wang-jost") == pytest.approx(
        estimate(counts, "zhang") + once / total * tail, abs=1e-14
    )


@quick
@given(count_lists, st.integers(0, 20))
def test_nsb_is_its_integral(counts: list[int], unseen: int) -> None:
    """By brute force: a fine grid in ln β and log-gammas straight from the definition."""
    from scipy.special import digamma, gammaln, polygamma

    size = len(counts) + unseen
    if size == 1:
        assert estimate(counts, "nsb", alphabet_size=1) == 0
        return
    n = np.array(counts + [0] * unseen, dtype=float)
    u = np.linspace(-50, 12, 30_001)
    b = np.exp(u)[:, None]
    log_weight = gammaln(size * b[:, 0]) - gammaln(n.sum() + size * b[:, 0]) + (gammaln(n + b) - gammaln(b)).sum(1)
    log_weight += np.log(size * polygamma(1, size * b[:, 0] + 1) - polygamma(1, b[:, 0] + 1)) + u
    mean = digamma(n.sum() + size * b[:, 0] + 1) - ((n + b) / (n.sum() + size * b) * digamma(n + b + 1)).sum(1)
    weight = np.exp(log_weight - log_weight.max())
    expected = (weight * mean).sum() / weight.sum()
    assert estimate(counts, "nsb", alphabet_size=size) == pytest.approx(expected, abs=2e-4)


def test_nsb_moments_are_those_of_the_dirichlet() -> None:
    counts, beta = np.array([1, 2, 3, 2, 1, 0, 0]), 0.7
    drawn = np.random.default_rng(0).dirichlet(counts + beta, size=200_000)
    entropies = -(drawn * np.log(drawn)).sum(axis=1)
    mean, variance = nsb._moments(np.array([beta]), Spectrum.of_counts(counts[:5]), 7)
    assert mean[0] == pytest.approx(entropies.mean(), abs=5 * entropies.std() / math.sqrt(200_000))
    assert variance[0] == pytest.approx(entropies.var(), rel=0.02)


@pytest.mark.parametrize(
    ("counts", "size", "low", "high"),
    [
        ([10**6], 10**6, 0.0, 2e-6),  # one symbol a million times: hardly anything else can be
        ([10**5] * 10, 10, math.log(10) - 1e-5, math.log(10)),
        ([1] * 10**6, 10**6, math.log(10**6) - 1e-5, math.log(10**6)),
        ([1], 10**6, 0.5 * math.log(10**6) - 1e-6, 0.5 * math.log(10**6) + 1e-6),  # the prior is flat over entropies
    ],
)
def test_nsb_at_its_limits(counts: list[int], size: int, low: float, high: float) -> None:
    assert low <= estimate(counts, "nsb", alphabet_size=size) <= high


def test_nsb_finds_a_zipf_law() -> None:
    p = 1 / np.arange(1, 10_001)
    p /= p.sum()
    counts = np.random.default_rng(1).multinomial(10**6, p)
    result = estimate_entropy(counts, "nsb", of="counts", alphabet_size=10_000, unit="nats")
    assert result.value == pytest.approx(6.6073, abs=0.02)  # H of this law, by its definition


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
    result = estimate_entropy(counts, method, of="counts", **size)  # type: ignore[arg-type]
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


def test_resamples_have_the_spread_of_samples() -> None:
    """Both ways of drawing agree with fresh samples of the restored law in mean and spread of the plug-in."""
    source = restore(Spectrum.of_counts(np.random.default_rng(5).multinomial(3000, np.full(1500, 1 / 1500))), None)
    from bitmeter.theory.estimators import resampling

    rng = np.random.default_rng(6)
    plug_in = spectrum.FORMULAS["maximum-likelihood"]
    exact = [plug_in(s, None) for s in resampling._multinomial(source, 400, rng)]
    quickly = [plug_in(s, None) for s in resampling._poisson(source, 400, rng)]
    assert np.mean(quickly) == pytest.approx(np.mean(exact), abs=0.003)
    assert np.std(quickly) == pytest.approx(np.std(exact), rel=0.3)
    assert float((source.probabilities * source.kinds).sum()) == pytest.approx(1)
    assert len(list(resamples(source, 3, rng))) == 3


def test_says_when_undersampled() -> None:
    assert "undersampled" in estimate_entropy("abcdefgh").note
    assert "No estimator is unbiased" in estimate_entropy("abcdefgh").note
    assert "well sampled" in estimate_entropy("ab" * 50).note
    assert "coverage 0.0000" in str(estimate_entropy("abcdefgh"))


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
