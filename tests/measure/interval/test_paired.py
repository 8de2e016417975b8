"""Paired tests against scipy and closed forms; calibration under the null (fixed seeds)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from bitmeter.errors import NotFiniteError, RangeError
from bitmeter.measure.interval.paired import holm, paired
from tests.measure.interval.samples import documents, within


def test_p_is_never_below_that_of_the_paired_t_test() -> None:
    rng = np.random.default_rng(4)
    closest = 0.0
    for _ in range(100):
        b = rng.normal(200, 20, 30)
        a = b + rng.normal(1, 3, 30)
        found = paired(a, b, np.full(30, 100))
        expected = stats.ttest_rel(a / 100, b / 100)
        assert found.p_value is not None
        assert found.p_value >= expected.pvalue * (1 - 1e-9)
        closest = max(closest, expected.pvalue / found.p_value)
        assert found.share_won == np.mean(a < b)
        assert found.label == "by document"
    assert closest > 0.9, "normal differences of independent documents are tested about as by Student"


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


def test_exchanging_the_models_turns_everything_round() -> None:
    rng = np.random.default_rng(8)
    a, n = documents(rng, 25)
    b = a + n * rng.normal(0.02, 0.05, 25)
    one, other = paired(a, b, n), paired(b, a, n)
    assert one.difference is not None
    assert other.difference == -one.difference
    assert other.p_value == one.p_value
    assert (one.e_value is None) == (other.e_value is None)
    if one.e_value is not None:
        assert other.e_value == pytest.approx(one.e_value, rel=1e-12)
    assert other.share_won == pytest.approx(1.0 - one.share_won)


def test_what_both_models_pay_does_not_matter() -> None:
    rng = np.random.default_rng(9)
    a, n = documents(rng, 25)
    b = a + n * rng.normal(0.02, 0.05, 25)
    plain, more = paired(a, b, n), paired(a + 3 * n, b + 3 * n, n)
    assert (more.difference, more.p_value) == pytest.approx((plain.difference, plain.p_value), rel=1e-7)
    assert (more.e_value is None) == (plain.e_value is None)


def test_few_documents_give_no_p_value_and_say_why() -> None:
    rng = np.random.default_rng(1)
    for number in (2, 5, 6):
        a = rng.normal(100, 1, number)
        found = paired(a, a + rng.normal(3, 1, number), np.full(number, 10))
        assert (found.p_value is None) == (number <= 5)
        assert ("too few" in found.reason) == (number <= 5)
        assert found.interval is not None
        assert found.interval.low is not None
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
    assert found.e_value > 2


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


def test_blocks_are_conditional_on_their_text() -> None:
    rng = np.random.default_rng(3)
    noise = np.convolve(rng.standard_normal(4096 + 19), np.ones(20) / 20, "valid")
    b = rng.normal(16, 1, 4096)
    found = paired(b + 0.3 * noise - 0.2, b, np.full(4096, 8), kind="block")
    assert found.label == "conditional on this text"
    assert found.e_value is None
    assert "no e-value" in found.reason
    assert found.p_value is not None
    assert found.p_value < 1e-6
    assert found.interval is not None
    assert found.interval.method == "serial-blocks"
    assert -0.2 / 8 in found.interval
    assert paired(b[:5], b[:5] + 1, np.ones(5), kind="block").p_value is None


@pytest.mark.parametrize("kind", ["line", "blank", "block"])
def test_parts_of_a_text_give_no_e_value(kind: str) -> None:
    rng = np.random.default_rng(5)
    b = rng.normal(20, 1, 50)
    found = paired(b - rng.normal(1, 0.1, 50), b, np.full(50, 10), kind=kind)
    assert found.e_value is None
    assert "depend on each other" in found.reason
    assert found.p_value is not None


def test_documents_that_are_alike_give_no_e_value() -> None:
    rng = np.random.default_rng(6)
    level = np.repeat(rng.standard_normal(5), 20)
    found = paired(2000.0 + 50 * level, np.full(100, 2000.0), np.full(100, 1000))
    assert found.e_value is None
    assert "neighbouring documents may be alike" in found.reason
    assert any("count as about" in note for note in found.notes)


@pytest.mark.parametrize(("kind", "most"), [("file", 0.055), ("line", 0.05)])
def test_p_values_are_at_most_calibrated_when_neither_model_is_better(kind: str, most: float) -> None:
    rng = np.random.default_rng(12)
    rejected = 0
    for _ in range(600):
        a, n = documents(rng, 30, spread=0.5)
        p_value = paired(a, a + n * rng.normal(0.0, 0.05, 30), n, kind=kind).p_value
        assert p_value is not None
        rejected += p_value < 0.05
    assert within(rejected, 600, 0.01, most)


def test_p_values_of_blocks_are_calibrated() -> None:
    rng = np.random.default_rng(13)
    rejected = 0
    for _ in range(400):
        noise = np.convolve(rng.standard_normal(2048 + 29), np.ones(30), "valid")
        p_value = paired(noise, np.zeros(2048), np.ones(2048), kind="block").p_value
        assert p_value is not None
        rejected += p_value < 0.05
    assert within(rejected, 400, 0.005, 0.05)
