"""Sums by predictions and by enumeration: the same rows, a stated bound, and bounded work."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.measure.audit import sums
from bitmeter.measure.audit.subject import Sample, Subject
from bitmeter.measure.audit.sums import predicted, share_bound
from bitmeter.models.registry import adapt
from tests.coding.models import TEXT, Plain

BYTES = bm.units_of("bytes")


def subject(model: Any, *texts: bytes) -> Subject:
    made = adapt(model)
    assert isinstance(made, bm.Model)
    samples = [
        Sample(i, 0, text, made.units.split(text).ids.astype(np.int64), made.units.split(text).cuts, None)
        for i, text in enumerate(texts)
    ]
    return Subject(made, samples, spells=False)


class Only:
    """The same distribution, without `predict`."""

    name, fingerprint, units = "only", "only-1", BYTES
    shown = 0
    most = 0

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        Only.shown += len(ids)
        Only.most = max(Only.most, len(ids))
        return Plain().logprobs(ids, bounds)


def quiet(done: int, of: int) -> None:
    assert 0 < done <= of


def test_enumeration_gives_the_rows_that_predict_gives() -> None:
    by_rows = predicted(subject(Plain(), TEXT), 9, 4, quiet, exactly=True)
    by_units = predicted(subject(Only(), TEXT), 9, 4, quiet, exactly=True)
    assert (by_rows.way, by_units.way) == ("predict", "logprobs")
    np.testing.assert_array_equal(by_rows.positions, by_units.positions)
    np.testing.assert_allclose(by_rows.logs, by_units.logs, atol=1e-12)
    np.testing.assert_allclose(by_rows.own, by_units.own, atol=1e-12)
    np.testing.assert_allclose(by_rows.costs, by_units.costs, atol=1e-12)


def test_enumeration_is_bounded_in_work_and_memory() -> None:
    Only.shown = Only.most = 0
    found = predicted(subject(Only(), TEXT * 400), 64, 0, quiet, exactly=False)
    assert len(found.positions) == sums.LEAST_POSITIONS
    assert not found.whole
    assert max(found.positions) == found.longest - 1  # the farthest is always one of them
    assert found.reach == found.longest < len(TEXT) * 400
    assert Only.most <= max(sums.AT_ONCE, len(TEXT) * 400)
    assert Only.shown < 2 * sums.ENUMERATED


@pytest.mark.parametrize("size", [200, 1_500, 6_000])
def test_positions_lie_in_the_whole_text_however_many_there_are(size: int) -> None:
    text = (TEXT * 400)[:size]
    for number, exactly in ((2, True), (5, True), (64, True), (64, False)):
        found = predicted(subject(Only(), text), number, 1, quiet, exactly=exactly)
        drawn = found.positions
        assert found.whole
        assert (found.longest, found.reach) == (size, size)
        assert drawn[-1] == size - 1
        assert len(drawn) == number or not exactly
        # One of each equal part of the text: no two neighbours are farther apart than two parts.
        assert np.diff(np.concatenate(([0], drawn))).max() <= 2 * size / max(1, len(drawn) - 1) + 1


def test_a_model_that_is_wrong_only_far_from_the_beginning_is_refuted() -> None:
    """1,100 bytes of a uniform distribution, then a half for everything: what lies there sums to 128."""

    def late(ids: Any, bounds: Any) -> Any:
        at = np.arange(len(ids)) - np.repeat(bounds[:-1], np.diff(bounds))
        return np.where(at < 1_100, -np.log(256.0), -np.log(2.0))

    text = (TEXT * 400)[:6_000]
    for number in (None, 4, 40):
        found = bm.audit(late, text, positions=number)
        assert found.verdict == "unsound"
        assert found.sums == pytest.approx(127.0)


def test_what_is_out_of_reach_is_not_proven() -> None:
    def uniform(ids: Any, bounds: Any) -> Any:
        return np.full(len(ids), -np.log(256.0))

    found = bm.audit(uniform, (TEXT * 900)[:30_000])
    check = found.check("sums")
    assert check is not None
    assert found.verdict == "unproven"
    assert {one.name for one in found.missing} == {"sums", "agreement", "learning"}
    assert "looked at in the first 13,1" in check.summary  # 2.5 histories of bytes: 2**23 / 256 / 2.5 = 13,107
    near = bm.audit(uniform, (TEXT * 900)[:6_000])
    assert near.verdict == "proven"
    assert bm.audit(uniform, (TEXT * 900)[:6_000], positions=near.positions).checks == near.checks


class Many:
    """A uniform distribution over so many units."""

    name, fingerprint, units = "many", "many-1", bm.units_of("chars")

    def __init__(self, size: int) -> None:
        self.size, self.traits = size, bm.Traits(vocabulary=size)

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        return np.full(len(ids), -np.log(self.size))


def test_a_large_vocabulary_is_enumerated_at_few_positions_and_a_larger_one_not() -> None:
    found = predicted(subject(Many(100_000), TEXT), 64, 0, quiet, exactly=False)
    assert len(found.positions) == sums.LEAST_POSITIONS
    np.testing.assert_allclose(np.exp(found.logs), 1.0, rtol=1e-9)
    refused = predicted(subject(Many(1_000_000), TEXT), 64, 0, quiet, exactly=False)
    assert "more than 131,072" in refused.reason


def test_positions_are_all_where_there_are_few() -> None:
    found = predicted(subject(Plain(), b"abc"), 64, 0, quiet, exactly=False)
    assert found.positions.tolist() == [0, 1, 2]


def test_the_bound_is_that_of_a_sample_without_a_miss() -> None:
    """If a share s of positions were wrong, n draws would miss them with probability (1 − s)^n = 5 %."""
    for number in (1, 8, 64, 300):
        assert (1.0 - share_bound(number, 10**9)) ** number == pytest.approx(0.05, rel=1e-9)
    assert share_bound(10, 10) == 0.0


def test_units_that_carry_on_are_enumerated_one_by_one() -> None:
    class Carries(Only):
        traits = bm.Traits(vocabulary=256, learns=True)

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return bm.KrichevskyTrofimov().logprobs(ids, bounds)

    found = predicted(subject(Carries(), b"to be"), 5, 0, quiet, exactly=True)
    np.testing.assert_allclose(found.logs, 0.0, atol=1e-12)
    np.testing.assert_allclose(found.own, found.costs, atol=1e-12)
