"""Information among several variables: against dit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import InputTypeError, ShapeError

tables = st.lists(st.integers(0, 5), min_size=12, max_size=12).filter(any).map(lambda c: np.array(c).reshape(2, 2, 3))


def as_dit(table: Any) -> Any:
    import dit

    p = table / table.sum()
    places = [index for index in np.ndindex(table.shape) if p[index] > 0]
    return dit.Distribution([tuple(map(str, index)) for index in places], [p[index] for index in places])


@settings(deadline=None, max_examples=25)
@given(tables)
def test_measures_are_those_of_dit(table: Any) -> None:
    import dit

    other = as_dit(table)
    found = [f(table, normalise=True) for f in (bm.total_correlation, bm.dual_total_correlation, bm.o_information)]
    multivariate = dit.multivariate
    theirs = [f(other) for f in (multivariate.total_correlation, multivariate.dual_total_correlation)]
    assert found == pytest.approx([*theirs, theirs[0] - theirs[1]], abs=1e-9)
    conditional = multivariate.coinformation(other, [[0], [1]], [2])
    assert bm.conditional_mutual_information(table, normalise=True) == pytest.approx(conditional, abs=1e-9)


def test_distributions_samples_and_tables_agree() -> None:
    x, y, z = "aabbab", "xyxyxx", "uvvuuu"
    counts: dict[Any, int] = {}
    for triple in zip(x, y, z, strict=True):
        counts[triple] = counts.get(triple, 0) + 1
    joint = bm.Distribution.from_counts(counts)
    for function in (bm.total_correlation, bm.o_information, bm.conditional_mutual_information):
        assert function(x, y, z) == pytest.approx(function(joint), abs=1e-12)
        assert function(x, y, z, unit="nats") == pytest.approx(function(x, y, z) * np.log(2), abs=1e-12)
    assert bm.total_correlation(x, y) == pytest.approx(bm.mutual_information(x, y), abs=1e-12)
    assert bm.dual_total_correlation(x, y) == pytest.approx(bm.mutual_information(x, y), abs=1e-12)


def test_bad_input() -> None:
    with pytest.raises(InputTypeError):
        bm.total_correlation("abc")
    with pytest.raises(ShapeError):
        bm.total_correlation()
    with pytest.raises(ShapeError):
        bm.total_correlation("abc", "ab")
    with pytest.raises(ShapeError):
        bm.conditional_mutual_information("abc", "abc")
    with pytest.raises(InputTypeError):
        bm.total_correlation(bm.Distribution({"a": 0.5, ("b", "c"): 0.5}))
