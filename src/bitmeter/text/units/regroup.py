"""From fine units to coarse ones: which word, sentence, document or block of bytes each token belongs to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.check import integer, shown
from bitmeter.errors import InputTypeError, RangeError, ShapeError
from bitmeter.text.units.base import Units, document_ends
from bitmeter.text.units.named import units_of

__all__ = ["Grouping", "group_of", "regroup"]


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
    [3.0, 3.0, 3.0, 3.0]
    """
    if isinstance(into, str) and into == "document":
        coarse = np.concatenate(([0], document_ends(data, ends)))
    elif isinstance(into, str | Units):
        short = {"byte": "bytes", "char": "chars", "word": "words", "sentence": "sentences"}
        units = units_of(short.get(into, into) if isinstance(into, str) else into)
        coarse = units.split(data, ends).cuts
    else:
        coarse = _blocks(document_ends(data, ends), integer(into, "into", low=1))
    return Grouping(group_of(cuts, coarse), coarse.astype(np.int64))
