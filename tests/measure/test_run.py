"""One model over one text: what is checked, counted and named. That cuts change nothing is in test_cuts.py."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter._util.progress import Step
from bitmeter.errors import ModelError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.options import settle
from bitmeter.measure.run import Run
from bitmeter.measure.trace.tracer import Tracer


class Fixed:
    """A plug-in that gives whatever it was made with."""

    name, fingerprint = "fixed", "fixed-1"
    units = bm.units_of("bytes")

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        return self.answer(len(ids))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda size: np.zeros(size + 1), r"gave \(4,\) log-probabilities for 3 units"),
        (lambda size: [0.0] * size, "gave list log-probabilities"),
        (lambda size: np.full(size, np.nan), "NaN for the unit b'a' at byte 0"),
        (lambda size: np.array([0.0, 0.5, 0.0]), "a probability above 1, for the unit b'b' at byte 1"),
    ],
)
def test_what_is_no_log_probability_is_refused(answer: Any, message: str) -> None:
    with pytest.raises(ModelError, match=message):
        bm.score(Fixed(answer), b"abc")


def test_an_impossible_unit_is_infinite_and_named() -> None:
    score = bm.score(Fixed(lambda size: np.array([0.0, -np.inf, -1.0])), b"abc")
    assert math.isinf(score.nats)
    assert score.impossible == 1
    assert "'b' at byte 1" in score.notes[0]
    assert score.known_nats == pytest.approx(1.0)


def test_block_sizes_change_nothing() -> None:
    text = b"to be or not to be, " * 50
    settings = settle(convention("bitmeter"), None, None, None, None, None, None, None, None, 0.95)
    found = {
        Run(bm.load("kt"), bm.Corpus.from_text(text), settings, Tracer(None, force=False), None, None, size)
        .measure()
        .nats
        for size in (1, 7, 64, 1 << 18)
    }
    assert len(found) == 1


def test_progress_is_reported_in_bytes() -> None:
    seen: list[Step] = []
    bm.score("uniform", b"x" * 1000, progress=seen.append)
    assert (seen[-1].done, seen[-1].total, seen[-1].unit) == (1000, 1000, "bytes")
    assert seen[-1].estimate == pytest.approx(8.0)


def test_a_compressor_gives_a_total() -> None:
    import zlib

    text = b"to be or not to be " * 20
    score = bm.score("zlib:9", text)
    assert score.bits == pytest.approx(8 * len(zlib.compress(text, 9)))
    assert score.tokens is None
    with pytest.raises(ModelError, match="gives only a total"):
        bm.score("zlib", text, first="skip")
