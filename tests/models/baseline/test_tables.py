"""Models that need no training: uniform, tables, and the adaptive order 0."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.models.registry import Predictor, Streaming
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.words import Words
from tests.models.streams import cut_documents, pieces, whole

LETTERS = {
    "a": 1 / 4,
    "b": 1 / 2,
    **{chr(c): 1 / 64 for c in range(ord("c"), ord("s"))},
    **dict.fromkeys("stuvwxyz", 0.0),
}
#: The running example of the lecture: p over letters, and the conditional table q.
P = bm.Distribution(LETTERS)
Q = bm.Conditional(
    {
        "a": {"b": 1.0}, "b": {"a": 0.5, "l": 0.5}, "e": {"other": 1.0}, "l": {"e": 1.0}, "o": {"b": 1.0},
        "p": dict.fromkeys(["a", "b", "e", "l", "o", "p", "r", "other"], 1 / 8), "r": {"o": 1.0}, "other": {"p": 1.0},
    },
    other="other",
    start="other",
)  # fmt: skip
WORDS = bm.Conditional(
    {
        "<s>": {"to": 0.5, "be": 0.25, "<unk>": 0.125, "</s>": 0.125},
        "to": {"be": 0.75, "<unk>": 0.25},
        "be": {"to": 0.25, "</s>": 0.5, "<unk>": 0.25},
        "<unk>": {"to": 0.5, "</s>": 0.5},
    },
    start="<s>",
)


# ---- uniform ---------------------------------------------------------------------------------------------------------


@given(st.binary(min_size=1, max_size=200))
def test_uniform_costs_eight_bits_a_byte(data: bytes) -> None:
    score = bm.score("uniform", data)
    assert score.bits == pytest.approx(8 * len(data), rel=1e-12)
    assert score.tokens == len(data)


@pytest.mark.parametrize("size", [1, 2, 10_000, 2**53])
def test_uniform_over_words_costs_the_logarithm_of_their_number(size: int) -> None:
    score = bm.score(f"uniform:{size}", b"to be or not\nto be")
    assert score.bits == pytest.approx(6 * math.log2(size), rel=1e-12)
    assert score.perplexity("word") == pytest.approx(size, rel=1e-12)
    assert score.perplexity("token") == pytest.approx(size, rel=1e-12)


@pytest.mark.parametrize("spec", ["uniform:0", "uniform:-1", "uniform:1.5", "uniform:x", "uniform:" + "9" * 5000,
                                  f"uniform:{2**53 + 1}", "uniform: 7"])  # fmt: skip
def test_uniform_needs_a_whole_number(spec: str) -> None:
    with pytest.raises(bm.errors.ModelError, match="needs a whole number of choices"):
        bm.load(spec)
    for size in (True, 2.0, "7", None):
        with pytest.raises(bm.errors.ModelError):
            bm.Uniform(size)  # type: ignore[arg-type]


def test_uniform_over_other_units() -> None:
    model = bm.Uniform(27, units="chars")
    assert bm.score(model, "né".encode()).bits == pytest.approx(2 * math.log2(27))
    assert model.fingerprint != bm.Uniform(27).fingerprint


# ---- Krichevsky-Trofimov ---------------------------------------------------------------------------------------------


def kt_nats(data: bytes) -> float:
    """The closed form: Γ(n+128)/Γ(128) · Π Γ(½)/Γ(n(x)+½), with 256 symbols of weight ½."""
    counts = [data.count(x) for x in range(256)]
    seen = math.fsum(math.lgamma(c + 0.5) - math.lgamma(0.5) for c in counts if c)
    return math.lgamma(len(data) + 128) - math.lgamma(128) - seen


@given(st.binary(min_size=1, max_size=400))
def test_kt_is_the_dirichlet_mixture(data: bytes) -> None:
    assert bm.score("kt", data).nats == pytest.approx(kt_nats(data), rel=1e-11)


def test_kt_on_a_long_text_and_its_regret() -> None:
    data = (b"to be or not to be, " * 5_000)[:90_000]
    score = bm.score("kt", data)
    assert score.nats == pytest.approx(kt_nats(data), rel=1e-10)
    # Never more than ½·255·log2 n + O(1) above the best fixed distribution; and never below it.
    best = bm.Distribution.from_data(data).entropy * len(data)
    assert best < score.bits < best + 0.5 * 255 * math.log2(len(data)) + 10


def test_the_counts_of_kt_go_on_from_document_to_document() -> None:
    one = bm.score("kt", b"ab\nab\n")
    lines = bm.score("kt", b"ab\nab\n", docs="line")
    assert lines.nats == pytest.approx(one.nats, rel=1e-12)
    assert lines.by_document is not None
    assert lines.by_document.nats[0] > lines.by_document.nats[1]


def test_kt_takes_no_setting() -> None:
    with pytest.raises(bm.errors.ModelError, match="kt takes no setting; found kt:3"):
        bm.load("kt:3")


# ---- what every model keeps ------------------------------------------------------------------------------------------

CHAR_IDS = st.sampled_from([ord(c) for c in "abelopr xzé€"] + [0x110000 + 255])
WORD_IDS = st.sampled_from([-1, 0, 1, 2, 3, 4])
BYTE_IDS = st.integers(0, 255)
BYTE_TABLE = bm.Conditional(
    {0: {0: 0.5, 255: 0.5}, "rest": {0: 0.25, 1: 0.5, "rest": 0.25}}, other="rest", start="rest"
)

MODELS: list[Any] = [
    pytest.param(bm.Uniform(), BYTE_IDS, id="uniform"),
    pytest.param(bm.KrichevskyTrofimov(), BYTE_IDS, id="kt"),
    pytest.param(bm.TableModel(P), CHAR_IDS, id="characters"),
    pytest.param(bm.TableModel(Q), CHAR_IDS, id="characters after characters"),
    pytest.param(bm.TableModel(BYTE_TABLE), BYTE_IDS, id="bytes after bytes"),
    pytest.param(bm.TableModel(bm.Distribution(dict.fromkeys(range(256), 1 / 256))), BYTE_IDS, id="bytes"),
    pytest.param(bm.TableModel(WORDS, oov="class"), WORD_IDS, id="words after words"),
    pytest.param(bm.TableModel(bm.Distribution({"to": 0.5, "be": 0.25, "<unk>": 0.25}), oov="class"),
                 st.sampled_from([-1, 0, 1, 2]), id="words"),
]  # fmt: skip


@pytest.mark.parametrize(("model", "ids"), MODELS)
@settings(max_examples=60)
@given(data=st.data())
def test_predictions_sum_to_one_and_are_what_is_charged(model: Any, ids: st.SearchStrategy[int], data: Any) -> None:
    assert isinstance(model, Predictor)
    document = np.array(data.draw(st.lists(ids, min_size=1, max_size=12)), dtype=np.int64)
    logs = model.logprobs(document, np.array([0, len(document)]))
    places = model.outcomes.index(document) if hasattr(model, "places") else document
    for at in range(len(document)):
        try:
            predicted = model.predict(document[:at])
        except bm.errors.UnknownLabelError:  # the table has no row for the last unit
            assert logs[at] == -math.inf
            continue
        assert math.fsum(np.exp(predicted)) == pytest.approx(1.0, abs=1e-12)
        assert logs[at] == pytest.approx(predicted[places[at]], rel=1e-12)


@pytest.mark.parametrize(("model", "ids"), MODELS)
@settings(max_examples=60)
@given(data=st.data())
def test_a_stream_in_pieces_is_the_whole(model: Any, ids: st.SearchStrategy[int], data: Any) -> None:
    assert isinstance(model, Streaming)
    documents, cuts = data.draw(cut_documents(ids))
    everything = whole(documents)
    stream = model.stream()
    parts = [stream.logprobs(p.ids, p.bounds, p.continues) for p in pieces(documents, cuts)]
    together = np.concatenate([*parts, np.zeros(0)])
    np.testing.assert_array_equal(together, model.logprobs(everything.ids, everything.bounds))


# ---- tables ----------------------------------------------------------------------------------------------------------


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
    with pytest.raises(bm.errors.ModelError, match="start 'b' is no context"):
        bm.TableModel(bm.Conditional({"a": {"a": 1.0, "b": 0.0}}, start="b"))


def test_units_are_guessed_from_the_labels() -> None:
    assert bm.TableModel(P).units == Characters()
    assert bm.TableModel(Q).units == Characters()
    assert isinstance(bm.TableModel(WORDS).units, Words)
    assert bm.TableModel(BYTE_TABLE).units == Bytes()
    ends = bm.TableModel(bm.Distribution({"a": 0.5, "b": 0.25, "</s>": 0.25}))
    assert ends.units == Characters()
    assert ends.predicts_end
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
    with pytest.raises(bm.errors.ModelError, match="no way 'class'"):
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
    from bitmeter.text.blocks import split_corpus

    model = bm.TableModel(Q)
    corpus = bm.Corpus.from_text(text, docs="line")
    stream = model.stream()
    logs = [
        stream.logprobs(piece.split.ids, piece.split.bounds, continues=piece.continues)
        for piece in split_corpus(corpus, model.units, size)
    ]
    split = [model.units.split(document.data) for document in corpus]
    expected = [model.logprobs(part.ids, part.bounds) for part in split]
    np.testing.assert_array_equal(np.concatenate([*logs, np.zeros(0)]), np.concatenate([*expected, np.zeros(0)]))
