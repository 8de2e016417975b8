"""The cache against its definition."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(0, 3), max_size=60), st.integers(1, 4), st.integers(1, 20), st.floats(0.5, 1.0))
def test_a_cache_is_its_definition(words: list[int], order: int, size: int, decay: float) -> None:
    """Against a loop over the history: the weight of each word that followed the same words, by its age."""
    cache = bm.Cache(size, decay, order=order).begin(np.full(4, math.log(0.25)))
    logs, _ = cache.follow(np.array(words, dtype=np.int64))
    for i, word in enumerate(words):
        expected = 0.25
        for length in range(min(order - 1, i), -1, -1):
            places = [j for j in range(max(0, i - size, length), i) if words[j - length : j] == words[i - length : i]]
            if places:
                weights = [decay ** (i - j) for j in places]
                own = math.fsum(w for j, w in zip(places, weights, strict=True) if words[j] == word)
                expected = own / math.fsum(weights)
                break
        assert math.exp(logs[i]) == pytest.approx(expected, abs=1e-9)
