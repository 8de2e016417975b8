"""Estimates from nearest neighbours: against definitions, another implementation, and closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, InputError, NotFiniteError, RangeError, ShapeError
from bitmeter.theory.special import digamma


def normal(n: int, correlation: float, seed: int) -> Any:
    return np.random.default_rng(seed).normal(size=(n, 2)) @ [[1, correlation], [0, math.sqrt(1 - correlation**2)]]


def psi(value: Any) -> float:
    return float(digamma(value))


def test_each_estimate_is_its_definition() -> None:
    # Point by point, with all distances: Kraskov and others' equations (8) and (9), as NPEET and others have them.
    table = normal(200, 0.6, 1)
    z = np.random.default_rng(2).normal(size=200) + table[:, 0]
    k, n = 3, 200
    dx, dy, dz = (np.abs(v[:, None] - v[None]) for v in (table[:, 0], table[:, 1], z))
    joint = np.maximum(dx, dy)
    first = second = conditional = entropy = 0.0
    for i in range(n):
        radius = np.sort(joint[i])[k]
        first += psi(k) + psi(n) - psi((dx[i] < radius).sum()) - psi((dy[i] < radius).sum())
        near = np.argsort(joint[i])[1 : k + 1]
        wide, high = dx[i][near].max(), dy[i][near].max()
        second += psi(k) - 1 / k + psi(n) - psi((dx[i] <= wide).sum() - 1) - psi((dy[i] <= high).sum() - 1)
        three = np.sort(np.maximum(joint[i], dz[i]))[k]
        counts = [(np.maximum(d[i], dz[i]) < three).sum() for d in (dx, dy)]
        conditional += psi(k) + psi((dz[i] < three).sum()) - psi(counts[0]) - psi(counts[1])
        entropy += psi(n) - psi(k) + 2 * math.log(2 * radius)
    x, y = table.T
    common: dict[str, Any] = {"neighbours": k, "unit": "nats"}
    assert bm.estimate_mutual_information(x, y, **common).value == pytest.approx(first / n, abs=1e-10)
    assert bm.estimate_mutual_information(x, y, "ksg2", **common).value == pytest.approx(second / n, abs=1e-10)
    assert bm.estimate_mutual_information(x, y, given=z, **common).value == pytest.approx(conditional / n, abs=1e-10)
    assert bm.estimate_differential_entropy(table, **common).value == pytest.approx(entropy / n, abs=1e-10)


def test_against_infomeasure() -> None:
    import infomeasure

    x, y = normal(500, 0.7, 3).T
    z = np.random.default_rng(1).normal(size=500) + x
    ours = bm.estimate_mutual_information(x, y, unit="nats").value
    theirs = infomeasure.mutual_information(x, y, approach="ksg", k=4, noise_level=0, base="e")
    assert ours == pytest.approx(float(theirs), abs=0.01)
    ours = bm.estimate_mutual_information(x, y, given=z, unit="nats").value
    theirs = infomeasure.conditional_mutual_information(x, y, cond=z, approach="ksg", k=4, noise_level=0, base="e")
    assert ours == pytest.approx(float(theirs), abs=0.02)
    ours = bm.estimate_differential_entropy(x, unit="nats").value
    theirs = infomeasure.entropy(x, approach="kl", k=4, noise_level=0, base="e")
    assert ours == pytest.approx(float(theirs), abs=0.02)


@pytest.mark.parametrize(
    ("draw", "truth"),
    [
        (lambda rng: rng.normal(size=5000), 0.5 * math.log(2 * math.pi * math.e)),
        (lambda rng: rng.random(5000) * 3, math.log(3)),
        (lambda rng: rng.exponential(2, 5000), 1 + math.log(2)),
        (lambda rng: rng.random((5000, 2)), 0.0),
    ],
)
def test_entropies_of_known_densities(draw: Any, truth: float) -> None:
    values = [bm.estimate_differential_entropy(draw(np.random.default_rng(s)), unit="nats") for s in range(10)]
    # 5,000 points: a standard deviation of about .015 each; a bias of the edges below .02.
    assert float(np.mean([found.value for found in values])) == pytest.approx(truth, abs=0.035)
    if truth != 0:  # a square's edges bias by more than a standard deviation, which no interval contains
        assert sum(v.interval is not None and v.interval[0] <= truth <= v.interval[1] for v in values) >= 7


@pytest.mark.parametrize("method", ["ksg1", "ksg2"])
@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.9])
def test_information_of_normal_pairs(method: str, correlation: float) -> None:
    truth = -0.5 * math.log(1 - correlation**2)
    tables = [normal(2000, correlation, seed) for seed in range(10)]
    found = [bm.estimate_mutual_information(t[:, 0], t[:, 1], method, unit="nats") for t in tables]
    assert float(np.mean([f.value for f in found])) == pytest.approx(truth, abs=0.03)
    assert sum(f.interval is not None and f.interval[0] <= truth <= f.interval[1] for f in found) >= 7


def test_information_given_a_common_cause() -> None:
    rng = np.random.default_rng(1)
    z = rng.normal(size=4000)
    x, y = z + rng.normal(size=4000), z + rng.normal(size=4000)
    # corr(x, y) = 1/2, and none is left given z.
    assert bm.estimate_mutual_information(x, y, unit="nats").value == pytest.approx(-0.5 * math.log(0.75), abs=0.05)
    assert bm.estimate_mutual_information(x, y, given=z, unit="nats").value == pytest.approx(0, abs=0.05)


def test_divergence_of_normal_and_exponential_densities() -> None:
    rng = np.random.default_rng(1)
    shifted = bm.estimate_kl_divergence(rng.normal(size=8000), rng.normal(1, 1, 5000), unit="nats")
    assert shifted.value == pytest.approx(0.5, abs=0.08)
    slower = bm.estimate_kl_divergence(rng.exponential(1, 8000), rng.exponential(2, 8000), unit="nats")
    assert slower.value == pytest.approx(math.log(2) - 0.5, abs=0.06)
    assert shifted.interval is not None
    equal = bm.estimate_kl_divergence(rng.random((4000, 2)), rng.random((4000, 2)))
    assert equal.value == pytest.approx(0, abs=0.1)


def test_symbols_as_numbers_give_zhang() -> None:
    # Where all points are atoms, the counts of equal points take the place of distances: Zhang's estimates.
    rng = np.random.default_rng(4)
    x = rng.integers(0, 4, 600)
    y = (x + rng.integers(0, 2, 600)) % 4
    expected = [bm.estimate_entropy(v, "zhang", resamples=0).value for v in (x, y, 4 * x + y)]
    for method in ("ksg1", "ksg2"):
        found = bm.estimate_mutual_information(x.astype(float), y.astype(float), method)
        assert found.value == pytest.approx(expected[0] + expected[1] - expected[2], abs=1e-9)
        assert "600 points occur more than 4 times" in found.note
    other = rng.integers(0, 4, 900).astype(float)
    divergence = bm.estimate_kl_divergence(x.astype(float), other)
    assert divergence.value == pytest.approx(0, abs=0.05)
    assert "600 points" in divergence.note


def test_atoms_have_no_differential_entropy() -> None:
    found = bm.estimate_differential_entropy(np.r_[np.zeros(10), np.random.default_rng(1).normal(size=90)])
    assert found.value == -math.inf
    assert found.interval is None
    assert "10 points occur more than 4 times" in found.note


def test_rounding_of_coordinates_does_not_change_counts() -> None:
    # The k-th neighbour lies exactly at the radius, and must not be counted, far from zero as well.
    x, y = normal(400, 0.5, 7).T
    near = bm.estimate_mutual_information(x, y).value
    assert bm.estimate_mutual_information(x + 2.0**20, y - 2.0**20).value == pytest.approx(near, abs=1e-3)


def test_permutations_find_dependence() -> None:
    x, y = normal(300, 0.5, 1).T
    assert bm.estimate_mutual_information(x, y, permutations=40).p_value == pytest.approx(1 / 41)
    other = np.random.default_rng(9).normal(size=300)
    p_value = bm.estimate_mutual_information(x, other, permutations=40).p_value
    assert p_value is not None
    assert p_value > 0.02


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: bm.estimate_differential_entropy([1.0, math.nan]), NotFiniteError),
        (lambda: bm.estimate_differential_entropy([1.0, 2.0]), RangeError),
        (lambda: bm.estimate_differential_entropy(np.zeros((3, 3, 3))), ShapeError),
        (lambda: bm.estimate_kl_divergence(np.zeros((9, 2)), np.zeros(9)), ShapeError),
        (lambda: bm.estimate_kl_divergence(np.arange(9.0), [1.0]), RangeError),
        (lambda: bm.estimate_mutual_information(np.arange(9.0), np.arange(8.0)), ShapeError),
        (
            lambda: bm.estimate_mutual_information(np.arange(9.0), np.arange(9.0), "ksg2", given=np.arange(9.0)),
            InputError,
        ),
        (
            lambda: bm.estimate_mutual_information(
                np.arange(9.0), np.arange(9.0), given=np.arange(9.0), permutations=9
            ),
            InputError,
        ),
    ],
)
def test_bad_input(call: Any, error: type[BitmeterError]) -> None:
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("method", ["ksg1", "ksg2"])
def test_rounded_and_repeated_values_are_no_dependence(method: str) -> None:
    # Rounded to one decimal, independent normals seemed to share 1.25 bits.
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(2, 2000))
    for first, second in ((np.round(x, 1), np.round(y, 1)), (np.round(x, 1), y), ((x > 0) * 1.0, y)):
        found = bm.estimate_mutual_information(first, second, method)
        assert abs(found.value) < 0.12
        assert "spread" in found.note
    # And what is there is found: of a sign and a normal, 1 bit less what the two normals overlap.
    sign = (x > 0) * 1.0
    assert bm.estimate_mutual_information(sign, x, method).value == pytest.approx(1.0, abs=0.1)


def test_a_rounded_neighbour_does_not_make_a_divergence_infinite() -> None:
    x = [-0.3, 1.6, -0.4, -0.7, 0.2, 1.0, 0.2, -0.6, -1.3, -1.4, 0.5, 1.0]
    y = [-0.16, -1.07, 0.87, -1.28, -0.71, 0.62]
    assert math.isfinite(bm.estimate_kl_divergence(x, y, neighbours=1).value)
