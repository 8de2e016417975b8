"""KenLM models whose words are pieces of SentencePiece, against the library and KenLM's rule for words."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bitmeter as bm
from bitmeter import _core, errors
from bitmeter.models.ngram.pieces import PieceWords
from bitmeter.text.units.sentencepiece import SentencePiece

FOLDER = Path(__file__).parents[2] / "parity" / "filters"
PIECES = FOLDER / "tiny.sp.model"
MODEL = bm.NGram.load(FOLDER / "tiny.arpa.bin", units=f"sentencepiece:{PIECES}")
INNER = SentencePiece(PIECES)
TEXTS = ["To be, or not to be: that is the question.", "生 zzz \U0001f9ff 漢字 Μῆνιν", "", " ", "x\ny", "\U0001f9ff"]


def test_the_ids_are_those_of_the_written_pieces() -> None:
    model = bm.NGram.load(FOLDER / "tiny.arpa.bin", units=f"sentencepiece:{PIECES}")
    words = bm.NGram.load(FOLDER / "tiny.arpa.bin")
    inner = SentencePiece(PIECES)
    data = [text.encode() for text in TEXTS]
    split = model.units.split(b"".join(data), np.cumsum([len(one) for one in data]))
    for place, one in enumerate(data):
        ids = split.ids[split.bounds[place] : split.bounds[place + 1]]
        written = inner.written(one)
        # What KenLM does: the pieces joined by spaces are words.
        expected = words.units.split(" ".join(written).encode()).ids.tolist() if written else []
        assert [i for i in ids.tolist() if i != -2] == expected
    assert split.cuts[-1] == len(b"".join(data))


#: Of every kind that the normaliser of the file changes, joins or leaves out, beside plain words.
CHARACTERS = st.sampled_from(
    [*"abcdefe .,'", "生", "漢", "\U0001f9ff", "ﬁ", "½", "㌔", "\u0301", "\u3000", "\t", "\n", "\x00", "▁"]
)


@given(st.lists(st.text(CHARACTERS, max_size=12) | st.text(max_size=6), max_size=6))
def test_any_text_has_the_ids_of_its_written_pieces(texts: list[str]) -> None:
    data = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(one) for one in data], dtype=np.int64)
    for _ in range(2):  # the second time from what is kept
        split = MODEL.units.split(b"".join(data), ends)
        for place, one in enumerate(data):
            ids = split.ids[split.bounds[place] : split.bounds[place + 1]].tolist()
            written = INNER.written(one)
            expected = [_core.ngram_id(MODEL.form, piece.encode()) for piece in written] or ([-2] if one else [])
            assert ids == expected


def test_what_sentencepiece_does_not_know_may_be_a_word_of_the_model() -> None:
    units = bm.NGram.load(FOLDER / "tiny.arpa.bin", units=f"sentencepiece:{PIECES}").units
    assert isinstance(units, PieceWords)
    known = {
        char
        for line in (FOLDER / "train.txt").read_text(encoding="utf-8").split()
        for char in line
        if units.inner.split(char.encode()).ids.tolist()[-1] == 0 and units.split(char.encode()).ids[-1] > 0
    }
    assert known  # coverage below one: some characters of the training have no piece, and are words all the same


def test_a_model_of_other_words_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "words.arpa"
    bm.NGram(order=2).fit(b"to be or not to be\n").save(path)
    with pytest.raises(errors.ModelError, match=r"no piece of sentencepiece:tiny\.sp\.model that begins with a space"):
        bm.NGram.load(path, units=f"sentencepiece:{PIECES}")
    with pytest.raises(errors.ModelError, match="no model that is loaded refers to it"):
        bm.load(str(path), components=[f"sentencepiece:{PIECES}"])


def test_such_a_model_travels_and_converts(tmp_path: Path) -> None:
    model = bm.load(str(FOLDER / "tiny.arpa.bin"), components=[f"sentencepiece:{PIECES}"])
    text = TEXTS[0].encode()
    expected = bm.score(model, text, like="edugp")
    assert bm.score(pickle.loads(pickle.dumps(model)), text, like="edugp").nats == expected.nats
    assert model.traits.oov == ("class",)
    assert not model.of_words
    model.save(tmp_path / "model.bmn")
    again = bm.NGram.load(tmp_path / "model.bmn", units=f"sentencepiece:{PIECES}")
    assert bm.score(again, text, like="edugp").nats == pytest.approx(expected.nats, rel=1e-7)
    assert again.fast().units == again.units
