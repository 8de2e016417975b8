from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bitmeter.reports.html.patterns import PATTERNS, pattern_of_bytes, pattern_of_segments


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("word", "word"),
        ("don't", "word"),
        ("Word", "capitalised word"),
        ("naïve", "non-ASCII word"),
        ("école", "non-ASCII word"),
        ("слово", "non-ASCII word"),
        ("3,141.59", "number"),
        ("https://example.org/a?b=c", "URL"),
        ("www.example.org", "URL"),
        ("snake_case", "identifier"),
        ("camelCase", "identifier"),
        (" ", "space"),
        ("   ", "several spaces"),
        ("\n", "newline"),
        ("\r\n", "newline"),
        ("\n\n", "several newlines"),
        ("\n  \n", "several newlines"),
        ("\t", "tab or return"),
        ("{", "code punctuation"),
        (";", "punctuation"),
        ("→", "other non-ASCII"),
        ("\x00", "other ASCII"),
    ],
)
def test_a_text_of_one_pattern(text: str, name: str) -> None:
    found = pattern_of_bytes(text.encode())
    assert {PATTERNS[k] for k in found} == {name}
    assert len(found) == len(text.encode())


@given(st.binary(max_size=200))
def test_every_byte_has_a_pattern(data: bytes) -> None:
    assert len(pattern_of_bytes(data)) == len(data)


@given(st.text(max_size=80))
def test_every_character_has_one_pattern(text: str) -> None:
    data = text.encode("utf-8", "replace")
    kinds = pattern_of_bytes(data)
    at = 0
    for letter in data.decode():
        size = len(letter.encode())
        assert len(set(kinds[at : at + size].tolist())) == 1
        at += size


def test_a_segment_is_called_after_what_is_not_white_space() -> None:
    data = b"  the  42\n"
    cuts = np.array([0, 5, 7, 9, 10])
    names = [PATTERNS[k] for k in pattern_of_segments(pattern_of_bytes(data), cuts)]
    assert names == ["word", "several spaces", "number", "newline"]
    assert len(pattern_of_segments(pattern_of_bytes(b""), np.array([0]))) == 0
