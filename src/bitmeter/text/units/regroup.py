"""From fine units to coarse ones: which word, sentence, document or block of bytes each token belongs to.

White space belongs to the word or sentence after it: most tokenizers write a space into the token behind it, and a word
has to be predicted after the space. Behind the last word of a document it belongs to that word.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.check import integer, shown
from bitmeter.errors import InputTypeError, RangeError, ShapeError
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.base import Units, document_ends
from bitmeter.text.units.named import units_of

__all__ = ["Grouping", "group_of", "regroup", "within_documents"]

#: Coarse units whose white space goes with the unit after it. Words are separated by ASCII white space.
_SPACED = ("words", "unicode-words", "sentences")
#: Runs of white space in UTF-8: the characters of Unicode's property White_Space.
_WHITE = re.compile(
    rb"(?:[\t-\r ]|\xc2[\x85\xa0]|\xe1\x9a\x80|\xe2\x80[\x80-\x8a\xa8\xa9\xaf]|\xe2\x81\x9f|\xe3\x80\x80)+"
)


@dataclass(frozen=True, slots=True)
class Grouping:
    """Which coarse unit each fine unit belongs to: the one in which it begins.

    Attributes
    ----------
    groups
        The index of the coarse unit, one per fine unit, ascending.
    cuts
        Byte offsets of the coarse units, one more than there are.
    """

    groups: Ints
    cuts: Ints

    def __len__(self) -> int:
        return len(self.cuts) - 1

    def sums(self, values: Any) -> Floats:
        """The sum of the values of each coarse unit, compensated; 0 where no fine unit begins.

        Each value is in exactly one sum, so the total is preserved up to the rounding of a double.
        """
        found = _numbers(values, "values", np.float64)
        if len(found) != len(self.groups):
            message = f"values has {len(found)} entries, but {len(self.groups)} units were grouped"
            raise ShapeError(message)
        return _core.segment_sums(found, np.searchsorted(self.groups, np.arange(len(self) + 1)).astype(np.int64))


def group_of(cuts: Any, coarse_cuts: Any) -> Ints:
    """The coarse unit in which each fine unit begins.

    Parameters
    ----------
    cuts
        Byte offsets of the fine units, one more than there are, ascending from 0.
    coarse_cuts
        The same of the coarse units, over the same bytes.

    Examples
    --------
    >>> group_of([0, 2, 4, 6, 8], [0, 5, 8]).tolist()
    [0, 0, 0, 1]
    """
    fine, coarse = _cuts(cuts, "cuts"), _cuts(coarse_cuts, "coarse_cuts")
    if fine[-1] != coarse[-1]:
        message = f"cuts end at {fine[-1]}, but coarse_cuts at {coarse[-1]}; both must end where the text does"
        raise RangeError(message)
    found = np.searchsorted(coarse, fine[:-1], side="right") - 1
    # A unit of no bytes at the very end begins where no coarse unit does; it belongs to the last.
    return np.minimum(found, max(len(coarse) - 2, 0)).astype(np.int64)


def _cuts(value: Any, name: str) -> Ints:
    found = _numbers(value, name, np.int64)
    if len(found) == 0 or found[0] != 0 or (np.diff(found) < 0).any():
        message = f"{name} is {shown(value)}; it must ascend from 0 to the length of the text"
        raise RangeError(message)
    return found


def _numbers(value: Any, name: str, kind: type) -> NDArray[Any]:
    try:
        found = np.asarray(value)
    except (TypeError, ValueError):
        found = np.array([None])
    allowed = "iu" if kind is np.int64 else "fiu"
    if found.ndim != 1 or (found.size and found.dtype.kind not in allowed):
        message = f"{name} is {shown(value)}; it must be a list of {'whole ' * (kind is np.int64)}numbers"
        raise InputTypeError(message)
    return np.ascontiguousarray(found, dtype=kind)


def _blocks(ends: Ints, step: int) -> Ints:
    """Blocks of so many bytes, which begin again with each document."""
    if not len(ends):
        return np.zeros(1, dtype=np.int64)
    starts = np.concatenate(([0], ends[:-1]))
    size = min(step, max(int(ends[-1]), 1))
    counts = -(-(ends - starts) // size)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    begins = np.repeat(starts, counts) + size * (np.arange(len(before)) - before)
    return np.append(begins, ends[-1]).astype(np.int64)


def regroup(cuts: Any, data: bytes, into: Units | str | int, ends: Any = None) -> Grouping:
    """Group fine units into coarse ones.

    A fine unit that crosses the border of two coarse units belongs to the one in which it begins.

    Parameters
    ----------
    cuts
        Byte offsets of the fine units, one more than there are.
    data
        The text.
    into
        Coarse units or their name ("words", "sentences", ...); "word" and "sentence" for short; "document"; or a
        number: blocks of so many bytes.
    ends
        Where documents end in the text; no coarse unit crosses an end.

    Examples
    --------
    >>> text = b"to be or not"
    >>> grouping = regroup(range(len(text) + 1), text, "word")
    >>> grouping.sums([1.0] * len(text)).tolist()
    [2.0, 3.0, 3.0, 4.0]
    """
    if isinstance(into, str) and into == "document":
        coarse = np.concatenate(([0], document_ends(data, ends)))
    elif isinstance(into, str | Units):
        name = _SHORT.get(into, into) if isinstance(into, str) else into
        coarse = units_of(name).split(data, ends).cuts
        if isinstance(name, str) and name in _SPACED:
            edges = document_ends(data, ends)
            stops = _trimmed(data, coarse) if name == "words" else _trimmed_of_unicode(data, coarse, edges)
            coarse = np.unique(np.where(np.isin(coarse, edges), coarse, stops))
    else:
        coarse = _blocks(document_ends(data, ends), integer(into, "into", low=1))
    return Grouping(group_of(cuts, coarse), coarse.astype(np.int64))


_SHORT = {
    "byte": "bytes", "char": "chars", "grapheme": "graphemes", "word": "words", "unicode-word": "unicode-words",
    "sentence": "sentences",
}  # fmt: skip


def _trimmed(data: bytes, cuts: Ints) -> Ints:
    """Where the white space before each cut begins; that of a unit of white space alone is its own."""
    starts, stops = _core.trim(data, cuts, SEPARATORS["ascii"])
    return np.append(cuts[:1], np.where(stops > starts, stops, cuts[1:]))


def _trimmed_of_unicode(data: bytes, cuts: Ints, edges: Ints) -> Ints:
    """The same with the white space of Unicode; a unit of white space alone joins the one after it."""
    runs = np.array([found.span() for found in _WHITE.finditer(data)], dtype=np.int64).reshape(-1, 2)
    if not len(runs):
        return cuts
    place = np.minimum(np.searchsorted(runs[:, 1], cuts), len(runs) - 1)  # the first run that does not end before
    begun = np.append(0, edges)[np.searchsorted(edges, cuts)]  # where the document of what is before the cut begins
    begins = np.maximum(runs[place, 0], begun)
    return np.where((begins < cuts) & (cuts <= runs[place, 1]), begins, cuts)


def within_documents(grouping: Grouping, cuts: Any, bounds: Any) -> tuple[Grouping, Ints]:
    """The groups such that each unit is in one of its own document, and the document of each group.

    A unit without bytes, such as the end of a document, belongs to the last group of its document; a document without
    bytes has one group.

    Parameters
    ----------
    grouping
        As `regroup` gives it, with the ends of the documents.
    cuts
        Byte offsets of the fine units, one more than there are.
    bounds
        The first unit of each document, and one past the last unit.

    Examples
    --------
    >>> cuts, bounds = [0, 1, 2, 2, 3, 3], [0, 3, 5]  # two documents with the units a, b, end and c, end
    >>> found, documents = within_documents(regroup(cuts, b"abc", "document", [2, 3]), cuts, bounds)
    >>> found.groups.tolist(), documents.tolist()
    ([0, 0, 0, 1, 1], [0, 1])
    """
    fine, first = _cuts(cuts, "cuts"), _cuts(bounds, "bounds")
    begins, ends = fine[first[:-1]], fine[first[1:]]
    starts = np.unique(grouping.cuts[:-1][np.diff(grouping.cuts) > 0])
    empty = np.flatnonzero(begins == ends)
    every = np.concatenate((starts, begins[empty]))
    document = np.concatenate((np.searchsorted(ends, starts, side="right"), empty))
    order = np.lexsort((every, document))
    every, document = every[order], document[order].astype(np.int64)
    low, high = (np.searchsorted(document, np.arange(len(begins)), side=side) for side in ("left", "right"))
    own = np.repeat(np.arange(len(begins)), np.diff(first))
    groups = np.clip(np.searchsorted(every, fine[:-1], side="right") - 1, low[own], high[own] - 1)
    return Grouping(groups.astype(np.int64), np.append(every, fine[-1]).astype(np.int64)), document
