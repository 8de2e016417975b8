"""Conditional distributions: Bayes' rule, and cross-entropy over data and over the space."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

import bitmeter as bm
from bitmeter import errors
from tests.theory.strategies import samples, tables


@given(tables())
def test_bayes_and_marginals(table: NDArray[np.float64]) -> None:
    table = table + 1e-3
    prior = bm.Distribution(table.sum(1), normalise=True)
    likelihood = bm.Conditional({i: bm.Distribution(row, normalise=True) for i, row in enumerate(table)})
    joint = likelihood.joint(prior)
    total = table.sum()
    for (i, j), mass in zip(joint.labels, joint.probabilities, strict=True):  # type: ignore[misc]
        assert mass == pytest.approx(table[i, j] / total, rel=1e-12)  # type: ignore[has-type]
    outcomes = likelihood.marginal(prior)
    assert outcomes.probabilities == pytest.approx(table.sum(0) / total, rel=1e-12)
    posterior = likelihood.reverse(prior)
    assert posterior[0][0] == pytest.approx(table[0, 0] / table[:, 0].sum(), rel=1e-12)
    # Back again.
    assert posterior.reverse(outcomes)[0][0] == pytest.approx(likelihood[0][0], rel=1e-12)
    assert likelihood.entropy(prior) == pytest.approx(bm.conditional_entropy(joint), abs=1e-12)


@given(samples(3))
def test_cross_entropy_over_data_and_over_space_are_equal(x: list[int]) -> None:
    # M7.
    rows = {i: bm.Distribution([0.5, 0.25, 0.25]) for i in range(3)}
    rows[1] = bm.Distribution([0.1, 0.1, 0.8])
    q = bm.Conditional(rows, start=0)
    over_data = sum(-math.log2(q[a][b]) for a, b in zip([0, *x], x, strict=False)) / len(x)
    assert q.cross_entropy(x) == pytest.approx(over_data, rel=1e-12)
    assert q.cross_entropy(q.pairs(x)) == pytest.approx(over_data, rel=1e-12)
    assert bm.cross_entropy(x, q) == q.cross_entropy(x)


def test_a_fitted_conditional_beats_its_marginal_on_its_own_data() -> None:
    text = "the cat sat on the mat and the cat ran"
    q = bm.Conditional.from_data(text)
    pairs = bm.Distribution.from_data(list(itertools.pairwise(text)))
    assert q.cross_entropy(pairs) == pytest.approx(bm.conditional_entropy(text[:-1], text[1:]), rel=1e-12)
    assert q.cross_entropy(pairs) < bm.entropy(text[1:])
    assert bm.Conditional.from_pairs(pairs) == q


def test_contexts_are_checked() -> None:
    q = bm.Conditional({"a": {"b": 1.0}, "?": {"a": 1.0}}, other="?", start="a")
    assert q["z"]["a"] == 1.0
    assert q.probability("b", "a") == 1.0
    assert math.isinf(q.cross_entropy("a"))
    assert bm.explain_infinite("a", q).events == ((("a", "a"), 1.0),)
    with pytest.raises(errors.UnknownLabelError, match="other="):
        bm.Conditional({"a": {"b": 1.0}})["c"]
    with pytest.raises(errors.UndefinedError, match="start="):
        bm.Conditional({"a": {"b": 1.0}}).cross_entropy("ab")
    with pytest.raises(errors.EmptyError):
        bm.Conditional.from_data("a")
    for bad in (None, {}, {"a": 3}, {"a": {"b": 0.5}}, [1, 2]):
        with pytest.raises(errors.BitmeterError):
            bm.Conditional(bad)
