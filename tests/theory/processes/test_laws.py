"""Equality of laws by linear algebra, against the probabilities of all short words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter import HiddenMarkov, Iid, Markov, Process
from bitmeter.theory.processes.laws import difference, mix, shifted
from tests.theory.processes.test_base import random_process


def words(process: Process, length: int) -> np.ndarray:
    return process.block_probabilities(length).ravel()


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_two_laws_differ_exactly_if_some_word_does(seed: int, other: int) -> None:
    first, second = random_process(seed), random_process(other)
    if first.alphabet_size != second.alphabet_size:
        return
    found = difference(first._linear(), second._linear())
    same = all(np.allclose(words(first, n), words(second, n), atol=1e-9) for n in range(1, 6))
    assert (found is None) == same
    if found is not None:
        index = tuple(found.word)
        blocks = [process.block_probabilities(len(index))[index] for process in (first, second)]
        assert [found.first, found.second] == pytest.approx(blocks, rel=1e-9, abs=1e-15)


def test_a_law_in_disguise_is_recognised() -> None:
    chain = Markov([[0.9, 0.1], [0.3, 0.7]])
    disguised = HiddenMarkov(chain.transition, np.eye(2))
    assert difference(chain._linear(), disguised._linear()) is None
    # Two hidden states that emit alike are one.
    doubled = HiddenMarkov(np.full((2, 2), 0.5), [[0.2, 0.8], [0.2, 0.8]])
    assert difference(Iid([0.2, 0.8])._linear(), doubled._linear()) is None
    assert difference(Iid([0.2, 0.8])._linear(), Iid([0.3, 0.7])._linear()) is not None


def test_a_shifted_stationary_law_is_the_same() -> None:
    rows = [[0.9, 0.1], [0.3, 0.7]]
    assert difference(Markov(rows)._linear(), shifted(Markov(rows)._linear())) is None
    started = Markov(rows, initial=[1, 0])
    found = difference(started._linear(), shifted(started._linear()))
    assert found is not None
    assert found.word == (0,)
    assert (found.first, found.second) == pytest.approx((1.0, 0.9))


def test_a_mixture_has_the_weighted_probabilities() -> None:
    parts = [(0.25, Iid([0.9, 0.1])), (0.75, Iid([0.5, 0.5]))]
    mixed = mix([(weight, part._linear()) for weight, part in parts])
    vector = mixed.start
    for symbol in (0, 1, 1):
        vector = mixed.advance(vector)[symbol]
    assert vector.sum() == pytest.approx(0.25 * 0.9 * 0.1**2 + 0.75 * 0.5**3, rel=1e-14)
