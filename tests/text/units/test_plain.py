"""Bytes and characters: their ids are codes, which join to the bytes again."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from bitmeter.errors import BitmeterError, InputTypeError, RangeError
from bitmeter.text.units.plain import Bytes, Characters
from tests.text.strategies import texts


@given(texts())
def test_characters_are_what_python_decodes(data: bytes) -> None:
    split = Characters().split(data)
    text = data.decode("utf-8", "surrogateescape")
    # Python's own decoder is the reference; an escaped byte b is U+DC00 + b there and 0x110000 + b here.
    expected = [ord(c) - 0xDC00 + 0x110000 if 0xDC80 <= ord(c) <= 0xDCFF else ord(c) for c in text]
    assert split.ids.tolist() == expected
    assert Characters().join(split.ids) == data
    assert Bytes().join(Bytes().split(data).ids) == data


@given(texts())
def test_every_byte_is_its_own_id(data: bytes) -> None:
    split = Bytes().split(data)
    assert split.ids.tolist() == list(data)
    assert split.cuts.tolist() == list(range(len(data) + 1))
    assert Bytes().cut(data) == len(data)


def test_offsets_of_bytes_are_shared_and_cannot_be_changed() -> None:
    first, second = Bytes().split(b"abcd"), Bytes().split(b"abcdef")
    assert np.shares_memory(first.cuts, second.cuts)
    with pytest.raises(ValueError, match="read-only"):
        first.cuts[0] = 5
    assert Bytes().split(bytes((1 << 21) + 1)).cuts[-1] == (1 << 21) + 1  # longer than what is shared


def test_a_cut_never_splits_a_character() -> None:
    data = "né€😀".encode()
    for size in range(len(data) + 1):
        whole = Characters().cut(data[:size])
        assert data[:whole].decode() == data[:size].decode("utf-8", "ignore")


def test_vocabularies_are_all_codes() -> None:
    assert Bytes().vocabulary_size == 256
    assert Characters().vocabulary_size == sys.maxunicode + 1 + 256


BAD: list[tuple[Any, type[BitmeterError]]] = [
    (lambda: Bytes().join([256]), RangeError),
    (lambda: Bytes().join(["a"]), InputTypeError),  # type: ignore[list-item]
    (lambda: Bytes().join([[1], [2]]), InputTypeError),  # type: ignore[list-item]
    (lambda: Bytes().join(5), InputTypeError),  # type: ignore[arg-type]
    (lambda: Characters().join([-1]), RangeError),
    (lambda: Characters().join([Characters.INVALID + 256]), RangeError),
]


@pytest.mark.parametrize(("call", "kind"), BAD)
def test_errors(call: Any, kind: type[BitmeterError]) -> None:
    with pytest.raises(kind):
        call()
