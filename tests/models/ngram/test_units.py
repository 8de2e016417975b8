"""N-gram models of bytes, characters and tokens, and their vocabularies: against a twin, KenLM, and by identities."""

from __future__ import annotations

import itertools
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
from bitmeter.text.units.plain import Characters
from tests.cli.test_golden import LINES
from tests.models.twin import Ngram, estimate

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


def test_lines_begin_anew_whatever_the_documents() -> None:
    model = bm.NGram(order=4, units="bytes").fit(TEXT)
    by_line, whole = bm.score(model, OTHER, docs="line"), bm.score(model, OTHER)
    assert whole.nats == pytest.approx(by_line.nats, rel=1e-12)
    single = sum(bm.score(model, line).nats for line in OTHER.splitlines(keepends=True))
    assert whole.nats == pytest.approx(single, rel=1e-12)
    stream, ids = model.stream(), np.frombuffer(OTHER, dtype=np.uint8)
    pieces = [stream.logprobs(ids[i : i + 3], np.array([0, len(ids[i : i + 3])]), i > 0) for i in range(0, len(ids), 3)]
    assert np.concatenate(pieces).tolist() == whole.trace.logprob.tolist()
    unended = bm.score(model, b"boat", docs="line", eos="yes")
    assert unended.nats == pytest.approx(bm.score(model, b"boat\n").nats, rel=1e-12)


def test_a_file_is_one_sentence_when_asked() -> None:
    model = bm.NGram(order=3, units="bytes").fit(TEXT, docs="file")
    after = model.predict(np.frombuffer(b".\n", dtype=np.uint8))
    assert np.exp(after[model.outcomes.index(np.array([ord("T")]))[0]]) > 10 / 256  # newlines are units, and something follows
    ended, open_ = bm.score(model, TEXT, eos="yes"), bm.score(model, TEXT)
    assert ended.count("token") == open_.count("token") + 1
    assert model.end_id == 256


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
        assert (again.fingerprint, again.units, again.end_id) == (model.fingerprint, model.units, model.end_id)
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


# ---- tokenizers ------------------------------------------------------------------------------------------------------


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


# ---- vocabulary ------------------------------------------------------------------------------------------------------


def replaced(text: bytes, known: set[bytes], unknown: bytes) -> bytes:
    return b"\n".join(b" ".join(w if w in known else unknown for w in line.split()) for line in text.split(b"\n"))


def names(model: bm.NGram) -> list[bytes]:
    return list(model.outcomes.names[3:])


def test_rare_words_become_a_class_that_is_learnt() -> None:
    words = TEXT.split()
    model = bm.NGram(order=3, min_count=2).fit(TEXT)
    assert set(names(model)) == {w for w in words if words.count(w) >= 2}
    assert names(model) == [w for w in dict.fromkeys(words) if words.count(w) >= 2]  # as they come
    # As if they had been written <unk>, and that were a member of the class.
    by_hand = bm.NGram(order=3, min_count=2).fit(replaced(TEXT, set(names(model)), b"<unk>"))
    assert by_hand.counts == model.counts
    test = b"the wind and the quiet sea\n"
    assert bm.score(by_hand, test, like="kenlm").nats == bm.score(model, test, like="kenlm").nats
    for history in ([], [3], [-1], [3, -1], [-1, -1]):
        assert math.fsum(np.exp(model.predict(np.array(history, dtype=np.int64)))) == pytest.approx(1.0, abs=1e-6)
    share = sum(words.count(w) == 1 for w in set(words))
    assert f"{share} of the text's {len(words)} words" in model.notes[-1]


def test_the_class_of_the_twin() -> None:
    """The twin with `_` for all rare words: the same but for the share of the unseen, one outcome less."""
    model = bm.NGram(order=2, min_count=2).fit(TEXT)
    text = replaced(TEXT, set(names(model)), b"_").decode()
    table = estimate(text, 2)
    # Discounted mass (c - D)/N is all but the back-off's share, which is 1/V: V counts one outcome less here.
    size = sum(len(gram) == 1 for gram in table) - 1
    gamma = 10 ** table["<unk>",][0] * size
    numbers = {name.decode(): i for i, name in enumerate(model.outcomes.names)} | {"_": 0}
    logs = model.predict(np.array([10**6]))  # unknown
    order1 = {word: 10 ** table[word,][0] - gamma / size + gamma / (size - 1) for word in (*numbers,) if word != "<s>"
              and (word,) in table and word != "<unk>"}  # fmt: skip
    back = 10 ** table["_",][1]
    for word, p in order1.items():
        known = ("_", word) in table
        seen = 10 ** table["_", word][0] - back * 10 ** table[word,][0] if known else 0.0
        assert math.exp(logs[numbers[word]]) == pytest.approx(seen + back * p, rel=1e-5)


def test_the_most_frequent_words() -> None:
    text = b"b a c a b d e\nc\n"
    assert names(bm.NGram(order=2, vocab_size=2).fit(text)) == [b"b", b"a"]  # b, a and c come twice: c comes last
    assert names(bm.NGram(order=2, vocab_size=4).fit(text)) == [b"b", b"a", b"c", b"d"]
    assert names(bm.NGram(order=2, vocab_size=4, min_count=2).fit(text)) == [b"b", b"a", b"c"]
    assert names(bm.NGram(order=2, vocab_size=99).fit(text)) == [b"b", b"a", b"c", b"d", b"e"]
    assert bm.NGram(order=2, vocab_size=99).fit(text).counts == bm.NGram(order=2).fit(text).counts
    few = bm.NGram(order=2, units="characters", vocab_size=2).fit(b"abcabcaa\n")
    assert names(few) == [b"a", b"b"]
    assert bm.score(few, b"abc\n", oov="class").oov == 1


def test_a_list_of_words(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("the\r\nwind\n\n</s>\n<unk>\nsail\nnowhere\nthe\n")
    model = bm.NGram(order=3, vocab=path).fit(TEXT)
    assert names(model) == [b"wind", b"the", b"sail", b"nowhere"]  # those of the text first, as they come
    logs = model.predict(np.zeros(0, dtype=np.int64))
    assert np.isfinite(logs[6])
    assert math.fsum(np.exp(logs)) == pytest.approx(1.0, abs=1e-6)
    assert bm.NGram(order=3, vocab=["the", b"wind", "sail", "nowhere"]).fit(TEXT).counts == model.counts
    path.write_text("the\ntwo words\n")
    with pytest.raises(errors.InputError, match=r"line 2, is b'two words', which is not one word"):
        bm.NGram(vocab=path)
    for wrong in ([], ["<s>"], ["a b"], [""]):
        with pytest.raises(errors.InputError):
            bm.NGram(vocab=wrong)
    with pytest.raises(errors.InputError, match="leave out min_count"):
        bm.NGram(vocab=["a"], min_count=2)
    with pytest.raises(errors.MissingSourceError):
        bm.NGram(vocab=tmp_path / "absent")


def test_a_list_as_lmplz_pads() -> None:
    # A list with more words than the text is lmplz --vocab_pad 500 (which counts all outcomes but <s>); KenLM 0.3.0,
    # run by hand with -o 3 --discount_fallback, then query on the other text.
    words = list(dict.fromkeys(TEXT.split()))
    model = bm.NGram(order=3, vocab=[*words, *(f"x{i}" for i in range(500 - 2 - len(words)))]).fit(TEXT)
    score = bm.score(model, OTHER, like="kenlm")
    assert (score.oov, score.count("token")) == (4, 12)
    assert score.perplexity("token") == pytest.approx(93.03472876646568, rel=1e-6)
    # One that holds the words of the text and no others is lmplz --limit_vocab_file, and no list at all.
    same = bm.score(bm.NGram(order=3, vocab=words).fit(TEXT), OTHER, like="kenlm")
    assert same.perplexity("token") == pytest.approx(40.52666617489811, rel=1e-6)


def test_unk_in_the_text_and_a_vocabulary() -> None:
    text = b"a a <unk> a b\na <unk>\n"
    member = bm.NGram(order=2, min_count=2).fit(text)
    assert names(member) == [b"a"]
    assert "3 of the text's 7 words" in member.notes[-1]
    word = bm.NGram(order=2, min_count=2, unk_word=True).fit(text)
    assert names(word) == [b"a", b"<unk>"]
    assert bm.score(word, b"a <unk> b\n", like="kenlm").oov == 1
    assert bm.score(member, b"a <unk> b\n", like="kenlm").oov == 2
    assert names(bm.NGram(order=2, vocab=["a", "<unk>"], unk_word=True).fit(text)) == [b"a", b"<unk>"]
    with pytest.raises(errors.InputError, match="</s>"):
        bm.NGram(order=2, min_count=2).fit(b"a </s>\n")


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcdefg"), max_size=6).map(" ".join), min_size=1, max_size=8),
    st.integers(1, 3), st.integers(1, 4), st.integers(1, 6),
)  # fmt: skip
def test_every_vocabulary_sums_to_one(lines: list[str], order: int, least: int, most: int) -> None:
    text = ("\n".join(lines) + "\n").encode()
    for keywords in ({"min_count": least, "vocab_size": most}, {"vocab": ["a", "b", "z"]}):
        model = bm.NGram(order=order, **keywords).fit(text)
        model.verify()
        for history in itertools.product(range(-1, model.size + 1), repeat=min(2, order)):
            logs = model.predict(np.array([i for i in history if i > 2 or i < 0], dtype=np.int64))
            assert math.fsum(np.exp(logs)) == pytest.approx(1.0, abs=2e-6)


SMOOTHINGS = [name if name != "lidstone" else "lidstone:0.1" for name in bm.SMOOTHINGS if name != "stupid-backoff"]


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
def test_every_smoothing_with_every_vocabulary_sums_to_one(smoothing: str) -> None:
    text = b"a b a a b b\n" * 3 + b"b a\n\nzz a zz\nzz zz b zz\n" * 2  # a, b and <unk> come after a, b and <unk>
    ways: list[dict[str, Any]] = [
        {"units": "bytes"}, {"units": "characters"}, {"units": "characters", "min_count": 9}, {"min_count": 7},
        {"vocab": ["a", "b"]}, {"vocab": ["a", "b", "never", "ever"]}, {"vocab_size": 1},
    ]  # fmt: skip
    for keywords in ways:
        for order in (1, 2, 3):
            cut = (0, 1) if "vocab_size" in keywords and order > 1 else None
            model = bm.NGram(order, smoothing, prune=cut, **keywords).fit(text)
            model.verify()
            ids = model.outcomes.ids[2:]
            for history in (
                [],
                *([i] for i in ids.tolist()),
                *([i, j] for i in ids[:6].tolist() for j in ids[:6].tolist()),
            ):
                logs = model.predict(np.array(history, dtype=np.int64))
                assert math.fsum(np.exp(logs)) == pytest.approx(1.0, abs=1e-5), (keywords, order, history)
            if model.traits.oov == ():
                assert logs[0] == -math.inf


def test_spelled_words_of_a_restricted_and_pruned_model(tmp_path: Path) -> None:
    model = bm.NGram(order=3, min_count=2).fit(TEXT)
    small = model.prune(1e-3)
    assert model.traits.oov == small.traits.oov == ("class", "spelled")
    for one in (model, small):
        assert math.isfinite(bm.score(one, OTHER, oov="spelled").nats)
    small.save(tmp_path / "m.bmn")
    again = bm.NGram.load(tmp_path / "m.bmn")
    again.verify()
    assert bm.score(again, OTHER, oov="spelled").nats == bm.score(small, OTHER, oov="spelled").nats
    with pytest.raises(errors.ModelError, match="for models of words"):
        bm.NGram(order=2, units="bytes").fit(TEXT).fit_spelling(TEXT)


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


def test_characters_that_are_not_known_are_told_among_all_that_there_are(tmp_path: Path) -> None:
    model = bm.NGram(3, units="chars").fit("der Bär saß\nauf dem Stuhl\n".encode() * 9)
    text = "der Bär aß 漢字\n".encode() + b"\xff \xe6\xbc\n\xf0\x9f\x99\x82"
    score = bm.score(model, text)
    assert score.signature.oov == "spelled"
    # 漢, 字, the emoji, and three bytes that are no character.
    assert score.oov == 6
    share = math.log2((0x110000 + 256) / 256) + 8
    assert score.bits == pytest.approx(bm.score(model, text, oov="class").bits + 6 * share, rel=1e-12)
    proof = bm.prove(model, text)
    assert proof.holds
    assert proof.quantised_bits == pytest.approx(score.bits, abs=0.01)
    bm.compress(model, text, tmp_path / "x.bmz", embed=True)
    bm.decompress(tmp_path / "x.bmz", tmp_path / "x")
    assert (tmp_path / "x").read_bytes() == text
    # All ids that a text can have: the shares of all together are one.
    from bitmeter.models.openvocab.characters import CHARACTER_ROWS, ROW_SIZE, SPELLING_COST

    assert CHARACTER_ROWS * ROW_SIZE == Characters.INVALID + 256
    assert math.exp(SPELLING_COST) * CHARACTER_ROWS * ROW_SIZE == pytest.approx(1.0)
    # In stretches, and unknown only where the model does not know it.
    assert bm.score(model, "Bär".encode()).oov == 0
    pieces = model.with_oov("spelled").stream()
    split = model.units.split(text)
    half = len(split.ids) // 2
    logs = np.concatenate([
        pieces.logprobs(split.ids[:half], np.array([0, half]), continues=False),
        pieces.logprobs(split.ids[half:], np.array([0, len(split.ids) - half]), continues=True),
    ])  # fmt: skip
    np.testing.assert_allclose(logs, model.with_oov("spelled").logprobs(split.ids, split.bounds))


@settings(max_examples=60, deadline=None)
@given(text=st.binary(max_size=60))
def test_any_bytes_come_back_from_a_model_of_characters(text: bytes) -> None:
    proof = bm.prove(LETTERS, text)
    assert proof.holds


LETTERS = bm.NGram(2, units="chars").fit("eine kleine Zeile äöü\n".encode() * 3)
