from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter.errors import ChoiceError, EmptyError
from bitmeter.text.corpus.sample import sample_text
from bitmeter.text.units.symbols import split


@given(st.binary(min_size=1, max_size=200))
@settings(deadline=None, max_examples=200)
def test_chars_are_those_that_python_decodes(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    found = split(data, "chars")
    assert found.ids.size == len(text)
    assert found.kinds == len(set(text))
    assert found.undecoded == sum(0xDC80 <= ord(c) <= 0xDCFF for c in text)
    # In the order of their code points, after which come bytes that are not UTF-8.
    alphabet = sorted(set(text), key=lambda c: (0xDC80 <= ord(c) <= 0xDCFF, c))
    assert [alphabet[i] for i in found.ids] == list(text)


@given(st.binary(min_size=1, max_size=100).filter(lambda data: data.split()))
@settings(deadline=None, max_examples=200)
def test_words_are_those_that_python_splits(data: bytes) -> None:
    words = data.split()
    found = split(data, "words")
    names = list(dict.fromkeys(words))
    assert [names[i] for i in found.ids] == words
    assert found.kinds == len(names)
    assert found.undecoded == split(data, "chars").undecoded


def test_bytes_are_themselves() -> None:
    data = bytes(range(256)) * 3
    found = split(data, "bytes")
    assert found.ids.dtype == np.uint8
    assert found.ids.tobytes() == data
    assert found.kinds == 256


def test_more_than_256_chars_need_wider_numbers() -> None:
    assert split("".join(map(chr, range(0x4E00, 0x4E00 + 300))).encode(), "chars").ids.dtype == np.uint16


def test_what_cannot_be_split_is_said() -> None:
    with pytest.raises(EmptyError, match="0 bytes"):
        split(b"", "bytes")
    with pytest.raises(EmptyError, match="white space"):
        split(b" \n", "words")
    with pytest.raises(ChoiceError, match="'letters'"):
        split(b"x", "letters")


def test_the_sample_is_real_prose() -> None:
    text = sample_text()
    assert len(text) > 300_000
    assert text.count(" the ") > 3000
