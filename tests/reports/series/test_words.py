"""The cost of words: every bit in exactly one word, whatever the units."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.reports.series.texts import traced_text
from bitmeter.reports.series.words import owners, word_costs, word_cuts


@given(st.binary(max_size=60), st.sets(st.integers(0, 60)))
def test_all_bits_are_in_one_word(data: bytes, inner: set[int]) -> None:
    cuts = np.array(sorted({0, len(data), *(k for k in inner if k < len(data))}), dtype=np.int64)
    bits = np.arange(1.0, len(cuts))
    words = word_cuts(data, np.array([len(data)], dtype=np.int64))
    found = word_costs(data, cuts, bits, words)
    assert found.bits.sum() == pytest.approx(bits.sum() if len(data) else 0.0)


def test_the_same_as_a_grouped_trace() -> None:
    """`Trace.group` is tested against a slow reference of its own."""
    text = b"to be, or  not to be:\nthat is the question"
    trace = bm.score("kt", text).trace
    found = traced_text(trace)
    words = word_cuts(found.data, found.ends)
    grouped = trace.group("word")
    assert np.allclose(word_costs(found.data, found.cuts, trace.bits, words).bits, grouped.bits)


def test_tokens_with_a_space_before_belong_to_the_word_after_it() -> None:
    data = b"to be or"
    cuts = np.array([0, 2, 5, 8])  # "to", " be", " or"
    assert owners(data, cuts, np.array([0, 3, 6, 8])).tolist() == [0, 1, 2]


def test_tokens_across_words_are_counted() -> None:
    data = b"to be or"
    words = np.array([0, 3, 6, 8])
    assert word_costs(data, np.array([0, 5, 8]), np.ones(2), words).across == 1
    assert word_costs(data, np.array([0, 3, 8]), np.ones(2), words).across == 1
    assert word_costs(data, np.array([0, 2, 5, 8]), np.ones(3), words).across == 0
