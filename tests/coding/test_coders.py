"""The coder against an independent one, and the steppers against the predictions that they stand for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bitmeter as bm
from bitmeter import _core
from bitmeter.coding.stepwise import stepper_of
from bitmeter.errors import ModelError
from tests.coding.models import TEXT, Plain, chain, letters, words


def rows(number: int, size: int, seed: int) -> NDArray[np.float64]:
    made = np.random.default_rng(seed).dirichlet(np.full(size, 0.2), size=number)
    return np.asarray(np.log(np.maximum(made, 1e-12) / np.maximum(made, 1e-12).sum(axis=1, keepdims=True)))


def test_rows_cost_their_cross_entropy_also_with_many_outcomes() -> None:
    # With frequencies of 16 bits, 50,000 outcomes would cost more than a bit a unit above this.
    for size, number in ((2, 3000), (256, 500), (50_000, 20)):
        logs = rows(number, size, 1)
        symbols = [int(np.argmax(row + np.random.default_rng(i).gumbel(size=size))) for i, row in enumerate(logs)]
        encoder = _core.RowEncoder()
        for row, symbol in zip(logs, symbols, strict=True):
            total, coded = encoder.put(row, symbol)
            assert coded
            assert total == pytest.approx(1.0, abs=1e-9)
        expected = -sum(row[symbol] for row, symbol in zip(logs, symbols, strict=True)) / np.log(2)
        assert encoder.bits == pytest.approx(expected, abs=64 + 2e-4 * number)
        message = encoder.finish()
        assert len(message) * 8 <= encoder.bits + 16
        decoder = _core.RowDecoder(message)
        assert [decoder.get(row) for row in logs] == symbols
        decoder.finish()


def test_constriction_needs_as_many_bits() -> None:
    import constriction

    # Its frequencies have 24 bits, so that what is rarer than that costs it less than it should: none is here.
    logs = np.log(0.9 * np.exp(rows(2000, 64, 2)) + 0.1 / 64)
    symbols = np.array([int(np.argmax(row)) if i % 3 else i % 64 for i, row in enumerate(logs)], dtype=np.int32)
    ours, theirs = _core.RowEncoder(), constriction.stream.queue.RangeEncoder()
    for row, symbol in zip(logs, symbols, strict=True):
        ours.put(row, int(symbol))
        theirs.encode(int(symbol), constriction.stream.model.Categorical(np.exp(row), perfect=False))
    assert abs(len(ours.finish()) * 8 - theirs.num_bits()) <= 64


def test_what_is_impossible_or_no_number_is_not_coded() -> None:
    encoder = _core.RowEncoder()
    assert encoder.put(np.array([0.0, -np.inf]), 1) == (1.0, False)
    total, coded = encoder.put(np.array([np.nan, 0.0]), 1)
    assert np.isnan(total)
    assert not coded
    assert encoder.put(np.array([0.0]), 0) == (1.0, True)  # an alphabet of one
    assert (encoder.bits, encoder.finish()) == (0.0, b"")


@pytest.mark.parametrize("name", ["kt", "letters", "chain", "ngram", "plain"])
def test_steppers_predict_what_the_model_predicts(name: str) -> None:
    cases: dict[str, tuple[Any, bytes]] = {
        "kt": (bm.KrichevskyTrofimov(), TEXT),
        "letters": (bm.TableModel(letters()), b"to be or not"),
        "chain": (bm.TableModel(chain()), b"abc cab"),
        "ngram": (words(), TEXT),
        "plain": (Plain(), TEXT),
    }
    model, text = cases[name]
    ids = model.units.split(text[:300]).ids
    stepper = stepper_of(model)
    for place, unit in enumerate(ids.tolist()):
        expected = model.predict(ids[:place])
        np.testing.assert_allclose(stepper.predict(), expected, rtol=1e-12)
        stepper.take(unit)


def test_a_stepper_of_the_models_own_goes_first() -> None:
    class Own(Plain):
        def stepper(self) -> str:
            return "mine"

    assert stepper_of(Own()) == "mine"  # type: ignore[comparison-overlap]

    class Rates:
        name = "rates"

    with pytest.raises(ModelError, match="does not predict"):
        stepper_of(Rates())


def test_a_coder_of_the_models_own_goes_first(tmp_path: object) -> None:
    class Reversed(Plain):
        """Codes a stretch as itself backwards: the protocol that a model with its own coder follows."""

        bits = 0.0

        def coder(self) -> Reversed:
            return self

        def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:
            return data[::-1], len(data)

        def decode(self, coded: bytes, size: int) -> bytes:
            return coded[::-1]

    proof = bm.prove(Reversed(), TEXT)
    assert proof.file_bits == 8 * len(TEXT)
