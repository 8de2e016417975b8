"""Quantiles are those of a sorted array, whatever the parts."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitmeter.filter.histogram import Histogram, exact_quantiles, keys_of, rank_of, value_of

NUMBERS = st.floats(allow_nan=False)


@given(st.lists(NUMBERS, min_size=1, max_size=50), st.integers(1, 5))
def test_quantiles_are_those_of_the_sorted_values(numbers: list[float], parts: int) -> None:
    values = np.array(numbers)
    split = np.array_split(values, parts)
    histogram = Histogram()
    for part in split:
        histogram.add(part)
    assert histogram.total == len(values)
    found = exact_quantiles(histogram, range(1, len(values) + 1), lambda: split)
    assert [found[rank] for rank in range(1, len(values) + 1)] == sorted((values + 0.0).tolist())


@given(NUMBERS)
def test_keys_have_the_order_of_the_numbers_and_go_back(number: float) -> None:
    key = int(keys_of(np.array([number]))[0])
    assert value_of(key) == number
    above = math.nextafter(number, math.inf)
    if above > number:
        assert int(keys_of(np.array([above]))[0]) > key


@given(st.lists(NUMBERS, max_size=20), st.lists(NUMBERS, max_size=20))
def test_histograms_add_up_and_survive_json(first: list[float], second: list[float]) -> None:
    one, two, both = Histogram(), Histogram(), Histogram()
    one.add(np.array(first))
    two.add(np.array(second))
    both.add(np.array(first + second))
    one.merge(two)
    assert one == both == Histogram.from_json(json.loads(json.dumps(one.to_json())))


@pytest.mark.parametrize(
    ("share", "total", "rank"), [("0.3", 10, 3), ("0.3", 11, 4), ("0.1", 10**15, 10**14), ("1", 7, 7), ("0", 7, 0)]
)
def test_a_share_is_a_rank_rounded_up(share: str, total: int, rank: int) -> None:
    assert rank_of(Fraction(share), total) == rank


def test_a_rank_that_there_is_not_is_an_error() -> None:
    with pytest.raises(ValueError, match="rank 1"):
        Histogram().locate(1)
