"""Calibration, against closed forms: a source that is known, and the definition by hand."""

from __future__ import annotations

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.reports.series.calibration import calibration, expected_calibration_error


def test_the_error_by_its_definition() -> None:
    """Guo et al. 2017, equation 3, with 15 bins: written out slowly."""
    rng = np.random.default_rng(0)
    p = rng.random(500)
    right = (rng.random(500) < p**2).astype(float)
    slow = 0.0
    for k in range(15):
        some = [i for i in range(500) if k / 15 <= p[i] < (k + 1) / 15]
        if some:
            slow += len(some) / 500 * abs(np.mean(right[some]) - np.mean(p[some]))
    assert expected_calibration_error(p, right) == pytest.approx(slow, rel=1e-12)


def test_a_model_that_is_the_source_is_calibrated_and_another_is_not() -> None:
    text = bytes(np.random.default_rng(1).choice([97, 98], p=[0.8, 0.2], size=4000).astype(np.uint8))
    good = bm.score(bm.Distribution({"a": 0.8, "b": 0.2}), text, alternatives=2)
    bad = bm.score(bm.Distribution({"a": 0.99, "b": 0.01}), text, alternatives=2)
    found, wrong = calibration(good, good.trace), calibration(bad, bad.trace)
    assert found is not None
    assert wrong is not None
    share = text.count(b"a") / len(text)
    assert found.error == pytest.approx(abs(share - 0.8), abs=1e-9)
    assert wrong.error == pytest.approx(0.99 - share, abs=1e-9)
    (one,) = found.bins
    assert one.low is not None
    assert one.high is not None
    assert one.low < 0.8 < one.high


def test_of_equally_likely_outcomes_one_is_guessed() -> None:
    """A uniform model over 256 bytes guesses byte 0 always: it is right on one byte of two here."""
    score = bm.score("uniform", b"\x00a" * 50, alternatives=3)
    found = calibration(score, score.trace)
    assert found is not None
    assert found.bins[0].right == 0.5


def test_three_right_of_three_say_little() -> None:
    score = bm.score(bm.Distribution({"a": 0.75, "b": 0.25}), b"a\na\na\n", docs="line", oov="skipped", alternatives=2)
    found = calibration(score, score.trace)
    assert found is not None
    ends = [(one.low, one.high) for one in found.bins if one.low is not None]
    assert all(low < 0.6 and high > 0.99 for low, high in ends if high is not None)


def test_without_alternatives_there_is_none() -> None:
    score = bm.score("kt", b"abc")
    assert calibration(score, score.trace) is None
    none = bm.score("kt", b"abc", alternatives=0)
    assert calibration(none, none.trace) is None
