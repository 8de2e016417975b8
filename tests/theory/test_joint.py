"""M5: joint, conditional and mutual information, and the chain rule."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray
from pyitlib import discrete_random_variable as drv

import bitmeter as bm
from bitmeter import errors
from tests.theory.strategies import samples, tables

Table = NDArray[np.float64]


@given(tables())
def test_chain_rule_and_symmetry(table: Table) -> None:
    joint = bm.joint_entropy(table, normalise=True)
    x, y = bm.entropy(table.sum(1), normalise=True), bm.entropy(table.sum(0), normalise=True)
    assert joint == pytest.approx(x + bm.conditional_entropy(table, normalise=True), abs=1e-12)
    assert joint == pytest.approx(y + bm.conditional_entropy(table, given="second", normalise=True), abs=1e-12)
    mutual = bm.mutual_information(table, normalise=True)
    assert mutual == pytest.approx(x + y - joint, abs=1e-12)
    assert mutual == pytest.approx(bm.mutual_information(table.T, normalise=True), abs=1e-13)
    assert 0.0 <= mutual <= min(x, y) + 1e-12


def test_independent_tables_have_no_mutual_information() -> None:
    p, q = np.array([0.2, 0.8]), np.array([0.1, 0.3, 0.6])
    table = np.outer(p, q)
    assert bm.mutual_information(table) == pytest.approx(0.0, abs=1e-14)
    assert bm.conditional_entropy(table) == pytest.approx(bm.entropy(q), rel=1e-12)


@given(samples(), samples())
def test_samples_agree_with_pyitlib(x: list[int], y: list[int]) -> None:
    n = min(len(x), len(y))
    x, y = x[:n], y[:n]
    a, b = np.array(x), np.array(y)
    assert bm.joint_entropy(x, y) == pytest.approx(float(drv.entropy_joint(np.vstack((a, b)))), abs=1e-12)
    assert bm.conditional_entropy(x, y) == pytest.approx(float(drv.entropy_conditional(b, a)), abs=1e-12)
    assert bm.mutual_information(x, y) == pytest.approx(float(drv.information_mutual(a, b)), abs=1e-12)


def test_distribution_over_pairs() -> None:
    joint = bm.Distribution({("rain", "wet"): 0.5, ("sun", "dry"): 0.25, ("sun", "wet"): 0.25})
    table = [[0.5, 0.0], [0.25, 0.25]]
    for function in (bm.joint_entropy, bm.conditional_entropy, bm.mutual_information):
        assert function(joint) == pytest.approx(function(table), rel=1e-12)


def test_tables_of_more_axes() -> None:
    cube = np.random.default_rng(0).random((2, 3, 4))
    cube /= cube.sum()
    assert bm.joint_entropy(cube) == pytest.approx(bm.entropy(cube.ravel()), rel=1e-12)
    # The first axis against all others together.
    assert bm.mutual_information(cube) == pytest.approx(bm.mutual_information(cube.reshape(2, 12)), rel=1e-12)


def test_symbols_of_any_size_and_kind() -> None:
    x = np.array([2**62, -(2**62), 2**62, 0])
    assert bm.joint_entropy(x, x) == bm.entropy("abac")
    assert bm.mutual_information(["a", "b", "a", "b"], b"xyxy") == pytest.approx(1.0, rel=1e-12)


def test_tiny_marginals_do_not_underflow() -> None:
    table = np.array([[1e-300, 0.0], [0.0, 1.0]])
    expected = 1e-300 * np.log2(1e300)
    assert bm.mutual_information(table) == pytest.approx(expected, rel=1e-9)


def test_what_is_refused() -> None:
    with pytest.raises(errors.ShapeError, match="each x needs its y"):
        bm.joint_entropy("abc", "ab")
    with pytest.raises(errors.ShapeError, match="at least two axes"):
        bm.joint_entropy([0.5, 0.5])
    with pytest.raises(errors.InputTypeError, match="y is missing"):
        bm.mutual_information("abc")
    with pytest.raises(errors.InputTypeError, match="must be a pair"):
        bm.joint_entropy(bm.Distribution({"a": 1.0}))
    with pytest.raises(errors.NotNormalisedError):
        bm.joint_entropy([[1, 2], [3, 4]])
    assert bm.joint_entropy([[1, 1], [1, 1]], normalise=True) == 2.0


def test_chance_is_not_taken_for_dependence_without_a_word() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.integers(0, 256, (2, 10_000))
    with pytest.warns(UserWarning, match=r"10,000 samples is too high, by 0\.\d\d of 2\.8\d bits at least"):
        assert bm.mutual_information(x, y) > 2.5
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bm.mutual_information(x % 4, y % 4)
        bm.mutual_information(x, x)


def test_it_does_not_matter_how_far_apart_samples_are() -> None:
    x, y = np.random.default_rng(3).integers(0, 5, size=(2, 1000))
    near = bm.mutual_information(x, y)
    assert bm.mutual_information(x * 10**15 - 2**62, y - 2**62) == near
    assert bm.conditional_entropy(x * 10**15, y) == bm.conditional_entropy(x, y)
    assert bm.mutual_information(x, x) == pytest.approx(bm.entropy(x, of="samples"), abs=1e-12)
