"""A plug-in of words with an open vocabulary: a distribution over byte strings, like any n-gram model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter.errors import ModelError
from bitmeter.text.units.plain import Bytes
from bitmeter.text.units.words import Words
from tests.models.helpers.plugins import TRAINING, PlainWords

MODEL = bm.load(PlainWords())
TEXT = b"to be or xyzzy\n\n  the mind\tis plugh \nthat"


def test_it_is_an_n_gram_model_of_the_same_probabilities() -> None:
    """By hand: words and ends of lines from the plug-in, the rest from the n-gram model that brings the spelling."""
    text = b"to be or not to be\nthat is xyzzy\n"
    plain = PlainWords()
    found = bm.score(MODEL, text)
    words = sum(
        float(plain.predict(np.array(ids[:i]))[ids[i]])
        for ids in (_entries(plain, line) for line in text.splitlines())
        for i in range(len(ids))
    )
    other = plain.spelling.with_oov("spelled")
    unigrams = sum(
        float(other.predict(np.zeros(0, dtype=np.int64))[i])
        for line in text.splitlines()
        for i in [*(max(0, j) for j in other.units.split(line).ids.tolist()), 2]
    )
    beside = bm.score(other, text).nats + unigrams
    assert found.nats == pytest.approx(beside - words, rel=1e-9)
    assert found.oov == 1


def _entries(plain: PlainWords, line: bytes) -> list[int]:
    """The entries of a line's words and of its end."""
    return [*(max(0, i) for i in plain.units.split(line).ids.tolist()), 2]


def test_the_ways_of_the_unknown() -> None:
    spelled = bm.score(MODEL, TEXT)
    assert "oov:spelled" in str(spelled.signature)
    assert (spelled.oov, spelled.bytes) == (2, len(TEXT))
    assert bm.score(MODEL, TEXT, oov="none").nats == np.inf
    classed = bm.score(MODEL, TEXT, oov="class", eos="yes", docs="line")
    assert classed.nats < spelled.nats
    prints = {MODEL.with_oov(way).fingerprint for way in ("none", "class", "spelled")}
    assert len(prints) == 3
    assert MODEL.unknown(np.array([-1, 0, 1, 2, 3, 99, -2])).tolist() == [True, True, True, False, False, True, False]


def test_the_last_line_without_a_newline_and_blank_texts() -> None:
    assert bm.score(MODEL, b"to be").nats < bm.score(MODEL, b"to be\n").nats
    assert np.isfinite(bm.score(MODEL, b" \n\n").nats)
    assert bm.score(MODEL, b" \n\n", oov="class").nats == 0.0


def test_it_compresses_proves_and_verifies(tmp_path: Path) -> None:
    text = (TRAINING + TEXT) * 3
    proof = bm.prove(PlainWords(), text)
    assert proof.holds
    assert proof.quantised_bits == pytest.approx(proof.score.bits, abs=0.5)
    archive = bm.compress(PlainWords(), text, tmp_path / "x.bmz")
    assert archive.bits == pytest.approx(proof.quantised_bits, abs=0.5)
    bm.decompress(tmp_path / "x.bmz", tmp_path / "x", model=PlainWords())
    assert (tmp_path / "x").read_bytes() == text
    found = bm.verify(PlainWords(), TEXT)
    assert found.sound, str(found)
    assert found.predicts


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from([b"to", b"be", b"xyzzy", b" ", b"  ", b"\n", b"\t", b"\xff", b"mind"]), max_size=14))
def test_any_text_comes_back(parts: list[bytes]) -> None:
    text = b"".join(parts)
    coder, back = MODEL.with_oov("spelled").coder(), MODEL.with_oov("spelled").coder()
    coded, taken = coder.encode(text, True)
    assert taken == len(text)
    assert back.decode(coded, len(text)) == text


def test_alternatives_are_words() -> None:
    trace = bm.score(MODEL, b"to be\n", alternatives=2).trace
    assert trace.alternatives(1)[0][0] == b"be"
    texts = bm.sample(MODEL, 3, seed=1, length=5)
    assert all(word in {*TRAINING.split(), b"<unk>"} for text in texts for word in text.data.split())


def test_names_and_units_must_agree() -> None:
    class Shuffled(PlainWords):
        def __init__(self) -> None:
            super().__init__()
            self.units = Words(vocabulary=self.outcome_names[::-1])

    class Headless(PlainWords):
        def __init__(self) -> None:
            super().__init__()
            self.outcome_names: Any = (b"a", b"b", b"c", *self.outcome_names[3:])

    class OfBytes(PlainWords):
        def __init__(self) -> None:
            super().__init__()
            self.units: Any = Bytes()

    for wrong in (Shuffled(), Headless(), OfBytes()):
        with pytest.raises(ModelError, match="its units must be Words whose vocabulary is its outcomes"):
            bm.load(wrong)
