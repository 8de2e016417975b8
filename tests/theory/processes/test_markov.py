"""Markov chains: structure, stationary laws, verdicts, entropy and varentropy rates."""

from __future__ import annotations

import itertools
import math

import dit
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter import Iid, Markov
from bitmeter.errors import ConvergenceError, EmptyError, RangeError, ShapeError, UndefinedError


def entropy(p: float) -> float:
    return -p * math.log2(p) - (1 - p) * math.log2(1 - p)


def test_the_line_on_the_first_screen() -> None:
    # pi = (5/6, 1/6): 5/6 H(.1) + 1/6 H(.5) = 0.5575 bits.
    rate = Markov([[0.9, 0.1], [0.5, 0.5]]).entropy_rate
    assert type(rate) is float
    assert rate == pytest.approx(5 / 6 * entropy(0.1) + 1 / 6, abs=1e-14)
    assert round(rate, 4) == 0.5575


def test_closed_forms() -> None:
    # Closed forms, worked out by hand: .57207 for [[.9,.1],[.3,.7]], 2/3 for the golden mean, .88129 for iid(.3).
    assert Markov([[0.9, 0.1], [0.3, 0.7]]).entropy_rate == pytest.approx(0.75 * entropy(0.1) + 0.25 * entropy(0.3))
    assert Markov([[0.9, 0.1], [0.3, 0.7]]).entropy_rate == pytest.approx(0.57207, abs=5e-6)
    assert Markov([[0.5, 0.5], [1, 0]]).entropy_rate == pytest.approx(2 / 3, abs=1e-14)
    assert Iid([0.7, 0.3]).entropy_rate == pytest.approx(0.88129, abs=5e-6)
    for keys in (1, 2, 26, 100):  # the typewriter with m equal keys: log2 m
        assert Iid(np.ones(keys), normalise=True).entropy_rate == pytest.approx(math.log2(keys), abs=1e-14)


def test_varentropy_rate_by_the_poisson_equation() -> None:
    # By Poisson's equation: two-state [[.9,.1],[.3,.7]] 1.193, where independent steps would give .789.
    assert Markov([[0.9, 0.1], [0.3, 0.7]]).varentropy_rate == pytest.approx(1.193, abs=5e-4)
    assert Iid([0.9, 0.1]).varentropy_rate == pytest.approx(0.09 * math.log2(9) ** 2)
    # A chain whose rows are all the same is a sequence of independent draws.
    assert Markov([[0.9, 0.1]] * 2).varentropy_rate == pytest.approx(0.09 * math.log2(9) ** 2)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10**6), st.integers(2, 3), st.integers(1, 2))
def test_varentropy_is_the_limit_of_exact_variances(seed: int, size: int, order: int) -> None:
    # Var(-ln P(X^n)) over all words: its growth a step tends to the rate, geometrically fast for these chains.
    rng = np.random.default_rng(seed)
    rows = 0.3 * rng.dirichlet(np.ones(size), size=size**order) + 0.7 * rng.dirichlet(np.ones(size))
    chain = Markov(rows, order=order)
    variances = []
    for n in (9, 10) if size == 2 else (8, 9):
        words = chain.block_probabilities(n).ravel()
        surprise = -np.log2(words)
        mean = (words * surprise).sum()
        variances.append((words * (surprise - mean) ** 2).sum())
    assert variances[1] - variances[0] == pytest.approx(chain.varentropy_rate, abs=0.02 * max(1, chain.varentropy_rate))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 6))
def test_stationary_law_is_the_eigenvector(seed: int, size: int) -> None:
    rows = np.random.default_rng(seed).dirichlet(np.ones(size), size=size)
    chain = Markov(rows)
    law = chain.stationary
    assert law.sum() == pytest.approx(1.0, abs=1e-14)
    assert law @ chain.transition == pytest.approx(law, abs=1e-14)
    assert chain.is_stationary
    assert chain.is_ergodic
    assert chain.is_mixing


def test_nearly_decomposable_chains_keep_their_digits() -> None:
    # Two blocks that are left with 1e-14 and 3e-14: the law is 3 to 1, whatever a double can hold of 1 - 1e-14.
    e = 1e-14
    chain = Markov([[1 - e, e], [3 * e, 1 - 3 * e]])
    assert chain.stationary == pytest.approx([0.75, 0.25], rel=1e-12)
    # sigma^2 of a two-state chain with rates r0, r1 in its states is dominated by the switches:
    # 2 pi0 pi1 (r0 - r1)^2 / (a + b), and what single steps add.
    sticky = Markov(
        [[0.5 * (1 - e), 0.5 * (1 - e), e / 2, e / 2]] * 2 + [[e / 2, e / 2, 0.9 * (1 - e), 0.1 * (1 - e)]] * 2
    )
    difference = 1 - entropy(0.1)
    assert sticky.varentropy_rate == pytest.approx(2 * 0.25 * difference**2 / (2 * e), rel=1e-6)


def test_extreme_probabilities_are_never_nan() -> None:
    # A state that is left once in 1e17 steps: gone through in the end, however 1 - 1e-17 rounds.
    stays = Markov([[1.0, 1e-17, 3e-17], [0, 1, 0], [0, 0, 1]], [1, 0, 0])
    assert [weight for weight, _ in stays.ergodic_components] == pytest.approx([0.25, 0.75])
    assert not stays.is_stationary
    # Down to the smallest doubles: either right, or refused.
    for tiny in (1e-100, 1e-200, 1e-300):
        chain = Markov([[1 - tiny, tiny], [tiny, 1.0]])
        assert chain.stationary == pytest.approx([0.5, 0.5])
        assert chain.entropy_rate >= 0
        assert not math.isnan(chain.varentropy_rate)
    with pytest.raises(ConvergenceError, match="doubles"):
        Markov([[0.5, 0.5], [5e-324, 1.0]])
    swaps = [[0, 1.0, 1e-17, 0], [1.0, 0, 0, 1e-17], [0, 0, 1, 0], [0, 0, 0, 1]]
    with pytest.raises(ConvergenceError, match="rarely"):
        _ = Markov(swaps, [1, 0, 0, 0]).entropy_rate


def test_block_entropies_agree_with_dit() -> None:
    rows = np.random.default_rng(2).dirichlet(np.ones(2), size=4)
    chain = Markov(rows, order=2)
    words = ["".join(word) for word in itertools.product("01", repeat=3)]
    joint = dit.Distribution(words, chain.block_probabilities(3).ravel().tolist())
    assert chain.block_entropy(3) == pytest.approx(dit.shannon.entropy(joint), abs=1e-12)
    # Of a stationary chain of order 2, H(X3 | X1 X2) is the entropy rate.
    assert chain.entropy_rate == pytest.approx(dit.shannon.conditional_entropy(joint, [2], [0, 1]), abs=1e-12)


def test_order_is_a_matter_of_writing() -> None:
    # A chain of order one, written as one of order two and three, is the same process.
    one = Markov([[0.9, 0.1], [0.3, 0.7]])
    for order in (2, 3):
        table = np.tile([[0.9, 0.1], [0.3, 0.7]], (2 ** (order - 1), 1))
        same = Markov(table.reshape((2,) * (order + 1)), order=order)
        assert same.entropy_rate == pytest.approx(one.entropy_rate, abs=1e-14)
        assert same.varentropy_rate == pytest.approx(one.varentropy_rate, abs=1e-12)
        assert same.block_probabilities(4) == pytest.approx(one.block_probabilities(4), abs=1e-14)
        assert same.stationary.shape == (2,) * order
        for word in itertools.product((0, 1), repeat=4):
            assert same.logprob(word) == pytest.approx(one.logprob(word), abs=1e-13)


# ---- textbook chains -------------------------------------------------------------------------------------------------


def test_irreducible_aperiodic() -> None:
    weather = Markov([[0.5, 0.25, 0.25], [0.5, 0, 0.5], [0.25, 0.25, 0.5]])  # Kemeny and Snell's Land of Oz
    assert weather.stationary == pytest.approx([0.4, 0.2, 0.4], abs=1e-14)
    assert weather.is_irreducible
    assert weather.is_ergodic
    assert weather.is_mixing
    assert weather.period == 1
    assert [c.states for c in weather.classes] == [(0, 1, 2)]


def test_periodic() -> None:
    # Ehrenfest's urns with 4 balls: period 2, binomial law.
    steps = np.zeros((5, 5))
    for i in range(5):
        if i > 0:
            steps[i, i - 1] = i / 4
        if i < 4:
            steps[i, i + 1] = 1 - i / 4
    urns = Markov(steps)
    assert urns.stationary == pytest.approx([math.comb(4, k) / 16 for k in range(5)], abs=1e-14)
    assert urns.period == 2
    assert urns.is_stationary
    assert urns.is_ergodic
    assert "period 2" in urns.is_ergodic.reason
    assert "not mixing" in urns.is_ergodic.reason
    assert not urns.is_mixing
    # A cycle of three, and the same with a short cut of length two: loops of 3 and 2 have no common divisor.
    assert Markov(np.roll(np.eye(3), 1, axis=1)).period == 3
    assert Markov([[0, 1, 0], [0, 0, 1], [0.5, 0.5, 0]]).period == 1


def test_absorbing() -> None:
    # Gambler's ruin with 3 coins in play: from 1, ruin has probability 2/3.
    steps = [[1, 0, 0, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0, 0, 1]]
    gambler = Markov(steps, initial=[0, 1, 0, 0])
    kinds = [(c.states, c.recurrent, c.period, c.reachable) for c in gambler.classes]
    assert kinds == [((0,), True, 1, True), ((1, 2), False, 2, True), ((3,), True, 1, True)]
    assert not gambler.is_irreducible
    assert not gambler.is_stationary
    assert not gambler.is_ergodic
    assert "reducible" in gambler.is_ergodic.reason
    assert [weight for weight, _ in gambler.ergodic_components] == pytest.approx([2 / 3, 1 / 3])
    assert gambler.entropy_rate == 0.0
    with pytest.raises(UndefinedError, match="2 recurrent classes"):
        _ = gambler.stationary
    with pytest.raises(UndefinedError, match="reducible"):
        _ = gambler.varentropy_rate
    with pytest.raises(UndefinedError, match="period"):
        _ = gambler.period
    # Without an initial law it starts in the uniform one, and says so.
    anywhere = Markov(steps)
    assert anywhere.initial.tolist() == [0.25] * 4
    assert "uniform" in anywhere.is_stationary.reason
    # One absorbing state: one law, and every path gets there.
    falls = Markov([[0.5, 0.5], [0, 1]], initial=[1, 0])
    assert falls.stationary.tolist() == [0, 1]
    assert falls.is_ergodic
    assert not falls.is_stationary
    assert "settles" in falls.is_ergodic.reason
    assert Markov([[0.5, 0.5], [0, 1]]).is_stationary


def test_reducible_into_different_rates() -> None:
    blocks = np.zeros((4, 4))
    blocks[:2, :2], blocks[2:, 2:] = [[0.9, 0.1], [0.1, 0.9]], 0.5
    chain = Markov(blocks, initial=[0.15, 0.15, 0.35, 0.35])
    assert chain.is_stationary
    assert not chain.is_ergodic
    assert chain.entropy_rate == pytest.approx(0.3 * entropy(0.1) + 0.7)
    rates = [part.entropy_rate for _, part in chain.ergodic_components]
    assert rates == pytest.approx([entropy(0.1), 1.0])
    # Started within one block it is ergodic: the other is never seen.
    inside = Markov(blocks, initial=[0.5, 0.5, 0, 0])
    assert inside.is_ergodic
    assert [c.reachable for c in inside.classes] == [True, False]
    assert inside.varentropy_rate == pytest.approx(0.09 * math.log2(9) ** 2)


def test_order_two_contexts_decide() -> None:
    # The next symbol repeats the one before the last: the pairs 01 and 10 alternate, 00 and 11 stay.
    copy = np.zeros((2, 2, 2))
    for a, b in itertools.product((0, 1), repeat=2):
        copy[a, b, a] = 1.0
    chain = Markov(copy, order=2)
    found = {frozenset(c.states): c.period for c in chain.classes}
    expected = {frozenset({(0, 0)}): 1, frozenset({(0, 1), (1, 0)}): 2, frozenset({(1, 1)}): 1}
    assert found == expected
    assert not chain.is_ergodic
    assert Markov(copy, [[0, 0.5], [0.5, 0]], order=2).is_ergodic
    assert Markov(copy, [[0, 0.5], [0.5, 0]], order=2).period == 2
    assert Markov(copy, [[0, 1], [0, 0]], order=2).is_stationary.holds is False


# ---- estimation ------------------------------------------------------------------------------------------------------


def test_fit_counts() -> None:
    fitted = Markov.fit([0, 0, 1, 0, 0, 1, 1])
    assert fitted.transition == pytest.approx(np.array([[0.5, 0.5], [0.5, 0.5]]))
    smoothed = Markov.fit("aab", smoothing=1.0)
    assert smoothed.labels == ("a", "b")
    assert smoothed.transition == pytest.approx(np.array([[0.5, 0.5], [0.5, 0.5]]))
    assert "smoothing 1" in repr(smoothed)
    assert Markov.fit(iter("abab")).logprob("abab") == pytest.approx(math.log(0.5))
    second = Markov.fit([0, 1, 1, 0, 1, 1, 0], order=2, alphabet_size=2)
    assert second.transition.reshape(2, 2, 2)[1, 1].tolist() == [1, 0]
    with pytest.raises(EmptyError, match="at least 4"):
        Markov.fit("aba", order=3)
    with pytest.raises(RangeError, match="too many"):
        Markov.fit(bytes(range(256)) * 2, order=3)


def test_fit_finds_the_chain_it_was_sampled_from() -> None:
    rows = np.random.default_rng(5).dirichlet(np.ones(3), size=9)
    found = Markov.fit(Markov(rows, order=2).sample(10**6, seed=1), order=2)
    assert found.transition == pytest.approx(rows, abs=0.02)


def test_processes_do_not_change() -> None:
    chain = Markov([[0.9, 0.1], [0.3, 0.7]])
    for values in (chain.transition, chain.initial, chain.stationary):
        with pytest.raises(ValueError, match="read-only"):
            values[0] = 1.0


@pytest.mark.parametrize(("shape", "order"), [((3, 3, 3), 2), ((2, 2, 2, 2), 3), ((9, 3), 2)])
def test_a_table_of_a_higher_order_says_which(shape: tuple[int, ...], order: int) -> None:
    table = np.full(shape, 1.0 / shape[-1])
    with pytest.raises(ShapeError, match=f"give order={order}"):
        Markov(table)
    assert Markov(table, order=order).entropy_rate == pytest.approx(np.log2(shape[-1]), abs=1e-14)
