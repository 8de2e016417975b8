"""Distributions over labels, and conditional ones."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import bitmeter as bm
from bitmeter import errors
from tests.theory.strategies import samples, tables, vectors


@given(vectors())
def test_a_distribution_is_its_mapping(p: NDArray[np.float64]) -> None:
    mapping = {f"x{i}": float(x) for i, x in enumerate(p)}
    distribution = bm.Distribution(mapping)
    assert distribution.labels == tuple(mapping)
    assert distribution.probabilities == pytest.approx(p, rel=1e-12)
    assert distribution.entropy == bm.entropy(distribution) == pytest.approx(bm.entropy(p), abs=1e-14)
    assert distribution.perplexity == pytest.approx(2**distribution.entropy, rel=1e-12)
    again = bm.Distribution(dict(reversed(list(mapping.items()))))
    assert again == distribution
    assert hash(again) == hash(distribution)
    assert distribution != bm.Distribution({**dict.fromkeys(mapping, 0.0), "new": 1.0})


def test_it_cannot_be_changed() -> None:
    p = bm.Distribution([0.5, 0.5])
    with pytest.raises(errors.InputTypeError, match="cannot be changed"):
        p.labels = ("a",)  # type: ignore[misc]
    with pytest.raises(ValueError, match="read-only"):
        p.probabilities[0] = 1.0
    source = np.array([0.5, 0.5])
    q = bm.Distribution(source)
    source[0] = 0.9
    assert q[0] == 0.5
    with pytest.raises(errors.InputTypeError, match="cannot be changed"):
        bm.Conditional({"a": p}).start = "b"  # type: ignore[misc]


@given(samples())
def test_empirical_distribution(x: list[int]) -> None:
    # M6: c(y)/|T|.
    p = bm.Distribution.from_data(x)
    for symbol in set(x):
        assert p[symbol] == pytest.approx(x.count(symbol) / len(x), rel=1e-12)
    assert p == bm.Distribution.from_counts({symbol: x.count(symbol) for symbol in set(x)})
    # No distribution fits the data better than its own frequencies, and then the cross-entropy is the entropy.
    assert bm.cross_entropy(x, p) == pytest.approx(p.entropy, abs=1e-13)
    other = bm.Distribution.uniform(5)
    assert bm.cross_entropy(x, other) >= p.entropy - 1e-13


def test_ready_made() -> None:
    assert bm.Distribution.uniform("abcd").entropy == 2.0
    zipf = bm.Distribution.zipf(4, exponent=2.0)
    weights = [1, 1 / 4, 1 / 9, 1 / 16]
    assert zipf.probabilities == pytest.approx(np.array(weights) / sum(weights), rel=1e-12)
    assert bm.Distribution.zipf(3, exponent=0.0) == bm.Distribution.uniform(3)


def test_sharp_and_flat() -> None:
    sharp, flat = bm.Distribution([0.97, 0.01, 0.01, 0.01]), bm.Distribution.uniform(4)
    assert flat.sharpness == 0.0 < sharp.sharpness < 1.0 == bm.Distribution([1.0, 0.0]).sharpness
    assert bm.Distribution({"only": 1.0}).sharpness == 1.0
    assert sharp.perplexity < flat.perplexity == 4.0


def test_sampling_is_repeatable_and_right() -> None:
    p = bm.Distribution({"a": 0.2, "b": 0.0, "c": 0.8})
    draws = p.sample(20_000, seed=7)
    assert draws == p.sample(20_000, seed=7)
    assert "b" not in draws
    # Four standard errors of a binomial share.
    assert draws.count("a") / 20_000 == pytest.approx(0.2, abs=4 * math.sqrt(0.16 / 20_000))
    assert p.sample(0, seed=1) == []


def test_surprisal_quantiles() -> None:
    p = bm.Distribution([0.5, 0.25, 0.125, 0.125, 0.0])
    levels = {0.0: 1.0, 0.5: 1.0, 0.51: 2.0, 0.75: 2.0, 0.76: 3.0, 1.0: 3.0}
    for level, bits in levels.items():
        assert p.surprisal_quantile(level) == bits
    assert p.surprisal_quantile(1.0, unit="nats") == pytest.approx(3 * math.log(2), rel=1e-12)
    assert bm.Distribution.uniform(10).surprisal_quantile(1.0) == pytest.approx(math.log2(10), rel=1e-12)


@given(tables(), st.floats(0.0, 1.0))
def test_mixing_is_concave(table: NDArray[np.float64], weight: float) -> None:
    p, q = bm.Distribution(table[0] + 0.01, normalise=True), bm.Distribution(table[-1] + 0.01, normalise=True)
    mixed = p.mix(q, weight)
    assert mixed.entropy >= (1 - weight) * p.entropy + weight * q.entropy - 1e-12
    assert mixed.probabilities == pytest.approx((1 - weight) * p.probabilities + weight * q.probabilities, rel=1e-12)


def test_conditioning() -> None:
    die = bm.Distribution.uniform(range(1, 7))
    assert die.condition([2, 4, 6]) == bm.Distribution.uniform([2, 4, 6])
    assert die.condition(lambda face: face > 4) == bm.Distribution.uniform([5, 6])  # type: ignore[operator]
    with pytest.raises(errors.UndefinedError, match="probability 0"):
        die.condition([7])


def test_labels_are_checked() -> None:
    p = bm.Distribution({"a": 0.5, "b": 0.5})
    with pytest.raises(errors.UnknownLabelError, match="'c' is not a label"):
        p["c"]
    assert p.probability("c") == 0.0
    assert "a" in p
    assert [] not in p
    np.testing.assert_array_equal(p.logprobs("ac"), [math.log(0.5), -math.inf])
    bad: list[Any] = [{}, {"a": 0.5}, {"a": -1.0, "b": 2.0}, {"a": "x"}, [[0.5, 0.5]], "ab", None, 3, {"a": math.nan}]
    for value in bad:
        with pytest.raises(errors.BitmeterError):
            bm.Distribution(value)
    with pytest.raises(errors.InputError, match="is in it already"):
        bm.Distribution.uniform("aa")


def test_repr_is_short() -> None:
    assert repr(bm.Distribution.zipf(1000)).startswith("Distribution(1000 labels, 7.")
    assert len(repr(bm.Distribution.zipf(1000))) < 100
    assert "contexts" in repr(bm.Conditional({"a": {"b": 1.0}}))
