"""Overlap as text."""

from __future__ import annotations

import bitmeter as bm
from bitmeter.reports.overlap import describe_overlap


def test_the_table_fits_into_eighty_columns() -> None:
    name = "a long name of a corpus " * 5
    corpus = bm.Corpus.from_documents([f"{i} the same words in every text, {i}" for i in range(30)], name=name)
    texts = bm.Corpus.from_documents(["see the same words in every text", "other"], name=name)
    for unit in ("bytes", "words", "unicode-words"):
        found = bm.overlap(texts, corpus, length=3, unit=unit)
        text = describe_overlap(found)
        assert max(map(len, text.splitlines())) <= 80
        assert text == str(found)
        assert "3 *" in text
    assert "1 of 2 have a match" in text
    assert "comes from" in text


def test_without_a_match_there_are_no_sources() -> None:
    text = str(bm.overlap(b"abc", b"xyz"))
    assert "0.00 % of 3 bytes" in text
    assert "comes from" not in text
    assert "in itself" in str(bm.overlap(b"abcabc", length=3))
    assert "–" in str(bm.overlap(b"", b"xyz"))


def test_the_longest_match_that_is_followed() -> None:
    text = b"0123456789abcdef" * (1 << 16) + b"end"
    assert "1,048,576 or more bytes" in str(bm.overlap(text, text, length=1 << 20))
