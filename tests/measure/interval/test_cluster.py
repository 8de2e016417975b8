"""Intervals by document: closed forms, what must not change them, and their coverage (fixed seeds)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import bitmeter as bm
from bitmeter._util.check import Floats
from bitmeter.errors import (
    UndefinedError,
)
from bitmeter.measure.interval.cluster import METHOD, cluster_ratio
from tests.measure.interval.samples import COSTS, documents, figures, within


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


def test_the_correction_is_unbiased_when_documents_have_effects_of_their_own() -> None:
    # Sizes fixed and very unequal; the variance of the ratio is then Σw² times that of the effects, exactly.
    sizes = np.array([1.0, 1, 2, 3, 5, 8, 13, 21])
    effects = np.random.default_rng(0).standard_normal((4000, 8))
    found = [cluster_ratio(sizes * row, sizes).standard_error for row in effects]
    weights = sizes / sizes.sum()
    squares = np.square(np.asarray(found, dtype=float))
    assert squares.mean() == pytest.approx(np.square(weights).sum(), abs=4 * squares.std() / math.sqrt(4000))


@given(COSTS, st.randoms(use_true_random=False))
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


def test_one_document_among_empty_or_tiny_ones_is_still_one() -> None:
    assert "one document does not show" in cluster_ratio([3.0, 0.0], [2, 0]).note
    lopsided = cluster_ratio([3000.0, 2.0, 1.0], [1000, 1, 1])
    assert lopsided.low is None
    assert "one document holds 100 % of the text" in lopsided.note
    assert cluster_ratio([2.0, 3.0], [1, 1]).low is not None


def test_costs_of_empty_documents_are_kept() -> None:
    # An end-of-text mark costs bits even where there are no bytes.
    assert cluster_ratio([1.0, 10.0, 10.0], [0, 5, 5]).estimate == 2.1


@pytest.mark.parametrize("number", [10, 40, 100])
def test_documents_cover(number: int) -> None:
    rng = np.random.default_rng(number)
    hits = sum(2.0 in cluster_ratio(*documents(rng, number)) for _ in range(1500))
    assert within(hits, 1500, 0.94, 0.96)


@pytest.mark.parametrize("per", ["byte", "char", "word", "token", "document"])
def test_the_method_divides_by_the_documents_own_counts(per: Any) -> None:
    score = bm.score("kt", b"".join(b"line %d of a text\n" % (10**i) for i in range(8)), docs="line")
    assert METHOD.applies(score, per)
    assert METHOD.interval(score, per, 0.9).estimate == pytest.approx(score.per(per), rel=1e-12)


def test_the_method_needs_six_documents() -> None:
    five, six = (bm.score("kt", b"a line\n" * number, docs="line") for number in (5, 6))
    assert (METHOD.applies(five, "byte"), METHOD.applies(six, "byte")) == (False, True)
    assert not METHOD.applies(bm.score(bm.Distribution({"a": 1.0}), b"a\n" * 10, docs="line"), "byte")
    with pytest.raises(UndefinedError):
        METHOD.interval(bm.score("zlib", b"a"), "byte", 0.95)
