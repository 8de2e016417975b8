"""Figures against limits: the four verdicts, and how much more text would decide."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.measure.compare import compare_scores
from bitmeter.measure.gate.allowance import Allowance
from bitmeter.measure.gate.limits import against, kl_limit, more_needed, top_limit
from tests.measure.made import made_score


def pair(difference: float, spread: float, number: int = 40) -> bm.Comparison:
    """Two scores of documents of ten bytes, whose differences have this mean and standard deviation per byte."""
    rng = np.random.default_rng(7)
    base = rng.normal(20.0, 2.0, number)
    noise = rng.normal(0.0, 1.0, number)
    noise = (noise - noise.mean()) / noise.std(ddof=1)
    new = base + (difference + spread * noise) * 10 * math.log(2.0)
    scores = [made_score(list(nats), [5] * number, signature=bm.Signature(docs="file")) for nats in (base, new)]
    return compare_scores(scores, 0.95)


@pytest.mark.parametrize(
    ("difference", "spread", "allowed", "verdict"),
    [(-0.1, 0.1, 0.0, "better"), (0.01, 0.02, 0.05, "equal"), (0.2, 0.1, 0.05, "worse"), (0.05, 0.3, 0.1, "undecided")],
)
def test_the_verdict_is_that_of_the_interval(difference: float, spread: float, allowed: float, verdict: str) -> None:
    found = against(pair(difference, spread), Allowance(allowed, relative=False))
    assert found.low is not None
    assert found.high is not None
    assert found.verdict == verdict
    assert found.value == pytest.approx(difference, rel=1e-9)
    expected = (
        "worse" if found.low > allowed
        else "better" if found.high < 0
        else "equal" if found.high <= allowed else "undecided"
    )  # fmt: skip
    assert verdict == expected
    assert (found.more is None) == (verdict != "undecided")


def test_a_share_is_of_the_baseline() -> None:
    comparison = pair(0.0, 0.1)
    found = against(comparison, Allowance(0.005, relative=True))
    assert found.most == 0.005 * comparison.baseline.bits_per_byte


def test_infinite_is_worse_than_any_allowance() -> None:
    finite = made_score([10.0] * 8, [5] * 8)
    endless = made_score([10.0] * 7 + [math.inf], [5] * 8, impossible=1, known_nats=70.0)
    worse = against(compare_scores([finite, endless], 0.95), Allowance(1e9, relative=False))
    better = against(compare_scores([endless, finite], 0.95), Allowance(0.0, relative=True))
    assert (worse.verdict, better.verdict) == ("worse", "better")
    assert worse.to_dict()["value"] == "inf"


def test_totals_alone_decide_nothing() -> None:
    text = b"to be or not to be " * 50
    found = against(bm.compare("kt", "zlib", on=text), Allowance(0.1, relative=False))
    assert found.verdict == "undecided"
    assert "total" in found.reason


@given(
    value=st.floats(-1, 1), half=st.floats(1e-3, 1), limit=st.floats(-1, 1), number=st.integers(6, 10_000),
)  # fmt: skip
def test_as_many_more_bring_the_end_to_the_limit(value: float, half: float, limit: float, number: int) -> None:
    """The closed form: an interval of half-width h √(n / (n + more)) just reaches the limit."""
    more = more_needed(value, value - half, value + half, limit, number)
    distance = abs(value - limit)
    if more is None:
        assert number * half**2 > 1e12 * distance**2 or distance < 1e-11
        return
    assert half * math.sqrt(number / (number + more)) <= distance * (1 + 1e-9) or distance > half
    if more > 1:
        assert half * math.sqrt(number / (number + more - 1)) >= distance * (1 - 1e-9)


def diverged(nats: list[float], same: list[bool]) -> bm.Divergence:
    zeros = np.zeros(len(nats))
    return bm.Divergence("p", "q", "text", np.array(nats), np.array(same), zeros, zeros)


def test_means_of_divergence() -> None:
    rng = np.random.default_rng(1)
    nats = rng.exponential(0.01, 6400)
    same = rng.random(6400) < 0.97
    found = diverged(list(nats), list(same))
    kl = kl_limit(found, 0.02, 0.95)
    assert kl.value == pytest.approx(found.mean, rel=1e-12)
    assert kl.low is not None
    assert kl.high is not None
    assert kl.low < kl.value < kl.high
    assert kl.verdict == "equal"
    assert kl_limit(found, 0.01, 0.95).verdict == "worse"
    top = top_limit(found, 0.9, 0.95)
    assert top.value == pytest.approx(1.0 - found.same_top_rate, rel=1e-12)
    assert (top.verdict, top_limit(found, 0.99, 0.95).verdict) == ("equal", "worse")
    # Independent tokens: the interval is about that of independent draws, 1.96 σ/√n to either side.
    naive = 1.96 * nats.std(ddof=1) / math.sqrt(6400) / math.log(2.0)
    assert kl.high - kl.low == pytest.approx(2 * naive, rel=0.3)


def test_an_infinite_divergence_is_worse() -> None:
    found = kl_limit(diverged([0.1, math.inf] * 40, [True] * 80), 5.0, 0.95)
    assert found.verdict == "worse"
    assert "40 of 80 tokens" in found.reason


def test_few_tokens_decide_nothing() -> None:
    found = kl_limit(diverged([0.1] * 3, [True] * 3), 0.5, 0.95)
    assert found.verdict == "undecided"
    assert found.reason


@pytest.mark.parametrize("different", [1, 2, 3198, 3199])
def test_a_share_stays_within_nothing_and_all(different: int) -> None:
    """One token of 3,200: a symmetric interval would end below 0, or above 1."""
    same = [k >= different for k in range(3200)]
    found = top_limit(diverged([1e-3] * 3199 + [1.0], same), 0.98, 0.95)
    assert found.low is not None
    assert found.high is not None
    assert 0.0 <= found.low <= found.value <= found.high <= 1.0
    assert found.value == pytest.approx(different / 3200, rel=1e-12)
    kl = kl_limit(diverged([0.0] * 3199 + [1.0], same), 1.0, 0.95)
    assert kl.low is not None
    assert 0.0 <= kl.low <= kl.value
