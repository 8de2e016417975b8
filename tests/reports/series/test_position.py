from __future__ import annotations

import math

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.reports.series.position import positions

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
