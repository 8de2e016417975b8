"""score(): sums, counts, conventions, and what it refuses."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import bitmeter as bm
from bitmeter import errors
from bitmeter.measure.trace import tracer as tracing
from bitmeter.text.units.base import Units
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.words import Words
from tests.measure.made import in_blocks

#: Texts in every script, with what breaks naive code.
TEXTS = st.one_of(
    st.binary(max_size=200),
    st.text(max_size=120).map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.lists(
        st.sampled_from(["word", "слово", "言葉", "كلمة", "\r\n", "\n", " ", "\ufeff", "👩‍👩‍👧"]), max_size=40
    ).map(lambda parts: "".join(parts).encode()),
)


class Hashing:
    """A model for tests: ln p depends on the unit and on the one before it in its document; no distribution."""

    def __init__(self, units: Units, *, streams: bool) -> None:
        self.units, self.name, self.fingerprint = units, "hashing", "hashing-1"
        if streams:
            self.stream = lambda: _HashingStream(self)

    def logprobs(self, ids: NDArray[Any], bounds: NDArray[np.int64]) -> NDArray[np.float64]:
        return _HashingStream(self).logprobs(ids, bounds, continues=False)


class _HashingStream:
    def __init__(self, model: Hashing) -> None:
        self._last = 7

    def logprobs(self, ids: NDArray[Any], bounds: NDArray[np.int64], continues: bool) -> NDArray[np.float64]:
        before = np.concatenate([[self._last if continues else 7], ids[:-1]]).astype(np.int64)[: len(ids)]
        starts = bounds[:-1][bounds[:-1] < len(ids)]
        before[starts[starts > 0]] = 7
        if len(ids):
            self._last = int(ids[-1])
            if not continues:
                before[0] = 7
        mixed = (ids.astype(np.int64) * 2654435761 + before * 40503) % 1000003
        return -mixed / 1e5


@settings(max_examples=60)
@given(TEXTS, st.sampled_from(["file", "line", "blank"]), st.sampled_from([1, 3, 7, 64, 1 << 20]))
@pytest.mark.parametrize("units", [Bytes(), Characters(), Words()], ids=lambda units: str(units.name))
def test_blocks_and_streams_do_not_change_a_figure(units: Units, text: bytes, docs: str, size: int) -> None:
    whole = bm.score(Hashing(units, streams=False), text, docs=docs)
    with pytest.MonkeyPatch.context() as patch:
        in_blocks(patch, size)
        pieces = bm.score(Hashing(units, streams=True), text, docs=docs)
        held = bm.score(Hashing(units, streams=False), text, docs=docs)
    for other in (pieces, held):
        assert other.nats == pytest.approx(whole.nats, abs=1e-9)
        assert other.signature == whole.signature
        assert other.by_document is not None
        assert whole.by_document is not None
        for name in ("bytes", "chars", "words", "tokens"):
            assert getattr(other, name) == getattr(whole, name)
            np.testing.assert_array_equal(getattr(other.by_document, name), getattr(whole.by_document, name))
        np.testing.assert_allclose(other.by_document.nats, whole.by_document.nats, atol=1e-9)
        np.testing.assert_array_equal(other.trace.start, whole.trace.start)
        np.testing.assert_array_equal(other.trace.doc, whole.trace.doc)


@given(TEXTS, st.sampled_from(["file", "line", "blank"]))
def test_counts_are_those_of_the_text(text: bytes, docs: str) -> None:
    score = bm.score("uniform", text, docs=docs)
    assert score.bytes == len(text) == score.tokens
    assert score.bits == pytest.approx(8.0 * len(text), rel=1e-14, abs=0.0)
    decoded = text.decode("utf-8", "surrogateescape")
    assert score.invalid == sum("\udc80" <= letter <= "\udcff" for letter in decoded)
    assert score.chars == len(decoded)
    assert score.by_document is not None
    assert int(score.by_document.bytes.sum()) == len(text)
    assert score.by_block is not None
    assert int(score.by_block.bytes.sum()) == len(text)
    assert math.fsum(score.by_block.nats) == pytest.approx(score.nats, abs=1e-9)


def test_edges_of_texts() -> None:
    # An empty file is one empty document without units; a text of one unit is one unit.
    empty = bm.score("kt", b"")
    assert (empty.bytes, empty.tokens, empty.nats, empty.documents) == (0, 0, 0.0, 1)
    assert "the text is empty" in empty.notes
    with pytest.raises(errors.UndefinedError, match="nothing to divide by"):
        _ = empty.bits_per_byte
    one = bm.score("uniform", b"x")
    assert (one.bits_per_byte, one.tokens) == (8.0, 1)
    # A final newline, CRLF and a BOM are bytes like others: kept, scored and counted.
    for text in (b"a\n", b"a", b"a\r\nb\r\n", b"\xef\xbb\xbfa", b"\n", b"\r", b"\n\n\n"):
        assert bm.score("uniform", text, docs="line").bits == 8.0 * len(text)
    lines = bm.score("uniform", b"a\n\nb", docs="line")
    assert lines.by_document is not None
    assert lines.by_document.bytes.tolist() == [2, 1, 1]


def test_several_files_and_empty_ones(tmp_path: Path) -> None:
    for name, text in (("a.txt", b"one\n"), ("b.txt", b""), ("c.txt", b"three")):
        (tmp_path / name).write_bytes(text)
    score = bm.score("uniform", tmp_path)
    assert score.documents == 3
    assert score.by_document is not None
    assert score.by_document.bytes.tolist() == [4, 0, 5]
    assert score.bits == 72.0


WORDS = bm.Distribution({"the": 0.4, "cat": 0.2, "</s>": 0.3, "<unk>": 0.1})


def test_ends_blank_lines_and_unknown_words() -> None:
    text = b"the cat\n\nthe dog\ncat"
    # By hand: the cat </s>, </s>, the <unk> </s>, cat </s>.
    kenlm = bm.score(WORDS, text, like="kenlm")
    expected = -math.log(0.4 * 0.2 * 0.3 * 0.3 * 0.4 * 0.1 * 0.3 * 0.2 * 0.3)
    assert kenlm.nats == pytest.approx(expected, rel=1e-14)
    assert (kenlm.tokens, kenlm.oov, kenlm.documents) == (9, 1, 4)
    figures = _figures(kenlm)
    assert figures["Perplexity including OOVs"] == pytest.approx(math.exp(expected / 9), rel=1e-13)
    assert figures["Perplexity excluding OOVs"] == pytest.approx(math.exp((expected + math.log(0.1)) / 8), rel=1e-13)
    # SRILM passes over blank lines and leaves unknown words out of sum and count: 3 sentences, 5 words, 1 OOV.
    srilm = bm.score(WORDS, text, like="srilm")
    known = -math.log(0.4 * 0.2 * 0.3 * 0.4 * 0.3 * 0.2 * 0.3)
    figures = _figures(srilm)
    assert (figures["sentences"], figures["words"], figures["OOVs"], figures["zeroprobs"]) == (3, 5, 1, 0)
    assert figures["ppl"] == pytest.approx(math.exp(known / (5 - 1 + 3)), rel=1e-13)
    assert figures["ppl1"] == pytest.approx(math.exp(known / (5 - 1)), rel=1e-13)
    assert figures["logprob"] == pytest.approx(-known / math.log(10), rel=1e-13)


def _figures(score: bm.Score) -> dict[str, float]:
    from bitmeter.measure.conventions.registry import CONVENTIONS

    return CONVENTIONS[score.signature.like].figures(score)


def test_skipped_units_leave_the_denominator_or_not() -> None:
    text = b"the cat\nthe cat\n"
    kept = bm.score(WORDS, text, docs="line", first="skip", den="original")
    left = bm.score(WORDS, text, docs="line", first="skip")
    assert kept.nats == left.nats == pytest.approx(-2 * math.log(0.2), rel=1e-14)
    assert (kept.skipped, kept.tokens) == (2, 2)
    assert (kept.bytes, left.bytes) == (16, 8)
    assert (kept.words, left.words) == (4, 2)


def test_first_unit_uniform() -> None:
    text = b"aaaa\nbbbb\n"
    plain, flat = bm.score("kt", text, docs="line"), bm.score("uniform", text, docs="line", first="uniform")
    assert flat.nats == pytest.approx(10 * math.log(256), rel=1e-14)
    conditional = bm.Conditional({"a": {"a": 1.0}, "?": {"a": 0.5, "?": 0.5}}, other="?", start="?")
    with pytest.raises(errors.ModelError, match="first='skip'"):
        bm.score(conditional, text, first="uniform")
    assert plain.tokens == 10


def test_normalisation_is_done_and_named() -> None:
    score = bm.score("uniform", "CAFE\u0301\r\n".encode(), norm="nfc")
    assert score.bytes == len("CAFÉ\r\n".encode())
    assert bm.score("uniform", b"A\r\nB\r", norm="newlines").bytes == 4
    lower = bm.score("kt", b"AbC \xff", norm="lower")
    assert lower.signature.norm == "lower"
    assert lower.signature.text == bm.score("kt", b"abc \xff").signature.text


def test_compressors_give_totals() -> None:
    text = b"to be or not to be, that is the question; " * 50
    score = bm.score("xz:6", text)
    import lzma

    assert score.bits == pytest.approx(8 * len(lzma.compress(text, preset=6)), rel=1e-14)
    assert score.tokens is None
    assert score.interval is None
    with pytest.raises(errors.UndefinedError, match="only a total"):
        score.perplexity("token")
    with pytest.raises(errors.UndefinedError, match="no trace"):
        _ = score.trace
    with pytest.raises(errors.ModelError, match="only a total"):
        bm.score("xz:6", text, first="skip")


class Faulty:
    """A model that answers with what it was made with."""

    name, fingerprint = "faulty", "faulty-1"

    def __init__(self, answer: Any) -> None:
        self.units: Units = Bytes()
        self.answer = answer

    def logprobs(self, ids: NDArray[Any], bounds: NDArray[np.int64]) -> Any:
        return self.answer(len(ids))


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda n: np.full(n, math.nan), "NaN for the unit b't' at byte 0"),
        (lambda n: np.full(n, 0.5), "a probability above 1"),
        (lambda n: np.full(n + 1, -1.0), "log-probabilities for 4 units"),
        (lambda n: None, "log-probabilities for 4 units"),
        (lambda n: np.where(np.arange(n) == 2, math.nan, -1.0), "b'x' at byte 2"),
    ],
)
def test_a_faulty_model_is_named(answer: Any, message: str) -> None:
    with pytest.raises(errors.ModelError, match=message):
        bm.score(Faulty(answer), b"text")


def test_impossible_is_infinite_and_the_place_is_named() -> None:
    score = bm.score(bm.Distribution({"a": 0.5, "b": 0.5}), b"ab\nab")
    assert score.bits_per_byte == math.inf
    assert score.impossible == 1
    assert any("'\\n' at byte 2" in note for note in score.notes)
    assert score.known_nats == pytest.approx(4 * math.log(2), rel=1e-14)
    assert score.interval is None


@pytest.mark.parametrize(
    "keywords",
    [
        {"model": "nonsense"},
        {"model": "zstd:99"},
        {"model": "uniform:x"},
        {"model": 3},
        {"model": None},
        {"docs": "page"},
        {"first": "last"},
        {"eos": "maybe"},
        {"eos": "yes"},
        {"oov": "class"},
        {"oov": "spelled"},
        {"den": 3},
        {"norm": "rot13"},
        {"ctx": "1024.512"},
        {"like": "grep"},
        {"confidence": 2.0},
        {"confidence": "high"},
        {"text": "no/such/file.txt"},
        {"text": None},
        {"field": 3},
    ],
)
def test_bad_keywords_are_typed_errors(keywords: dict[str, Any]) -> None:
    with pytest.raises(bm.BitmeterError):
        bm.score(**{"model": "kt", "text": b"some text", **keywords})


def test_long_texts_keep_no_trace_but_write_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "KEPT_UNITS", 100)
    text = b"abc" * 100
    score = bm.score("kt", text, trace=tmp_path / "t.parquet")
    with pytest.raises(errors.UndefinedError, match=r"trace='run\.parquet'"):
        _ = score.trace
    trace = bm.Trace.load(tmp_path / "t.parquet")
    assert len(trace) == 300
    assert -math.fsum(trace.logprob) == pytest.approx(score.nats, rel=1e-13)
    assert trace.signature == score.signature
