"""Exact totals in a form of their own; the oracle is the sum of fractions."""

from __future__ import annotations

import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from bitmeter.measure.exact import exact_parts, rounded

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e300, max_value=1e300)


@given(st.lists(NUMBERS, max_size=20), st.randoms())
def test_parts_hold_the_exact_sum_in_one_form(values: list[float], order: object) -> None:
    parts = exact_parts(values)
    assert sum(map(Fraction, parts), Fraction(0)) == sum(map(Fraction, values), Fraction(0))
    assert rounded(parts) == math.fsum(values)
    assert parts[:1] == (() if not parts else (rounded(parts),))
    mixed = list(values)
    order.shuffle(mixed)  # type: ignore[attr-defined]
    assert exact_parts(mixed) == parts


@given(st.lists(NUMBERS, max_size=20), st.integers(0, 20))
def test_parts_of_parts_add_up(values: list[float], cut: int) -> None:
    assert exact_parts((*exact_parts(values[:cut]), *exact_parts(values[cut:]))) == exact_parts(values)


def test_infinity_and_overflow_are_infinite() -> None:
    assert exact_parts([1.0, math.inf]) == (math.inf,)
    assert exact_parts([1.7e308, 1.7e308]) == (math.inf,)
    assert rounded([-1.7e308, -1.7e308]) == -math.inf
    assert exact_parts([]) == ()
