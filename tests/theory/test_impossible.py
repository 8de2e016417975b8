"""Which events make a cross-entropy infinite."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import bitmeter as bm


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=8))
def test_the_events_are_those_with_mass_that_the_model_gives_none(pairs: list[tuple[int, int]]) -> None:
    p, q = (np.array([pair[i] for pair in pairs], dtype=float) for i in (0, 1))
    if not p.any() or not q.any():
        return
    found = bm.explain_infinite(p, q, normalise=True)
    expected = {i: p[i] / p.sum() for i in range(len(p)) if p[i] > 0 and q[i] == 0}
    assert dict(found.events) == pytest.approx(expected)
    assert found.mass == pytest.approx(math.fsum(expected.values()))
    assert bool(found) == math.isinf(float(bm.cross_entropy(p, q, normalise=True)))
    masses = [mass for _, mass in found.events]
    assert masses == sorted(masses, reverse=True)


def test_data_against_labels_contexts_and_densities() -> None:
    letters = bm.Distribution({"a": 0.5, "b": 0.5})
    assert bm.explain_infinite("abc", letters).events == (("c", 1 / 3),)
    table = bm.Conditional({"a": {"b": 1.0}, "b": {"a": 1.0}}, start="a")
    assert bm.explain_infinite("bb", table).events == ((("b", "b"), 0.5),)
    found = bm.explain_infinite(stats.norm(0, 1), stats.uniform(-1, 2))
    assert [event for event, _ in found.events] == [(-math.inf, -1.0), (1.0, math.inf)]
    assert found.mass == pytest.approx(2 * stats.norm.sf(1), rel=1e-12)


def test_the_sentence_counts_and_lists_the_events() -> None:
    assert str(bm.explain_infinite([0.5, 0.5], [0.5, 0.5])) == (
        "finite: everything that happens under p is possible under q"
    )
    many = bm.explain_infinite(np.full(20, 0.05), np.eye(20)[0])
    text = str(many)
    assert text.startswith("infinite: 19 events with 0.95 of the mass of p cannot happen under q: 1 (0.05), 2 (0.05)")
    assert text.endswith(", and 9 more")


def test_batches_are_explained_one_row_at_a_time() -> None:
    with pytest.raises(bm.errors.InputTypeError, match="one row at a time"):
        bm.explain_infinite(np.full((2, 2), 0.5), np.full((2, 2), 0.5))
