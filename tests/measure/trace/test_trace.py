"""Trace: spans that cover the text, regrouping that keeps the sum, and Parquet files."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import errors
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.words import Words
from tests.measure.made import in_blocks
from tests.measure.test_scoring import TEXTS, Hashing

GROUPS: list[Any] = ["char", "grapheme", "word", "unicode-word", "sentence", "document", 1, 3, 64, Words("lmplz")]


@settings(max_examples=80)
@given(TEXTS, st.sampled_from(["file", "line", "blank"]), st.sampled_from(GROUPS))
@pytest.mark.parametrize("units", [Bytes(), Characters(), Words()], ids=lambda units: str(units.name))
def test_regrouping_keeps_every_nat_and_every_byte(units: Any, text: bytes, docs: str, by: Any) -> None:
    trace = bm.score(Hashing(units, streams=True), text, docs=docs).trace
    grouped = trace.group(by)
    assert math.fsum(grouped.logprob) == pytest.approx(math.fsum(trace.logprob), abs=1e-9)
    assert b"".join(trace.units) == b"".join(grouped.units) == text
    # Within a document, spans follow each other without a gap.
    for found in (trace, grouped):
        same = np.diff(found.doc) == 0
        np.testing.assert_array_equal(found.end[:-1][same], found.start[1:][same])
        starts = np.flatnonzero(np.diff(found.doc, prepend=-1))
        assert (found.start[starts] == 0).all()


def test_words_of_bytes_cost_what_their_bytes_cost() -> None:
    trace = bm.score("kt", b"to be or not to be").trace
    words = trace.group("word")
    assert words.units == [b"to", b" be", b" or", b" not", b" to", b" be"]
    assert words.bits[1] == pytest.approx(trace.bits[2:5].sum(), rel=1e-14)
    assert words.signature.units.endswith("by word")


@pytest.mark.parametrize("model", ["kt", "table"])
def test_words_cost_what_their_surprisals_say(model: str) -> None:
    """White space is on the same side in both; behind the last word, `word_surprisals` keeps it apart."""
    text = b"to be,  or not\tto be?\n\nThat is the question\n"
    used = (
        bm.Distribution(dict.fromkeys(map(chr, sorted(set(text))), 1 / len(set(text)))) if model == "table" else model
    )
    words, found = bm.score(used, text).trace.group("word"), bm.word_surprisals(used, text, corrected=False)
    assert [unit.strip() for unit in words.units] == [word.strip() for word in found.words]
    expected = found.nats.copy()
    expected[-1] += found.spaces
    np.testing.assert_allclose(-words.logprob, expected, rtol=1e-12)


@pytest.mark.parametrize("by", ["word", "sentence", "unicode-word", "document", 4])
def test_the_end_of_a_document_is_counted_in_it(by: Any) -> None:
    model = bm.NGram(order=2).fit(b"to be or not to be\nthat is the question\n" * 5)
    trace = bm.score(model, b"to be\nor not\n\nthat is\n", docs="line", eos="yes").trace
    grouped = trace.group(by)
    assert len(trace) == 10  # six words, and the ends of four lines, one of which is blank
    for doc in range(4):
        assert math.fsum(grouped.document(doc).logprob) == pytest.approx(math.fsum(trace.document(doc).logprob))


def test_the_most_surprising() -> None:
    trace = bm.score("kt", b"aaaabaaaac").trace
    top = trace.top(3)
    assert [unit.unit for unit in top] == [b"c", b"b", b"a"]
    assert top[0].bits == pytest.approx(-math.log2(0.5 / (9 + 128)), rel=1e-14)
    assert trace.top(0) == []
    assert len(trace.top(100)) == 10
    # Of equals the earlier first.
    assert [unit.start for unit in bm.score("uniform", b"abcdef").trace.top(3)] == [0, 1, 2]
    infinite = bm.score(bm.Distribution({"a": 1.0}), b"aab").trace.top(1)[0]
    assert math.isinf(infinite.bits)
    with pytest.raises(bm.BitmeterError):
        trace.top(-1)


def test_slices_and_documents() -> None:
    trace = bm.score("kt", b"one\ntwo\n\nthree", docs="line").trace
    assert b"".join(trace.document(1).units) == b"two\n"
    assert trace.document(1).start.tolist() == [0, 1, 2, 3]
    assert len(trace.document(99)) == 0
    part = trace[2:6]
    assert b"".join(part.units) == b"e\ntw"
    assert part[1].unit == b"\n"
    assert trace[-1].unit == b"e"
    words = part.group("word")
    assert b"".join(words.units) == b"e\ntw"
    assert math.fsum(words.logprob) == pytest.approx(math.fsum(part.logprob), rel=1e-14)
    with pytest.raises(errors.RangeError):
        trace[99]
    with pytest.raises(errors.RangeError):
        trace[::2]
    assert [unit.unit for unit in trace[:2]] == [b"o", b"n"]


def test_what_else_was_likely(tmp_path: Path) -> None:
    q = bm.Conditional({"a": {"a": 0.5, "b": 0.25, "c": 0.25}, "b": {"a": 1.0}, "c": {"c": 1.0}}, start="a")
    trace = bm.score(q, b"abacc", alternatives=2).trace
    assert trace.rank.tolist() == [1, 2, 1, 2, 1]
    assert (trace.entropy / math.log(2)).tolist() == pytest.approx([1.5, 1.5, 0.0, 1.5, 0.0])
    assert trace.alternatives(1) == ((b"a", pytest.approx(math.log(0.5))), (b"b", pytest.approx(math.log(0.25))))  # type: ignore[comparison-overlap]
    trace.save(tmp_path / "t.parquet")
    again = bm.Trace.load(tmp_path / "t.parquet")
    for index in range(5):
        assert again.alternatives(index) == trace.alternatives(index)
        assert again[1:].alternatives(min(index, 3)) == trace[1:].alternatives(min(index, 3))
    assert again.rank.tolist() == trace.rank.tolist()
    again.save(tmp_path / "u.parquet")
    assert bm.Trace.load(tmp_path / "u.parquet").alternatives(3) == trace.alternatives(3)
    with pytest.raises(errors.ChoiceError, match="no alternatives"):
        bm.score("kt", b"x").trace.alternatives(0)


@settings(max_examples=20)
@given(st.binary(max_size=300), st.sampled_from([7, 1 << 20]))
@pytest.mark.parametrize("model", ["kt", "uniform"])
def test_details_are_those_of_predict(model: str, text: bytes, size: int) -> None:
    predictor = bm.load(model)
    with pytest.MonkeyPatch.context() as patch:
        in_blocks(patch, size)
        trace = bm.score(predictor, text, alternatives=3).trace
    for place in range(0, len(text), 37):
        logs = predictor.predict(np.frombuffer(text[:place], dtype=np.uint8))
        assert trace.entropy[place] == pytest.approx(-float(np.sum(np.exp(logs) * logs)), rel=1e-12)
        assert trace.rank[place] == 1 + int(np.sum(logs > logs[text[place]]))
        likely = trace.alternatives(place)
        assert [x for _, x in likely] == pytest.approx(np.sort(logs)[::-1][:3].tolist())


def test_a_model_that_only_predicts_is_asked_step_by_step() -> None:
    class Predicting:
        name, fingerprint, units = "p", "p-1", Bytes()
        outcome_names = tuple(bytes([b]) for b in range(256))

        def predict(self, history: Any) -> Any:
            return np.full(256, -math.log(256.0))

        def logprobs(self, ids: Any, bounds: Any) -> Any:
            return np.full(len(ids), -math.log(256.0))

    trace = bm.score(Predicting(), b"ab\nc", docs="line", alternatives=1).trace
    assert trace.entropy.tolist() == pytest.approx([math.log(256)] * 4)
    assert trace.alternatives(2) == ((b"\x00", pytest.approx(-math.log(256))),)  # type: ignore[comparison-overlap]
    with pytest.raises(errors.ModelError, match="leave alternatives out"):
        bm.score(Hashing(Bytes(), streams=True), b"ab", alternatives=1)
