"""Mixtures and caches."""

import math

import pytest

import bitmeter as bm
from tests.models.mixture.made import BYTES, CACHES, HELDOUT, ONE, TWO


def test_scores_with_alternatives() -> None:
    for mixture in (bm.MixtureModel([ONE, TWO, CACHES[0]]), bm.MixtureModel([BYTES, "kt"])):
        detailed = bm.score(mixture, HELDOUT, alternatives=2)
        assert detailed.bits == bm.score(mixture, HELDOUT).bits
        units = list(detailed.trace)
        assert all(len(unit.alternatives) == 2 and unit.rank is not None and unit.rank >= 1 for unit in units)
        likeliest = [unit for unit in units if unit.rank == 1]
        assert likeliest
        if "spelled" not in mixture.traits.oov:  # where a unit is more than its word
            assert all(unit.alternatives[0][1] == pytest.approx(unit.logprob) for unit in likeliest)


def test_fitting_raises_the_likelihood_of_the_held_out_text() -> None:
    mixture = bm.MixtureModel([ONE, TWO, bm.Cache(20)])
    before = bm.score(mixture, HELDOUT, docs="line", eos="yes", oov="class").nats
    mixture.fit(HELDOUT)
    score = bm.score(mixture, HELDOUT, docs="line", eos="yes", oov="class")
    assert score.nats < before
    assert mixture.fitted is not None
    assert mixture.fitted.units == score.count("token")
    assert mixture.fitted.perplexity == pytest.approx(score.perplexity("token"), rel=1e-9)
    assert sum(mixture.weights) == pytest.approx(1.0)


def test_one_model_mixed_is_itself() -> None:
    for oov in ("class", "spelled", "none"):
        alone, mixture = (
            bm.score(model, HELDOUT, docs="line", eos="yes", oov=oov).nats for model in (ONE, bm.MixtureModel([ONE]))
        )
        assert mixture == pytest.approx(alone, rel=1e-12)


def test_a_mixture_spells_and_compares() -> None:
    mixture = bm.MixtureModel([ONE, TWO, bm.Cache(100)]).fit(HELDOUT)
    whole = bm.score(mixture, HELDOUT)
    assert whole.signature.oov == "spelled"
    assert math.isfinite(whole.nats)
    assert bm.score(mixture, HELDOUT, docs="line", eos="yes").nats == pytest.approx(whole.nats, rel=1e-12)
    assert bm.compare(mixture, "kt", on=HELDOUT) is not None
