"""The weights of a mixture against scipy's optimum."""

import numpy as np
import pytest
from scipy import optimize

from bitmeter.models.mixture.weights import best_rows, best_weights, mixed


def test_weights_are_scipy_s_optimum() -> None:
    rng = np.random.default_rng(3)
    logs = np.log(rng.dirichlet(np.ones(20), size=(3, 500))[:, :, 0])

    def cost(free: np.ndarray) -> float:
        weights = np.exp(free) / np.exp(free).sum()
        return -float(np.log(weights @ np.exp(logs)).mean())

    best = optimize.minimize(cost, np.zeros(3), method="BFGS", options={"gtol": 1e-9})
    expected = np.exp(best.x) / np.exp(best.x).sum()
    found, _ = best_weights(logs)
    assert found == pytest.approx(expected, abs=2e-3)
    assert -float(mixed(logs, found[:, None]).mean()) == pytest.approx(best.fun, abs=1e-7)


def test_a_useless_component_gets_no_weight_and_impossible_units_are_passed_over() -> None:
    logs = np.log(np.array([[0.5, 0.5, 0.5, 1e-9], [0.1, 0.1, 0.1, 1e-12]]))
    assert best_weights(logs)[0][0] == pytest.approx(1.0, abs=1e-4)
    with_none = np.concatenate([logs, np.full((2, 1), -np.inf)], axis=1)
    assert best_weights(with_none)[0].tolist() == pytest.approx(best_weights(logs)[0].tolist())


def test_buckets_fit_better_than_one_set_of_weights_where_kinds_differ() -> None:
    logs = np.log(np.array([[0.9, 0.1] * 200, [0.1, 0.9] * 200]))
    overall, _ = best_weights(logs)
    buckets = np.array([0, 2] * 200)
    rows = best_rows(logs, buckets, 4, overall)
    assert rows[[1, 3]].tolist() == [overall.tolist()] * 2
    assert rows.sum(axis=1) == pytest.approx(np.ones(4))
    assert mixed(logs, rows[buckets].T).sum() > mixed(logs, overall[:, None]).sum() + 100
