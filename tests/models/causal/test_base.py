"""What all causal models share: windows, tokens before a text, and answers put back in the order of the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import ChoiceError, ModelError
from bitmeter.models.causal.base import Causal, CausalPredictor
from bitmeter.models.session import HistoryStepper, Stepper
from bitmeter.text.units.plain import Bytes

SIZE, BOS, EOS = 258, 256, 257


class Summing(CausalPredictor):
    """Predicts from the sum of what it sees, so that every token of the context shows in the figure."""

    fingerprint_of_weights = "summing-1"

    def __init__(self, context: int | None = None, bos: int | None = BOS, eos: int | None = EOS) -> None:
        self.name, self.precision, self.size, self.context = "summing", "float64", SIZE, context
        self.bos_id, self.eos_id, self.units = bos, eos, Bytes()

    units: Any

    @property
    def weights_fingerprint(self) -> str:
        return self.fingerprint_of_weights

    def row(self, seen: Any) -> Any:
        logits = np.sin(np.arange(SIZE) * (1 + int(np.sum(seen)) % 97) + len(seen))
        return logits - np.log(np.exp(logits).sum())

    def score_sequences(self, sequences: Sequence[Any], firsts: Sequence[int], watch: Any = None) -> list[Any]:
        found = []
        for i, (sequence, first) in enumerate(zip(sequences, firsts, strict=True)):
            assert first >= 1
            found.append(np.array([self.row(sequence[:j])[sequence[j]] for j in range(first, len(sequence))]))
            if watch is not None:
                watch(i + 1, len(sequences))
        return found

    def predictions(self, sequence: Any, first: int) -> Iterator[Any]:
        for begin in range(first, len(sequence), 3):
            yield np.array([self.row(sequence[:j]) for j in range(begin, min(begin + 3, len(sequence)))])

    def stepper(self) -> Stepper:
        return HistoryStepper(self.predict)


def twin(model: Summing, document: list[int]) -> list[float]:
    """One token after the other, each from what `predict` sees; 0 for a first token with nothing before it."""
    logs = []
    for i in range(len(document)):
        alone = i == 0 and model.windowing.prefix is None
        logs.append(0.0 if alone else float(model.predict(np.array(document[:i]))[document[i]]))
    return logs


@pytest.mark.parametrize("ctx", ["auto", "full", "8.3", "disjoint.5"])
@pytest.mark.parametrize("first", ["bos", "eos", "skip"])
def test_scoring_in_windows_is_one_prediction_after_the_other(ctx: str, first: str) -> None:
    model = Summing(None if ctx == "full" else 8).with_context(ctx, first)
    documents = [list(b"to be or not to be"), [], list(b"a"), list(b"that is")]
    bounds = np.cumsum([0, *map(len, documents)])
    logs = model.logprobs(np.array([token for document in documents for token in document]), bounds)
    expected = [log for document in documents for log in twin(model, document)]
    if ctx == "disjoint.5" and first == "skip":  # the first token of each window has nothing before it
        skipped = model.plan(bounds).skipped(len(logs))
        expected = [0.0 if skip else log for log, skip in zip(expected, skipped.tolist(), strict=True)]
    assert logs.tolist() == pytest.approx(expected)


def test_details_are_those_of_whole_predictions() -> None:
    model = Summing(8).with_context("8.3", "bos")
    score = bm.score(model, b"to be or not", ctx="8.3", alternatives=2)
    ids = np.frombuffer(b"to be or not", dtype=np.uint8)
    for i in range(len(ids)):
        row = model.predict(ids[:i])
        assert score.trace.rank[i] == 1 + int((row > row[ids[i]]).sum())
        assert score.trace.entropy[i] == pytest.approx(-float((np.exp(row) * row).sum()))
    assert score.trace.logprob.sum() == pytest.approx(model.logprobs(ids, np.array([0, len(ids)])).sum())


def test_what_stands_before_a_text() -> None:
    assert Summing().default_first == "bos"
    assert Summing(bos=None).with_context("full", "bos").windowing.prefix == EOS
    assert Summing().with_context("full", "eos").windowing.prefix == EOS
    assert Summing(bos=None, eos=None).default_first == "uniform"
    assert Summing().boundary_ids == [EOS, BOS]
    with pytest.raises(ModelError, match="no token for the beginning or end of a text"):
        Summing(bos=None, eos=None).with_context("full", "bos")
    with pytest.raises(ModelError, match="no token for the end of a text"):
        Summing(eos=None).with_context("full", "eos")
    with pytest.raises(ChoiceError):
        Summing().with_context("full", "maybe")
    assert Summing().with_context("full", "bos").fingerprint != Summing().with_context("full", "skip").fingerprint


def test_first_uniform_costs_the_logarithm_of_the_vocabulary() -> None:
    score = bm.score(Summing(), bm.Corpus.from_documents([b"ab", b"c"]), first="uniform")
    assert score.trace.bits[[0, 2]].tolist() == pytest.approx([np.log2(SIZE)] * 2)


def test_bos_twice_is_scored_once_more_with_the_first_token() -> None:
    model = Summing(64)
    model.adds_bos = True
    rolling = model.with_context("rolling", "bos")
    document = np.frombuffer(b"abc", dtype=np.uint8).astype(np.int64)
    logs = rolling.logprobs(document, np.array([0, 3]))
    shown = [BOS, BOS, *document.tolist()]
    steps = [float(model.row(shown[:i])[shown[i]]) for i in range(1, len(shown))]
    assert logs.tolist() == pytest.approx([steps[0] + steps[1], *steps[2:]])


def test_ids_that_stand_for_no_token_are_left_out() -> None:
    model = Summing().with_context("full", "bos")
    ids = np.array([97, -2, 98])
    logs = model.logprobs(ids, np.array([0, 1, 2, 3]))
    assert logs[1] == 0.0
    np.testing.assert_allclose(logs[[0, 2]], model.logprobs(ids[[0, 2]], np.array([0, 1, 2])))
    detailed, details = model.scored(ids, np.array([0, 1, 2, 3]), alternatives=2)
    np.testing.assert_allclose(detailed, logs)
    assert details is not None
    assert details.rank[1] == 0


def test_windows_that_depend_on_what_comes_predict_nothing() -> None:
    for ctx in ("half.4", "rolling.4"):
        with pytest.raises(ModelError, match="depends on what is still to come"):
            Summing().with_context(ctx, "bos").predict(np.array([97]))


def test_one_that_only_scores_gives_no_details() -> None:
    class Scores(Summing):
        pass

    class Only(Causal):
        name, precision, size, context, units = "only", "float64", SIZE, None, Bytes()
        eos_id = EOS

        @property
        def weights_fingerprint(self) -> str:
            return "only-1"

        def score_sequences(self, sequences: Any, firsts: Any, watch: Any = None) -> Any:
            return Summing().score_sequences(sequences, firsts, watch)

    direct = bm.score(Summing(bos=None), b"to be")
    assert bm.score(Only(), b"to be").nats == pytest.approx(direct.nats)
    assert isinstance(Scores(), bm.Predictor)
    assert not isinstance(Only(), bm.Predictor)
    with pytest.raises(ModelError, match="does not expose its next-token distribution"):
        bm.score(Only(), b"to be", alternatives=1)
    assert bm.verify(Only(), b"to be or not").sound  # every next token was enumerated


def test_progress_is_reported() -> None:
    seen: list[tuple[int, int]] = []
    model = Summing(8)
    model.scored(np.arange(40), np.array([0, 20, 40]), None, lambda done, of: seen.append((done, of)))
    assert seen[-1][0] == seen[-1][1] > 1
    seen.clear()
    model.scored(np.arange(40), np.array([0, 20, 40]), 1, lambda done, of: seen.append((done, of)))
    assert seen[-1][0] == seen[-1][1] > 1
