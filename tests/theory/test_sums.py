"""The sums behind the measures, against math.fsum and the definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from bitmeter.errors import NegativeError, NotNormalisedError, ShapeError
from bitmeter.theory import sums
from tests.theory.strategies import vectors


@given(vectors())
def test_measures_are_their_definitions(p: NDArray[np.float64]) -> None:
    q = np.roll(p, 1) * 0.5 + 0.5 / p.size
    logs = [math.log2(x) if x > 0 else 0.0 for x in p]
    entropy = -math.fsum(x * log for x, log in zip(p, logs, strict=True))
    assert float(sums.entropy(p, "p", normalise=False)) == pytest.approx(entropy, abs=1e-12)
    spread = math.fsum(x * (-log - entropy) ** 2 for x, log in zip(p, logs, strict=True))
    assert float(sums.varentropy(p, "p", normalise=False)) == pytest.approx(spread, abs=1e-9)
    cross = -math.fsum(x * math.log2(y) for x, y in zip(p, q, strict=True) if x > 0)
    assert float(sums.cross_entropy(p, q, normalise=False)) == pytest.approx(cross, abs=1e-12)
    assert float(sums.divergence(p, q, normalise=False)) == pytest.approx(cross - entropy, abs=1e-12)


@given(st.lists(st.floats(-1e12, 1e12), max_size=30))
def test_totals_are_those_of_fsum(values: list[float]) -> None:
    exact = math.fsum(values)
    assert sums.total(values) == pytest.approx(exact, rel=1e-15, abs=1e-15 * math.fsum(map(abs, values)))


def test_what_cancels_is_kept() -> None:
    assert sums.total([1e16, 1.0, -1e16] * 100) == 100.0


def test_one_row_serves_a_batch_and_shapes_must_fit() -> None:
    batch, row = np.full((2, 3, 4), 0.25), np.array([0.1, 0.2, 0.3, 0.4])
    first, second = sums.pair(batch, row)
    assert first.shape == second.shape == (2, 3, 4)
    assert sums.cross_entropy(first, second, normalise=False).shape == (2, 3)
    single, double = sums.pair(row.astype(np.float32), row)
    assert single.dtype == double.dtype == np.float64
    with pytest.raises(ShapeError, match="the same shape, or one of them a single row"):
        sums.pair(batch, np.full((3, 4), 0.25))
    with pytest.raises(ShapeError):
        sums.pair(row, row[:3])


def test_rows_are_checked_and_the_row_is_named() -> None:
    with pytest.raises(NotNormalisedError, match=r"p\[1\] sums to 0.5"):
        sums.entropy(np.array([[0.5, 0.5], [0.25, 0.25]]), "p", normalise=False)
    with pytest.raises(NegativeError, match=r"p\[1, 0\] is -0.5"):
        sums.entropy(np.array([[0.5, 0.5], [-0.5, 1.5]]), "p", normalise=False)
    assert float(sums.entropy(np.array([3.0, 3.0]), "p", normalise=True)) == pytest.approx(1.0, abs=1e-15)


def test_a_float_for_one_row_and_an_array_for_a_batch() -> None:
    assert sums.plain(np.array(2.0), 0.5) == 1.0
    assert isinstance(sums.plain(np.array(2.0), 0.5), float)
    assert np.asarray(sums.plain(np.array([2.0, 4.0]), 0.5)).tolist() == [1.0, 2.0]
    assert sums.power(3.0) == 8.0
    assert sums.power(math.inf) == math.inf
