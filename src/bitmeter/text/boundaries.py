"""Units that the text does not show: the ends of documents, and documents without words."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bitmeter.text.units.base import BLANK, Split, Units, Words


def blank_units(units: Units, split: Split) -> NDArray[np.bool_]:
    """Documents of white space alone, which are one unit and no word: they cost nothing and count for nothing."""
    plain = units.inner if isinstance(units, Whole) else units
    worded = isinstance(plain, Words) or hasattr(plain, "token_bytes")
    return np.asarray(split.ids == BLANK) if worded else np.zeros(len(split.ids), dtype=np.bool_)


def with_ends(
    split: Split, blank: NDArray[np.bool_], finished: int, end: int, *, keep_blank: bool, shown: bool = False
) -> tuple[Split, NDArray[np.bool_]]:
    """The same units with the end of each finished document as one more.

    A document without words is its end alone; with `keep_blank` it stays a blank that counts for nothing. With `shown`
    the end is a unit of the text, such as the newline of a line, and a document that ends in it needs no other.
    """
    ids = split.ids.astype(np.int64)  # that of an end may be none of the units'
    ids = ids if keep_blank else np.where(blank, end, ids)
    bounds = split.bounds
    needs = np.ones(finished, dtype=np.bool_)
    sizes = np.diff(bounds)[:finished]
    single = np.flatnonzero(sizes == 1)
    needs[single] = ~blank[bounds[single]]
    if shown:
        some = np.flatnonzero(sizes > 0)
        needs[some] &= ids[bounds[1:][some] - 1] != end
    places = bounds[1 : finished + 1][needs]
    cuts = np.insert(split.cuts, places, split.cuts[places])
    grown = bounds.copy()
    grown[1 : finished + 1] += np.cumsum(needs)
    grown[finished + 1 :] += int(needs.sum())
    return Split(np.insert(ids, places, end), cuts, grown), np.insert(blank & keep_blank, places, values=False)


class Whole(Units):
    """The same units, but a document is split only when it is whole."""

    def __init__(self, units: Units) -> None:
        self.inner, self.name, self.fingerprint = units, units.name, units.fingerprint

    def _split(self, data: bytes, ends: NDArray[np.int64]) -> Split:
        return self.inner._split(data, ends)

    def _cut(self, data: bytes) -> int:
        return 0
