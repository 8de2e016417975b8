"""The gate of a mixture against its definition and scipy's optimum."""

import numpy as np
import pytest
from scipy import optimize

from bitmeter.models.mixture.gate import Gate, fit_gate
from bitmeter.models.mixture.weights import best_weights, mixed


def test_the_weights_are_the_softmax_of_the_sum_of_terms() -> None:
    rng = np.random.default_rng(1)
    gate = Gate(rng.normal(size=3), (rng.normal(size=(4, 3)), rng.normal(size=(2, 3))))
    kinds = np.array([[0, 3, 2], [1, 1, 0]])
    found = gate.at(kinds)
    for unit in range(3):
        total = gate.base + gate.tables[0][kinds[0, unit]] + gate.tables[1][kinds[1, unit]]
        assert found[:, unit] == pytest.approx(np.exp(total) / np.exp(total).sum(), rel=1e-12)


def drawn() -> tuple[np.ndarray, np.ndarray, list[int]]:
    rng = np.random.default_rng(5)
    kinds = np.array([rng.integers(3, size=400), rng.integers(2, size=400)])
    logs = np.log(rng.dirichlet(np.ones(9), size=(3, 400))[:, :, 0])
    logs[0, kinds[0] == 1] += 1.0  # the first component is better after one kind of history
    return np.minimum(logs, 0.0), kinds, [3, 2]


def test_a_gate_is_scipy_s_optimum() -> None:
    logs, kinds, bins = drawn()
    overall, _ = best_weights(logs)
    prior = 2.0
    gate, _ = fit_gate(logs, kinds, bins, overall, prior)

    def unpacked(x: np.ndarray) -> Gate:
        rows = x.reshape(-1, 3)
        return Gate(rows[0], (rows[1:4], rows[4:6]))

    def cost(x: np.ndarray) -> float:
        found = -mixed(logs, unpacked(x).at(kinds)).sum() + 0.5 * prior * (x[3:] ** 2).sum()
        return float(found) / int(logs.shape[1])

    start = np.concatenate((np.log(np.maximum(overall, 1e-4)), np.zeros(15)))
    best = optimize.minimize(cost, start, method="BFGS", options={"gtol": 1e-7})
    own = np.concatenate((gate.base, *(table.ravel() for table in gate.tables)))
    assert cost(own) == pytest.approx(best.fun, abs=2e-6)
    assert mixed(logs, gate.at(kinds)).sum() > mixed(logs, overall[:, None]).sum()


def test_impossible_units_are_passed_over_and_absent_kinds_have_no_terms() -> None:
    logs, kinds, bins = drawn()
    overall, _ = best_weights(logs)
    more = np.concatenate((logs, np.full((3, 5), -np.inf)), axis=1)
    more_kinds = np.concatenate((kinds, np.full((2, 5), 1)), axis=1)
    gate, _ = fit_gate(more, more_kinds, [6, 2], overall)
    same, _ = fit_gate(logs, kinds, bins, overall)
    assert gate.tables[0][:3] == pytest.approx(same.tables[0], abs=1e-6)
    assert not gate.tables[0][3:].any()
