"""The quick ways over bytes, and states: the same figures as the long way over numbers, whatever the text."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import errors
from bitmeter.models.ngram.base import NGramBase
from bitmeter.models.ngram.session import NGramSession
from tests.models.helpers.blocks import in_blocks
from tests.models.made_up import made_up_text

TEXT = made_up_text(300, 20)
MODELS = {order: bm.NGram(order=order).fit(TEXT.encode()) for order in (1, 2, 4)}
KNOWN = sorted({word for line in TEXT.splitlines() for word in line.split()})[:12]
words = st.sampled_from([*KNOWN, "unheard", "of-a-rather-long-word", "é", "<s>", "</s>", "<unk>"])
gaps = st.sampled_from([" ", "  ", "\t", "\n", "\n\n", "\r\n", " \n \n"])
texts = st.lists(st.one_of(words, gaps), max_size=40).map(lambda parts: " ".join(parts).encode())


def long_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NGramSession, "scores_bytes", False)


def both(text: Any, model: bm.NGram, **how: Any) -> tuple[bm.Score, bm.Score]:
    with pytest.MonkeyPatch.context() as patch:
        quick = bm.score(model, text, **how)
        long_way(patch)
        return quick, bm.score(model, text, **how)


def same(quick: bm.Score, slow: bm.Score) -> None:
    for name in ("nats", "known_nats", "bytes", "chars", "words", "tokens", "documents", "oov", "skipped", "invalid",
                 "impossible", "signature", "interval", "notes"):  # fmt: skip
        assert getattr(quick, name) == getattr(slow, name), name
    for name in ("doc", "start", "end", "id", "logprob"):
        np.testing.assert_array_equal(getattr(quick.trace, name), getattr(slow.trace, name), name)
    assert quick.trace.units == slow.trace.units


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@settings(max_examples=120, deadline=None)
@given(
    texts,
    st.sampled_from([1, 2, 4]),
    st.sampled_from(["line", "file", "blank"]),
    st.sampled_from(["yes", "no", "nonblank"]),
    st.sampled_from(["class", "none", "skipped"]),
    st.sampled_from([1, 2, 3, 7, 50, 1 << 18]),
)
def test_a_score_is_the_same_by_both_ways(text: bytes, order: int, docs: str, eos: str, oov: str, size: int) -> None:
    """Documents, tokens, unknown words and traces, wherever blocks end."""
    with pytest.MonkeyPatch.context() as patch:
        in_blocks(patch, NGramBase, size)
        same(*both(text, MODELS[order], docs=docs, eos=eos, oov=oov))


@pytest.mark.parametrize("first", ["bos", "skip", "uniform"])
@pytest.mark.parametrize("like", ["bitmeter", "kenlm", "srilm"])
def test_conventions_are_kept(first: str, like: str) -> None:
    text = made_up_text(60, 25).encode() + b"one more\n\n  \nunheard words"
    same(*both(text, MODELS[4], first=first, like=like))


def test_blocks_at_every_place_change_nothing() -> None:
    """The sums of documents, at every size of block."""
    text = b"w1 w2  w3\n\n \nw1 unheard w2\n  w3 w1"
    whole = bm.score(MODELS[4], text, docs="line", eos="yes", oov="class")
    for size in range(1, len(text) + 1):
        with pytest.MonkeyPatch.context() as patch:
            in_blocks(patch, NGramBase, size)
            found = bm.score(MODELS[4], text, docs="line", eos="yes", oov="class")
        assert found.nats == pytest.approx(whole.nats, rel=1e-12)
        assert (found.tokens, found.oov, found.documents) == (whole.tokens, whole.oov, whole.documents)


@settings(max_examples=60, deadline=None)
@given(
    texts, st.sampled_from([1, 2, 4]), st.sampled_from(["yes", "no", "nonblank"]), st.sampled_from(["class", "none"])
)
def test_rate_gives_what_score_adds_up(text: bytes, order: int, eos: str, oov: str) -> None:
    model = MODELS[order]
    rated = model.score(text, eos=eos, oov=oov)
    score = bm.score(model, text, docs="line", eos=eos, oov=oov)
    assert rated.tokens == score.tokens
    assert int(rated.unknown.sum()) == score.oov
    assert -rated.logprob == pytest.approx(score.nats, rel=1e-12)
    assert len(rated.sentences) == score.documents
    np.testing.assert_array_equal(rated.logprobs, score.trace.logprob)
    assert rated.cuts[-1] == len(text)


def test_files_corpora_and_other_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXT.encode() + b"\n \nno newline at the end"
    path = tmp_path / "text.txt"
    path.write_bytes(text)
    model = MODELS[4]
    whole = model.score(text)
    monkeypatch.setattr("bitmeter.models.ngram.query._BLOCK", 999)
    for other in (path, str(path), [path], bm.Corpus.from_text(text, docs="line"), bytearray(text), memoryview(text)):
        found = model.score(other)
        for name in ("logprobs", "ids", "cuts", "bounds", "blank"):
            np.testing.assert_array_equal(getattr(found, name), getattr(whole, name), name)
    by_file = model.score(path, docs="file", eos="no")
    assert by_file.bounds.tolist() == [0, len(by_file.ids)]
    assert "perplexity" in str(whole)
    assert model.score(b"").tokens == 0
    assert model.score(bm.Corpus.from_documents([])).bounds.tolist() == [0]


@settings(max_examples=60, deadline=None)
@given(st.lists(words, max_size=12), st.sampled_from([1, 2, 4]), st.booleans())
def test_logprob_of_a_sentence(sentence: list[str], order: int, eos: bool) -> None:
    model = MODELS[order]
    text = " ".join(sentence)
    rated = model.score(text.encode() + b"\n", eos="yes" if eos else "no")
    assert model.logprob(text, eos=eos) == pytest.approx(math.fsum(rated.logprobs), abs=1e-12)
    assert model.logprob(f"\t{text}\n".encode(), eos=eos) == model.logprob(text, eos=eos)
    strict = model.logprob(text, eos=eos, oov="none")
    assert strict == (-math.inf if rated.unknown.any() else model.logprob(text, eos=eos))


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (lambda m: m.begin().extend("two words"), errors.InputError),
        (lambda m: m.begin().extend(1.5), errors.InputTypeError),
        (lambda m: m.begin().extend(True), errors.InputTypeError),
        (lambda m: m.begin().extend(10**30), errors.RangeError),
        (lambda m: m.begin(oov="spelt"), errors.ChoiceError),
        (lambda m: m.at(5), errors.RangeError),
        (lambda m: m.at(-1), errors.NegativeError),
        (lambda m: m.extend([m.begin()], ["a", "b"]), errors.ShapeError),
        (lambda m: m.extend(["a"], ["a"]), errors.InputTypeError),
        (lambda m: m.extend([MODELS[4].begin()], ["a"]), errors.InputTypeError),
        (lambda m: m.extend(np.array([7], dtype=np.uint64), ["a"]), errors.RangeError),
        (lambda m: m.extend([m.begin()], "a"), errors.InputTypeError),
        (lambda m: m.extend([m.begin()], [10**30]), errors.RangeError),
        (lambda m: m.logprob(3), errors.InputTypeError),
        (lambda m: m.logprob("a", eos="yes"), errors.InputTypeError),
        (lambda m: m.score("nowhere.txt"), errors.MissingSourceError),
        (lambda m: m.score(b"a", eos="perhaps"), errors.ChoiceError),
        (lambda m: m.score(b"a", docs="page"), errors.ChoiceError),
        (lambda m: bm.NGram().score(b"a"), errors.ModelError),
        (lambda m: bm.NGram().begin(), errors.ModelError),
    ],
)
def test_what_is_refused(wrong: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        wrong(MODELS[2])


def test_a_damaged_model_is_named(tmp_path: Path) -> None:
    """Bytes overwritten all over the file: an error that names it, or an answer; never a crash."""
    path = tmp_path / "model.bmn"
    MODELS[4].save(path)
    good = path.read_bytes()
    questions: tuple[Callable[[bm.NGram], Any], ...] = (
        lambda m: m.score(TEXT.encode()),
        lambda m: m.logprob(TEXT[:500].replace("\n", " ")),
        lambda m: m.begin().extend(KNOWN[0])[1].extend(KNOWN[1]),
        lambda m: m.extend([m.begin()] * 3, KNOWN[:3]),
    )

    def answered(ask: Callable[[bm.NGram], Any]) -> str:
        try:
            ask(bm.NGram.load(path))
        except errors.FileFormatError as error:
            return str(error)
        return ""

    messages = []
    for start in range(600, len(good), max(1, len(good) // 40)):
        path.write_bytes(good[:start] + b"\xff" * 64 + good[start + 64 :])
        messages += [answered(ask) for ask in questions]
    assert any(messages)
    assert all("model.bmn" in message for message in messages if message)
