"""Vocabularies that the components share."""

import math

import numpy as np
import pytest

import bitmeter as bm
from bitmeter import errors
from tests.models.mixture.made import FEWER, HAMLET, LETTERS, ONE, TWO


def test_characters_of_several_alphabets_are_one_distribution() -> None:
    """By hand: `z` is known to one model; the other shares its <unk> among what only that one knows and all else."""
    mixture = bm.MixtureModel([LETTERS, FEWER], weights=[0.25, 0.75])
    known, other = (set(model.outcomes.ids[2:].tolist()) for model in (LETTERS, FEWER))
    start = np.array([], dtype=np.int64)
    first = math.exp(LETTERS.predict(start)[LETTERS.outcomes.index(np.array([ord("z")]))[0]])
    second = math.exp(FEWER.predict(start)[0]) / (len(known - other) + 1)
    found = mixture.logprobs(np.array([ord("z")]), np.array([0, 1]))[0]
    assert math.exp(found) == pytest.approx(0.25 * first + 0.75 * second)
    assert mixture.traits.oov == ("class",)
    assert mixture.logprobs(np.array([ord("Q")]), np.array([0, 1]))[0] == -math.inf
    assert mixture.with_oov("class").logprobs(np.array([ord("Q")]), np.array([0, 1]))[0] > -math.inf
    # A newline is the end of a sentence, once.
    one = bm.score(bm.MixtureModel([LETTERS]), HAMLET, docs="line", eos="yes")
    assert one.nats == pytest.approx(bm.score(LETTERS, HAMLET, docs="line", eos="yes").nats, rel=1e-12)


def test_words_that_one_model_lacks_share_its_unknown() -> None:
    """By hand: after <s>, `rose` is known to TWO alone; ONE spreads <unk> over TWO's own words and the unknown."""
    mixture = bm.MixtureModel([ONE, TWO], weights=[0.25, 0.75])
    ids = mixture.units.split(b"rose\n").ids
    own = set(TWO.outcomes.names[3:]) - set(ONE.outcomes.names[3:])
    first = math.exp(ONE.predict(np.array([], dtype=np.int64))[0]) / (len(own) + 1)
    second = math.exp(TWO.predict(np.array([], dtype=np.int64))[TWO.units.split(b"rose").ids[0]])
    assert math.exp(mixture.logprobs(ids, np.array([0, 1]))[0]) == pytest.approx(0.25 * first + 0.75 * second)


def test_what_cannot_be_mixed_is_refused() -> None:
    for models, match in (
        ([], "at least one"),
        ([bm.Cache()], "at least one"),
        ([ONE, "kt"], "same units"),
        (["zstd:3"], "only a total"),
        ([bm.MixtureModel([ONE])], "its components instead"),
        (["cache:size=x"], "is not a cache"),
        ([bm.NGram(order=2, smoothing="stupid-backoff").fit(HAMLET)], "sum to one"),
    ):
        with pytest.raises(errors.BitmeterError, match=match):
            bm.MixtureModel(models)
    for weights in ([1.0], [0.5, 0.6], [-0.5, 1.5], [math.nan, 1.0], "ab", 3):
        with pytest.raises(errors.BitmeterError):
            bm.MixtureModel([ONE, TWO], weights=weights)
    with pytest.raises(errors.EmptyError):
        bm.MixtureModel([ONE]).fit(b"")
    with pytest.raises(errors.ModelError, match="save it first"):
        bm.MixtureModel([bm.NGram(order=2).fit(b"a\n")]).save("never.bmx")
