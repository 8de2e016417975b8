"""Tables as models of text: closed forms from the lecture."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.text.blocks import split_corpus
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.words import Words
from tests.models.helpers.lecture import BYTE_TABLE, WORDS, P, Q


@pytest.mark.parametrize(("text", "bits"), [("barb", 2.5), ("probable", 4.25), ("abba", 1.5), ("baby", math.inf)])
def test_the_letters_of_the_lecture(text: str, bits: float) -> None:
    score = bm.score(P, text.encode())
    assert score.bits_per_char == pytest.approx(bits, rel=1e-12)
    assert score.bits_per_char == pytest.approx(bm.cross_entropy(text, P), rel=1e-12)
    assert score.impossible == (text == "baby")


def test_the_conditional_table_of_the_lecture() -> None:
    score = bm.score(Q, b"probable")
    assert score.bits_per_char == pytest.approx(0.625, rel=1e-12)
    assert score.bits_per_char == pytest.approx(Q.cross_entropy("probable"), rel=1e-12)
    assert bm.score(P, b"probable").bits_per_char > score.bits_per_char


def test_an_impossible_unit_is_named_with_its_place() -> None:
    score = bm.score(P, b"abba baby")
    assert score.nats == math.inf
    assert any("' ' at byte 4" in note for note in score.notes)
    assert score.impossible == 2  # the space, and y


@given(st.text(alphabet="abelorpxé", min_size=1, max_size=12))
def test_other_stands_for_all_that_is_not_named(text: str) -> None:
    assert bm.score(Q, text.encode()).bits_per_char == pytest.approx(Q.cross_entropy(text), rel=1e-12)


def test_a_context_without_a_row_makes_the_next_unit_impossible() -> None:
    table = bm.Conditional({"a": {"b": 1.0}}, start="a")
    assert bm.score(table, b"b").bits == 0.0
    score = bm.score(table, b"bb")
    assert score.impossible == 1
    assert "at byte 1" in score.notes[0]
    with pytest.raises(bm.errors.UnknownLabelError, match="no row for what came last"):
        bm.TableModel(table).predict(np.array([ord("b")]))


def test_each_document_begins_from_the_start() -> None:
    table = bm.Conditional({"^": {"a": 0.5, "b": 0.5}, "a": {"b": 1.0}, "b": {"\n": 1.0}, "\n": {"a": 1.0}}, start="^")
    assert bm.TableModel(table).units == Characters()
    score = bm.score(table, b"ab\nab\nab\n")
    assert score.bits == 1.0
    lines = bm.score(table, b"ab\nab\nab\n", docs="line")
    assert lines.bits == pytest.approx(3.0)
    assert lines.by_document is not None
    assert (lines.by_document.nats / math.log(2)).tolist() == pytest.approx([1.0, 1.0, 1.0])
    documents = bm.Corpus.from_documents(["ab", "", "", "b", ""])
    assert bm.score(table, documents).bits == pytest.approx(2.0)


def test_a_start_must_be_known() -> None:
    with pytest.raises(bm.errors.ModelError, match="no start"):
        bm.TableModel(bm.Conditional({"a": {"a": 1.0}}))
    with pytest.raises(bm.errors.ModelError, match="start 'b' is not a context"):
        bm.TableModel(bm.Conditional({"a": {"a": 1.0, "b": 0.0}}, start="b"))


def test_units_are_guessed_from_the_labels() -> None:
    assert bm.TableModel(P).units == Characters()
    assert bm.TableModel(Q).units == Characters()
    assert isinstance(bm.TableModel(WORDS).units, Words)
    assert bm.TableModel(BYTE_TABLE).units == Bytes()
    ends = bm.TableModel(bm.Distribution({"a": 0.5, "b": 0.25, "</s>": 0.25}))
    assert ends.units == Characters()
    assert ends.traits.end is not None
    words = bm.TableModel(bm.Distribution({"a": 0.5, "be": 0.5}))
    assert isinstance(words.units, Words)
    assert isinstance(bm.TableModel(bm.Distribution({"a": 1.0}), units="words").units, Words)
    for labels, found in (((1.5, 2.5), "1.5"), ((97, "a"), "97"), ((256, 1), "256"), ((True, False), "True")):
        with pytest.raises(bm.errors.InputTypeError, match=f"found {found}"):
            bm.TableModel(bm.Distribution.uniform(list(labels)))


def test_ends_of_documents_are_predicted_by_characters_too() -> None:
    table = bm.Distribution({"a": 0.5, "b": 0.25, "</s>": 0.25})
    score = bm.score(table, bm.Corpus.from_documents(["ab", "", "a"]), eos="yes")
    assert score.bits == pytest.approx(1 + 2 + 2 + 2 + 1 + 2)
    assert score.tokens == 6
    with pytest.raises(bm.errors.ModelError, match="does not predict the end"):
        bm.score(P, b"abba", eos="yes")


def test_words_their_ends_and_the_unknown() -> None:
    text = b"to be\nbe\n\nto see be"
    score = bm.score(WORDS, text, docs="line", eos="yes", oov="class")
    probabilities = [0.5, 0.75, 0.5, 0.25, 0.5, 0.125, 0.5, 0.25]  # to be </s>, be </s>, </s>, to <unk> …
    # … then `be` after <unk>, which that row does not hold: impossible.
    assert score.impossible == 1
    assert score.oov == 1
    assert score.tokens == len(probabilities) + 2
    allowed = bm.score(WORDS, b"to be\nbe\n\nto see to be", docs="line", eos="yes", oov="class")
    costs = [-math.log2(p) for p in (*probabilities, 0.5, 0.75, 0.5)]
    assert allowed.bits == pytest.approx(math.fsum(costs), rel=1e-12)
    assert allowed.known_nats == pytest.approx(allowed.nats + math.log(0.25), rel=1e-12)


def test_the_ways_of_the_unknown() -> None:
    model = bm.TableModel(WORDS)
    assert model.traits.oov == ("class",)
    classed = model.with_oov("class")
    ids = classed.units.split(b"to see <unk> be").ids
    assert classed.unknown(ids).tolist() == [False, True, True, False]
    assert model.logprobs(ids, np.array([0, 4]))[1] == -math.inf
    assert classed.logprobs(ids, np.array([0, 4]))[1] == math.log(0.25)
    assert classed.fingerprint != model.fingerprint
    assert classed.with_oov("none").fingerprint == model.fingerprint
    upper = bm.TableModel(bm.Distribution({"to": 0.5, "<UNK>": 0.5}), oov="class")
    assert bm.score(upper, b"to see").bits == 2.0
    with pytest.raises(bm.errors.ModelError, match="no label <unk>"):
        bm.TableModel(P, oov="class")
    with pytest.raises(bm.errors.ChoiceError):
        bm.TableModel(WORDS, oov="spelt")
    with pytest.raises(bm.errors.ModelError, match="has no way 'class' for unknown units"):
        bm.score(P, b"abba", oov="class")


def test_skipped_unknown_units_cost_nothing_and_are_counted() -> None:
    score = bm.score(bm.Distribution({"to": 0.5, "be": 0.5}), b"to see be sea", oov="skipped")
    assert (score.bits, score.tokens, score.oov, score.skipped) == (2.0, 2, 2, 2)
    assert score.bytes == len(b"to be ")


def test_bytes_that_are_no_text_have_labels_too() -> None:
    table = bm.Distribution({"a": 0.5, "\udcff": 0.25, "é": 0.25})  # Python's own spelling of the stray byte
    assert bm.score(table, b"a\xff\xc3\xa9").bits == pytest.approx(5.0)
    assert bm.score(table, b"a\xfe").impossible == 1
    words = bm.Distribution({"to": 0.5, "b\udcff": 0.5})
    assert bm.score(words, b"to b\xff").bits == 2.0
    whole_bytes = bm.Distribution({255: 0.5, 97: 0.5})
    assert bm.score(whole_bytes, b"a\xff\xff").bits == 3.0


def test_labels_meet_the_ids_of_any_units() -> None:
    table = bm.Distribution({"to": 0.5, "be": 0.5})
    by_hash = bm.TableModel(table, units=Words())  # without a vocabulary the ids are hashes
    assert bm.score(by_hash, b"to be").bits == 2.0
    assert bm.score(by_hash, b"to see").impossible == 1
    turned = bm.TableModel(table, units=Words(vocabulary=["be", "x", "to"]))
    assert bm.score(turned, b"be to be").bits == 3.0
    assert bm.score(turned, b"x").impossible == 1
    clusters = bm.TableModel(bm.Distribution({"e\u0301": 0.5, "a": 0.5}), units="graphemes")
    assert bm.score(clusters, "e\u0301a".encode()).bits == 2.0
    with pytest.raises(bm.errors.ModelError, match="the same unit of words"):
        bm.TableModel(bm.Distribution({"to": 0.5, "to ": 0.5}), units=Words())


def test_fingerprints_change_with_what_changes_a_probability() -> None:
    rows = {"a": {"a": 0.5, "b": 0.5}, "b": {"a": 0.25, "b": 0.75}}
    tables = [
        bm.TableModel(bm.Conditional(rows, start="a")),
        bm.TableModel(bm.Conditional(rows, start="b")),
        bm.TableModel(bm.Conditional({**rows, "b": {"a": 0.75, "b": 0.25}}, start="a")),
        bm.TableModel(bm.Conditional(rows, start="a"), units="words"),
        bm.TableModel(bm.Conditional(rows, start="a", other="b")),
        bm.TableModel(bm.Distribution({"a": 0.5, "b": 0.5})),
        bm.TableModel(bm.Distribution({"a": 0.5, "c": 0.5})),
    ]
    assert len({table.fingerprint for table in tables}) == len(tables)
    assert bm.TableModel(bm.Conditional(rows, start="a")).fingerprint == tables[0].fingerprint


def test_a_table_of_many_words_is_made_quickly() -> None:
    names = [f"w{i}" for i in range(400)]
    row = dict.fromkeys(names, 1 / 400)
    model = bm.TableModel(bm.Conditional(dict.fromkeys(["<s>", *names], row), start="<s>"))
    assert bm.score(model, " ".join(names).encode()).perplexity() == pytest.approx(400)


@settings(max_examples=40)
@given(st.text(max_size=60), st.integers(1, 9))
def test_blocks_do_not_matter(text: str, size: int) -> None:
    model = bm.TableModel(Q)
    corpus = bm.Corpus.from_text(text, docs="line")
    session = model.open()
    logs = [
        session.logprobs(block.split.ids, block.split.bounds, continues=block.continues)
        for block in split_corpus(corpus, model.units, size)
    ]
    split = [model.units.split(document.data) for document in corpus]
    expected = [model.logprobs(part.ids, part.bounds) for part in split]
    np.testing.assert_array_equal(np.concatenate([*logs, np.zeros(0)]), np.concatenate([*expected, np.zeros(0)]))
