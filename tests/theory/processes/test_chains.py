"""Chains of states: classes, periods, absorption, the long run."""

from __future__ import annotations

import numpy as np
import pytest

from bitmeter import Markov
from bitmeter.theory.processes import chains
from bitmeter.theory.processes.chains import Machine


def test_large_chains_are_solved_by_iteration(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(1).dirichlet(np.ones(3), size=27)
    exact = Markov(rows, order=3)
    expected = exact.stationary, exact.entropy_rate, exact.varentropy_rate
    monkeypatch.setattr(chains, "DENSE_STATES", 5)
    again = Markov(rows, order=3)
    assert again.stationary == pytest.approx(expected[0], abs=1e-13)
    assert again.entropy_rate == pytest.approx(expected[1], rel=1e-12)
    assert again.varentropy_rate == pytest.approx(expected[2], rel=1e-10)
    # A binary chain of order 12 has more contexts than are solved densely.
    monkeypatch.undo()
    bit = Markov(np.tile([[0.9, 0.1], [0.3, 0.7]], (2**11, 1)), order=12)
    assert bit.entropy_rate == pytest.approx(Markov([[0.9, 0.1], [0.3, 0.7]]).entropy_rate, rel=1e-12)
    assert bit.varentropy_rate == pytest.approx(1.1930044953483678, rel=1e-9)


def gambler() -> Machine:
    """A walk on 0 … 3 that ends at 0 and at 3."""
    return Machine.of_matrix(np.array([[1, 0, 0, 0], [0.5, 0, 0.5, 0], [0, 0.5, 0, 0.5], [0, 0, 0, 1.0]]))


def test_classes_periods_and_reach() -> None:
    machine = gambler()
    parts = [(part.members.tolist(), part.closed, machine.phases(part)[0]) for part in machine.parts]
    assert parts == [([0], True, 1), ([1, 2], False, 2), ([3], True, 1)]
    for start, expected in ((0, [0]), (1, [0, 1, 2, 3]), (3, [3])):
        assert np.flatnonzero(machine.reachable(np.arange(4) == start)).tolist() == expected


def test_a_state_without_a_way_back_has_no_period() -> None:
    machine = Machine.of_matrix(np.array([[0, 1.0], [0, 1.0]]))
    assert [machine.phases(part)[0] for part in machine.parts] == [0, 1]


@pytest.mark.parametrize("length", [2, 3, 7])
def test_a_cycle_has_its_length_as_period(length: int) -> None:
    machine = Machine.of_matrix(np.roll(np.eye(length), 1, axis=1))
    (part,) = machine.parts
    period, phase = machine.phases(part)
    assert period == length
    assert phase.tolist() == list(range(length))


def test_ruin_has_the_odds_of_the_textbook() -> None:
    # From state k of a fair game on 0 … 3 the probability to end at 3 is k/3.
    machine = gambler()
    for k in range(4):
        weights = {int(part.members[0]): weight for weight, part in machine.absorption((np.arange(4) == k) * 1.0)}
        assert weights.get(3, 0.0) == pytest.approx(k / 3, abs=1e-15)
        assert sum(weights.values()) == pytest.approx(1.0, abs=1e-15)


def test_contexts_are_numbers_whose_last_digit_is_the_latest_symbol() -> None:
    machine = Machine.of_contexts(np.full((9, 3), 1 / 3))
    assert machine.follow[3 * 2 + 1].tolist() == [3 * 1 + symbol for symbol in range(3)]


def test_the_long_run_of_two_states() -> None:
    # The law of [[1-a, a], [b, 1-b]] is (b, a)/(a + b); costs that are one in state 1 and zero in state 0 have the
    # variance rate pi0 pi1 (2 - a - b)/(a + b), by the sum of the geometric correlations.
    a, b = 0.1, 0.3
    machine = Machine.of_matrix(np.array([[1 - a, a], [b, 1 - b]]))
    found = machine.long_run(np.array([[0.0, 0.0], [1.0, 1.0]]))
    assert found.law == pytest.approx([0.75, 0.25], abs=1e-15)
    assert found.mean == pytest.approx(0.25, abs=1e-15)
    assert found.variance == pytest.approx(0.75 * 0.25 * (2 - a - b) / (a + b), rel=1e-13)


def test_a_closed_class_is_a_machine_of_its_own() -> None:
    machine = Machine.of_matrix(np.array([[0.2, 0.3, 0.5], [0, 0.9, 0.1], [0, 0.3, 0.7]]))
    closed = next(part for part in machine.parts if part.closed)
    inside = machine.restrict(closed)
    assert len(inside) == 2
    # Edges that a class never takes may point anywhere; those that it takes lead to its own states.
    assert inside.long_run(np.zeros(inside.probs.shape)).law == pytest.approx([0.75, 0.25], abs=1e-15)
