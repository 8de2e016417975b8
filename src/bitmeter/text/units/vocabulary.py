"""Units with a vocabulary: the id of a unit is its index there, or else a hash of its bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import Any

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Ints
from bitmeter._util.check import items, shown
from bitmeter.errors import InputError, InputTypeError, ModelError
from bitmeter.text.corpus.readers import encode
from bitmeter.text.units.base import Units

__all__ = ["VocabularyUnits"]


class VocabularyUnits(Units):
    """Units whose ids are their indices in a vocabulary (`UNKNOWN` if not there); without one, a hash of their bytes.

    The hash has 63 bits and is the same in every call and on every machine, so that blocks and files can be split
    independently. Among ten million distinct words, the probability that any two collide is below 1 in 100,000.
    """

    _table: _core.WordTable | None
    #: The words joined, and where each ends: from which the table can be made again in another process.
    _listed: tuple[bytes, Ints] | None = None

    def __getstate__(self) -> dict[str, Any]:
        if self._table is not None and self._listed is None:
            message = f"{self.name} are those of a model, and have no vocabulary of their own; pickle the model"
            raise ModelError(message)
        return {key: value for key, value in vars(self).items() if key != "_table"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._table = None
        if self._listed is not None:
            joined, ends = self._listed
            self._table = _core.WordTable()
            self._table.add(joined, _starts(ends), ends)

    def _define(self, kind: str, detail: str, vocabulary: Iterable[str | bytes] | None) -> None:
        """Set the vocabulary, the name and the fingerprint."""
        self._table, self._listed, digest = _table_of(vocabulary)
        self.name = kind + detail
        self.fingerprint = f"{kind}/1{detail}{digest}"

    @property
    def vocabulary_size(self) -> int | None:
        """How many words the vocabulary has; None without one."""
        return None if self._table is None else len(self._table)

    def _ids(self, data: bytes, starts: Ints, stops: Ints) -> Ints:
        find = _core.hash_spans if self._table is None else self._table.find
        return find(data, np.ascontiguousarray(starts), np.ascontiguousarray(stops))


def _starts(ends: Ints) -> Ints:
    return np.concatenate(([0], ends[:-1])).astype(np.int64)[: len(ends)]


def _table_of(
    vocabulary: Iterable[str | bytes] | None,
) -> tuple[_core.WordTable | None, tuple[bytes, Ints] | None, str]:
    """The vocabulary as a hash table, as bytes, and what identifies it in a fingerprint."""
    if vocabulary is None:
        return None, None, ""
    if isinstance(vocabulary, str | bytes):
        message = f"vocabulary is {shown(vocabulary)}; it must be a list of words"
        raise InputTypeError(message, value=vocabulary)
    words = []
    for index, word in enumerate(items(vocabulary, "vocabulary", "a list of words")):
        if not isinstance(word, str | bytes):
            message = f"vocabulary[{index}] is {shown(word)}; it must be a string or bytes"
            raise InputTypeError(message, index=index, value=word)
        words.append(encode(word) if isinstance(word, str) else word)
    ends = np.cumsum(np.fromiter(map(len, words), dtype=np.int64, count=len(words)))
    joined = b"".join(words)
    table = _core.WordTable()
    ids = table.add(joined, _starts(ends), ends)
    repeated = ids != np.arange(len(words))
    if repeated.any():
        index = int(np.argmax(repeated))
        message = f"vocabulary[{index}] is {words[index]!r}, which is in it already; each word may occur once"
        raise InputError(message, index=index, value=words[index])
    digest = hashlib.sha256(ends.astype("<i8").tobytes() + joined).hexdigest()
    return table, (joined, ends), f"@{digest}"
