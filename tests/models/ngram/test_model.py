"""N-gram models: against a readable twin, as distributions, on disk, and under the instrument."""

from __future__ import annotations

import math

import numpy as np
import pytest

import bitmeter as bm
from bitmeter import errors
from tests.models.helpers.twin import estimate
from tests.models.made_up import made_up_text

TEXT = made_up_text(400, 30)
MODEL = bm.NGram(order=3).fit(TEXT.encode())


@pytest.mark.parametrize("order", [1, 2, 3, 5, 16])
def test_predictions_sum_to_one(order: int) -> None:
    model = bm.NGram(order=order).fit(TEXT.encode())
    for history in ([], [3], [3, 4], [5, 5, 5, 5], [-1], [4, -1, 3], list(range(3, 23))):
        logs = model.predict(np.array(history, dtype=np.int64))
        assert logs.shape == (model.size + 1,)
        assert math.fsum(np.exp(logs)) == pytest.approx(1.0, abs=1e-6)
        assert logs[1] == -math.inf


def test_a_prediction_holds_what_the_words_are_rated() -> None:
    history = MODEL.units.split(b"w0 w1 w2").ids
    logs = MODEL.with_oov("class").predict(history)
    for word in (0, 2, 3, 10, MODEL.size):
        ids = np.append(history, word)
        rated = MODEL.with_oov("class").logprobs(ids, np.array([0, len(ids)]))
        assert rated[-1] == pytest.approx(logs[word], rel=1e-12)


def test_kenlm_s_figures_with_and_without_unknown_words() -> None:
    test = "w0 w1 zzz\nw2\n\nw5 w0 w0\n"
    table = estimate(TEXT, 3)

    def logprob(history: tuple[str, ...], word: str) -> float:
        gram = (*history, word)
        if gram in table:
            return table[gram][0]
        return (table[history][1] if history in table else 0.0) + logprob(history[1:], word)

    total = known = 0.0
    for line in test.split("\n")[:-1]:
        words = ["<s>", *(w if (w,) in table else "<unk>" for w in line.split()), "</s>"]
        for i in range(1, len(words)):
            value = logprob(tuple(words[max(0, i - 2) : i]), words[i])
            total += value
            known += value if words[i] != "<unk>" else 0.0
    score = bm.score(MODEL, test.encode(), like="kenlm")
    assert (score.count("token"), score.oov) == (11, 1)
    assert -score.nats / math.log(10) == pytest.approx(total, rel=1e-6)
    assert -score.known_nats / math.log(10) == pytest.approx(known, rel=1e-6)


def test_unknown_words_are_impossible_unless_asked() -> None:
    assert bm.score(MODEL, b"w0 zzz\n", oov="none").nats == math.inf
    assert math.isfinite(bm.score(MODEL, b"w0 zzz\n", oov="class").nats)
    assert math.isfinite(bm.score(MODEL, b"w0 zzz\n", oov="skipped").nats)
    for spelled in (b"<s> w0\n", b"</s> w0\n", b"<unk> w0\n"):
        assert bm.score(MODEL, spelled, oov="class").oov == 1


def test_the_trace_tells_entropy_and_alternatives() -> None:
    score = bm.score(MODEL, b"w0 w1\n", docs="line", eos="yes", alternatives=3)
    best = score.trace.alternatives(0)
    logs = MODEL.predict(np.zeros(0, dtype=np.int64))
    names = MODEL.outcomes.names
    assert [name for name, *_ in best] == [names[i] for i in np.argsort(-logs, kind="stable")[:3]]


def test_comparing_orders() -> None:
    found = bm.compare(bm.NGram(order=1).fit(TEXT.encode()), MODEL, on=TEXT.encode(), docs="line")
    assert "ngram(order 1)" in str(found)
    assert "ngram(order 3)" in str(found)


def test_an_unfitted_model_says_so() -> None:
    with pytest.raises(errors.ModelError, match=r"fit\(text\)"):
        bm.score(bm.NGram(), b"a")
    with pytest.raises(errors.FileFormatError, match=r"\.bmn"):
        MODEL.save("model.txt")
