"""Batches, which split themselves when asked, and what sessions and steppers have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bitmeter as bm
from bitmeter.models.outcomes import Outcomes, byte_outcomes, details_of_rows
from bitmeter.models.session import Batch, End, HistoryStepper, PredictingSession, Stepper
from bitmeter.text.units.base import BLANK, Split
from bitmeter.text.units.plain import Bytes
from bitmeter.text.units.words import Words

WORDS = Words(vocabulary=["<unk>", "<s>", "</s>", "to", "be"])


class Counted(Bytes):
    """Bytes that count how often a text was split."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def _split(self, data: bytes, ends: NDArray[np.int64]) -> Split:
        self.calls += 1
        return super()._split(data, ends)


def batch(data: bytes, *ends: int, **how: Any) -> Batch:
    return Batch(data, np.array(ends, dtype=np.int64), how.pop("units", WORDS), **how)


# ---- batches ---------------------------------------------------------------------------------------------------------


def test_a_batch_splits_once_and_only_when_asked() -> None:
    units = Counted()
    made = batch(b"to be", 5, units=units)
    assert made.lossy == 0
    assert made.all_ends.tolist() == [5]
    assert units.calls == 0
    assert made.split.ids.tolist() == list(b"to be")
    assert made.blank.tolist() == [False] * 5
    assert made.lossy == 0
    assert units.calls == 1


def test_the_end_of_an_unfinished_document_is_no_end() -> None:
    made = batch(b"to be to", 6, unfinished=True)
    assert made.ends.tolist() == [6]
    assert made.all_ends.tolist() == [6, 8]
    assert made.split.bounds.tolist() == [0, 2, 3]


@pytest.mark.parametrize(
    ("eos", "ids"),
    [("no", [3, -2, 4]), ("yes", [3, 2, 2, 4, 2]), ("nonblank", [3, 2, -2, 4, 2])],
)
def test_ends_are_units_where_they_are_scored(eos: str, ids: list[int]) -> None:
    made = batch(b"to \n be", 3, 4, 7, eos=eos, end=End(2))
    assert made.split.ids.tolist() == ids
    assert made.blank.tolist() == [i == -2 for i in ids]


def test_an_unfinished_document_has_no_end_yet() -> None:
    made = batch(b"to be", 3, eos="yes", end=End(2), unfinished=True)
    assert made.split.ids.tolist() == [3, 2, 4]


def test_a_document_that_ends_in_the_end_needs_no_other() -> None:
    newline = End(10, is_unit=True)
    made = batch(b"a\nb", 2, 3, units=Bytes(), eos="yes", end=newline)
    assert made.split.ids.tolist() == [97, 10, 98, 10]


def test_a_model_without_an_end_gets_none() -> None:
    assert batch(b"to be", 5, eos="yes").split.ids.tolist() == [3, 4]


# ---- sessions --------------------------------------------------------------------------------------------------------


class Counting(PredictingSession):
    """The n-th unit of a document is n mod 256 with probability one half: what a session must carry on."""

    def __init__(self) -> None:
        self.seen: list[int] = []

    @property
    def outcomes(self) -> Outcomes:
        return byte_outcomes()

    def stepper(self) -> Stepper:
        return HistoryStepper(row, history=np.array(self.seen, dtype=np.int64))

    def logprobs(self, ids: Any, bounds: Any, continues: bool) -> Any:
        logs = []
        for j, (first, last) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
            if j or not continues:
                self.seen = []
            for unit in ids[first:last].tolist():
                logs.append(row(np.array(self.seen))[unit])
                self.seen.append(unit)
        return np.array(logs)


def row(history: Any) -> Any:
    found = np.full(256, np.log(0.5 / 255))
    found[len(history) % 256] = np.log(0.5)
    return found


def test_details_describe_the_predictions_before_the_batch_and_move_nothing() -> None:
    data = bytes([0, 1, 5, 0, 1, 2, 9])
    session = Counting()
    first = session.score(batch(data[:2], units=Bytes(), unfinished=True), details=2)
    second = session.score(batch(data[2:], 1, 5, units=Bytes(), continues=True), details=2)
    expected = [np.log(0.5)] * 2 + [np.log(0.5 / 255)] + [np.log(0.5)] * 3 + [np.log(0.5 / 255)]
    assert np.concatenate((first.logprobs, second.logprobs)).tolist() == pytest.approx(expected)
    assert first.details is not None
    assert second.details is not None
    assert [*first.details.rank, *second.details.rank] == [1, 1, 2, 1, 1, 1, 2]
    assert second.details.top[:, 0].tolist() == [2, 0, 1, 2, 3]
    assert session.score(batch(b"\0", 1, units=Bytes())).details is None


def test_details_in_blocks_are_those_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rows of all units at once are the twin of those held a few at a time."""
    from bitmeter.models import session as module

    ids, bounds = np.arange(40) % 7, np.array([0, 10, 40])
    rows = np.array([row(np.zeros(i if i < 10 else i - 10)) for i in range(40)])
    expected = details_of_rows(rows, ids, 3, byte_outcomes().names)
    monkeypatch.setattr(module, "_AT_ONCE", 3 * 256)
    found = Counting().details(ids, bounds, continues=False, alternatives=3)
    np.testing.assert_array_equal(found.rank, expected.rank)
    np.testing.assert_array_equal(found.top, expected.top)
    np.testing.assert_allclose(found.entropy, expected.entropy)


def test_details_of_nothing_are_none() -> None:
    found = Counting().details(np.zeros(0, dtype=np.int64), np.array([0]), continues=True, alternatives=3)
    assert len(found.rank) == 0
    assert found.top.shape == (0, 3)


# ---- steppers --------------------------------------------------------------------------------------------------------


def test_a_history_stepper_shows_the_history_and_no_more_than_its_reach() -> None:
    seen: list[list[int]] = []

    def predict(history: NDArray[np.int64]) -> NDArray[np.float64]:
        seen.append(history.tolist())
        assert not history.flags.writeable
        return np.zeros(1)

    stepper = HistoryStepper(predict, reach=2, history=np.array([7]))
    for unit in (8, 9):
        stepper.predict()
        stepper.take(unit)
    stepper.predict()
    stepper.begin()
    stepper.predict()
    assert seen == [[7], [7, 8], [8, 9], []]
    HistoryStepper(predict, reach=0, history=np.array([7])).predict()
    assert seen[-1] == []


def test_a_history_is_not_copied_for_each_prediction_and_stays_as_it_was() -> None:
    """A copy would make the time of a document quadratic; whoever keeps what was given still has it afterwards."""
    given: list[NDArray[np.int64]] = []

    def predict(history: NDArray[np.int64]) -> NDArray[np.float64]:
        given.append(history)
        return np.zeros(1)

    stepper = HistoryStepper(predict)
    for unit in range(200):
        stepper.take(unit)
        stepper.predict()
    assert np.shares_memory(given[-1], given[-2])
    stepper.begin()
    stepper.take(7)
    assert [history.tolist() for history in given] == [list(range(size + 1)) for size in range(200)]


def test_a_blank_document_is_no_history() -> None:
    """Its id is no unit: what follows it in a document is predicted as if it were not there."""
    session = Counting()
    bounds = np.array([0, 3])
    with_blank = session.details(np.array([BLANK, 0, 1]), bounds, continues=False, alternatives=2)
    without = session.details(np.array([0, 1]), np.array([0, 2]), continues=False, alternatives=2)
    assert with_blank.rank[1:].tolist() == without.rank.tolist() == [1, 1]
    np.testing.assert_array_equal(with_blank.entropy[1:], without.entropy)


def test_a_copied_history_goes_on_apart_also_where_it_grows() -> None:
    stepper = HistoryStepper(lambda history: history.astype(np.float64))
    for unit in range(63):
        stepper.take(unit)
    other = stepper.copy()
    for unit in range(63, 200):
        stepper.take(unit)
    for unit in range(5):
        other.take(1000 + unit)
    assert stepper.predict().tolist() == list(range(200))
    assert other.predict().tolist() == [*range(63), *range(1000, 1005)]


def test_a_score_is_the_same_with_and_without_details() -> None:
    plain, detailed = bm.score("kt", b"abracadabra"), bm.score("kt", b"abracadabra", alternatives=2)
    assert plain.nats == detailed.nats
    np.testing.assert_array_equal(plain.trace.logprob, detailed.trace.logprob)
