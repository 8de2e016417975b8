"""The coder against an independent one, and which coder a model gets."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import bitmeter as bm
from bitmeter import _core
from bitmeter.coding.coders import coder_of, for_bytes
from bitmeter.errors import ModelError
from bitmeter.models.baseline.kt import KtCoder
from bitmeter.models.coder import Coder, StepwiseCoder
from bitmeter.models.outcomes import byte_outcomes
from bitmeter.models.protocols import Codes, Predictor
from bitmeter.text.units.plain import Bytes
from tests.coding.models import TEXT, Plain, letters, words


def rows(number: int, size: int, seed: int) -> NDArray[np.float64]:
    made = np.random.default_rng(seed).dirichlet(np.full(size, 0.2), size=number)
    return np.asarray(np.log(np.maximum(made, 1e-12) / np.maximum(made, 1e-12).sum(axis=1, keepdims=True)))


def test_rows_cost_their_cross_entropy_also_with_many_outcomes() -> None:
    # With frequencies of 16 bits, 50,000 outcomes would cost more than one bit per unit above this.
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


def test_a_coder_of_the_models_own_goes_first() -> None:
    class Reversed(Predictor, Codes):
        """Codes a block as itself backwards: the protocol that a model with its own coder follows."""

        name, fingerprint, units, outcomes = "reversed", "reversed-1", Bytes(), byte_outcomes()

        def open(self, options: bm.Options = bm.Options()) -> bm.Session:  # noqa: B008
            return bm.KrichevskyTrofimov().open(options)

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return bm.KrichevskyTrofimov().logprobs(ids, bounds)

        def stepper(self) -> bm.Stepper:
            return bm.KrichevskyTrofimov().stepper()

        def coder(self, watch: Any = None) -> Coder:
            return Backwards()

    class Backwards(Coder):
        bits = 0.0

        def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:
            return data[::-1], len(data)

        def decode(self, coded: bytes, size: int) -> bytes:
            return coded[::-1]

    proof = bm.prove(Reversed(), TEXT)
    assert proof.file_bits == 8 * len(TEXT)


def test_any_other_predictor_is_asked_unit_by_unit() -> None:
    made = coder_of(bm.load(Plain()))
    assert type(made) is StepwiseCoder
    assert type(coder_of(bm.KrichevskyTrofimov())) is KtCoder
    seen: list[int] = []
    coder_of(bm.load(Plain()), watch=seen.append).encode(TEXT * 8, final=True)
    assert seen


def test_what_cannot_code_says_why() -> None:
    class Scores:
        name, fingerprint, units = "scores", "scores-1", Bytes()

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return np.full(len(ids), -1.0)

    with pytest.raises(ModelError, match="does not expose the distribution of the next unit"):
        coder_of(bm.load(Scores()))
    with pytest.raises(ModelError, match="predicts words, from which the bytes of a text cannot be put together"):
        coder_of(bm.Uniform(10))
    with pytest.raises(ModelError, match="do not sum to one"):
        coder_of(bm.NGram(order=2, smoothing="stupid-backoff").fit(TEXT))
    with pytest.raises(ModelError, match="is a compressor with files of its own"):
        for_bytes(bm.load("zstd:3"))


def test_a_model_for_bytes_spells_what_it_does_not_know() -> None:
    assert for_bytes(words()).fingerprint == words().with_oov("spelled").fingerprint
    table = bm.TableModel(letters())
    assert for_bytes(table) is table
    plain = bm.KrichevskyTrofimov()
    assert for_bytes(plain) is plain
