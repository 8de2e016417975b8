"""Whether a model is a distribution: honest ones are, cheats are not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import EmptyError, ModelError
from tests.coding.models import CASES, TEXT, Peeking, TooMuch


@pytest.mark.parametrize("name", CASES)
def test_honest_models_are_sound(name: str) -> None:
    model, text = CASES[name]
    found = bm.verify(model, text, histories=20)
    assert found.sound
    assert found.sums < 1e-6
    assert found.agrees < 1e-6
    assert found.peeks == 0.0
    assert found.file is (True if name.startswith("ngram") else None)


def test_cheats_are_not() -> None:
    peeking = bm.verify(Peeking(), TEXT)
    assert not peeking.sound
    assert peeking.sums < 1e-9
    assert peeking.agrees > 0.1
    assert "WRONG a unit costs" in str(peeking)
    much = bm.verify(TooMuch(), TEXT)
    assert not much.sound
    assert much.sums > 0.5
    assert "WRONG predictions sum" in str(much)


def test_one_that_looks_ahead_is_caught_even_if_it_predicts_nothing() -> None:
    class Rates:
        name, fingerprint = "rates", "rates-1"
        units = bm.KrichevskyTrofimov().units

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return np.where(np.append(ids[1:], 0) % 2 == 0, -1.0, -2.0)

    found = bm.verify(Rates(), TEXT)
    assert (found.predicts, found.sound) == (False, False)
    assert found.peeks == 1.0


def test_what_cannot_be_verified_is_said() -> None:
    with pytest.raises(ModelError, match="only totals"):
        bm.verify("zstd")
    with pytest.raises(EmptyError):
        bm.verify("kt", b"")


def test_what_does_not_predict_is_unproven() -> None:
    """Half a bit for each of 256 bytes is no distribution, and its scores alone do not show it."""

    class Cheap:
        name, fingerprint = "cheap", "cheap-1"
        units = bm.units_of("bytes")

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return np.full(len(ids), -0.5 * np.log(2))

    found = bm.verify(Cheap(), TEXT)
    assert found.sound is None
    assert found.verdict.startswith("unproven: ")
    assert str(found).splitlines()[-1] == found.verdict
