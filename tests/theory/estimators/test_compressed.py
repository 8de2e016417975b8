"""Compressed sizes as code lengths: levels are checked, small alphabets get a longer context."""

from __future__ import annotations

import zlib
from typing import Any

import pytest

from bitmeter._util.compressors import COMPRESSORS
from bitmeter.errors import BitmeterError, InputError, InputTypeError, NegativeError, RangeError
from bitmeter.theory.estimators.compressed import own_size, sizes

TEXT = b"to be or not to be, that is the question\n" * 50


@pytest.mark.parametrize("name", COMPRESSORS)
def test_sizes_are_those_of_the_table(name: str) -> None:
    entry = COMPRESSORS[name]
    for level in (None, entry.lowest, min(entry.highest, 12)):
        found = sizes(name, TEXT, level, 256)
        chosen = entry.default if level is None else level
        assert found == {
            entry.level_name: chosen,
            "bytes": entry.size(TEXT, chosen),
            "bytes_of_nothing": entry.size(b"", chosen),
        }
    assert sizes(name, b"", None, 256)["bytes"] == sizes(name, b"", None, 256)["bytes_of_nothing"]


@pytest.mark.parametrize(("alphabet", "order"), [(2, 16), (4, 16), (5, 8), (256, 8)])
def test_small_alphabets_get_a_longer_context_of_ppmd(alphabet: int, order: int) -> None:
    assert sizes("ppmd", TEXT, None, alphabet)["order"] == order
    assert sizes("ppmd", TEXT, 3, alphabet)["order"] == 3


@pytest.mark.parametrize("name", COMPRESSORS)
def test_levels_outside_the_range_are_refused(name: str) -> None:
    entry = COMPRESSORS[name]
    for level in (entry.lowest - 1, entry.highest + 1):
        with pytest.raises((RangeError, NegativeError)):
            sizes(name, TEXT, level, 256)


def test_a_function_of_the_users() -> None:
    assert own_size(zlib.compress, TEXT) == {"bytes": len(zlib.compress(TEXT))}
    assert own_size(bytearray, TEXT) == {"bytes": len(TEXT)}


def _fails(data: bytes) -> bytes:
    raise OSError("no space")


@pytest.mark.parametrize(
    ("function", "kind", "words"),
    [
        (3, InputTypeError, "must be a function"),
        (len, InputTypeError, "returned 2050"),
        (_fails, InputError, "raised OSError: no space"),
    ],
)
def test_what_is_no_compressor_is_refused(function: Any, kind: type[BitmeterError], words: str) -> None:
    with pytest.raises(kind, match=words):
        own_size(function, TEXT)
