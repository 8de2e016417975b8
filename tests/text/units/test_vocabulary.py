"""Ids by vocabulary, and hashes without one."""

from __future__ import annotations

from typing import Any

import pytest

from bitmeter.errors import BitmeterError, InputError, InputTypeError
from bitmeter.text.units.base import UNKNOWN
from bitmeter.text.units.words import Words


def test_a_vocabulary_numbers_words() -> None:
    words = Words(vocabulary=["to", b"be", "né"])
    assert words.vocabulary_size == 3
    assert words.split("be to né or be".encode()).ids.tolist() == [1, 0, 2, UNKNOWN, 1]
    assert Words().vocabulary_size is None
    assert Words(vocabulary=[]).split(b"a b").ids.tolist() == [UNKNOWN, UNKNOWN]
    with pytest.raises(InputError, match=r"vocabulary\[2\] is b'to', which is in it already"):
        Words(vocabulary=["to", "be", "to"])


def test_hashes_are_the_same_on_every_machine() -> None:
    # From this version's own output, so that a change of the hash is noticed: it changes what is saved.
    assert Words().split(b"to be or").ids.tolist() == HASHES


HASHES = [7067100361472422418, 5769132600766292580, 7264475861366793913]


def test_a_vocabulary_is_in_the_fingerprint() -> None:
    prints = [
        Words(vocabulary=words).fingerprint for words in (None, [], ["ab", "c"], ["a", "bc"], ["c", "ab"], ["abc"])
    ]
    assert len(set(prints)) == len(prints)
    assert Words(vocabulary=["né"]) == Words(vocabulary=["né".encode()])


BAD: list[tuple[Any, type[BitmeterError]]] = [
    (lambda: Words(vocabulary="to be"), InputTypeError),
    (lambda: Words(vocabulary=[1]), InputTypeError),  # type: ignore[list-item]
    (lambda: Words(vocabulary=5), InputTypeError),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("call", "kind"), BAD)
def test_errors(call: Any, kind: type[BitmeterError]) -> None:
    with pytest.raises(kind):
        call()
