"""What is typed after a text costs what it costs in the whole text, to the last bit."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.web.continuing import Continued, ContinuedWords, continued

MODELS = {
    "kt": bm.load("kt"),
    "universal": bm.Universal("small"),
    "ngram": bm.NGram(4, units="bytes").fit(b"to be or not to be, that is the question.\n" * 20),
    "words": bm.NGram(3).fit(b"to be or not to be, that is the question.\nto be is to do.\n" * 20),
}


def same(model: bm.Model, plain: bm.Model, text: bytes, docs: str = "file") -> None:
    found, own = bm.score(model, text, docs=docs), bm.score(plain, text, docs=docs)
    assert found.nats == own.nats
    assert found.signature == own.signature
    assert found.interval == own.interval
    assert found.notes == own.notes
    if text:
        assert np.array_equal(found.trace.logprob, own.trace.logprob)
        assert np.array_equal(found.trace.id, own.trace.id)
        assert np.array_equal(found.trace.start, own.trace.start)
        assert np.array_equal(found.trace.doc, own.trace.doc)


@pytest.mark.parametrize("name", MODELS)
@given(st.lists(st.binary(max_size=40), max_size=8))
@settings(max_examples=8, deadline=None)
def test_a_text_that_grows(name: str, parts: list[bytes]) -> None:
    model, text = continued(MODELS[name]), b""
    for part in parts:
        text += part
        same(model, MODELS[name], text)


@pytest.mark.parametrize("docs", ["file", "line", "blank"])
@pytest.mark.parametrize("name", MODELS)
@given(st.lists(st.sampled_from([b"to", b" be", b" ", b"\n", b"\n\n", b"xyzzy", b"\xc3", b"\t"]), max_size=9))
@settings(max_examples=10, deadline=None)
def test_words_and_documents_that_grow(name: str, docs: str, parts: list[bytes]) -> None:
    model, text = continued(MODELS[name]), b""
    for part in parts:
        text += part
        same(model, MODELS[name], text, docs)


@pytest.mark.parametrize("docs", ["file", "line"])
def test_ends_that_are_scored(docs: str) -> None:
    model, text = continued(MODELS["words"]), b"to be or\nnot to be,\n\nthat is"
    for end in range(1, len(text) + 1):
        found, own = (bm.score(one, text[:end], docs=docs, eos="yes") for one in (model, MODELS["words"]))
        assert (found.nats, found.tokens, found.signature) == (own.nats, own.tokens, own.signature)


@pytest.mark.parametrize("name", MODELS)
def test_edits_elsewhere_and_other_texts(name: str) -> None:
    model = continued(MODELS[name])
    for text in (
        b"to be",
        b"to be or",
        b"to b",
        b"",
        b"to be or",
        b"to be or not",
        b"x to be",
        b"to be\nor not\n",
        b"to be\nor not\nto be",
    ):
        same(model, MODELS[name], text)
        same(model, MODELS[name], text, docs="line")


def test_details_are_those_of_the_model() -> None:
    model = Continued(MODELS["ngram"])
    assert bm.score(model, b"to be").nats == bm.score(model, b"to be", docs="line").nats
    assert model.traits == MODELS["ngram"].traits
    ids, bounds = np.frombuffer(b"to be", dtype=np.uint8).astype(np.int64), np.array([0, 5])
    assert np.array_equal(model.logprobs(ids, bounds), MODELS["ngram"].logprobs(ids, bounds))


@pytest.mark.parametrize("docs", ["file", "line"])
@pytest.mark.parametrize("name", ["kt", "words"])
def test_only_what_was_added_is_scored(name: str, docs: str) -> None:
    """The session of a text goes on with it: it is not begun again."""
    begun: list[object] = []

    class Counting(ContinuedWords if name == "words" else Continued):  # type: ignore[misc]
        def begin(self, options: bm.Options) -> bm.Session:
            begun.append(options)
            return super().begin(options)  # type: ignore[no-any-return]

    model = Counting(MODELS[name])
    for end in range(1, 30):
        bm.score(model, (b"to be or not to be, that is the question")[:end], docs=docs)
    assert len(begun) == 1


def test_threads_do_not_share_a_session() -> None:
    model, faults = Continued(MODELS["universal"]), []
    own = {text: bm.score(MODELS["universal"], text).nats for text in (b"to be " * k for k in range(1, 9))}

    def work() -> None:
        for text, nats in own.items():
            if bm.score(model, text).nats != nats:
                faults.append(text)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []


def test_an_edited_text_takes_the_memory_of_the_one_before() -> None:
    """And another text that is being typed keeps its own."""
    begun: list[object] = []

    class Counting(Continued):
        def begin(self, options: bm.Options) -> bm.Session:
            begun.append(options)
            return super().begin(options)

    model, other = Counting(MODELS["universal"]), b"something else altogether, which is typed at the same time"
    text = b"to be or not to be, that is the question: whether it is nobler"
    for k in range(1, len(text)):
        same(model, MODELS["universal"], text[:k] + b"x" + text[k:])
        same(model, MODELS["universal"], other[:k])
    assert len(begun) <= 4, "two texts, of which one may be taken for the other while both are short"
