"""Independent draws."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bitmeter as bm
from bitmeter import Iid


def test_samples_are_small() -> None:
    assert Iid(np.ones(256), normalise=True).sample(9, 1).dtype == np.uint8
    assert Iid(np.ones(257), normalise=True).sample(9, 1).dtype == np.uint16
    assert Iid(np.ones(65537), normalise=True).sample(9, 1).dtype == np.int32


def test_large_alphabets_agree_with_the_definition() -> None:
    rng = np.random.default_rng(3)
    for size in (300, 70_000):
        p = rng.dirichlet(np.ones(size))
        process = Iid(p)
        sample = process.sample(50, seed=1)
        assert process.logprob(sample) == pytest.approx(np.log(p[sample]).sum(), rel=1e-12)


def test_the_rate_is_the_entropy_and_the_variance_that_of_the_surprisal() -> None:
    p = np.array([0.5, 0.25, 0.125, 0.125, 0.0])
    process = Iid(p)
    bits = np.array([1, 2, 3, 3])
    assert process.entropy_rate == pytest.approx(1.75, abs=1e-14)
    assert process.varentropy_rate == pytest.approx(float(p[:4] @ (bits - 1.75) ** 2), abs=1e-13)
    assert all((process.is_stationary, process.is_ergodic, process.is_mixing))
    assert process.ergodic_components == ((1.0, process),)
    assert process.block_entropy(3) == pytest.approx(3 * 1.75, abs=1e-13)


def test_labels_and_probabilities_come_from_a_distribution() -> None:
    letters = bm.Distribution({"a": 0.25, "b": 0.75})
    process = Iid(letters)
    assert process.labels == ("a", "b")
    assert process.entropy_rate == pytest.approx(letters.entropy, abs=1e-15)
    assert process.logprobs("ab").tolist() == pytest.approx([math.log(0.25), math.log(0.75)])
    assert Iid([1, 3], normalise=True).probabilities.tolist() == [0.25, 0.75]
    with pytest.raises(ValueError, match="read-only"):
        process.probabilities[0] = 1.0
