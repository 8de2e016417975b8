"""What every model keeps, whatever its kind: predictions, costs and steppers are of one distribution."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import bitmeter as bm
from bitmeter.models.protocols import Codes, Compressor, Model, OpenVocabulary, Predictor, Session, Stepper, Traits
from tests.models.helpers.documents import cut_documents, in_parts, whole
from tests.models.helpers.lecture import BYTE_TABLE, WORDS, P, Q
from tests.models.helpers.predictors import PREDICTORS

CHAR_IDS = st.sampled_from([ord(c) for c in "abelopr xzé€"] + [0x110000 + 255])
WORD_IDS = st.sampled_from([-1, 0, 1, 2, 3, 4])
BYTE_IDS = st.integers(0, 255)

MODELS: list[Any] = [
    pytest.param(bm.Uniform(), BYTE_IDS, id="uniform"),
    pytest.param(bm.KrichevskyTrofimov(), BYTE_IDS, id="kt"),
    pytest.param(bm.TableModel(P), CHAR_IDS, id="characters"),
    pytest.param(bm.TableModel(Q), CHAR_IDS, id="characters after characters"),
    pytest.param(bm.TableModel(BYTE_TABLE), BYTE_IDS, id="bytes after bytes"),
    pytest.param(bm.TableModel(bm.Distribution(dict.fromkeys(range(256), 1 / 256))), BYTE_IDS, id="bytes"),
    pytest.param(bm.TableModel(WORDS, oov="class"), WORD_IDS, id="words after words"),
    pytest.param(bm.TableModel(bm.Distribution({"to": 0.5, "be": 0.25, "<unk>": 0.25}), oov="class"),
                 st.sampled_from([-1, 0, 1, 2]), id="words"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "ids"), MODELS)
@settings(max_examples=60)
@given(data=st.data())
def test_predictions_sum_to_one_and_are_what_is_charged(model: Any, ids: st.SearchStrategy[int], data: Any) -> None:
    assert isinstance(model, Predictor)
    document = np.array(data.draw(st.lists(ids, min_size=1, max_size=12)), dtype=np.int64)
    logs = model.logprobs(document, np.array([0, len(document)]))
    index = model.outcomes.index(document)
    for i in range(len(document)):
        try:
            predicted = model.predict(document[:i])
        except bm.errors.UnknownLabelError:  # the table has no row for the last unit
            assert logs[i] == -math.inf
            continue
        assert math.fsum(np.exp(predicted)) == pytest.approx(1.0, abs=1e-12)
        assert logs[i] == pytest.approx(predicted[index[i]], rel=1e-14)


@pytest.mark.parametrize(("model", "ids"), MODELS)
@settings(max_examples=60)
@given(data=st.data())
def test_a_session_in_parts_is_the_whole(model: Any, ids: st.SearchStrategy[int], data: Any) -> None:
    documents, cuts = data.draw(cut_documents(ids))
    everything = whole(documents)
    session = model.open()
    parts = [session.logprobs(p.ids, p.bounds, p.continues) for p in in_parts(documents, cuts)]
    together = np.concatenate([*parts, np.zeros(0)])
    np.testing.assert_array_equal(together, model.logprobs(everything.ids, everything.bounds))


# ---- steppers --------------------------------------------------------------------------------------------------------


def prepared(name: str) -> tuple[Predictor, NDArray[np.int64]]:
    made, text = PREDICTORS[name]
    model = bm.load(made())
    assert isinstance(model, Predictor)
    return model, np.asarray(model.units.split(text[:60]).ids, dtype=np.int64)


def steps(stepper: Stepper, ids: NDArray[np.int64]) -> NDArray[np.float64]:
    """The prediction before each unit, and the one after all."""
    rows = []
    for unit in ids.tolist():
        rows.append(np.array(stepper.predict()))
        stepper.take(unit)
    return np.array([*rows, stepper.predict()])


def close(found: NDArray[np.float64], expected: NDArray[np.float64]) -> None:
    # Networks compute in float32, and not in the same order step by step as in one pass.
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=2e-5)


@pytest.mark.parametrize("name", PREDICTORS)
def test_steppers_predict_what_the_model_predicts(name: str) -> None:
    model, ids = prepared(name)
    rows = steps(model.stepper(), ids)
    assert rows.shape == (len(ids) + 1, len(model.outcomes))
    close(rows, np.array([model.predict(ids[:i]) for i in range(len(ids) + 1)]))
    close(np.exp(rows).sum(axis=1), np.ones(len(rows)))


@pytest.mark.parametrize("name", PREDICTORS)
def test_what_a_stepper_predicts_is_what_scoring_charges(name: str) -> None:
    model, ids = prepared(name)
    rows = steps(model.stepper(), ids)
    logs = model.logprobs(ids, np.array([0, len(ids)]))
    index = model.outcomes.index(ids)
    close(rows[np.arange(len(ids)), index], logs)


@pytest.mark.parametrize("name", PREDICTORS)
def test_a_copied_stepper_goes_on_apart_and_equal(name: str) -> None:
    model, ids = prepared(name)
    stepper = model.stepper()
    steps(stepper, ids[:5])
    other = stepper.copy()
    assert type(other) is type(stepper)
    theirs = steps(other, ids[5:])
    # What the copy took has not moved the original, nor what the original then takes the copy.
    last = np.array(other.predict())
    close(steps(stepper, ids[5:]), theirs)
    np.testing.assert_array_equal(other.predict(), last)


#: What these know goes on over documents, as their docstrings say.
ADAPTIVE = {"kt", "universal", "universal, primed", "mixture of words", "mixture of bytes"}


@pytest.mark.parametrize("name", PREDICTORS)
def test_begin_resets_the_document(name: str) -> None:
    model, ids = prepared(name)
    stepper = model.stepper()
    steps(stepper, ids)
    stepper.begin()
    if name in ADAPTIVE:  # scoring two documents is the twin
        two, bounds = np.concatenate((ids, ids)), np.array([0, len(ids), 2 * len(ids)])
        expected = model.logprobs(two, bounds)[len(ids) :]
        rows = steps(stepper, ids)[:-1]
        close(rows[np.arange(len(ids)), model.outcomes.index(ids)], expected)
    else:
        close(steps(stepper, ids), steps(model.stepper(), ids))


# ---- what is declared ------------------------------------------------------------------------------------------------


class Scores(Model):
    """The least that a class of ours must have."""

    name, fingerprint = "scores", "scores-1"
    units = bm.Uniform().units

    def open(self, options: bm.Options = bm.Options()) -> Session:  # noqa: B008
        return bm.Uniform().open(options)

    def logprobs(self, ids: Any, bounds: Any) -> Any:
        return bm.Uniform().logprobs(ids, bounds)


def test_the_least_of_a_model_is_scored_but_neither_predicts_nor_codes() -> None:
    model = Scores()
    assert model.traits == Traits()
    assert bm.score(model, b"abc").bits == pytest.approx(24.0)
    assert not isinstance(model, Predictor | OpenVocabulary | Codes)
    with pytest.raises(bm.errors.ModelError, match="does not expose the distribution of the next unit"):
        bm.sample(model)
    with pytest.raises(bm.errors.ModelError, match="does not expose the distribution of the next unit"):
        bm.prove(model, b"abc")
    found = bm.verify(model, b"abc")
    assert found.sound  # every one of the 256 next bytes was enumerated


def test_a_predictor_is_exactly_what_predicts() -> None:
    for name in PREDICTORS:
        model, _ = prepared(name)
        assert isinstance(model, bm.Predictor)
        assert model.predict(np.zeros(0, dtype=np.int64)).shape == (len(model.outcomes),)
    for spec in ("zstd:3", "xz", "bz2"):
        assert isinstance(bm.load(spec), Compressor)
        assert not isinstance(bm.load(spec), bm.Predictor)
    assert not isinstance(bm.load(Scores()), bm.Predictor)
    assert not issubclass(bm.Endpoint, bm.Predictor)


def test_an_abstract_model_cannot_be_made() -> None:
    kinds: list[Any] = [Model, Predictor, OpenVocabulary, Codes, Compressor, Session, Stepper]
    for abstract in kinds:
        with pytest.raises(TypeError, match="abstract"):
            abstract()
