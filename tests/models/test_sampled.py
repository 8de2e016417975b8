"""A text drawn from a model."""

import math

import numpy as np
import pytest

from bitmeter.models.sampled import SampledText


def test_its_bits_are_the_sum_of_its_log_probabilities() -> None:
    text = SampledText(b"to be", np.array([1, 2]), np.log([0.5, 0.25, 0.125]), ended=True)
    assert text.bits == pytest.approx(1 + 2 + 3)
    assert str(text) == "to be"
    assert SampledText(b"", np.zeros(0, dtype=np.int64), np.zeros(0), ended=False).bits == 0.0


def test_bytes_that_are_no_text_are_shown_escaped() -> None:
    assert str(SampledText(b"a\xff", np.array([1]), np.array([-math.log(2)]), ended=True)) == "a\\xff"
