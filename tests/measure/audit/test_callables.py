"""Plain functions as models: by their number of parameters, with units that are given."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import InputTypeError, ModelError
from bitmeter.measure.audit.callables import model_of


def flat(ids: Any, bounds: Any) -> Any:
    return np.full(len(ids), -np.log(256.0))


def row(history: Any) -> Any:
    return np.full(256, -np.log(256.0))


def test_two_parameters_score_and_one_predicts() -> None:
    scores, predicts = model_of(flat, None), model_of(row, "bytes")
    assert not isinstance(scores, bm.Predictor)
    assert isinstance(predicts, bm.Predictor)
    assert scores.name == "python:flat"
    for model in (scores, predicts):
        assert bm.score(model, b"abc").bits == pytest.approx(24.0)
    assert isinstance(scores, bm.Model)
    assert scores.fingerprint != predicts.fingerprint


def test_defaults_partials_and_methods_count_what_is_needed() -> None:
    class Made:
        def logprobs(self, ids: Any, bounds: Any, scale: float = 1.0) -> Any:
            return scale * flat(ids, bounds)

    assert bm.score(model_of(Made().logprobs, None), b"abc").bits == pytest.approx(24.0)
    half = functools.partial(Made().logprobs, scale=0.5)
    assert bm.score(model_of(half, None), b"abc").bits == pytest.approx(12.0)


def test_characters_and_other_units() -> None:
    found = model_of(lambda ids, bounds: np.full(len(ids), -1.0), "chars")
    assert isinstance(found, bm.Model)
    assert bm.score(found, "né".encode()).tokens == 2


def test_what_is_no_such_function_is_an_error() -> None:
    class Hidden:
        __signature__ = "none"

        def __call__(self, ids: Any, bounds: Any) -> Any:
            return ids

    with pytest.raises(InputTypeError, match="needs 3 arguments"):
        model_of(lambda a, b, c: a, None)
    with pytest.raises(InputTypeError, match="cannot be seen"):
        model_of(Hidden(), None)

    def broken(ids: Any, bounds: Any) -> Any:
        raise RuntimeError("no weights")

    with pytest.raises(ModelError, match="no weights"):
        bm.audit(broken, b"abc")
