from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.reports.series.position import positions, window_positions
from tests.models.causal.test_base import Summing

LINES = b"".join(b"line %d of a text, and %d more words\n" % (i, i * i) for i in range(60))


def test_bins_partition_the_text_and_their_bits() -> None:
    score = bm.score("kt", LINES, docs="line")
    found = positions(score, score.trace)
    assert sum(one.bytes for one in found) == score.bytes
    assert math.fsum(one.figure * one.bytes for one in found) == pytest.approx(score.bits, rel=1e-12)
    assert [(one.begin, one.end) for one in found[:4]] == [(0, 2), (2, 4), (4, 8), (8, 16)]


def test_a_bin_is_the_mean_of_its_units() -> None:
    """By hand: the third bin has bytes 4 to 7 of each line."""
    score = bm.score("kt", LINES, docs="line")
    trace = score.trace
    own = trace.bits[(trace.start >= 4) & (trace.start < 8)]
    found = positions(score, trace)[2]
    assert found.figure == pytest.approx(float(np.mean(own)), rel=1e-12)
    assert found.low is not None
    assert found.high is not None
    assert found.low < found.figure < found.high


def test_an_infinite_bin_has_no_interval() -> None:
    score = bm.score(bm.Distribution({"a": 1.0}), b"aaab", oov="none")
    assert [one.figure for one in positions(score, score.trace)][-1] == math.inf
    assert positions(score, score.trace)[-1].low is None


class ByContext(Summing):
    """A token costs one bit, and one more for each token that it sees before it, that of the beginning included."""

    def score_sequences(self, sequences: Sequence[Any], firsts: Sequence[int], watch: Any = None) -> list[Any]:
        pairs = zip(sequences, firsts, strict=True)
        return [-math.log(2.0) * (1.0 + np.arange(first, len(sequence))) for sequence, first in pairs]


@pytest.mark.parametrize("ctx", ["16.8", "16.3", "disjoint.16"])
@pytest.mark.parametrize("first", ["bos", "skip"])
def test_windows_are_laid_out_again(ctx: str, first: str) -> None:
    """A bin of one position costs what it must: any shift of a window by one token would show."""
    score = bm.score(ByContext(64), LINES[:1000], ctx=ctx, first=first, docs="line")
    found = window_positions(score, score.trace)
    begin = 2.0 if first == "bos" else 1.0
    assert sum(one.bytes for one in found) == score.bytes
    for one in found:
        assert begin + one.begin <= one.figure <= begin + one.end - 1
        if one.end == one.begin + 1:
            assert one.figure == pytest.approx(begin + one.begin)
    assert found[-1].end == 16


@pytest.mark.parametrize("ctx", ["half.16", "rolling.16"])
def test_windows_of_other_tools(ctx: str) -> None:
    score = bm.score(ByContext(64), LINES[:1000], ctx=ctx)
    found = window_positions(score, score.trace)
    assert sum(one.bytes for one in found) == score.bytes
    if ctx == "half.16":
        assert found[0].begin == 8, "only the second half of a window is scored"


def test_without_windows_there_is_no_position_in_one() -> None:
    for score in (bm.score("kt", LINES), bm.score(ByContext(), LINES[:200], ctx="full")):
        assert window_positions(score, score.trace) == ()
