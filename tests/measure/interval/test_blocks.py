"""Batch means: warnings, the choice of the batch length, and coverage under dependence (fixed seeds)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.signal import lfilter

import bitmeter as bm
from bitmeter._util.check import Floats
from bitmeter.errors import (
    UndefinedError,
)
from bitmeter.measure.interval.blocks import METHOD, batch_means
from tests.measure.interval.samples import figures, within


def test_batch_means_say_what_they_could_not_see() -> None:
    rng = np.random.default_rng(5)
    assert "only 9 blocks" in batch_means(rng.standard_normal(9), np.ones(9)).note
    assert batch_means(rng.standard_normal(5000), np.ones(5000)).note == ""
    wandering = np.cumsum(rng.standard_normal(5000))
    assert batch_means(wandering, np.ones(5000)).note != ""


def test_batches_grow_when_neighbours_stay_alike_and_only_then() -> None:
    rng = np.random.default_rng(17)
    drifting = lfilter([1.0], [1.0, -0.998], 0.0063 * rng.standard_normal((100, 8000)), axis=1)
    noise = rng.standard_normal((100, 8000))
    alike = [batch_means(row, np.ones(8000)) for row in noise + drifting]
    independent = [batch_means(row, np.ones(8000)) for row in noise]
    # 8000 blocks make 64 batches of 125; the drift lasts 500 blocks, so that most of these must be joined.
    assert sum(found.method != "batch-means-t(125)" for found in alike) > 50
    assert sum("still grows" in found.note for found in alike) > 20
    assert sum(found.method != "batch-means-t(125)" for found in independent) < 25
    assert sum(found.note != "" for found in independent) < 8


def test_the_last_block_may_be_short() -> None:
    rng = np.random.default_rng(6)
    n = np.append(np.full(4000, 100.0), 7.0)
    found = batch_means(2.0 * n + 10 * rng.standard_normal(n.size), n)
    assert found.estimate == pytest.approx(2.0, abs=0.01)
    assert found.clusters == 65
    assert found.method == "batch-means-t(62)"
    assert found.degrees is not None
    assert found.degrees < 65


def naive(x: Floats) -> float:
    return 1.96 * float(x.std()) / math.sqrt(x.size)


def test_batch_means_cover_a_sticky_series() -> None:
    rng = np.random.default_rng(11)
    hits = poor = 0
    for _ in range(500):
        # A regime that lasts 200 steps on average sets the level, as subjects of a text do.
        regimes = (np.cumsum(rng.random(4000) < 0.005) + rng.integers(2)) % 2
        x = 1.0 + regimes + 0.5 * rng.standard_normal(4000)
        hits += 1.5 in batch_means(x, np.ones(4000))
        poor += abs(float(x.mean()) - 1.5) <= naive(x)
    assert within(hits, 500, 0.93, 0.97)
    assert poor / 500 < 0.5


def test_rounding_is_no_spread() -> None:
    # A constant cost summed in blocks differs in the last bits; that is no uncertainty, and must not look like one.
    rng = np.random.default_rng(0)
    sizes = np.full(2000, 64.0)
    costs = 8.0 * sizes * (1.0 + rng.integers(-3, 4, 2000) * 2.0**-52)
    found = batch_means(costs, sizes)
    assert found.half_width == 0.0
    assert found.method == batch_means(8.0 * sizes, sizes).method


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
