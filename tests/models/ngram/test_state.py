"""An n-gram model as an automaton: every path costs what the sentence does."""

from __future__ import annotations

import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from tests.models.made_up import made_up_text

TEXT = made_up_text(300, 20)
MODELS = {order: bm.NGram(order=order).fit(TEXT.encode()) for order in (1, 2, 4)}
KNOWN = sorted({word for line in TEXT.splitlines() for word in line.split()})[:12]
#: Not "</s>": to a state it is the end of the sentence, and in a text an unknown word.
words = st.sampled_from([*KNOWN, "unheard", "of-a-rather-long-word", "é", "<s>", "<unk>"])


@settings(max_examples=80, deadline=None)
@given(st.lists(words, max_size=10), st.sampled_from([1, 2, 4]))
def test_any_path_of_states_costs_what_the_sentence_does(sentence: list[str], order: int) -> None:
    model = MODELS[order]
    rated = model.score(" ".join(sentence).encode() + b"\n")
    state, keys = model.begin(), np.array([model.begin().key], dtype=np.uint64)
    for place, word in enumerate(sentence):
        logprob, state = state.extend(word)
        logs, keys = model.extend(keys, [word])
        assert logprob == logs[0] == rated.logprobs[place]
        assert model.at(int(keys[0])) == state
        assert state.length <= max(1, order - 1)
    assert state.finish() == rated.logprobs[-1]


@settings(max_examples=60, deadline=None)
@given(st.lists(words, max_size=6), st.lists(words, max_size=6), st.lists(words, min_size=3, max_size=5))
def test_equal_states_have_equal_futures(one: list[str], other: list[str], after: list[str]) -> None:
    """Three words that a model of order 4 knows as an n-gram, or less of it, decide all that follows."""
    model = MODELS[4]

    def run_through(start: list[str]) -> bm.NGramState:
        state = model.begin()
        for word in [*start, *after]:
            _, state = state.extend(word)
        return state

    first, second = run_through(one), run_through(other)
    assert first == second
    assert hash(first) == hash(second)
    assert first.finish() == second.finish()


def test_many_states_at_once() -> None:
    """Each pair by itself, whatever the number of threads."""
    generator = np.random.default_rng(3)
    for order, model in MODELS.items():
        numbers = generator.integers(-1, model.size + 1, size=(6, 9000))
        keys = np.full(9000, model.begin().key, dtype=np.uint64)
        for row in numbers:
            before = keys
            logs, keys = model.extend(before, row)
            single = bm.NGram.at(model, int(before[17])).extend(int(row[17]))
            assert (logs[17], int(keys[17])) == (single[0], single[1].key), order
        whole = model.with_oov("class").logprobs(numbers.T.reshape(-1), np.arange(0, 9000 * 6 + 1, 6))
        np.testing.assert_array_equal(whole.reshape(9000, 6)[:, 5], logs)


def test_states_know_their_model_and_way() -> None:
    model, same = MODELS[2], bm.NGram(order=2).fit(TEXT.encode())
    assert model.begin() == same.begin()
    assert model.begin() != bm.NGram(order=2).fit(b"another text").begin()
    assert model.begin() != model.begin(oov="none")
    assert model.begin() != "a state"
    assert model.begin(oov="none").extend("unheard")[0] == -math.inf
    assert "length 1" in repr(model.begin())
    assert model.word_id(KNOWN[0]) >= 3
    assert model.begin().extend(model.word_id(KNOWN[0])) == model.begin().extend(KNOWN[0])
    assert model.begin().extend(np.int64(model.word_id(KNOWN[0]))) == model.begin().extend(KNOWN[0].encode())


@pytest.mark.parametrize("compact", [False, True])
def test_words_that_are_no_plain_words(compact: bool) -> None:
    model = bm.NGram(order=3).fit(TEXT.encode())
    model = model.compact(14) if compact else model
    _, state = model.begin().extend(KNOWN[0])
    assert state.extend("</s>") == state.extend(b"</s>") == state.extend(2)
    assert state.extend("</s>")[0] == state.finish() != state.extend("unheard")[0]
    assert state.extend("") == state.extend("unheard")  # as kenlm.Model.BaseScore
    assert model.extend([state], ["</s>"])[0][0] == state.finish()
    with pytest.raises(bm.errors.InputError, match="not one word"):
        state.extend("two words")


@pytest.mark.parametrize("compact", [False, True])
def test_without_a_beginning(compact: bool) -> None:
    model = bm.NGram(order=3).fit(TEXT.encode())
    model = model.compact(14) if compact else model
    empty = model.begin(bos=False)
    assert (empty.length, empty.key) == (0, 0)
    assert empty != model.begin()
    # A word alone costs its unigram, which the ARPA file shows.
    logprob, after = empty.extend(KNOWN[0])
    assert after.length == 1
    logs, keys = model.extend([empty], [KNOWN[0]])
    assert (logs[0], int(keys[0])) == (logprob, after.key)
    assert model.at(0) == empty
    with pytest.raises(bm.errors.RangeError):
        model.at(5)


def test_states_are_pickled_with_their_model(tmp_path: Path) -> None:
    model = bm.NGram(order=3).fit(TEXT.encode())
    model.save(tmp_path / "model.bmn")
    states = [model.begin(), model.begin().extend(KNOWN[0])[1], model.begin(bos=False, oov="none")]
    for kept in (model, bm.NGram.load(tmp_path / "model.bmn")):
        own = [
            bm.NGram.at(kept, state.key, oov=way) for state, way in zip(states, ("class", "class", "none"), strict=True)
        ]
        back = pickle.loads(pickle.dumps(own))
        assert back == own == states
        assert back[1].extend(KNOWN[1]) == states[1].extend(KNOWN[1])
        assert back[2].extend("unheard")[0] == -math.inf
