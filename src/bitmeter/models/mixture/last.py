"""Histories by their last unit: frequent units each by itself, all others by how rare they are."""

from __future__ import annotations

import copy

import numpy as np

from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter.models.mixture.vocabulary import Vocabulary

__all__ = ["LAST_KINDS", "LastUnits"]

#: How many frequent units have a kind of their own, and into how many classes the others go, each twice as rare.
_OWN, _CLASSES = 256, 20
#: One more where nothing came yet.
LAST_KINDS = 1 + _OWN + _CLASSES
_NOTHING = -1


class LastUnits:
    """The kind of the last unit, in the middle of a text; a new document begins with none.

    Parameters
    ----------
    vocabulary
        The outcomes of the mixture.
    unigram
        ln p of each alone.
    end
        The id of the end of a sentence, after which the next begins; None where it is a unit like others, or none.
    """

    def __init__(self, vocabulary: Vocabulary, unigram: Floats, end: int | None) -> None:
        self._vocabulary, self._last = vocabulary, _NOTHING
        order = np.argsort(-unigram, kind="stable")
        kinds = 1 + _OWN + np.minimum(_CLASSES - 1, np.floor(-np.maximum(unigram, -700.0) / np.log(2.0)))
        kinds[order[:_OWN]] = 1 + np.arange(min(_OWN, len(order)))
        if end is not None:
            kinds[vocabulary.entries(np.array([end], dtype=np.int64))] = 0
        self._kinds = kinds.astype(np.int64)

    def follow(self, ids: Ids, bounds: Ints, *, continues: bool) -> Ints:
        """The kind of the unit before each; the last one is kept for what comes next."""
        entries = self._vocabulary.entries(ids)
        if not len(entries):
            self._last = self._last if continues and len(bounds) <= 2 else _NOTHING
            return np.zeros(0, dtype=np.int64)
        found = np.concatenate(([0], self._kinds[entries[:-1]]))
        starts = bounds[:-1][np.diff(bounds) > 0]
        found[starts] = 0
        if continues and bounds[1] > 0:
            found[0] = self.kind()
        self._last = int(entries[-1]) if bounds[-1] > bounds[-2] else _NOTHING
        return found

    def kind(self) -> int:
        """Of the last unit."""
        return 0 if self._last == _NOTHING else int(self._kinds[self._last])

    def take(self, unit: int) -> None:
        """A unit came."""
        self._last = int(self._vocabulary.entries(np.array([unit], dtype=np.int64))[0])

    def begin(self) -> None:
        """A document begins."""
        self._last = _NOTHING

    def copy(self) -> LastUnits:
        """The same last unit, to go on apart."""
        return copy.copy(self)
