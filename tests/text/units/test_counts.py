"""Counting agrees with splitting, however the text is cut into blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bitmeter.errors import BitmeterError, ChoiceError, InputTypeError, RangeError
from bitmeter.text.units.base import BLANK
from bitmeter.text.units.counts import TextCounter, UnitCounts, begun_within, count_units
from bitmeter.text.units.plain import Characters
from bitmeter.text.units.words import Words
from tests.text.strategies import texts


@pytest.mark.parametrize("separators", ["ascii", "lmplz", "srilm"])
@given(documents=st.lists(texts(30), max_size=4), size=st.sampled_from([1, 2, 3, 7, 1000]))
@settings(max_examples=50)
def test_counts_are_those_of_the_splits(separators: str, documents: list[bytes], size: int) -> None:
    data = b"".join(documents)
    ends = np.cumsum([len(document) for document in documents], dtype=np.int64)
    chars, words = Characters(), Words(separators)
    expected = [
        (len(c := chars.split(d)), int((c.ids >= 0x110000).sum()), int((words.split(d).ids != BLANK).sum()))
        for d in documents
    ]
    counter = TextCounter(separators)
    found = [[0, 0, 0]]
    for start in range(0, max(len(data), 1), size):
        last = start + size >= len(data)
        inside = ends[(ends > start) & (ends <= start + size) | ((ends == 0) & (start == 0))] - start
        block = counter.feed(data[start : start + size], inside)
        for row in zip(block.chars.tolist(), block.invalid.tolist(), block.words.tolist(), strict=True):
            found[-1] = [a + b for a, b in zip(found[-1], row, strict=True)]
            found.append([0, 0, 0])
        found.pop() if not last else None
    while found and len(found) > len(documents):
        assert found.pop() == [0, 0, 0]
    assert [tuple(row) for row in found] == expected
    total = counter.finish()
    assert (total.chars, total.invalid, total.words) == tuple(sum(row[i] for row in expected) for i in range(3))
    assert total == count_units(data, ends, separators=separators)
    assert total.bytes == len(data)


def test_an_open_document_is_closed_by_finish() -> None:
    counter = TextCounter()
    counter.feed(b"a \xe2\x82", [])
    assert counter.total == UnitCounts(4, 2, 0, 2)
    assert counter.finish() == UnitCounts(4, 4, 2, 2)
    assert str(counter.total) == "4 bytes, 4 characters (2 bytes are not UTF-8), 2 words"
    assert str(count_units(b"")) == "0 bytes, 0 characters, 0 words"


@given(documents=st.lists(texts(20), min_size=1, max_size=3), seed=st.integers(0, 99))
@settings(max_examples=50)
def test_parts_of_a_text_add_up_to_the_whole(documents: list[bytes], seed: int) -> None:
    data = b"".join(documents)
    ends = np.cumsum([len(document) for document in documents], dtype=np.int64)
    rng = np.random.default_rng(seed)
    cuts = np.unique(np.concatenate(([0], rng.integers(0, len(data) + 1, size=5), ends)))
    chosen = rng.random(len(cuts) - 1) < 0.5
    whole = count_units(data, ends)
    sums = begun_within(data, ends, cuts, chosen) + begun_within(data, ends, cuts, ~chosen)
    assert sums.tolist() == [whole.bytes, whole.chars, whole.words]


BAD: list[tuple[Any, type[BitmeterError]]] = [
    (lambda: count_units("a"), InputTypeError),  # type: ignore[arg-type]
    (lambda: count_units(b"a", [2]), RangeError),
    (lambda: count_units(b"a", separators="x"), ChoiceError),
    (lambda: TextCounter().feed(None, []), InputTypeError),  # type: ignore[arg-type]
    (lambda: TextCounter().feed(b"abc", [9]), RangeError),
]


@pytest.mark.parametrize(("call", "kind"), BAD)
def test_errors(call: Any, kind: type[BitmeterError]) -> None:
    with pytest.raises(kind):
        call()
