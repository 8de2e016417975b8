"""A mixture unit by unit: the twin of its sessions."""

import math
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from tests.models.mixture.made import HELDOUT, mixtures, opened, sentences


@pytest.mark.parametrize("mixture", mixtures())
def test_details_are_those_of_the_predictions_and_move_nothing(mixture: bm.MixtureModel) -> None:
    model = mixture.with_oov("class") if mixture.traits.oov else mixture
    ids, bounds = sentences(model, HELDOUT)
    half = int(bounds[2]) + 3  # in the middle of a document
    session, other = opened(model), opened(model)
    steps = model.stepper()
    starts = set(bounds.tolist())
    for first, last in ((0, half), (half, len(ids))):
        cuts = np.array([0, *(cut - first for cut in bounds if first < cut < last), last - first])
        found = session.details(ids[first:last], cuts, first > 0, 3)
        logs = session.logprobs(ids[first:last], cuts, first > 0)
        assert logs.tolist() == other.logprobs(ids[first:last], cuts, first > 0).tolist(), "the session had moved"
        for i, place in enumerate(range(first, last)):
            if place in starts:
                steps.begin()
            row = steps.predict()
            steps.take(int(ids[place]))
            own = row[model.outcomes.index(ids[place : place + 1])[0]]
            assert own == pytest.approx(logs[i], rel=1e-6)
            assert found.rank[i] == 1 + int((row > own).sum())
            finite = row[np.isfinite(row)]
            assert found.entropy[i] == pytest.approx(-math.fsum(np.exp(finite) * finite), rel=1e-9)
            assert found.top_logprobs[i].tolist() == sorted(row, reverse=True)[:3]
            assert row[found.top[i]].tolist() == found.top_logprobs[i].tolist()
    assert found.names == model.outcomes.names


def test_a_probability_too_small_for_a_double_is_mixed_by_its_logarithm() -> None:
    class Sharp:
        """All but certain of one byte: of the others ln p is -800, below what e can be raised to."""

        name, fingerprint, size = "sharp", "sharp-1", 256

        def __init__(self) -> None:
            from bitmeter.text.units.plain import Bytes

            self.units = Bytes()

        def predict(self, history: Any) -> Any:
            row = np.full(256, -800.0)
            row[97] = 0.0
            return row

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return np.where(np.asarray(ids) == 97, 0.0, -800.0)

    mixture = bm.MixtureModel([Sharp(), Sharp(), bm.Cache(4)], [0.25, 0.5, 0.25])
    row = mixture.predict(np.array([97, 97]))
    assert row[98] == pytest.approx(-800.0 + math.log(0.75), rel=1e-12)
    assert row[97] == 0.0
    score = bm.score(mixture, b"aab")
    assert score.trace.logprob[-1] == pytest.approx(row[98], rel=1e-12)
