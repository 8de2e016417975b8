"""Intervals and paired tests: closed forms, what must not change them, what they do at the edges, and how often they
hold under dependence. Simulations have fixed seeds; the full coverage table is made by benchmarks/coverage.py."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats
from scipy.signal import lfilter

from bitmeter._util.check import Floats
from bitmeter.errors import BitmeterError, EmptyError, NegativeError, NotFiniteError, RangeError, ShapeError
from bitmeter.measure.interval.statistics import Interval, batch_means, cluster_ratio, e_process, holm, paired


def documents(rng: np.random.Generator, number: int, spread: float = 1.0) -> tuple[Floats, Floats]:
    """Costs and sizes: log-normal lengths, an effect of each document, and noise within; 2 bits a byte on average."""
    sizes = np.ceil(2000 * np.exp(spread * rng.standard_normal(number)))
    costs = sizes * (2.0 + 0.1 * rng.standard_normal(number)) + np.sqrt(4.0 * sizes) * rng.standard_normal(number)
    return costs, sizes


def figures(interval: Interval) -> tuple[float, float, float, float]:
    assert interval.low is not None
    assert interval.high is not None
    assert interval.standard_error is not None
    return interval.low, interval.high, interval.estimate, interval.standard_error


# Closed forms


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("number", [2, 3, 10, 100])
def test_documents_of_one_size_give_the_classical_interval_of_the_mean(number: int, confidence: float) -> None:
    rates = np.random.default_rng(number).normal(2.0, 0.3, number)
    found = cluster_ratio(rates * 50, np.full(number, 50), confidence)
    low, high = stats.t.interval(confidence, number - 1, loc=rates.mean(), scale=stats.sem(rates))
    assert figures(found) == pytest.approx((low, high, rates.mean(), stats.sem(rates)), rel=1e-12)
    assert found.degrees == pytest.approx(number - 1)
    assert (found.method, found.clusters, found.note) == ("cluster-t", number, "")


def test_unequal_documents_by_hand() -> None:
    # R = 12/4 = 3, so the residuals x − R·n are 1 and −1. w = (1/4, 3/4), Σw² = 10/16 and c = 1 − 2w + Σw² =
    # (18/16, 2/16), so that V = (16/18 + 16/2)/4² = 10/18; the effective number of documents is 16/10.
    found = cluster_ratio([4.0, 8.0], [1, 3])
    assert found.estimate == 3.0
    assert found.standard_error == pytest.approx(math.sqrt(10 / 18), rel=1e-14)
    assert found.degrees == pytest.approx(16 / 10 - 1, rel=1e-14)


def test_paired_documents_of_one_size_give_the_paired_t_test() -> None:
    rng = np.random.default_rng(4)
    b = rng.normal(200, 20, 30)
    a = b + rng.normal(1, 3, 30)
    found = paired(a, b, np.full(30, 100))
    expected = stats.ttest_rel(a / 100, b / 100)
    assert found.p_value == pytest.approx(expected.pvalue, rel=1e-9)
    interval = expected.confidence_interval(0.95)
    assert found.interval is not None
    assert figures(found.interval)[:2] == pytest.approx((interval.low, interval.high), rel=1e-9)
    assert found.share_won == np.mean(a < b)
    assert (found.reason, found.label) == ("", "by document")


def test_the_correction_is_unbiased_when_documents_have_effects_of_their_own() -> None:
    # Sizes fixed and very unequal; the variance of the ratio is then Σw² times that of the effects, exactly.
    sizes = np.array([1.0, 1, 2, 3, 5, 8, 13, 21])
    effects = np.random.default_rng(0).standard_normal((4000, 8))
    found = [cluster_ratio(sizes * row, sizes).standard_error for row in effects]
    weights = sizes / sizes.sum()
    squares = np.square(np.asarray(found, dtype=float))
    assert squares.mean() == pytest.approx(np.square(weights).sum(), abs=4 * squares.std() / math.sqrt(4000))


def test_holm_by_hand() -> None:
    # Four tests: 4 × .005 = .02; 3 × .01 = .03; 2 × .03 = .06; then 1 × .04 is raised to .06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([0.6, None, 0.7]) == (1.0, None, 1.0)
    assert holm([]) == ()
    assert holm([None]) == (None,)
    with pytest.raises(RangeError, match=r"p_values\[1\] is 1.5"):
        holm([0.5, 1.5])
    with pytest.raises(NotFiniteError):
        holm([math.nan])


# What must not change the figures


costs = arrays(np.float64, st.integers(6, 40), elements=st.floats(0.0, 1e6))


@given(costs, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=60)
def test_the_order_of_documents_and_empty_ones_do_not_matter(x: Floats, random: Any) -> None:
    n = np.arange(1.0, x.size + 1)
    order = np.asarray(random.sample(range(x.size), x.size))
    plain = cluster_ratio(x, n)
    shuffled = cluster_ratio(x[order], n[order])
    with_empty = cluster_ratio(np.append(x, [0.0, 0.0]), np.append(n, [0.0, 0.0]))
    scale = max(1.0, float(x.max()))
    for other in (shuffled, with_empty):
        assert figures(other) == pytest.approx(figures(plain), rel=1e-9, abs=1e-9 * scale)
        assert other.clusters == plain.clusters


@given(costs, st.floats(0.01, 100.0), st.floats(-100.0, 100.0))
@settings(deadline=None, max_examples=60)
@pytest.mark.parametrize("method", [cluster_ratio, batch_means])
def test_units_and_constants_pass_through(method: Any, x: Floats, factor: float, shift: float) -> None:
    n = 1.0 + np.arange(x.size) % 3
    plain = figures(method(x, n))
    small = 1e-8 * max(1.0, float(x.max())) * max(1.0, factor)
    assert figures(method(factor * x, n)) == pytest.approx([factor * value for value in plain], rel=1e-9, abs=small)
    assert figures(method(x, n).scaled(factor)) == pytest.approx(
        [factor * value for value in plain], rel=1e-9, abs=small
    )
    moved = [plain[0] + shift, plain[1] + shift, plain[2] + shift, plain[3]]
    assert figures(method(x + shift * n, n)) == pytest.approx(moved, rel=1e-9, abs=small)


def test_exchanging_the_models_turns_everything_round() -> None:
    rng = np.random.default_rng(8)
    a, n = documents(rng, 25)
    b = a + n * rng.normal(0.02, 0.05, 25)
    one, other = paired(a, b, n), paired(b, a, n)
    assert one.difference is not None
    assert other.difference == -one.difference
    assert other.p_value == one.p_value
    assert other.e_value == pytest.approx(one.e_value, rel=1e-12)
    assert other.share_won == pytest.approx(1.0 - one.share_won)


def test_what_both_models_pay_does_not_matter() -> None:
    rng = np.random.default_rng(9)
    a, n = documents(rng, 25)
    b = a + n * rng.normal(0.02, 0.05, 25)
    plain, more = paired(a, b, n), paired(a + 3 * n, b + 3 * n, n)
    assert (more.difference, more.p_value, more.e_value) == pytest.approx(
        (plain.difference, plain.p_value, plain.e_value), rel=1e-8
    )


# Edges


@pytest.mark.parametrize("method", [cluster_ratio, batch_means])
def test_infinite_costs_give_an_infinite_estimate_and_no_interval(method: Any) -> None:
    found = method([1.0, math.inf, 2.0, math.inf], [1, 1, 1, 1])
    assert found.estimate == math.inf
    assert (found.low, found.high, found.standard_error, found.half_width) == (None, None, None, None)
    assert "infinite on 2 of 4" in found.note
    assert "inf (no interval: infinite on 2 of 4" in str(found)
    assert found.scaled(2.0) == found
    assert 3.0 not in found


@pytest.mark.parametrize("method", [cluster_ratio, batch_means])
def test_one_cluster_has_an_estimate_and_says_why_there_is_no_interval(method: Any) -> None:
    found = method([3.0], [2])
    assert (found.estimate, found.low, found.high) == (1.5, None, None)
    assert "shows nothing of how" in found.note


def test_one_document_among_empty_or_tiny_ones_is_still_one() -> None:
    assert "one document shows" in cluster_ratio([3.0, 0.0], [2, 0]).note
    lopsided = cluster_ratio([3000.0, 2.0, 1.0], [1000, 1, 1])
    assert lopsided.low is None
    assert "one document holds 100 % of the text" in lopsided.note
    assert cluster_ratio([2.0, 3.0], [1, 1]).low is not None


@pytest.mark.parametrize("method", [cluster_ratio, batch_means])
def test_equal_clusters_give_an_interval_of_no_width(method: Any) -> None:
    found = method(np.full(40, 3.0), np.full(40, 2.0))
    assert figures(found) == (1.5, 1.5, 1.5, 0.0)
    assert 1.5 in found


def test_costs_of_empty_documents_are_kept() -> None:
    # An end-of-text mark costs bits even where there are no bytes.
    assert cluster_ratio([1.0, 10.0, 10.0], [0, 5, 5]).estimate == 2.1


def test_few_documents_give_no_p_value_and_say_why() -> None:
    rng = np.random.default_rng(1)
    for number in (2, 5, 6):
        a = rng.normal(100, 1, number)
        found = paired(a, a + rng.normal(3, 1, number), np.full(number, 10))
        assert (found.p_value is None) == (number <= 5)
        assert ("too few" in found.reason) == (number <= 5)
        assert found.interval is not None
        assert found.interval.low is not None
        assert found.e_value is not None
    lone = paired([1.0], [2.0], [1])
    assert lone.p_value is None
    assert "one document" in lone.reason
    padded = paired(
        np.append(a[:5], np.zeros(9)), np.append(a[:5] + 1, np.zeros(9)), np.append(np.ones(5), np.zeros(9))
    )
    assert padded.p_value is None, "empty documents do not make a p-value"


def test_identical_models_tie_everywhere_even_after_rounding() -> None:
    a = np.random.default_rng(2).normal(1e5, 1e3, 20)
    found = paired(a, a * (1 + 2**-52), np.full(20, 1000))
    assert (found.difference, found.p_value, found.share_won, found.e_value) == (0.0, 1.0, 0.5, 1.0)


def test_a_difference_that_is_the_same_everywhere_is_certain() -> None:
    n = np.arange(1.0, 21.0)
    found = paired(8.0 * n, 9.0 * n, n)
    assert (found.difference, found.p_value, found.share_won) == (-1.0, 0.0, 1.0)
    assert found.e_value is not None
    assert found.e_value > 20


def test_infinite_differences() -> None:
    ones = np.ones(8)
    a = np.array([1.0, math.inf, 2, 2, 2, 2, 2, 2])
    b = np.full(8, 3.0)
    worse = paired(a, b, ones)
    assert worse.difference == math.inf
    assert worse.p_value is None
    assert "infinite on 1 of 8 documents" in worse.reason
    assert worse.share_won == 7 / 8
    assert paired(b, a, ones).difference == -math.inf
    for other in (a, a[::-1]):
        both = paired(a, other, ones)
        assert both.difference is None
        assert both.interval is None
        assert both.p_value is None
        assert "both models are infinite" in both.reason
        assert "no difference" in str(both)


def test_a_series_is_conditional_on_its_text() -> None:
    rng = np.random.default_rng(3)
    noise = np.convolve(rng.standard_normal(4096 + 19), np.ones(20) / 20, "valid")
    b = rng.normal(16, 1, 4096)
    found = paired(b + 0.3 * noise - 0.2, b, np.full(4096, 8), series=True)
    assert found.label == "conditional on this text"
    assert found.e_value is None
    assert "no e-value" in found.reason
    assert found.p_value is not None
    assert found.p_value < 1e-6
    assert found.interval is not None
    assert found.interval.method.startswith("batch-means-t(")
    assert -0.2 / 8 in found.interval
    assert paired(b[:5], b[:5] + 1, np.ones(5), series=True).p_value is None


def test_batch_means_say_what_they_could_not_see() -> None:
    rng = np.random.default_rng(5)
    assert "only 9 stretches" in batch_means(rng.standard_normal(9), np.ones(9)).note
    assert batch_means(rng.standard_normal(5000), np.ones(5000)).note == ""
    wandering = np.cumsum(rng.standard_normal(5000))
    assert batch_means(wandering, np.ones(5000)).note != ""


def test_batches_grow_when_neighbours_stay_alike_and_only_then() -> None:
    rng = np.random.default_rng(17)
    drifting = lfilter([1.0], [1.0, -0.998], 0.0063 * rng.standard_normal((100, 8000)), axis=1)
    noise = rng.standard_normal((100, 8000))
    alike = [batch_means(row, np.ones(8000)) for row in noise + drifting]
    independent = [batch_means(row, np.ones(8000)) for row in noise]
    # 8000 stretches make 64 batches of 125; the drift lasts 500 stretches, so that most of these must be joined.
    assert sum(found.method != "batch-means-t(125)" for found in alike) > 50
    assert sum("still grows" in found.note for found in alike) > 20
    assert sum(found.method != "batch-means-t(125)" for found in independent) < 25
    assert sum(found.note != "" for found in independent) < 8


def test_the_last_stretch_may_be_short() -> None:
    rng = np.random.default_rng(6)
    n = np.append(np.full(4000, 100.0), 7.0)
    found = batch_means(2.0 * n + 10 * rng.standard_normal(n.size), n)
    assert found.estimate == pytest.approx(2.0, abs=0.01)
    assert found.clusters == 65
    assert found.method == "batch-means-t(62)"
    assert found.degrees is not None
    assert found.degrees < 65


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (([], []), EmptyError, "nothing to measure"),
        (([1.0], [1, 2]), ShapeError, "1 clusters and denominators 2"),
        (([[1.0]], [1]), ShapeError, "one axis"),
        (([1.0, math.nan], [1, 1]), NotFiniteError, r"numerators\[1\] is nan"),
        (([1.0, -math.inf], [1, 1]), NotFiniteError, r"numerators\[1\] is -inf"),
        (([1.0, 1.0], [1, math.inf]), NotFiniteError, r"denominators\[1\] is inf"),
        (([1.0, 1.0], [1, -1]), NegativeError, r"denominators\[1\] is -1"),
        (([0.0, 0.0], [0, 0]), EmptyError, "all 2 clusters are empty"),
        (([1e200, 1.0], [1, 1]), RangeError, "mistake in the units"),
        (([1.0, 1.0], [1, 1], 95), RangeError, r"for 95 % write 0.95"),
        (([1.0, 1.0], [1, 1], 0.0), RangeError, "between 0 and 1"),
    ],
)
def test_bad_input_is_a_typed_error(arguments: tuple[Any, ...], error: type[Exception], words: str) -> None:
    for method in (cluster_ratio, batch_means):
        with pytest.raises(error, match=words):
            method(*arguments)


anything = st.one_of(
    st.none(), st.text(max_size=3), st.booleans(), st.integers(-3, 3), st.floats(),
    st.lists(st.one_of(st.floats(), st.none(), st.integers(-(10**30), 10**30)), max_size=4),
    arrays(np.float64, st.integers(0, 40), elements=st.floats(-1e5, 1e120)),
    arrays(np.float64, st.integers(0, 40), elements=st.floats(0, 1e-90)),
)  # fmt: skip


@given(anything, anything, anything, st.one_of(st.just(0.95), anything), st.booleans())
@settings(deadline=None, max_examples=300)
def test_nothing_but_typed_errors_and_no_nan(a: Any, b: Any, n: Any, confidence: Any, series: bool) -> None:
    for call in (
        lambda: cluster_ratio(a, n, confidence),
        lambda: batch_means(a, n, confidence),
        lambda: paired(a, b, n, confidence, series=series),
        lambda: e_process(a, b, n),
        lambda: holm(a),
    ):
        try:
            found = call()
        except BitmeterError:
            continue
        assert "nan" not in str(found)


@given(arrays(np.float64, 12, elements=st.floats(0, 1e90)), arrays(np.float64, 12, elements=st.floats(0, 1e90)))
@settings(deadline=None, max_examples=100)
def test_extreme_figures_stay_figures(a: Floats, b: Floats) -> None:
    n = np.where(np.arange(12) % 2, 1.0, 1e6)
    for found in (cluster_ratio(a, n), batch_means(a, n)):
        assert all(math.isfinite(value) for value in figures(found))
    test = paired(a, b, n)
    assert test.p_value is not None
    assert 0.0 <= test.p_value <= 1.0
    assert test.e_value is not None
    assert 0.0 < test.e_value <= 1e300


# How often they hold; each of these fails for an interval that takes units or sentences as independent


def within(hits: int, runs: int, low: float, high: float) -> bool:
    """Whether a coverage in [low, high] could have given so many hits, within four standard errors."""
    return low - 4 * math.sqrt(low * (1 - low) / runs) <= hits / runs <= high + 4 * math.sqrt(high * (1 - high) / runs)


def naive(x: Floats) -> float:
    return 1.96 * float(x.std()) / math.sqrt(x.size)


@pytest.mark.parametrize("number", [10, 40, 100])
def test_documents_cover(number: int) -> None:
    rng = np.random.default_rng(number)
    hits = sum(2.0 in cluster_ratio(*documents(rng, number)) for _ in range(1500))
    assert within(hits, 1500, 0.94, 0.96)


def test_batch_means_cover_a_sticky_series() -> None:
    rng = np.random.default_rng(11)
    hits = poor = 0
    for _ in range(500):
        # A regime that lasts 200 steps on average sets the level, as subjects of a text do.
        regimes = (np.cumsum(rng.random(4000) < 0.005) + rng.integers(2)) % 2
        x = 1.0 + regimes + 0.5 * rng.standard_normal(4000)
        hits += 1.5 in batch_means(x, np.ones(4000))
        poor += abs(float(x.mean()) - 1.5) <= naive(x)
    assert within(hits, 500, 0.93, 0.97)
    assert poor / 500 < 0.5


def test_p_values_are_uniform_when_neither_model_is_better() -> None:
    rng = np.random.default_rng(12)
    found = []
    for _ in range(1000):
        a, n = documents(rng, 30, spread=0.5)
        found.append(paired(a, a + n * rng.normal(0.0, 0.05, 30), n).p_value)
    assert stats.kstest(np.asarray(found, dtype=float), "uniform").pvalue > 0.01


def test_p_values_of_a_series_are_calibrated() -> None:
    rng = np.random.default_rng(13)
    rejected = 0
    for _ in range(400):
        noise = np.convolve(rng.standard_normal(2048 + 29), np.ones(30), "valid")
        p_value = paired(noise, np.zeros(2048), np.ones(2048), series=True).p_value
        assert p_value is not None
        rejected += p_value < 0.05
    assert within(rejected, 400, 0.03, 0.06)


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


def test_rounding_is_no_spread() -> None:
    # A constant cost summed in stretches differs in the last bits; that is no uncertainty, and must not look like one.
    rng = np.random.default_rng(0)
    sizes = np.full(2000, 64.0)
    costs = 8.0 * sizes * (1.0 + rng.integers(-3, 4, 2000) * 2.0**-52)
    found = batch_means(costs, sizes)
    assert found.half_width == 0.0
    assert found.method == batch_means(8.0 * sizes, sizes).method
