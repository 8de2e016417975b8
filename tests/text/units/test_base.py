"""All units: they partition the bytes, respect documents, and declare what they can do."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter._util.arrays import Ints
from bitmeter.errors import BitmeterError, InputError, InputTypeError, RangeError, UndefinedError
from bitmeter.text.units.base import Split, Units, as_bytes, document_ends
from bitmeter.text.units.plain import Bytes
from tests.text.helpers import EVERY, name_of
from tests.text.strategies import texts


def check_shape(split: Split, data: bytes, documents: int) -> None:
    assert split.cuts.dtype == split.bounds.dtype == np.int64
    assert split.cuts[0] == 0
    assert split.cuts[-1] == len(data)
    assert len(split.cuts) == len(split.ids) + 1 == len(split) + 1
    assert split.bounds[0] == 0
    assert split.bounds[-1] == len(split.ids)
    assert len(split.bounds) == documents + 1
    assert (np.diff(split.cuts) > 0).all()
    assert (np.diff(split.bounds) >= 0).all()
    assert b"".join(split.pieces(data)) == data


@pytest.mark.parametrize("units", EVERY, ids=name_of)
@given(data=texts(), places=st.lists(st.integers(0, 60), max_size=4))
@settings(max_examples=60)
def test_units_partition_the_bytes_and_respect_documents(units: Units, data: bytes, places: list[int]) -> None:
    ends = sorted(min(place, len(data)) for place in places)
    split = units.split(data, ends)
    unfinished = (ends[-1] if ends else 0) < len(data)
    check_shape(split, data, len(ends) + unfinished)
    # Each document is split as if it stood alone.
    borders = [0, *ends] + [len(data)] * unfinished
    for j, (start, stop) in enumerate(pairwise(borders)):
        alone = units.split(data[start:stop])
        inside = slice(split.bounds[j], split.bounds[j + 1])
        assert split.ids[inside].tolist() == alone.ids.tolist()
        assert (split.cuts[inside] - start).tolist() == alone.cuts[:-1].tolist()


@pytest.mark.parametrize("units", EVERY, ids=name_of)
def test_edges(units: Units) -> None:
    assert units.split(b"").bounds.tolist() == [0, 0]
    assert units.split(b"", []).bounds.tolist() == [0]
    assert units.split(b"", [0, 0]).bounds.tolist() == [0, 0, 0]
    assert units.cut(b"") == 0
    assert len(units.split(b"x")) == 1
    with_newline = units.split(b"a b\n").pieces(b"a b\n")
    assert b"".join(with_newline) == b"a b\n"


class Silent(Units):
    """Units that declare nothing beyond what they must: each document is one."""

    name = "documents"
    fingerprint = "documents/1"

    def _split(self, data: bytes, ends: Ints) -> Split:
        return Split(np.arange(len(ends)), np.concatenate(([0], ends)), np.arange(len(ends) + 1))

    def _cut(self, data: bytes) -> int:
        return 0


def test_what_units_can_do_is_declared() -> None:
    for units in (*EVERY, Silent()):
        if units.joins:
            assert units.join(units.split(b"to be").ids) == b"to be"
        else:
            with pytest.raises(UndefinedError, match=f"^{units.name} cannot be joined"):
                units.join([0])
    assert [units.name for units in EVERY if units.joins] == ["bytes", "chars"]
    silent = Silent()
    assert (silent.joins, silent.vocabulary_size, silent.token_bytes) == (False, None, None)


@pytest.mark.parametrize("units", EVERY, ids=name_of)
def test_blank_units_are_documents_without_words(units: Units) -> None:
    data = b"a b\n \n\t\nc"
    found = units.split(data, [4, 6, 8])
    blank = units.blank(found)
    assert blank.dtype == np.bool_
    of_words = "words" in units.name
    # Two documents of white space, one unit each; other units have no notion of it.
    assert blank.tolist() == [of_words and not part.strip() for part in found.pieces(data)]
    assert int(blank.sum()) == 2 * of_words


BAD: list[tuple[Any, type[BitmeterError]]] = [
    (lambda: Bytes().split("text"), InputTypeError),  # type: ignore[arg-type]
    (lambda: Bytes().cut(None), InputTypeError),  # type: ignore[arg-type]
    (lambda: Bytes().split(b"abc", [2, 1]), RangeError),
    (lambda: Bytes().split(b"abc", [4]), RangeError),
    (lambda: Bytes().split(b"abc", [-1]), RangeError),
    (lambda: Bytes().split(b"abc", [1.5]), InputTypeError),
    (lambda: Bytes().split(b"abc", "x"), InputTypeError),
    (lambda: Bytes().split(b"abc", [[1], [2, 3]]), InputTypeError),
    (lambda: Bytes().split(b"abc", [[1]]), InputError),
]


@pytest.mark.parametrize(("call", "kind"), BAD)
def test_errors(call: Any, kind: type[BitmeterError]) -> None:
    with pytest.raises(kind):
        call()


def test_bytes_like_data_is_taken_as_bytes() -> None:
    for kind in (bytearray, memoryview):
        assert as_bytes(kind(b"ab")) == b"ab"
    assert document_ends(b"abcd", [1, 1, 3]).tolist() == [1, 1, 3, 4]
    assert document_ends(b"abcd", [4]).tolist() == [4]
    assert document_ends(b"", []).tolist() == []
