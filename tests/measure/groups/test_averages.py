"""Averages over documents and groups: closed forms, and the coverage of the macro interval."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bitmeter.measure.aggregates import DocumentSums
from bitmeter.measure.groups.averages import documents_interval, macro_of_documents, macro_of_groups
from bitmeter.measure.interval.base import Interval


def sums(nats: list[float], sizes: list[int], clusters: list[int] | None = None) -> DocumentSums:
    n = np.array(sizes, dtype=np.int64)
    found = None if clusters is None else np.array(clusters)
    return DocumentSums(np.array(nats), n, n, n, n, None, found, "field.x" if clusters else "")


def made(low: float | None, estimate: float, high: float | None) -> Interval:
    return Interval(low, high, estimate, None, 0.95, "x", 9, 8.0)


def test_micro_and_macro() -> None:
    documents = sums([1.0, 6.0, 0.0], [1, 3, 0])
    micro = documents_interval(documents, "record", "byte", 0.95)
    macro = macro_of_documents(documents, "record", "byte", 0.95)
    assert micro is not None
    assert macro is not None
    assert micro.estimate == pytest.approx(7.0 / 4.0 / math.log(2))
    assert macro.estimate == pytest.approx((1.0 + 2.0) / 2.0 / math.log(2))  # the empty one weighs nothing


def test_clusters_are_the_observations() -> None:
    documents = sums([1.0, 2.0, 3.0, 4.0], [1, 1, 1, 1], [0, 0, 1, 1])
    found = documents_interval(documents, "record", "byte", 0.95, np.array([0, 1, 2]))
    assert found is not None
    assert found.clusters == 2
    assert documents_interval(sums([0.0], [0]), "record", "byte", 0.95) is None


def test_macro_of_equal_groups_is_narrower_by_the_root() -> None:
    found = macro_of_groups([2.0] * 4, [made(1.0, 2.0, 4.0)] * 4, 0.95)
    assert (found.low, found.estimate, found.high) == (1.5, 2.0, 3.0)


def test_missing_ends() -> None:
    found = macro_of_groups([2.0, 3.0], [made(1.0, 2.0, 4.0), made(None, 3.0, None)], 0.95)
    assert found.low is None
    assert found.notes == ("1 of 2 groups have no interval",)
    assert macro_of_groups([2.0, math.inf], [None, None], 0.95).notes == ("a group is infinite",)


def test_coverage() -> None:
    """Of normal means with known spread: the combined interval has the level of its parts."""
    rng = np.random.default_rng(5)
    truth = np.array([1.0, 3.0, 7.0])
    spread = np.array([0.1, 0.5, 1.0])
    hits = 0
    for _ in range(2000):
        seen = rng.normal(truth, spread)
        parts = [made(x - 1.96 * s, x, x + 1.96 * s) for x, s in zip(seen.tolist(), spread.tolist(), strict=True)]
        found = macro_of_groups(seen.tolist(), parts, 0.95)
        hits += float(truth.mean()) in found
    assert 0.93 < hits / 2000 < 0.97
