"""What each word of a text costs under a model, whatever its units."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ints
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.regroup import regroup

__all__ = ["WordCosts", "owners", "word_costs", "word_cuts"]


def word_cuts(data: bytes, ends: Ints) -> Ints:
    """The offsets of the words of a text, each with the white space before it, one more than there are."""
    return regroup([0, len(data)], data, "word", ends).cuts


def owners(data: bytes, cuts: Ints, coarse: Ints) -> Ints:
    """The coarse unit to which each unit belongs: that of its first byte after white space.

    A unit of white space alone belongs to where it begins, one without bytes (the end of a document) to what is before
    it.

    Examples
    --------
    >>> owners(b"to be", np.array([0, 2, 5, 5]), np.array([0, 2, 5])).tolist()
    [0, 1, 1]
    """
    starts, stops = _core.trim(data, cuts, SEPARATORS["ascii"])
    own = np.where(stops > starts, starts, cuts[:-1])
    own = np.where(np.diff(cuts) == 0, np.maximum(cuts[:-1] - 1, 0), own)
    found = np.searchsorted(coarse, own, side="right") - 1
    return np.clip(found, 0, max(len(coarse) - 2, 0)).astype(np.int64)


@dataclass(frozen=True, slots=True)
class WordCosts:
    """The bits of each word, and how many units reach into a second word, with whose first they are counted."""

    bits: Floats
    across: int


def word_costs(data: bytes, cuts: Ints, bits: Floats, words: Ints) -> WordCosts:
    """The sum of the bits of each word's units; all bits are in exactly one word."""
    owner = owners(data, cuts, words)
    sums = np.bincount(owner, bits, max(len(words) - 1, 0))[: len(words) - 1]
    _, stops = _core.trim(data, cuts, SEPARATORS["ascii"])
    ends = words[np.minimum(owner + 1, len(words) - 1)] if len(words) > 1 else np.zeros_like(owner)
    return WordCosts(np.asarray(sums, dtype=np.float64), int(np.count_nonzero(stops > ends)))
