"""Block entropies, against counting every block."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given

from bitmeter.theory.estimators.rates import estimate_rate
from tests.theory.strategies import quick, texts


@quick
@given(texts)
def test_blocks_are_counted_right(text: list[int]) -> None:
    def plug_in(counts: Counter[tuple[int, ...]]) -> float:
        n = counts.total()
        return -math.fsum(c / n * math.log2(c / n) for c in counts.values())

    for row in estimate_rate(text, "block").blocks:
        k = row.length
        blocks = Counter(tuple(text[i : i + k]) for i in range(len(text) - k + 1))
        contexts = Counter(block[:-1] for block in blocks.elements())
        assert row.kinds == len(blocks)
        assert row.coverage == pytest.approx(1 - sum(c == 1 for c in blocks.values()) / blocks.total())
        assert row.plug_in_rate == pytest.approx(plug_in(blocks) - plug_in(contexts), abs=1e-12)


def test_rows_end_where_the_sample_is_too_short() -> None:
    periodic = estimate_rate("abc" * 400, "block").blocks
    assert len(periodic) > 20  # three blocks of every length, each seen often
    assert all(row.kinds == 3 and row.plug_in_rate == pytest.approx(0.0, abs=1e-9) for row in periodic[1:20])
    distinct = estimate_rate(range(100), "block").blocks
    assert [row.length for row in distinct] == [1]  # every symbol was seen once
    assert distinct[0].coverage == 0.0


def test_entropies_of_independent_symbols_grow_by_the_entropy() -> None:
    coins = np.random.default_rng(7).integers(0, 2, size=200_000)
    for row in estimate_rate(coins, "block").blocks[:8]:
        assert row.entropy == pytest.approx(row.length, abs=0.005)
        assert row.rate == pytest.approx(1.0, abs=0.005)
