"""Predictions at positions of the whole text, by `predict` and without it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.measure.audit.predictions import POSITIONS, predicted
from tests.coding.models import TEXT, Plain
from tests.measure.audit.subjects import Only, both, late, quiet


@pytest.mark.parametrize("size", [200, 1_500, 6_000])
def test_positions_lie_in_the_whole_text_however_many_there_are(size: int) -> None:
    text = (TEXT * 400)[:size]
    for number in (2, 5, 64, None):
        found = predicted(*both(Plain(), text), number, 1, quiet)
        drawn = found.positions
        assert found.way == "predict"
        assert (found.drawn_from, found.predictable, found.far) == (size, size, False)
        assert drawn[-1] == size - 1
        assert len(drawn) == (POSITIONS if number is None else number)
        # One of each equal part of the text: no two neighbours are farther apart than two parts.
        assert np.diff(np.concatenate(([0], drawn))).max() <= 2 * size / max(1, len(drawn) - 1) + 1


def test_positions_are_all_where_there_are_few() -> None:
    for model in (Plain(), Only()):
        assert predicted(*both(model, b"abc"), None, 0, quiet).positions.tolist() == [0, 1, 2]


def test_both_ways_say_the_same() -> None:
    by_rows, by_units = (predicted(*both(model, TEXT), 10**6, 4, quiet) for model in (Plain(), Only()))
    assert (by_rows.way, by_units.way) == ("predict", "logprobs")
    np.testing.assert_array_equal(by_rows.positions, by_units.positions)
    np.testing.assert_allclose(by_rows.logs, by_units.logs, atol=1e-12)
    np.testing.assert_allclose(by_rows.own, by_units.own, atol=1e-12)
    np.testing.assert_allclose(by_rows.costs, by_units.costs, atol=1e-12)


def test_what_is_wrong_only_beyond_what_is_sampled_is_refuted() -> None:
    """Predictions far from the beginning of one long document: its first 65,536 bytes are sampled for other checks."""

    class Late(Plain):
        name, fingerprint = "late", "late-1"

        def predict(self, history: Any) -> Any:
            return np.full(256, -np.log(256.0 if len(history) < 70_000 else 2.0))

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return late(70_000)(ids, bounds)

    found = bm.audit(Late(), (TEXT * 4000)[:200_000])
    assert found.verdict == "unsound"
    assert found.findings[0].byte is not None
    assert found.findings[0].byte >= 70_000
