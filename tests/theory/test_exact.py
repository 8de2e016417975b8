"""Exact fractions: nothing underflows, and doubles agree."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import NotNormalisedError, RangeError, ShapeError

TINY = Fraction(1, 2**2000)


def test_fractions_do_not_underflow() -> None:
    p, q = [Fraction(1, 2), Fraction(1, 2)], [TINY, 1 - TINY]
    assert bm.information(TINY) == 2000.0
    assert bm.information([TINY, Fraction(1, 8), 1]) == pytest.approx([2000, 3, 0], abs=0)
    assert bm.information(1 - TINY) == 0.0
    assert bm.cross_entropy(p, q) == bm.cross_entropy([0.5, 0.5], q) == 1000.0
    assert bm.kl_divergence(p, q) == 999.0
    assert bm.cross_entropy({"a": p[0], "b": p[1]}, {"b": q[1], "a": q[0]}) == 1000.0
    assert not bm.explain_infinite(p, q)
    assert bm.cross_entropy([TINY, 1 - TINY], [0, 1]) == math.inf
    assert bm.entropy([10**400, 10**400, 2 * 10**400], of="counts") == 1.5
    assert bm.renyi_entropy(q, 0) == 1.0
    with pytest.raises(RangeError, match="smaller than a double"):
        bm.Distribution({"a": TINY, "b": 1 - TINY})
    with pytest.raises(NotNormalisedError):
        bm.entropy([Fraction(1, 3), Fraction(1, 3)])
    with pytest.raises(RangeError):
        bm.information(Fraction(9, 8))
    with pytest.raises(ShapeError):
        bm.cross_entropy(p, [Fraction(1)])


@given(
    st.lists(st.tuples(st.integers(1, 50), st.integers(1, 50)), min_size=1, max_size=8),
    st.sampled_from([0.0, 0.5, 1.0, 2.0, math.inf]),
)
def test_fractions_agree_with_doubles(weights: list[tuple[int, int]], order: float) -> None:
    rows = []
    for i in (0, 1):
        total = sum(pair[i] for pair in weights)
        rows.append([Fraction(pair[i], total) for pair in weights])
    p, q = rows
    doubles = [[float(x) for x in row] for row in rows]
    for measure in (bm.cross_entropy, bm.kl_divergence, bm.js_divergence):
        assert measure(p, q) == pytest.approx(measure(*doubles), rel=1e-10, abs=1e-12)
    measures: list[Callable[[Any], Any]] = [bm.entropy, bm.varentropy, lambda x: bm.renyi_entropy(x, order)]
    for own in measures:
        assert own(p) == pytest.approx(own(doubles[0]), rel=1e-10, abs=1e-12)
