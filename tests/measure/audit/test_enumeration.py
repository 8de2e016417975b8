"""Every next unit is scored after a history: the rows that `predict` gives, in bounded work, in few calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter._util.check import generator
from bitmeter.measure.audit import enumeration
from bitmeter.measure.audit.enumeration import ALPHA_REACH, ALPHA_WHOLE, Enumerated, enumerate_units, log_sum
from bitmeter.measure.audit.predictions import predicted
from tests.coding.models import TEXT, Plain
from tests.measure.audit.subjects import Many, Only, Parity, both, late, quiet


def enumerated(model: Any, *texts: bytes, number: int | None = None, size: int = 256, **keywords: Any) -> Enumerated:
    return enumerate_units(*both(model, *texts), size, number, generator(0), quiet, **keywords)


def test_rows_are_those_that_predict_gives() -> None:
    """At the same positions, by the same model with and without `predict`, and by the closed form of the parity."""
    found = enumerated(Only(), TEXT * 3, number=9)
    assert found.reach == 16
    subject, population = both(Plain(), TEXT * 3)
    rows = [Plain().predict(population.history(position)) for position in found.positions.tolist()]
    np.testing.assert_allclose(found.logs, [log_sum(row) for row in rows], atol=1e-12)
    np.testing.assert_allclose(
        found.own,
        [row[i] for row, i in zip(rows, population.ids[found.positions].tolist(), strict=True)],
        atol=1e-12,
    )
    np.testing.assert_allclose(found.costs, np.concatenate(subject.costs)[found.positions], atol=1e-12)
    parity = enumerated(Parity(), TEXT * 3, number=9)
    np.testing.assert_allclose(parity.logs, 0.0, atol=1e-12)
    np.testing.assert_allclose(parity.own, parity.costs, atol=1e-12)


def test_a_model_of_short_reach_is_shown_short_histories_of_many_positions_at_once() -> None:
    model = Only()
    subject, population = both(model, TEXT * 4000)
    before = model.calls
    found = enumerate_units(subject, population, 256, None, generator(0), quiet)
    assert (found.reach, found.alpha) == (16, ALPHA_REACH)
    assert len(found.positions) == enumeration.MOST_POSITIONS
    assert found.drawn_from == population.units > 200_000
    assert found.farthest == population.units - 1
    assert found.positions[-1] == population.units - 1  # the longest history is always one of them
    shown = enumeration.MOST_POSITIONS * 256 * 17
    assert model.calls - before <= 2 + 2 * shown // enumeration.AT_ONCE
    assert model.most <= max(enumeration.AT_ONCE, population.units)


def test_a_model_that_needs_its_whole_history_is_shown_it() -> None:
    found = enumerated(Parity(), TEXT * 30)
    assert (found.reach, found.alpha) == (None, ALPHA_WHOLE)
    assert len(found.positions) == enumeration.USUAL_POSITIONS
    short = enumerated(Parity(), TEXT[:12])
    assert (short.reach, short.alpha, len(short.positions)) == (None, enumeration.ALPHA, 12)


def test_the_reach_is_the_first_at_which_all_costs_agree() -> None:
    class Lag(Only):
        """Half of the probability for the byte that stood 40 before."""

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            at = np.arange(len(ids)) - np.repeat(bounds[:-1], np.diff(bounds))
            found, there = np.where(at < 40, 1 / 256, 0.5 / 256), np.flatnonzero(at >= 40)
            found[there] += 0.5 * (ids[there] == ids[there - 40])
            return np.log(found)

    found = enumerated(Lag(), TEXT * 30)
    assert found.reach == 64
    np.testing.assert_allclose(found.logs, 0.0, atol=1e-12)


@pytest.mark.parametrize("reached", [0.0, 1e9], ids=["no time", "time"])
def test_time_ends_the_sample_and_the_first_positions_are_the_same(reached: float) -> None:
    cut = enumerated(Parity(), TEXT * 10, seconds=reached, farthest=10**9)
    assert len(cut.positions) == (enumeration.LEAST_POSITIONS if reached == 0.0 else enumeration.USUAL_POSITIONS)
    again = enumerated(Parity(), TEXT * 10, number=len(cut.positions))
    np.testing.assert_array_equal(cut.positions, again.positions)
    asked = enumerated(Parity(), TEXT * 10, number=20, seconds=0.0, farthest=10**9)
    assert len(asked.positions) == 20  # what was asked for is done, however long it takes


def test_histories_that_time_does_not_allow_are_left_out_and_it_is_known() -> None:
    found = enumerated(Parity(), TEXT * 30, farthest=500)
    assert found.positions.max() == found.farthest == 500
    assert found.drawn_from == 501
    slow = enumerated(Parity(), TEXT * 400, seconds=0.0)
    # With no time at all some 2**20 units are shown: 4 positions, of which one has the longest history.
    assert 2**20 / 256 / 2.6 < slow.farthest < 2**20 / 256 / 2.4
    assert len(slow.positions) == enumeration.LEAST_POSITIONS


def test_units_that_carry_on_are_enumerated_one_by_one() -> None:
    class Carries(Only):
        traits = bm.Traits(vocabulary=256, learns=True)

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return bm.KrichevskyTrofimov().logprobs(ids, bounds)

    found = enumerated(Carries(), b"to be", number=5)
    np.testing.assert_allclose(found.logs, 0.0, atol=1e-12)
    np.testing.assert_allclose(found.own, found.costs, atol=1e-12)
    assert enumerated(Carries(), TEXT, number=2).reach is None


def test_a_large_vocabulary_is_enumerated_and_a_larger_one_not() -> None:
    found = enumerated(Many(100_000), TEXT, size=100_000, seconds=0.0)
    assert len(found.positions) == enumeration.LEAST_POSITIONS
    np.testing.assert_allclose(np.exp(found.logs), 1.0, rtol=1e-9)
    refused = predicted(*both(Many(1_000_000), TEXT), None, 0, quiet)
    assert "more than 131,072" in refused.reason


@pytest.mark.parametrize("after", [1_100, 20_000, 119_000])
def test_a_model_that_is_wrong_only_far_from_the_beginning_is_refuted(after: int) -> None:
    text = (TEXT * 4000)[:120_000]
    for number in (None, 4) if after == 1_100 else (4,):
        found = bm.audit(late(after), text[:6_000] if after == 1_100 else text, positions=number)
        assert found.verdict == "unsound"
        assert found.sums == pytest.approx(127.0)


def test_a_choice_among_distributions_after_the_fact_is_refuted() -> None:
    """The likelier of two normalised predictions, of reach 1 and 20, for the unit that came: 1 + overlap at most 2."""

    def best(ids: Any, bounds: Any) -> Any:
        at = np.arange(len(ids)) - np.repeat(bounds[:-1], np.diff(bounds))
        one, other = np.full(len(ids), 0.5 / 256), np.full(len(ids), 0.5 / 256)
        one[1:] += 0.5 * (ids[1:] == ids[:-1])
        far = at >= 20
        other[far] += 0.5 * (ids[far] == ids[np.flatnonzero(far) - 20])
        return np.log(np.maximum(one, other))

    found = bm.audit(best, TEXT * 40)
    assert found.verdict == "unsound"
    # Each likes another byte with 0.5 + 0.5/256 and shares 0.5/256 on the 254 others.
    assert found.sums == pytest.approx(2 * (0.5 + 0.5 / 256) + 254 * 0.5 / 256 - 1.0)
