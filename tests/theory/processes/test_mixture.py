"""Mixtures: one component a path, rates that no path tends to, and laws that are the same after all."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bitmeter import HiddenMarkov, Iid, Markov, Mixture
from bitmeter.errors import UndefinedError
from bitmeter.theory.processes.laws import difference, shifted

COINS = Mixture([Iid([0.9, 0.1]), Iid([0.5, 0.5])], [0.5, 0.5])


def test_rates() -> None:
    low = Iid([0.9, 0.1]).entropy_rate
    assert COINS.component_rates == pytest.approx((low, 1.0))
    assert COINS.entropy_rate == pytest.approx((low + 1) / 2)
    assert COINS.entropy_rate == pytest.approx(0.734, abs=5e-4)
    assert COINS.rate().value == pytest.approx(COINS.entropy_rate)
    # The rate is the limit of H(X^n)/n, for the choice of the component costs at most one bit in all.
    assert COINS.block_entropy(16) / 16 == pytest.approx(COINS.entropy_rate, abs=1 / 16)
    with pytest.raises(UndefinedError, match="differ"):
        _ = COINS.varentropy_rate


def test_verdicts() -> None:
    assert COINS.is_stationary
    assert not COINS.is_ergodic
    assert not COINS.is_mixing
    assert "mixture" in COINS.is_ergodic.reason
    # The same coin twice, and a Markov chain that is that coin, are one process.
    same = Mixture([Iid([0.5, 0.5]), Markov([[0.5, 0.5]] * 2), HiddenMarkov(np.eye(2), [[0.5, 0.5]] * 2)])
    assert same.is_ergodic
    assert same.is_mixing
    assert same.varentropy_rate == pytest.approx(0.0)
    # A component of weight zero is none.
    assert Mixture([Iid([0.9, 0.1]), Iid([0.5, 0.5])], [1, 0]).is_ergodic
    # 0101... and 1010... are not stationary; half of each is.
    swap = [[0, 1], [1, 0]]
    phases = Mixture([Markov(swap, [1, 0]), Markov(swap, [0, 1])])
    assert phases.is_stationary
    assert phases.is_ergodic
    assert not phases.is_mixing
    assert not Mixture([Markov(swap, [1, 0]), Markov(swap, [0, 1])], [0.3, 0.7]).is_stationary


def test_laws_differ_only_in_long_words() -> None:
    # The even process against the golden mean with 0 and 1 exchanged, and chains that differ from order 2 on.
    one = Markov(np.full((4, 2), 0.5), order=2)
    table = np.full((2, 2, 2), 0.5)
    table[0, 0], table[0, 1], table[1, 0], table[1, 1] = [0.6, 0.4], [0.4, 0.6], [0.4, 0.6], [0.6, 0.4]
    two = Markov(table, order=2)
    found = difference(one._linear(), two._linear())
    assert found is not None
    assert len(found.word) == 3
    assert found.first == pytest.approx(0.125)
    assert found.second == pytest.approx(math.exp(two.logprob(found.word)))
    assert difference(two._linear(), shifted(two._linear())) is None


def test_paths_keep_their_component() -> None:
    ends = Mixture([Iid([1.0, 0.0]), Iid([0.0, 1.0])], [0.25, 0.75])
    sample = ends.sample(10, seed=1, paths=20000)
    assert (sample == sample[:, :1]).all()
    assert sample[:, 0].mean() == pytest.approx(0.75, abs=5 * math.sqrt(0.1875 / 20000))
    assert ends.logprob([0] * 5) == pytest.approx(math.log(0.25))
    assert ends.logprob([0, 1]) == -math.inf
    # The first symbol is a surprise, the rest is certain; after what cannot be, nothing can be.
    assert ends.logprobs([1, 1, 1]) == pytest.approx([math.log(0.75), 0, 0])
    assert ends.logprobs([1, 0, 0]) == pytest.approx([math.log(0.75), -math.inf, -math.inf])


def test_long_sequences_do_not_underflow() -> None:
    sample = COINS.sample(10**5, seed=1)
    found = COINS.logprob(sample)
    best = max(part.logprob(sample) for part in COINS.components)
    assert found == pytest.approx(best + math.log(0.5), rel=1e-12)
    assert COINS.logprobs(sample).sum() == pytest.approx(found, rel=1e-12)


def test_mixtures_of_mixtures() -> None:
    nested = Mixture([COINS, Iid([0.2, 0.8])], [0.5, 0.5])
    assert [weight for weight, _ in nested.ergodic_components] == pytest.approx([0.25, 0.25, 0.5])
    word = [0, 1, 1, 0]
    flat = Mixture([Iid([0.9, 0.1]), Iid([0.5, 0.5]), Iid([0.2, 0.8])], [0.25, 0.25, 0.5])
    assert nested.logprob(word) == pytest.approx(flat.logprob(word))
    assert nested.entropy_rate == pytest.approx(flat.entropy_rate)
