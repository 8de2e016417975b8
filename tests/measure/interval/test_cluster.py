"""Intervals by document: closed forms, what must not change them, and their coverage (fixed seeds)."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats
from scipy.signal import lfilter

import bitmeter as bm
from bitmeter._util.arrays import Floats
from bitmeter.errors import (
    UndefinedError,
)
from bitmeter.measure.interval.cluster import METHOD, cluster_ratio
from tests.measure.interval.samples import COSTS, documents, figures, within


@pytest.mark.parametrize("number", [2, 3, 10, 100])
def test_the_standard_error_of_documents_of_one_size_is_that_of_the_mean(number: int) -> None:
    rates = np.random.default_rng(number).normal(2.0, 0.3, number)
    found = cluster_ratio(rates * 50, np.full(number, 50))
    assert figures(found)[2:] == pytest.approx((rates.mean(), stats.sem(rates)), rel=1e-12)
    assert found.degrees == pytest.approx(number - 1)
    assert (found.method, found.clusters) == ("serial-clusters(file)", number)


@given(COSTS)
@settings(deadline=None, max_examples=60)
def test_empty_documents_do_not_matter(x: Floats) -> None:
    n = np.arange(1.0, x.size + 1)
    plain = cluster_ratio(x, n)
    with_empty = cluster_ratio(np.insert(x, [0, 3, x.size], 0.0), np.insert(n, [0, 3, x.size], 0.0))
    assert figures(with_empty) == pytest.approx(figures(plain), rel=1e-9, abs=1e-9 * max(1.0, float(x.max())))
    assert with_empty.clusters == plain.clusters


def test_one_document_among_empty_or_tiny_ones_is_still_one() -> None:
    assert "one document does not show" in cluster_ratio([3.0, 0.0], [2, 0]).notes[0]
    lopsided = cluster_ratio([3000.0, 2.0, 1.0], [1000, 1, 1])
    assert lopsided.low is None
    assert "one document holds 100 % of the text" in lopsided.notes[0]
    assert cluster_ratio([2.0, 3.0], [1, 1]).low is not None


def test_costs_of_empty_documents_are_kept() -> None:
    # An end-of-text mark costs bits even where there are no bytes.
    assert cluster_ratio([1.0, 10.0, 10.0], [0, 5, 5]).estimate == 2.1


@pytest.mark.parametrize("number", [5, 10, 40])
def test_documents_cover(number: int) -> None:
    rng = np.random.default_rng(number)
    hits = sum(2.0 in cluster_ratio(*documents(rng, number)) for _ in range(600))
    assert within(hits, 600, 0.945, 0.99)


@pytest.mark.parametrize("kind", ["line", "file"])
def test_documents_that_drift_cover(kind: str) -> None:
    # Neighbours correlate at .7; Student's t over independent documents covers .65 here.
    rng = np.random.default_rng(8)
    hits = plain = 0
    for _ in range(300):
        level = lfilter([1.0], [1.0, -0.7], rng.standard_normal(160))[60:]
        costs = 1000.0 * (2.0 + 0.1 * level)
        hits += 2.0 in cluster_ratio(costs, np.full(100, 1000.0), kind=kind)
        plain += abs(level.mean()) <= 1.984 * stats.sem(level)
    assert within(hits, 300, 0.94, 0.99)
    assert plain / 300 < 0.8


def test_skewed_documents_cover() -> None:
    # Lognormal effects and sizes; Student's t alone covers .87 here.
    rng = np.random.default_rng(9)
    hits = 0
    for _ in range(400):
        sizes = np.ceil(2000 * np.exp(rng.standard_normal(30)))
        hits += 0.2 * math.exp(0.5) in cluster_ratio(sizes * 0.2 * np.exp(rng.standard_normal(30)), sizes)
    assert within(hits, 400, 0.93, 0.98)


@pytest.mark.parametrize("per", ["byte", "char", "word", "token", "document"])
def test_the_method_divides_by_the_documents_own_counts(per: Any) -> None:
    score = bm.score("kt", b"".join(b"line %d of a text\n" % (10**i) for i in range(8)), docs="line")
    assert METHOD.applies(score, per)
    assert METHOD.interval(score, per, 0.9).estimate == pytest.approx(score.per(per), rel=1e-12)


def test_the_method_needs_two_documents() -> None:
    one, two = (bm.score("kt", b"a line of text\n" * number, docs="line") for number in (1, 2))
    assert (METHOD.applies(one, "byte"), METHOD.applies(two, "byte")) == (False, True)
    assert not METHOD.applies(bm.score(bm.Distribution({"a": 1.0}), b"a\n" * 10, docs="line"), "byte")
    with pytest.raises(UndefinedError):
        METHOD.interval(bm.score("zlib", b"a"), "byte", 0.95)


def test_few_documents_come_with_a_note() -> None:
    found = cluster_ratio([2.0, 2.1, 1.9], [1, 1, 1])
    assert found.notes == ("only 3 documents: the interval assumes that documents differ about normally",)


def test_units_that_were_not_scored_are_in_neither_figure_nor_interval() -> None:
    # The figure is divided by the scored bytes; an interval over all bytes would not contain it.
    found = bm.score("kt", b"ab\ncd\nab\ncd\nef\nab\n", docs="line", first="skip")
    assert found.by_document is not None
    assert found.interval is not None
    assert found.bytes < found.by_document.bytes.sum()
    assert found.interval.estimate == pytest.approx(found.bits_per_byte, rel=1e-12)
