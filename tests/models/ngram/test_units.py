"""N-gram models of bytes, characters and tokens, and their vocabularies: against a twin, KenLM, and by identities."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import errors
from bitmeter.text.units.named import units_of
from tests.cli.texts import LINES
from tests.models.helpers.twin import Ngram, estimate

TEXT = LINES.encode()
OTHER = "He had a boat, and the rain\nwas over: é!\n".encode()


def spaced(text: str) -> str:
    """Characters as words: what stands between white space, a space being `_`."""
    return "".join(" ".join(line.replace(" ", "_")) + "\n" for line in text.splitlines())


def twin_log10(table: dict[Ngram, tuple[float, float]], history: Ngram, unit: str) -> float:
    """log10 p by the definition of backing off."""
    if (*history, unit) in table:
        return table[*history, unit][0]
    return table.get(history, (0.0, 0.0))[1] + twin_log10(table, history[1:], unit)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text("ab é", max_size=6), min_size=1, max_size=8), st.integers(1, 4))
def test_characters_are_words_to_the_twin(lines: list[str], order: int) -> None:
    text = "\n".join(lines) + "\n"
    model = bm.NGram(order=order, units="characters").fit(text.encode())
    table = estimate(spaced(text), order)
    found = bm.score(model, text.encode(), trace=None).trace.logprob
    expected = []
    for line in text.splitlines():
        units = ["<s>", *line.replace(" ", "_"), "</s>"]
        expected += [
            twin_log10(table, tuple(units[max(0, i - order + 1) : i]), units[i]) * math.log(10)
            for i in range(1, len(units))
        ]
    assert found.tolist() == pytest.approx(expected, abs=1e-6)


def test_characters_have_kenlm_s_figures() -> None:
    # lmplz -o 4 --discount_fallback on the lines with a space between all characters (`_` for a space), then query on
    # the other text, likewise; KenLM 0.3.0, run by hand.
    model = bm.NGram(order=4, units="characters").fit(TEXT)
    assert model.counts == (36, 164, 287, 343)
    ways: list[dict[str, Any]] = [{"docs": "line", "eos": "yes"}, {"docs": "line"}, {}]
    for keywords in ways:
        score = bm.score(model, OTHER, oov="class", **keywords)  # the newline is the end: no way counts it twice
        assert (score.oov, score.count("token")) == (3, 41)
        assert score.perplexity("token") == pytest.approx(7.799335542037066, rel=1e-6)
        assert math.exp(score.known_nats / (41 - 3)) == pytest.approx(5.866844167202932, rel=1e-6)


@pytest.mark.parametrize("docs", ["line", "file", "blank"])
@pytest.mark.parametrize("order", [1, 2, 5])
def test_bytes_are_a_distribution_over_all_bytes(docs: str, order: int) -> None:
    model = bm.NGram(order=order, units="bytes").fit(TEXT, docs=docs)
    assert model.size == (256 if docs == "line" else 257)
    for history in (b"", b"T", b"The wi", b"\xff\x00", b"boat\n", b"boat\n\nT"):
        logs = model.predict(np.frombuffer(history, dtype=np.uint8))
        every = model.outcomes.index(np.arange(256))
        assert len(set(every.tolist())) == 256
        assert np.isfinite(logs[every]).all()
        assert logs[0] == logs[1] == -math.inf
        assert math.fsum(np.exp(logs)) == pytest.approx(1.0, abs=1e-6)
    anything = bytes(range(256))
    score = bm.score(model, anything)
    assert (score.oov, score.count("token")) == (0, 256)
    assert math.isfinite(score.nats)


def test_the_byte_twin() -> None:
    """Order 1 by hand: discounts by count, the rest shared by 255 bytes and the end, which is the newline."""
    model = bm.NGram(order=1, units="bytes").fit(b"aab\nac\n")
    counts = {"a": 3, "b": 1, "c": 1, "\n": 2}
    kinds = [sum(n == j for n in counts.values()) for j in range(5)]
    y = kinds[1] / (kinds[1] + 2 * kinds[2])
    taken = [0.0, *(j - (j + 1) * y * kinds[j + 1] / kinds[j] for j in (1, 2, 3))]
    left = sum(taken[n] for n in counts.values()) / 7 / 256
    logs = model.predict(np.zeros(0, dtype=np.int64))
    for unit, n in counts.items():
        assert math.exp(logs[model.outcomes.index(np.array([ord(unit)]))[0]]) == pytest.approx(
            (n - taken[n]) / 7 + left, rel=1e-6
        )
    assert math.exp(logs[model.outcomes.index(np.array([0]))[0]]) == pytest.approx(left, rel=1e-6)


def test_lines_begin_again_whatever_the_documents() -> None:
    model = bm.NGram(order=4, units="bytes").fit(TEXT)
    by_line, whole = bm.score(model, OTHER, docs="line"), bm.score(model, OTHER)
    assert whole.nats == pytest.approx(by_line.nats, rel=1e-12)
    single = sum(bm.score(model, line).nats for line in OTHER.splitlines(keepends=True))
    assert whole.nats == pytest.approx(single, rel=1e-12)
    session, ids = model._unit_session(), np.frombuffer(OTHER, dtype=np.uint8)
    pieces = [
        session.logprobs(ids[i : i + 3], np.array([0, len(ids[i : i + 3])]), i > 0) for i in range(0, len(ids), 3)
    ]
    assert np.concatenate(pieces).tolist() == whole.trace.logprob.tolist()
    unended = bm.score(model, b"boat", docs="line", eos="yes")
    assert unended.nats == pytest.approx(bm.score(model, b"boat\n").nats, rel=1e-12)


def test_a_file_is_one_sentence_when_asked() -> None:
    model = bm.NGram(order=3, units="bytes").fit(TEXT, docs="file")
    after = model.predict(np.frombuffer(b".\n", dtype=np.uint8))
    assert (
        np.exp(after[model.outcomes.index(np.array([ord("T")]))[0]]) > 10 / 256
    )  # newlines are units, and something follows
    ended, open_ = bm.score(model, TEXT, eos="yes"), bm.score(model, TEXT)
    assert ended.count("token") == open_.count("token") + 1
    assert model.end == bm.End(256)


@pytest.mark.parametrize("units", ["bytes", "characters"])
def test_rates_words_and_traces(units: str) -> None:
    model = bm.NGram(order=4, units=units).fit(TEXT)
    score = bm.score(model, TEXT, docs="line", alternatives=2)
    assert (score.bytes, score.words, score.count("token")) == (len(TEXT), len(TEXT.split()), len(TEXT))
    words = score.trace.group("word")
    assert math.fsum(words.bits.tolist()) == pytest.approx(score.bits, rel=1e-12)
    assert [unit.split() for unit in words.units] == [[word] for word in TEXT.split()]
    best, *_ = score.trace.alternatives(0)
    logs = model.predict(np.zeros(0, dtype=np.int64))
    assert best[0] == model.outcomes.names[int(np.argmax(logs))]
    found = bm.compare(model, "kt", on=TEXT, docs="line")
    assert "kt" in str(found)


def test_invalid_bytes_are_characters_of_their_own(tmp_path: Path) -> None:
    text = b"na\xc3\xafve \xff\xfe \xc3\nna\xffve\n"
    model = bm.NGram(order=3, units="chars").fit(text)
    model.save(tmp_path / "m.bmn")
    again = bm.NGram.load(tmp_path / "m.bmn")
    again.verify()
    for one in (model, again):
        score = bm.score(one, text)
        assert (score.oov, score.invalid) == (0, 4)
        assert b"\xff" in one.outcomes.names
    assert bm.score(model, b"\xfd", oov="class").oov == 1


@pytest.mark.parametrize("units", ["bytes", "characters"])
def test_files_remember_their_units(units: str, tmp_path: Path) -> None:
    for docs in ("line", "file"):
        model = bm.NGram(order=3, units=units).fit(TEXT, docs=docs)
        model.save(tmp_path / "m.bmn", force=True)
        again = bm.load(str(tmp_path / "m.bmn"))
        assert (again.fingerprint, again.units, again.end) == (model.fingerprint, model.units, model.end)
        assert bm.score(again, TEXT).nats == bm.score(model, TEXT).nats
        assert f"of {units}" in repr(again)
    with pytest.raises(errors.FileFormatError, match="white space"):
        model.save(tmp_path / "m.arpa")
    with pytest.raises(errors.ModelError, match="leave units out"):
        bm.NGram.load(tmp_path / "m.bmn", units="words")


def test_blocks_do_not_matter() -> None:
    text = LINES.replace("the", "thé").encode() * 300  # several blocks, characters across their borders
    corpus = bm.Corpus.from_text(text, docs="line")
    model = bm.NGram(order=3, units="characters").fit(corpus)
    assert model.counts[0] == len(set(text.decode())) - 1 + 3
    assert bm.NGram(order=3, units="characters").fit(text).counts == model.counts


def tokenizer(path: Path, vocabulary: list[str]) -> str:
    spec: dict[str, Any] = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": {word: i for i, word in enumerate(vocabulary)}, "unk_token": "?"},
    }  # fmt: skip
    path.write_text(json.dumps(spec))
    return f"tokenizer:{path}"


def test_tokens_of_a_tokenizer(tmp_path: Path) -> None:
    words = ["?", "to", "be", "or", "not", "never"]
    units = tokenizer(tmp_path / "tok.json", words)
    text = b"to be or not to be\nbe or not\n"
    model = bm.NGram(order=2, units=units).fit(text)
    assert model.size == len(words) + 1
    assert model.traits.oov == ()
    history = units_of(units).split(b"to be").ids
    logs = model.predict(history)
    assert math.fsum(np.exp(logs)) == pytest.approx(1.0, abs=1e-6)
    assert np.isfinite(logs[model.outcomes.index(np.arange(len(words)))]).all()  # `never` too
    model.save(tmp_path / "m.bmn")
    again = bm.NGram.load(tmp_path / "m.bmn")
    nats = bm.score(model, b"to be or what\n", docs="line", eos="yes").nats
    assert math.isfinite(nats)
    assert bm.score(again, b"to be or what\n", docs="line", eos="yes").nats == nats
    assert {b"to", b"be"} <= set(again.outcomes.names)
    assert set(b"".join(text.data for text in again.sample(3, seed=1))) <= set(b"".join(words_bytes(words)))


def words_bytes(words: list[str]) -> list[bytes]:
    return [word.encode() for word in words]


def test_another_tokenizer_is_refused(tmp_path: Path) -> None:
    units = tokenizer(tmp_path / "tok.json", ["?", "to", "be"])
    bm.NGram(order=2, units=units).fit(b"to be\n").save(tmp_path / "m.bmn")
    other = tokenizer(tmp_path / "other.json", ["?", "be", "to"])
    with pytest.raises(errors.ModelError, match=r"trained on tokens of tokenizer:tok\.json"):
        bm.NGram.load(tmp_path / "m.bmn", units=other)
    tokenizer(tmp_path / "tok.json", ["?", "be", "to"])
    with pytest.raises(errors.ModelError, match="ids would mean other tokens"):
        bm.score(str(tmp_path / "m.bmn"), b"to be\n")
    (tmp_path / "tok.json").unlink()
    with pytest.raises(errors.MissingSourceError, match="put it beside the model"):
        bm.score(str(tmp_path / "m.bmn"), b"to be\n")
    tokenizer(tmp_path / "moved.json", ["?", "to", "be"])
    found = bm.NGram.load(tmp_path / "m.bmn", units=f"tokenizer:{tmp_path / 'moved.json'}")
    assert math.isfinite(bm.score(found, b"to be\n").nats)


def test_units_that_are_none() -> None:
    for units in ("verses", 3, None, "sentences", bm.NGram(order=1)):
        with pytest.raises(errors.ChoiceError, match="'words', 'chars', 'bytes'"):
            bm.NGram(units=units)
    for wrong in ({"min_count": 2}, {"vocab_size": 5}, {"vocab": ["a"]}, {"unk_word": True}):
        with pytest.raises(errors.InputError, match="knows every one"):
            bm.NGram(units="bytes", **wrong)
    with pytest.raises(errors.InputError, match="min_count or vocab_size"):
        bm.NGram(units="characters", vocab=["a"])


def test_held_out_units() -> None:
    for units in ("bytes", "characters"):
        model = bm.NGram(3, "jelinek-mercer", units=units).fit(TEXT, heldout=OTHER)
        other = bm.NGram(3, "jelinek-mercer", units=units).fit(TEXT, heldout=TEXT)
        oov = "none" if units == "bytes" else "class"
        assert bm.score(model, OTHER, oov=oov).nats < bm.score(other, OTHER, oov=oov).nats


@pytest.mark.parametrize("docs", ["line", "file"])
def test_a_model_of_bytes_is_a_compressor(docs: str) -> None:
    model = bm.NGram(order=4, units="bytes").fit(TEXT, docs=docs)
    proof = bm.prove(model, OTHER + b"\xff\n")  # bytes that it never saw are coded too
    assert proof.holds
    assert proof.file_bits < proof.score.bits + 16
    assert bm.verify(model, OTHER).sound
