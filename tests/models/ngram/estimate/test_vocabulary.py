"""Restricted vocabularies: rare words become a class."""

from __future__ import annotations

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
from tests.cli.texts import LINES
from tests.models.helpers.twin import estimate

TEXT = LINES.encode()
OTHER = "He had a boat, and the rain\nwas over: é!\n".encode()


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
