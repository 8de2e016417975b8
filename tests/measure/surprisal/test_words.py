"""Word surprisals against whole tables of predictions."""

from __future__ import annotations

import json
import math
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import bitmeter as bm
from bitmeter.errors import BitmeterError, InputError, InputTypeError, ModelError
from tests.measure.test_divergence import TEXT, table
from tests.models.networks import tiny


def test_words_sum_to_the_score() -> None:
    words = bm.word_surprisals(tiny(), TEXT, corrected=False)
    assert b"".join(words.words) == TEXT
    assert [word.strip() for word in words.words] == TEXT.split()
    assert math.fsum(words.nats) == pytest.approx(bm.score(tiny(), TEXT).nats, abs=1e-4)
    assert words.tokens.sum() == bm.score(tiny(), TEXT).tokens


def test_the_correction_by_hand() -> None:
    """p(word) = p(tokens) · B(after) / B(before), B by summing a whole prediction."""
    logs = table(tiny(), TEXT)
    ids = tiny().units.split(TEXT).ids
    begins = np.array([name[:1] in (b" ", b"\n", b"\t", b"\r", b"\v", b"\f") for name in tiny().outcomes.names])
    begins[0] = True  # the end of the text
    mass = np.log(np.exp(logs[:, begins]).sum(axis=1))
    own = logs[np.arange(len(ids)), ids]
    words = bm.word_surprisals(tiny(), TEXT)
    at = 0
    for place, (number, nats) in enumerate(zip(words.tokens.tolist(), words.nats.tolist(), strict=True)):
        expected = -own[at : at + number].sum() - mass[at + number] + (mass[at] if place else 0.0)
        assert nats == pytest.approx(expected, abs=2e-5)
        at += number
    # All but the last end cancels: the whole costs what it did, and its end.
    plain = bm.word_surprisals(tiny(), TEXT, corrected=False)
    assert math.fsum(words.nats) == pytest.approx(math.fsum(plain.nats) - mass[-1], abs=1e-4)


def test_documents_of_any_length() -> None:
    corpus = bm.Corpus.from_documents(["", "one", TEXT.decode() * 3])
    words = bm.word_surprisals(tiny(), corpus, corrected=False)
    assert set(words.doc.tolist()) == {1, 2}
    assert math.fsum(words.nats) == pytest.approx(bm.score(tiny(), corpus).nats, abs=1e-3)


WORDS = json.loads((Path(__file__).parents[2] / "parity" / "words" / "words.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("corrected", [False, True])
def test_minicons_gives_the_same(corrected: bool) -> None:
    """Figures that minicons 0.3.39 printed (make_words.py), with bos_token=True; it computes in single precision."""
    rows = WORDS["rows"]
    assert len(rows) == 13
    corpus = bm.Corpus.from_documents([row["text"] for row in rows])
    found = bm.word_surprisals(tiny(), corpus, like="minicons", corrected=corrected, first="bos")
    name = "bos corrected" if corrected else "bos"
    assert found.texts == [word for row in rows for word in row["words"]]
    np.testing.assert_allclose(found.nats, [value for row in rows for value in row[name]], atol=2e-4)
    assert f"by word(space,space{',corrected' if corrected else ''})" in found.signature.units


def test_minicons_without_bos_is_one_token_late() -> None:
    """Its words are then sums over the tokens that follow theirs by one, which bitmeter does not do."""
    for row in WORDS["rows"]:
        text = row["text"].encode()
        found = bm.word_surprisals(tiny(), text, like="minicons", docs="file")
        costs = np.append(-bm.score(tiny(), text, first="skip").trace.logprob, 0.0)
        assert costs[0] == 0.0  # the first token is not scored
        edges = np.concatenate([[0], np.cumsum(found.tokens)])
        late = [costs[a + 1 : b + 1].sum() for a, b in pairwise(edges.tolist())]
        np.testing.assert_allclose(late, row["plain"], atol=2e-4)
        np.testing.assert_allclose(found.plain, [costs[a:b].sum() for a, b in pairwise(edges.tolist())], atol=2e-4)


def test_which_tokens_end_a_word_matters_and_is_signed() -> None:
    ours, theirs = (bm.word_surprisals(tiny(), TEXT, ends=ends) for ends in ("all", "space"))
    assert np.abs(ours.nats - theirs.nats).max() > 0.01
    assert ours.signature.units != theirs.signature.units
    np.testing.assert_array_equal(ours.plain, theirs.plain)


def test_newlines_are_no_words_and_nothing_is_lost() -> None:
    lines = bm.Corpus.from_documents([b"one two\n", b"\n", b" three  four \n\n", b""])
    found = bm.word_surprisals(tiny(), lines)
    assert found.texts == ["one", "two", "three", "four"]
    assert found.doc.tolist() == [0, 0, 2, 2]
    assert math.fsum(found.plain) + found.spaces == pytest.approx(bm.score(tiny(), lines).nats, abs=1e-3)
    assert found.spaces > 0
    assert [(found.start[k], found.end[k]) for k in (2, 3)] == [(1, 6), (8, 12)]


def test_entropy_is_that_of_the_prediction_before() -> None:
    logs = table(tiny(), TEXT)
    found = bm.word_surprisals(tiny(), TEXT)
    firsts = np.concatenate([[0], np.cumsum(found.tokens)[:-1]])
    np.testing.assert_allclose(found.entropy, -(np.exp(logs) * logs).sum(axis=1)[firsts], atol=1e-3)


def test_bytes_by_hand() -> None:
    """256 bytes alike, six of them white space: an end has probability 6/256; the first word has none before it."""
    found = bm.word_surprisals("uniform", "née été".encode())
    eight, end = 8 * math.log(2.0), -math.log(6 / 256)
    assert found.plain.tolist() == pytest.approx([4 * eight, 6 * eight])
    assert found.nats.tolist() == pytest.approx([4 * eight + end, 6 * eight])
    assert (found.char_start.tolist(), found.char_end.tolist()) == ([0, 4], [3, 7])
    assert (found.start.tolist(), found.end.tolist()) == ([0, 5], [4, 10])
    assert found.entropy.tolist() == pytest.approx([eight, eight])
    spaced = bm.word_surprisals("uniform", b"a b", ends="space")
    assert spaced.nats.tolist() == pytest.approx([eight + math.log(256), 2 * eight])


def test_words_of_a_model_of_words_are_what_they_are() -> None:
    model = bm.NGram(order=2).fit(b"to be or not to be\n")
    found = bm.word_surprisals(model, b"to be or else")
    np.testing.assert_array_equal(found.nats, found.plain)
    whole = bm.score(model, b"to be or else", oov="class")
    assert math.fsum(found.nats) == pytest.approx(whole.nats, rel=1e-12)


def _given(spans: list[tuple[int, int]], data: bytes) -> list[tuple[int, int]]:
    return spans


def test_given_words() -> None:
    text = b"The dog, it barked."
    found = bm.word_surprisals("uniform", text, words=lambda data: [(0, 7), (7, 8), (9, 19)])
    assert found.texts == ["The dog", ",", "it barked."]
    assert math.fsum(found.plain) == pytest.approx(bm.score("uniform", text).nats)
    assert not found.crossed.any()
    crossed = bm.word_surprisals(tiny(), b"expression", words=lambda data: [(0, 1), (1, 2), (2, 10)])
    assert crossed.crossed.any()
    assert math.fsum(crossed.plain) == pytest.approx(bm.score(tiny(), b"expression").nats, abs=1e-4)
    for wrong in ([(0, 0)], [(3, 2)], [(0, 4), (2, 5)], [(0, 99)]):
        with pytest.raises(InputTypeError, match="must ascend"):
            bm.word_surprisals("uniform", text, words=partial(_given, wrong))
    with pytest.raises(InputTypeError, match="a function"):
        bm.word_surprisals("uniform", text, words=7)  # type: ignore[arg-type]


def test_scripts_without_spaces_are_not_taken_for_one_word() -> None:
    for text in (
        "今日は天気がとてもいいですね。",
        "我们昨天在图书馆里看见了他们",
        "ฉันไปโรงเรียนทุกวันและชอบเรียนภาษาไทยมาก",
    ):
        with pytest.raises(InputError, match="whole sentences"):
            bm.word_surprisals("uniform", text.encode())
    assert len(bm.word_surprisals("uniform", "in 北京 and 東京".encode())) == 4


def test_what_cannot_be() -> None:
    with pytest.raises(ModelError, match="does not expose"):
        bm.word_surprisals("zlib", b"one two")
    with pytest.raises(BitmeterError, match="ends"):
        bm.word_surprisals("uniform", b"one", ends="some")


def test_several_processes_find_the_same(tmp_path: Path) -> None:
    """The oracle is one process."""
    path = tmp_path / "m.bmn"
    bm.NGram(order=2).fit(b"to be or not to be\nthat is the question\n").save(path)
    text = tmp_path / "a.txt"
    text.write_text("".join(f"to be or not {number}\n" for number in range(300)))
    one, two = (bm.word_surprisals(path, text, docs="line", workers=workers) for workers in (None, 2))
    assert two.nats.tolist() == one.nats.tolist()
    assert (two.words, two.spaces, two.signature) == (one.words, one.spaces, one.signature)
    assert two.doc.tolist() == one.doc.tolist()
    with pytest.raises(bm.BitmeterError, match="learns from all it has read"):
        bm.word_surprisals("kt", text, docs="line", workers=2)
