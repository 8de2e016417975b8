"""A text going past a mixture: each unit is predicted from the past alone."""

import numpy as np
import pytest

import bitmeter as bm
from tests.models.mixture.made import HELDOUT, mixtures, opened, sentences


@pytest.mark.parametrize("mixture", mixtures())
def test_every_prediction_sums_to_one_and_is_what_is_scored(mixture: bm.MixtureModel) -> None:
    """At each unit the whole prediction is made first, then the unit is scored. Peeking shows in the sum."""
    model = mixture.with_oov("class") if mixture.traits.oov else mixture
    ids, bounds = sentences(model, HELDOUT[:90])
    whole = model.logprobs(ids, bounds)
    session = opened(model)
    starts = set(bounds[:-1].tolist())
    for i, unit in enumerate(ids):
        stepper = session.stepper()
        if i in starts:
            stepper.begin()
        row = stepper.predict()
        assert np.exp(row).sum() == pytest.approx(1.0, abs=1e-6)  # n-gram models keep float32
        scored = session.logprobs(ids[i : i + 1], np.array([0, 1]), i not in starts)
        assert row[model.outcomes.index(np.array([unit]))[0]] == pytest.approx(scored[0], rel=1e-6)
        assert scored[0] == pytest.approx(whole[i], rel=1e-9)


@pytest.mark.parametrize("mixture", mixtures())
def test_what_comes_later_changes_nothing(mixture: bm.MixtureModel) -> None:
    model = mixture.with_oov("class") if mixture.traits.oov else mixture
    ids, _ = sentences(model, HELDOUT)
    full = model.logprobs(ids, np.array([0, len(ids)]))
    for cut in (1, 5, len(ids) // 2):
        other = np.concatenate([ids[:cut], ids[:cut][::-1], np.full(7, ids[0])])
        found = model.logprobs(other, np.array([0, len(other)]))
        assert found[:cut].tolist() == full[:cut].tolist()
