"""Open vocabulary: a model of words as a distribution over byte strings."""

import itertools
import math
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
from bitmeter.models.openvocab.words import SpelledNGramSession, SpelledSession
from bitmeter.text.formats import SEPARATORS
from tests.models.helpers.blocks import in_blocks

TEXT = b"to be or not to be\n that is  the question\n\nwhether 'tis nobler\n" * 3 + b"once caf\xc3\xa9 na\xefve\n"
MODEL = bm.NGram(order=3).fit(TEXT)
SPELLED = MODEL.with_oov("spelled")


def nats(text: bytes, **keywords: Any) -> float:
    return bm.score(MODEL, text, oov="spelled", **keywords).nats


# ---- a distribution --------------------------------------------------------------------------------------------------


def test_spelling_sums_to_one_over_words() -> None:
    """Walk the tree of all prefixes over three bytes: ends so far and open prefixes hold all of their mass."""
    spelling = MODEL.spelling
    alphabet = b"ab"
    ended, open_mass, other = 0.0, {b"": 1.0}, 0.0
    for _ in range(5):
        longer = {}
        for prefix, mass in open_mass.items():
            row = spelling.predict(prefix)
            assert row.sum() == pytest.approx(1.0, abs=1e-6)  # the model keeps its logarithms as float32
            ended += mass * row[256]
            other += mass * (row[:256].sum() - row[list(alphabet)].sum())
            for byte in alphabet:
                longer[prefix + bytes([byte])] = mass * row[byte]
        open_mass = longer
    assert ended + other + sum(open_mass.values()) == pytest.approx(1.0, abs=1e-5)
    for word in (b"a", b"ab", b"bab"):
        product = math.prod(float(spelling.predict(word[:i])[word[i]]) for i in range(len(word)))
        expected = math.log(product * float(spelling.predict(word)[256]))
        assert spelling.word(word) == pytest.approx(expected, rel=1e-9)


def test_no_separator_and_no_empty_word_can_be_spelled() -> None:
    assert MODEL.spelling.predict(b"")[256] == 0.0
    assert MODEL.spelling.word(b"") == -math.inf
    for byte in SEPARATORS["kenlm"]:
        assert MODEL.spelling.predict(b"a")[byte] == 0.0
    assert (np.delete(MODEL.spelling.predict(b"a"), list(SEPARATORS["kenlm"])) > 0.0).all()


def test_white_space_sums_to_at_most_one() -> None:
    """Up to four bytes of white space; the tables and the escape share the mass, what is listed twice is lost."""
    spaces = [byte for byte in SEPARATORS["kenlm"] if byte != 10]
    for place in ("lead", "between", "tail", "blank"):
        assert sum(p for _, p in MODEL.spelling.gaps(place)) + MODEL.spelling.escape(place) == pytest.approx(1.0)
        total = math.fsum(
            math.exp(MODEL.spelling.gap(place, bytes(gap)))
            for size in range(1 if place == "between" else 0, 5)
            for gap in itertools.product(spaces, repeat=size)
        )
        assert 0.4 < total <= 1.0 + 1e-12


def test_all_texts_of_a_tiny_alphabet_sum_to_at_most_one() -> None:
    """Every line of up to seven bytes over a word's byte, a space and the newline that ends it: Kraft's sum."""
    model = bm.NGram(order=2).fit(b"a\na a\n\naa\n" * 4)
    lines = [bytes(letters) + b"\n" for size in range(8) for letters in itertools.product(b"a ", repeat=size)]
    total = math.fsum(math.exp(-bm.score(model, line, oov="spelled", eos="yes").nats) for line in lines)
    assert 0.5 < total <= 1.0
    without = math.fsum(math.exp(-bm.score(model, line[:-1], oov="spelled", eos="yes").nats) for line in lines)
    assert without > 0.0
    assert total + without <= 1.0


@settings(deadline=None, max_examples=80)
@given(st.binary(max_size=60))
def test_any_bytes_have_a_finite_cost(data: bytes) -> None:
    found = nats(data, eos="yes")
    assert math.isfinite(found)
    assert found > 0.0
    assert math.isfinite(nats(data))


@settings(deadline=None, max_examples=60)
@given(st.lists(st.sampled_from([b"to", b"be", b"zzz", b" ", b"  ", b"\t", b"\n", b"\0", b"\xff"]), max_size=25))
def test_documents_do_not_change_what_a_text_costs(parts: list[bytes]) -> None:
    """A newline ends a sentence wherever documents end: the bits are those of the bytes."""
    text = b"".join(parts) + b"\n"
    whole = nats(text)
    assert nats(text, docs="line") == pytest.approx(whole, rel=1e-12)
    assert nats(text, docs="line", eos="yes") == pytest.approx(whole, rel=1e-12)
    assert nats(text, eos="yes") == pytest.approx(whole, rel=1e-12)
    assert nats(text, docs="line", eos="nonblank") == pytest.approx(whole, rel=1e-12)


@settings(deadline=None, max_examples=40)
@given(st.binary(max_size=40), st.binary(max_size=40))
def test_lines_add_up(first: bytes, second: bytes) -> None:
    """A line knows nothing of the one before, so costs add over newlines."""
    assert nats(first + b"\n" + second + b"\n") == pytest.approx(nats(first + b"\n") + nats(second + b"\n"), rel=1e-9)


def test_a_known_line_by_hand() -> None:
    """Words and end by the n-gram model; lead, gaps, tail and newline by the tables; one unknown word by its bytes."""
    s = MODEL.spelling
    words = bm.score(MODEL, b"to be zzz\n", docs="line", eos="yes", oov="class").nats
    extra = s.gap("lead", b"") + s.gap("between", b" ") + s.gap("between", b"  ") + s.gap("tail", b"") + s.newline
    assert nats(b"to be  zzz\n") == pytest.approx(words - extra - s.word(b"zzz"), rel=1e-12)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50])
def test_a_text_in_blocks_costs_the_same(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = TEXT + b"unheard \t of\n\n\n  words \n end"
    expected = nats(text)
    in_blocks(monkeypatch, NGramBase, size)
    assert nats(text) == pytest.approx(expected, rel=1e-12)
    assert nats(text, docs="line") == pytest.approx(expected, rel=1e-12)


def test_records_are_sentences_where_they_were_in_training() -> None:
    """Trained on documents that hold newlines, a newline is white space like any other."""
    corpus = bm.Corpus.from_documents([b"to be\nor not", b"that is\nthe question"])
    model = bm.NGram(order=2).fit(corpus)
    assert not model.spelling.lines
    assert dict(model.spelling.gaps("between"))[b"\n"] > 0.1
    assert math.isfinite(bm.score(model, corpus, oov="spelled").nats)


# ---- use -------------------------------------------------------------------------------------------------------------


def test_spelled_is_the_default_and_in_the_signature() -> None:
    score = bm.score(MODEL, b"to zzz\n")
    assert (score.signature.oov, score.oov) == ("spelled", 1)
    assert math.isfinite(score.nats)
    assert "-spelled-" in score.signature.model
    assert bm.score(MODEL, b"to be\n", like="kenlm").signature.oov == "class"


def test_it_compares_with_models_of_bytes_and_compressors() -> None:
    found = bm.compare(MODEL, "kt", "zstd:19", on=TEXT)
    assert found is not None
    with pytest.raises(errors.IncomparableError, match="oov"):
        bm.compare(bm.score(MODEL, TEXT), bm.score(MODEL, TEXT, oov="class"))


def test_the_file_keeps_it(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "m.bmn")
    again = bm.NGram.load(tmp_path / "m.bmn")
    assert again.spelling.fingerprint() == MODEL.spelling.fingerprint()
    assert bm.score(again, b"to zzz\n").nats == nats(b"to zzz\n")
    again.verify()
    data = (tmp_path / "m.bmn").read_bytes()
    (tmp_path / "bad.bmn").write_bytes(data[:-3] + bytes([data[-3] ^ 1]) + data[-2:])
    with pytest.raises(errors.FileFormatError, match="the checksum of how its words are spelled is wrong"):
        bm.NGram.load(tmp_path / "bad.bmn")


def test_arpa_has_no_spelling_until_it_is_fitted(tmp_path: Path) -> None:
    MODEL.save(tmp_path / "m.arpa")
    model = bm.NGram.load(tmp_path / "m.arpa")
    assert model.traits.oov == ("class",)
    with pytest.raises(errors.ModelError, match="fit_spelling"):
        bm.score(model, b"to zzz\n", oov="spelled")
    model.fit_spelling(TEXT)
    assert bm.score(model, b"to zzz\n").nats == pytest.approx(nats(b"to zzz\n"), rel=1e-5)


def test_a_text_without_words_and_one_without_newline_can_be_learnt() -> None:
    for text in (b"\n\n", b"x", b"   "):
        model = bm.NGram(order=2).fit(text)
        assert math.isfinite(bm.score(model, b"any thing\n\0\xff").nats)


def test_alternatives_belong_to_the_words() -> None:
    trace = bm.score(MODEL, b"to be\nto zzz\n\n", oov="spelled", alternatives=2).trace
    by_line = bm.score(MODEL, b"to be\nto zzz\n\n", oov="class", docs="line", alternatives=2).trace
    assert trace.entropy.tolist()[:4] == by_line.entropy.tolist()[:4]


# ---- in one go -------------------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.sampled_from([b"to", b"be", b"zzz", b"caf\xc3\xa9", b" ", b"  ", b"\t", b"\n", b"\n\n", b"\r\n"]),
        max_size=30,
    ),
    st.lists(st.integers(0, 60), max_size=4),
    st.sampled_from(["yes", "no", "nonblank"]),
    st.booleans(),
    st.sampled_from([1, 2]),
)
def test_bytes_are_scored_as_their_units_are(
    parts: list[bytes],
    cuts: list[int],
    eos: str,
    compact: bool,
    threads: int,
) -> None:
    """From bytes in one pass against the long way, batch by batch: split, add ends, score words, pay spelling."""
    model = (MODEL.compact() if compact else MODEL).with_oov("spelled")
    model.threads = threads
    data = b"".join(parts)
    quick, slow = model.open(bm.Options(eos)), SpelledSession(NGramSession(model), model.spelling, model.form.words)
    assert isinstance(quick, SpelledNGramSession)
    for first, last in itertools.pairwise(sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})):
        part = data[first:last]
        whole = data[last - 1 : last] == b"\n" or last == len(data)
        if not whole and part[-1:].strip() and data[last : last + 1].strip():
            return  # a text is never cut within a word
        ends = np.array([i + 1 for i, byte in enumerate(part) if byte == 10], dtype=np.int64)
        if whole and (not len(ends) or ends[-1] < len(part)):
            ends = np.append(ends, np.int64(len(part)))
        continues = first > 0 and data[first - 1 : first] != b"\n"
        unfinished = not whole
        batch = bm.Batch(
            part, ends, model.units, first, continues=continues, unfinished=unfinished, eos=eos, end=model.end
        )
        found = quick.score(batch)
        assert "_plain" not in vars(batch), "bytes were scored without splitting them first"
        expected = slow.score(batch)
        for ours, theirs in zip(
            (found.split.ids, found.split.cuts, found.split.bounds),
            (expected.split.ids, expected.split.cuts, expected.split.bounds),
            strict=True,
        ):
            np.testing.assert_array_equal(ours, theirs)
        np.testing.assert_array_equal(found.blank, expected.blank)
        np.testing.assert_array_equal(found.logprobs, expected.logprobs)


@given(
    st.lists(st.sampled_from([b"to be", b"zebra \xff", b"", b" \n", b"or not\n\nto", b"caf\xc3\xa9  "]), max_size=9),
    st.sampled_from(["no", "yes", "nonblank"]), st.integers(1, 3), st.sampled_from([1, 9000]),
)  # fmt: skip
@settings(max_examples=60)
def test_totals_are_the_sums_of_the_units(documents: list[bytes], eos: str, threads: int, times: int) -> None:
    """To the bit, with several groups of documents and with one."""
    documents = documents * times if len(documents) > 2 else documents
    data, ends = b"".join(documents), np.cumsum([len(one) for one in documents]).astype(np.int64)
    MODEL.threads = threads
    batch = bm.Batch(data, ends, SPELLED.units, eos=eos, end=SPELLED.traits.end)
    found, scored = SPELLED.open(bm.Options(eos)).totals(batch), SPELLED.open(bm.Options(eos)).score(batch)
    assert found is not None
    bounds = scored.split.bounds
    assert found.logprobs.tolist() == [math.fsum(scored.logprobs[a:b]) for a, b in itertools.pairwise(bounds)]
    counted = [~scored.blank[a:b] for a, b in itertools.pairwise(bounds)]
    assert found.tokens.tolist() == [int(one.sum()) for one in counted]
    unknown = SPELLED.unknown(scored.split.ids) & ~scored.blank
    assert found.unknown.tolist() == [int(unknown[a:b].sum()) for a, b in itertools.pairwise(bounds)]
    assert found.most == scored.logprobs.max(initial=-math.inf)
