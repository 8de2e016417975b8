"""Shannon's bounds from numbers of guesses."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import EmptyError, RangeError
from bitmeter.theory.guessing import guess_bounds


def test_the_example_of_the_lesson() -> None:
    """Frequencies 0.8, 0.1, 0.05, 0.03, 0.02: 0.51 and 1.07 bits, as lesson 16 computes them by its formula."""
    found = guess_bounds([1] * 80 + [2] * 10 + [3] * 5 + [4] * 3 + [5] * 2)
    assert (round(found.low, 2), round(found.high, 2)) == (0.51, 1.07)
    assert found.high == pytest.approx(bm.entropy([0.8, 0.1, 0.05, 0.03, 0.02]))


@pytest.mark.parametrize("letters", [1, 2, 27])
def test_uniform_guesses_meet_at_the_logarithm(letters: int) -> None:
    """Where every number is equally frequent, both bounds are log2 of how many there are."""
    found = guess_bounds(list(range(1, letters + 1)) * 3)
    assert found.low == pytest.approx(math.log2(letters))
    assert found.high == pytest.approx(math.log2(letters))


@given(st.lists(st.integers(1, 27), min_size=1, max_size=200))
def test_the_lower_bound_is_not_above_the_upper(guesses: list[int]) -> None:
    found = guess_bounds(guesses)
    assert -1e-12 <= found.low <= found.high + 1e-9
    assert found.guesses == len(guesses)


def test_wrong_guesses() -> None:
    with pytest.raises(EmptyError):
        guess_bounds([])
    with pytest.raises(RangeError, match="counted from 1"):
        guess_bounds([1, 0])
