"""Words: the conventions of separators, white space, ids."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter.errors import BitmeterError, ChoiceError, InputTypeError
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.base import BLANK
from bitmeter.text.units.plain import Characters
from bitmeter.text.units.words import Words
from tests.text.strategies import texts


def test_a_byte_order_mark_is_a_character_and_part_of_the_first_word() -> None:
    data = b"\xef\xbb\xbfto be"
    assert Characters().split(data).ids[0] == 0xFEFF
    assert Words().split(data).pieces(data) == [b"\xef\xbb\xbfto ", b"be"]


@given(texts())
def test_ascii_words_are_those_of_bytes_split(data: bytes) -> None:
    words = Words()
    split = words.split(data)
    starts, stops = words.own(data, split)
    own = [data[a:b] for a, b in zip(starts.tolist(), stops.tolist(), strict=True)]
    expected = data.split()
    assert own == (expected or [b""] * bool(data))
    assert (split.ids == BLANK).tolist() == [word == b"" for word in own]
    # A word's id depends on the word alone.
    for word, number in zip(own, split.ids.tolist(), strict=True):
        if word:
            assert Words().split(word).ids.tolist() == [number]


@pytest.mark.parametrize("convention", sorted(SEPARATORS))
@given(data=st.text(alphabet="ab\0\t\n\v\f\r ", max_size=30).map(str.encode))
@settings(max_examples=30)
def test_each_convention_has_its_separators(convention: str, data: bytes) -> None:
    words = Words(convention)
    starts, stops = words.own(data, words.split(data))
    found = [data[a:b] for a, b in zip(starts, stops, strict=True) if b > a]
    assert found == [word for word in re.split(b"[" + re.escape(SEPARATORS[convention]) + b"]+", data) if word]


def test_white_space_goes_with_the_word_before_it() -> None:
    data = b" \tto  be\r\n"
    assert Words().split(data).pieces(data) == [b" \tto  ", b"be\r\n"]
    assert Words().split(b" \n").ids.tolist() == [BLANK]
    assert Words().split(b"a\n\nb", [2, 3]).ids.tolist()[1] == BLANK


BAD: list[tuple[Any, type[BitmeterError]]] = [
    (lambda: Words("latin"), ChoiceError),
    (lambda: Words().own(b"abc", Words().split(b"ab")), InputTypeError),
    (lambda: Words().own(b"abc", None), InputTypeError),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "kind"), BAD)
def test_errors(call: Any, kind: type[BitmeterError]) -> None:
    with pytest.raises(kind):
        call()
