"""Scoring by a network: in batches, in windows, and against torch."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

import bitmeter as bm
from tests.models.causal.trained.made import KINDS, TEXT, every, trained, with_class


@every
def test_score_is_the_loss_of_torch(kind: str, units: str) -> None:
    model = trained(kind, units)
    text = b"the dog sat on the mat"
    oov = "class" if units == "words" else None
    score = bm.score(model, text, oov=oov)
    ids = model.network_ids(model.units.split(text).ids)[: model._context - 1]
    row = torch.tensor(np.concatenate((np.array([model.eos_id]), ids)))[None]
    with torch.inference_mode():
        loss = float(model._fitted[0].loss(row[:, :-1], row[:, 1:])[0]) * len(ids)
    assert -score.trace.logprob[: len(ids)].sum() == pytest.approx(loss, rel=1e-5)


@every
def test_predictions_sum_to_one_and_agree_with_the_ratings(kind: str, units: str) -> None:
    model = with_class(trained(kind, units))
    ids = np.asarray(model.units.split(b"the cat sat on a zebra, dog").ids)
    logs = model.logprobs(ids, np.array([0, len(ids)]))
    stepper = model.stepper()
    for place in range(len(ids)):
        row = model.predict(ids[:place])
        assert np.exp(row).sum() == pytest.approx(1.0, abs=1e-12)
        own = int(model.network_ids(ids)[place])
        assert row[own] == pytest.approx(logs[place], abs=1e-5)
        np.testing.assert_allclose(stepper.predict(), row, atol=1e-5, rtol=0)
        stepper.take(own)
    if units == "words":
        assert row[1] == -math.inf  # <s> never comes


@pytest.mark.parametrize("kind", KINDS)
def test_figures_do_not_depend_on_the_company(kind: str) -> None:
    """Documents of all lengths side by side cost what each costs alone."""
    model = trained(kind, "bytes")
    documents = [TEXT[: 7 * i] for i in range(12)]
    together = bm.score(model, bm.Corpus.from_documents(documents))
    alone = math.fsum(bm.score(model, document).nats for document in documents)
    assert together.nats == pytest.approx(alone, rel=1e-6)
