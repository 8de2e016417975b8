"""Blocks of one text: warnings, and coverage under dependence (fixed seeds)."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bitmeter as bm
from bitmeter._util.arrays import Floats
from bitmeter.errors import (
    UndefinedError,
)
from bitmeter.measure.interval.blocks import METHOD, block_ratio
from tests.measure.interval.samples import figures, within


def test_blocks_say_what_they_could_not_see() -> None:
    rng = np.random.default_rng(5)
    assert "only 5 blocks" in block_ratio(rng.standard_normal(5), np.ones(5)).notes[0]
    assert block_ratio(rng.standard_normal(5000), np.ones(5000)).notes == ()
    wandering = block_ratio(np.cumsum(rng.standard_normal(5000)), np.ones(5000)).notes
    assert any("alike over long distances" in note for note in wandering)


def test_the_last_block_may_be_short() -> None:
    rng = np.random.default_rng(6)
    n = np.append(np.full(4000, 100.0), 7.0)
    found = block_ratio(2.0 * n + 10 * rng.standard_normal(n.size), n)
    assert found.estimate == pytest.approx(2.0, abs=0.01)
    assert (found.clusters, found.method) == (4001, "serial-blocks")


def naive(x: Floats) -> float:
    return 1.96 * float(x.std()) / math.sqrt(x.size)


def test_blocks_cover_a_sticky_series() -> None:
    rng = np.random.default_rng(11)
    hits = poor = 0
    for _ in range(500):
        # A regime that lasts 200 steps on average sets the level, as subjects of a text do.
        regimes = (np.cumsum(rng.random(4000) < 0.005) + rng.integers(2)) % 2
        x = 1.0 + regimes + 0.5 * rng.standard_normal(4000)
        hits += 1.5 in block_ratio(x, np.ones(4000))
        poor += abs(float(x.mean()) - 1.5) <= naive(x)
    assert within(hits, 500, 0.93, 0.99)
    assert poor / 500 < 0.5


def test_rounding_is_no_spread() -> None:
    # A constant cost summed in blocks differs in the last bits; that is no uncertainty, and must not look like one.
    rng = np.random.default_rng(0)
    sizes = np.full(2000, 64.0)
    costs = 8.0 * sizes * (1.0 + rng.integers(-3, 4, 2000) * 2.0**-52)
    found = block_ratio(costs, sizes)
    assert found.half_width == 0.0
    assert found.method == block_ratio(8.0 * sizes, sizes).method


def test_the_method_scales_the_blocks_to_other_units() -> None:
    score = bm.score("kt", b"to be or not to be, that is the question. " * 200)
    assert METHOD.applies(score, "word")
    assert not METHOD.applies(score, "document")
    by_byte, by_word = (METHOD.interval(score, per, 0.9) for per in ("byte", "word"))
    assert by_word.estimate == pytest.approx(score.bits_per_word, rel=1e-12)
    ratio = score.bytes / score.words
    assert figures(by_word) == pytest.approx([ratio * value for value in figures(by_byte)], rel=1e-9)
    assert by_word.method.startswith(f"{METHOD.name}(")


def test_the_method_needs_finite_sums_along_the_text() -> None:
    assert not METHOD.applies(bm.score("zlib", b"to be"), "byte")
    assert not METHOD.applies(bm.score(bm.Distribution({"a": 1.0}), b"ab" * 1000), "byte")
    with pytest.raises(UndefinedError, match="only the total is known"):
        METHOD.interval(bm.score("zlib", b"to be"), "byte", 0.95)
