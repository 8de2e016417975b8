"""Outcomes and details of predictions, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bitmeter.models.outcomes import (
    BYTE_NAMES,
    Outcomes,
    byte_outcomes,
    details_of_rows,
    empty_details,
    joined_details,
)

NAMES = (b"a", b"b", b"c", b"d")


def test_outcomes_are_made_when_asked_for_and_once() -> None:
    made: list[str] = []

    def names() -> tuple[bytes, ...]:
        made.append("names")
        return NAMES

    def ids() -> np.ndarray:
        made.append("ids")
        return np.array([10, 20, -1, 40])

    outcomes = Outcomes(4, ids, names, lambda ids: np.asarray(ids) // 10 - 1)
    assert (len(outcomes), outcomes.named, made) == (4, True, [])
    assert outcomes.names == outcomes.names == NAMES
    assert outcomes.ids.tolist() == outcomes.ids.tolist() == [10, 20, -1, 40]
    assert made == ["names", "ids"]
    assert outcomes.index(np.array([40, 10])).tolist() == [3, 0]


def test_an_id_is_its_own_entry_unless_said_otherwise() -> None:
    outcomes = Outcomes(3)
    assert not outcomes.named
    assert outcomes.names == ()
    assert outcomes.ids.tolist() == [0, 1, 2]
    assert outcomes.index(np.array([2, 0], dtype=np.uint8)).tolist() == [2, 0]
    assert byte_outcomes().names == BYTE_NAMES
    assert byte_outcomes().names[65] == b"A"


def test_details_of_rows_by_hand() -> None:
    with np.errstate(divide="ignore"):
        rows = np.log(np.array([[0.5, 0.25, 0.125, 0.125], [0.0, 1.0, 0.0, 0.0], [0.25] * 4]))
    found = details_of_rows(rows, np.array([2, 0, 3]), 3, NAMES)
    assert (found.entropy / math.log(2)).tolist() == pytest.approx([1.75, 0.0, 2.0])
    # Outcomes that are as likely share a rank, and keep their order among the alternatives.
    assert found.rank.tolist() == [3, 2, 1]
    assert found.top.tolist() == [[0, 1, 2], [1, 0, 2], [0, 1, 2]]
    np.testing.assert_allclose(np.exp(found.top_logprobs[0]), [0.5, 0.25, 0.125])
    assert details_of_rows(rows, np.array([0, 0, 0]), 9, NAMES).top.shape == (3, 4)
    assert details_of_rows(rows, np.array([0, 0, 0]), 0, NAMES).top.shape == (3, 0)
    assert len(details_of_rows(rows[:0], np.zeros(0, dtype=np.int64), 2, NAMES).rank) == 0


def test_parts_of_details_join_to_the_whole() -> None:
    rows = np.log(np.random.default_rng(1).dirichlet(np.ones(4), size=9))
    truth = np.arange(9) % 4
    whole = details_of_rows(rows, truth, 2, NAMES)
    parts = [whole.part(0, 4), whole.part(4, 4), whole.taken(np.arange(4, 9))]
    joined = joined_details(parts)
    for one, other in zip(
        (joined.entropy, joined.rank, joined.top, joined.top_logprobs),
        (whole.entropy, whole.rank, whole.top, whole.top_logprobs),
        strict=True,
    ):
        np.testing.assert_array_equal(one, other)


def test_details_are_overwritten_where_asked() -> None:
    rows = np.log(np.random.default_rng(2).dirichlet(np.ones(4), size=3))
    found = details_of_rows(rows, np.array([0, 1, 2]), 2, NAMES)
    empty = empty_details(5, 2, NAMES)
    assert not empty.entropy.any()
    empty.put(found, slice(1, 4))
    np.testing.assert_array_equal(empty.rank, [0, *found.rank, 0])
    np.testing.assert_array_equal(empty.top[1:4], found.top)
    chosen = np.array([True, False, False, False, True])
    empty.put(found.taken(np.array([2, 1])), chosen)
    np.testing.assert_array_equal(empty.entropy[[0, 4]], found.entropy[[2, 1]])
