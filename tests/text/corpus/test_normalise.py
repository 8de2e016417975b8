"""Normalisers: each changes what it names and nothing else."""

from __future__ import annotations

import tracemalloc
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bitmeter.errors import ChoiceError
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.normalise import NORMALISERS, normalised
from tests.text.helpers import data_of
from tests.text.strategies import texts


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=40))
def test_text_is_changed_as_python_changes_it(text: str) -> None:
    expected = {
        "nfc": unicodedata.normalize("NFC", text),
        "nfkc": unicodedata.normalize("NFKC", text),
        "lower": text.lower(),
        "newlines": "\n".join(text.replace("\r\n", "\n").split("\r")),
    }
    assert {name: change(text.encode()).decode() for name, change in NORMALISERS.items()} == expected


@pytest.mark.parametrize("name", NORMALISERS)
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
        assert sum(len(block.data) for block in normalised(corpus, name).blocks()) >= 6_000_000
        assert tracemalloc.get_traced_memory()[1] < 10 << 20  # five times a block, not six times the document
    finally:
        tracemalloc.stop()
