"""Blocks of one text: warnings, and coverage under dependence (fixed seeds)."""

from __future__ import annotations

import math
from dataclasses import replace

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


#: Words of very different lengths, long and short ones together, so that blocks of bytes hold few or many.
UNEVEN = (b"a to be or it is so we go up " * 20 + b"incomprehensibilities counterrevolutionaries " * 9) * 20


@pytest.mark.parametrize(
    "text", [UNEVEN, b"".join(b"= Part %d =\n\n%s\n" % (k, UNEVEN[: 900 * k]) for k in range(1, 9))]
)
def test_tokens_that_cost_the_same_leave_no_doubt_along_a_text(text: bytes) -> None:
    # Every token costs one bit, so that their mean is known without error, however many a block of bytes holds.
    score = bm.score("uniform:2", text)
    found = score.interval_per("token")
    assert found is not None
    assert (found.estimate, found.low, found.high) == (1.0, 1.0, 1.0)
    assert found.clusters > 5
    by_byte = score.interval_per("byte")
    assert by_byte is not None
    assert by_byte.half_width is not None
    assert by_byte.half_width > 0.0


def test_tokens_of_blocks_are_those_that_start_there_and_were_scored() -> None:
    score = bm.score("uniform:2", UNEVEN, first="skip")
    blocks, trace = score.by_block, score.trace
    assert blocks is not None
    starts = np.asarray(trace.start)[np.asarray(trace.logprob) != 0.0]  # white space and what is skipped cost nothing
    expected = np.bincount(starts // blocks.size, minlength=len(blocks.nats))
    assert blocks.tokens is not None
    assert blocks.tokens.tolist() == expected.tolist()
    assert blocks.tokens.sum() == score.tokens
    each_byte_is_one = bm.score("kt", UNEVEN).by_block
    assert each_byte_is_one is not None
    assert each_byte_is_one.tokens is None


def test_the_difference_per_token_is_known_where_it_is_that_of_every_token() -> None:
    found = bm.compare("uniform:2", "uniform:4", on=UNEVEN).rows[1]
    assert (found.difference, found.low, found.high) == (1.0, 1.0, 1.0)


def test_a_run_without_tokens_of_blocks_is_scaled_from_bytes() -> None:
    score = bm.score("uniform:2", UNEVEN)
    assert score.by_block is not None
    earlier = replace(score, by_block=replace(score.by_block, tokens=None))
    per_token, per_byte = earlier.interval_per("token"), earlier.interval_per("byte")
    assert per_token is not None
    assert per_byte is not None
    assert score.tokens is not None
    assert figures(per_token) == pytest.approx([x * score.bytes / score.tokens for x in figures(per_byte)], rel=1e-9)


def test_the_method_needs_finite_sums_along_the_text() -> None:
    assert not METHOD.applies(bm.score("zlib", b"to be"), "byte")
    assert not METHOD.applies(bm.score(bm.Distribution({"a": 1.0}), b"ab" * 1000), "byte")
    with pytest.raises(UndefinedError, match="only the total is known"):
        METHOD.interval(bm.score("zlib", b"to be"), "byte", 0.95)
