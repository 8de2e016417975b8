"""Lengths of code words against twins and bounds."""

from __future__ import annotations

import heapq
import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.coding.prefix.code import PrefixCode
from bitmeter.coding.prefix.lengths import limited_lengths

WEIGHTS = st.lists(st.integers(1, 1000), min_size=2, max_size=12)
SMALL = st.lists(st.integers(1, 60), min_size=2, max_size=6)


def distribution(weights: list[int]) -> bm.Distribution:
    return bm.Distribution({chr(97 + i): weight for i, weight in enumerate(weights)}, normalise=True)


def huffman_cost(weights: list[int]) -> int:
    """The twin: the sum of all joined weights, without ever making a tree."""
    heap, cost = list(weights), 0
    heapq.heapify(heap)
    while len(heap) > 1:
        joined = heapq.heappop(heap) + heapq.heappop(heap)
        cost += joined
        heapq.heappush(heap, joined)
    return cost


def best_cost(weights: list[int], longest: int) -> int:
    """Over all lengths that Kraft's inequality allows."""
    choices = itertools.product(range(1, longest + 1), repeat=len(weights))
    return min(
        sum(w * size for w, size in zip(weights, sizes, strict=True))
        for sizes in choices
        if sum(Fraction(1, 2**size) for size in sizes) <= 1
    )


@given(WEIGHTS)
def test_huffman_is_as_good_as_its_twin_and_within_a_bit_of_the_entropy(weights: list[int]) -> None:
    p = distribution(weights)
    code = PrefixCode.huffman(p)
    total = sum(weights)
    found = sum(w * len(code.words[chr(97 + i)]) for i, w in enumerate(weights))
    assert found == huffman_cost(weights)
    figures = code.figures(p)
    assert figures.expected_length == pytest.approx(found / total)
    assert p.entropy <= figures.expected_length + 1e-12
    assert figures.expected_length < p.entropy + 1
    assert code.kraft == 1
    assert code.prefix_free
    assert code.uniquely_decodable
    canonical = code.canonical()
    assert canonical.prefix_free
    assert [len(w) for w in canonical.words.values()] == [len(w) for w in code.words.values()]


@given(WEIGHTS)
def test_shannon_and_elias_keep_their_promises(weights: list[int]) -> None:
    p = distribution(weights)
    for code, slack in ((PrefixCode.shannon(p), 1), (PrefixCode.shannon_fano_elias(p), 2)):
        length = code.figures(p).expected_length
        assert p.entropy - 1e-12 <= length < p.entropy + slack
        assert code.prefix_free
        assert code.kraft <= 1
    total = sum(weights)
    for i, weight in enumerate(weights):
        # The least size with 2^-size <= weight / total, in whole numbers.
        size = next(k for k in range(64) if weight << k >= total)
        assert len(PrefixCode.shannon(p).words[chr(97 + i)]) in (size, size + (size == 0))


@settings(max_examples=40)
@given(SMALL, st.integers(0, 2))
def test_no_limited_code_is_better(weights: list[int], slack: int) -> None:
    longest = (len(weights) - 1).bit_length() + slack
    code = PrefixCode.huffman(distribution(weights), longest=longest)
    sizes = [len(code.words[chr(97 + i)]) for i in range(len(weights))]
    assert max(sizes) <= longest
    assert code.prefix_free
    assert sum(w * size for w, size in zip(weights, sizes, strict=True)) == best_cost(weights, longest)


def test_a_limit_that_does_not_bind_changes_nothing() -> None:
    weights = [1, 1, 2, 3, 5, 8, 13, 21]  # Fibonacci: the deepest tree that there is
    assert max(limited_lengths(weights, 7)) == 7
    assert sum(w * n for w, n in zip(weights, limited_lengths(weights, 7), strict=True)) == huffman_cost(weights)
    assert max(limited_lengths(weights, 3)) == 3


def test_probabilities_far_apart_are_exact() -> None:
    p = bm.Distribution({"a": 1.0 - 2.0**-40, "b": 2.0**-40})
    assert len(PrefixCode.shannon(p).words["b"]) == 40
    assert PrefixCode.shannon(p).prefix_free
    tiny = bm.Distribution({"a": 1.0, "b": 1e-300})
    assert len(PrefixCode.shannon_fano_elias(tiny).words["b"]) == math.ceil(300 * math.log2(10)) + 1
    assert PrefixCode.shannon_fano_elias(tiny).prefix_free
