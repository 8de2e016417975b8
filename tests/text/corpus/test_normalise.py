"""Normalisers: each changes what it names and nothing else."""

from __future__ import annotations

import tracemalloc
import unicodedata
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bitmeter import _core
from bitmeter.errors import ChoiceError
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.normalise import NORMALISERS, TOOLS, normalise_documents, normalised, normaliser
from tests.text.helpers import data_of
from tests.text.strategies import texts
from tests.text.twins import TWINS

PLAIN = [name for name in NORMALISERS if name not in TOOLS]
#: A newer Python may know characters that our tables do not; those of Unicode 3.2 both know.
SAME_UNICODE = unicodedata.unidata_version == _core.UNICODE_VERSION
OLD = unicodedata.ucd_3_2_0
#: What the rules of the tools look at, beside plain letters.
AWKWARD = (
    "Σσςa'\u00ad.:ΑİǅßﬁÉé\u0301\u0323\u0345\u1bab\u1baa\u1b44\u0901\U0001d165\U0001d16d\U0001d16e\U0001d15e\U0001d160"
    "각가힣一︀0123٣１𝟙.,،٫⎖…—«»„１〈\u2329\u232a\u1ffd\u037e´ \n\t\r\v\f\x00\x1c\x1f\x7f\x84\x85"
    "\xa0\u1680\u2000\u2001\u2028\u3000\ufffc"
)


def known(char: str) -> bool:
    return SAME_UNICODE or OLD.category(char) != "Cn"


CHARACTERS = st.characters(exclude_categories=["Cs"]).filter(known)


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_text_is_changed_as_python_changes_it(text: str) -> None:
    expected = {
        "nfc": unicodedata.normalize("NFC", text),
        "nfkc": unicodedata.normalize("NFKC", text),
        "lower": text.lower(),
        "newlines": "\n".join(text.replace("\r\n", "\n").split("\r")),
    }
    assert {name: NORMALISERS[name](text.encode()).decode() for name in PLAIN} == expected


@pytest.mark.parametrize("name", TOOLS)
@given(text=st.text(st.one_of(st.sampled_from(AWKWARD), CHARACTERS, st.sampled_from("plain text, 12.5")), max_size=60))
@example(text=" \x00 a \x00 ")
@example(text="\u0301 a \u0301")
@example(text="1,234.5.6 ١٢٫٥ 1, 2")
@example(text="ΟΔΥΣΣΕΥΣ Σ ΑΣ' Α'Σ ΑΣ\u00adΑ")
@example(text="a passage of plain letters, longer than one vector; É and then as many behind it")
def test_tools_change_text_as_their_twins_do(name: str, text: str) -> None:
    assert normaliser(name)(text.encode()).decode() == TWINS[name](text)


@pytest.mark.parametrize("name", TOOLS)
def test_every_character_is_changed_as_by_the_twin(name: str) -> None:
    kinds = ("Cn", "Co", "Cs")
    chars = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) not in kinds and known(chr(c))]
    documents = [f"x{char}y{char}".encode() for char in chars]
    data, ends = normalise_documents(b"".join(documents), np.cumsum([len(one) for one in documents]), name)
    starts = [0, *ends.tolist()]
    found = [data[a:b].decode() for a, b in pairwise(starts)]
    wrong = [char for char, one in zip(chars, found, strict=True) if one != TWINS[name](f"x{char}y{char}")]
    assert wrong == []


@pytest.mark.parametrize("name", TOOLS)
@given(data=st.binary(max_size=40), more=st.text(st.sampled_from(AWKWARD), max_size=20))
def test_bytes_of_no_character_stay_and_separate(name: str, data: bytes, more: str) -> None:
    text = data + more.encode() + data
    expected = TWINS[name](text.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")
    if all(known(char) for char in text.decode("utf-8", "replace")):
        assert normaliser(name)(text) == expected


def test_newlines_go_and_words_fuse() -> None:
    text = b" World.\nSecond line\tTab "
    assert normaliser("ccnet")(text) == b"world.second linetab"
    assert normaliser("none")(text) == normaliser("data-juicer")(text) == text


@pytest.mark.parametrize("name", NORMALISERS)
def test_documents_in_one_call_are_changed_one_by_one(name: str) -> None:
    documents = [" Él 1\n".encode(), b"", b"  ", "ΑΣ".encode(), b"A"]
    data, ends = normalise_documents(b"".join(documents), np.cumsum([len(one) for one in documents]), name)
    starts = [0, *ends.tolist()]
    found = [data[a:b] for a, b in pairwise(starts)]
    assert found == [NORMALISERS[name](one) for one in documents]


@pytest.mark.parametrize("name", PLAIN)
@given(data=texts())
def test_a_second_time_changes_nothing(name: str, data: bytes) -> None:
    once = NORMALISERS[name](data)
    assert NORMALISERS[name](once) == once


@pytest.mark.parametrize("name", NORMALISERS)
def test_bytes_that_are_not_utf8_stay(name: str) -> None:
    assert NORMALISERS[name](b"a\xff\xe2\x82b") == b"a\xff\xe2\x82b"


def test_documents_stay_documents() -> None:
    # Normalised as one text, the accent of the second document would join the letter of the first.
    corpus = Corpus.from_documents(["e", "\u0301\r", "\nx", ""])
    assert data_of(normalised(corpus, "nfc")) == [b"e", b"\xcc\x81\r", b"\nx", b""]
    assert data_of(normalised(corpus, "newlines")) == [b"e", b"\xcc\x81\n", b"\nx", b""]
    lines = normalised(Corpus.from_text("A\nB\n", docs="line", name="letters"), "lower")
    assert (lines.docs, lines.name, data_of(lines)) == ("line", "letters", [b"a\n", b"b\n"])


def test_a_wrong_name_is_refused() -> None:
    with pytest.raises(ChoiceError, match="norm is 'upper'; it must be one of 'nfc'"):
        normalised(Corpus.from_text("x"), "upper")


@pytest.mark.parametrize("name", NORMALISERS)
@given(data=texts(60), size=st.sampled_from([1, 2, 3, 7, 20]))
@example(data="ΟΔΟΣ ΟΔΟΣ.\nΣ".encode(), size=5)
@example(data=b"a\r\n\r\nb\r \r\n", size=2)
@example(data="e \u0301 e\u0301".encode(), size=2)
def test_parts_change_as_the_whole_document_does(name: str, data: bytes, size: int) -> None:
    for docs in ("file", "line"):
        corpus = Corpus.from_text(data, docs=docs)
        expected = [NORMALISERS[name](document.data) for document in corpus]
        found = normalised(corpus, name)
        assert b"".join(block.data for block in found.blocks(size)) == b"".join(expected)
        assert data_of(found) == expected


@pytest.mark.parametrize("name", NORMALISERS)
def test_a_long_document_is_changed_in_little_memory(name: str) -> None:
    corpus = Corpus.from_text(b"To be\r\n" * 1_000_000)
    tracemalloc.start()
    try:
        assert sum(len(block.data) for block in normalised(corpus, name).blocks()) >= 5_000_000
        assert tracemalloc.get_traced_memory()[1] < 10 << 20  # five times a block, not six times the document
    finally:
        tracemalloc.stop()
