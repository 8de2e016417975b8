"""From the longest match at each byte to what is covered: runs of units, coverage, and the matches that make it up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.arrays import Bools, Ints
from bitmeter.measure.overlap.index import SEPARATOR
from bitmeter.text.formats import NOT_JOINED
from bitmeter.text.units.base import Units

__all__ = ["Joined", "Runs", "covered", "extending", "join", "runs_of"]

#: What separates words, for units that carry the white space around them.
_WHITE = b" \t\n\v\f\r"


@dataclass(frozen=True, slots=True)
class Joined:
    """Documents with separators between them.

    Attributes
    ----------
    data
        All bytes.
    starts, stops
        Where each document begins and ends in `data`.
    """

    data: NDArray[np.uint8]
    starts: Ints
    stops: Ints


def join(documents: Sequence[bytes]) -> Joined:
    r"""Join documents.

    Examples
    --------
    >>> found = join([b"ab", b"", b"c"])
    >>> bytes(found.data), found.starts.tolist(), found.stops.tolist()
    (b'ab\xff\xffc', [0, 3, 4], [2, 3, 5])
    """
    sizes = np.fromiter(map(len, documents), dtype=np.int64, count=len(documents))
    stops = np.cumsum(sizes) + np.arange(len(documents))
    return Joined(np.frombuffer(SEPARATOR.join(documents), dtype=np.uint8), stops - sizes, stops)


@dataclass(frozen=True, slots=True)
class Runs:
    """The units of a text, and how many of them each match holds.

    Attributes
    ----------
    starts, stops
        The bytes of each unit, in the joined documents.
    bounds
        Offsets into the units, one more than documents.
    sizes
        For each unit, how many whole units the match holds that starts with it.
    """

    starts: Ints
    stops: Ints
    bounds: Ints
    sizes: Ints


def runs_of(text: Joined, lengths: NDArray[np.uint32], units: Units) -> Runs:
    """Split the documents into units, and count those of each match. White space around words is left out.

    Examples
    --------
    >>> text = join([b"to be or not", b"be"])
    >>> lengths = np.array([8, 7, 6, 5, 4, 3, 2, 1, 0, 3, 2, 1, 0, 2, 1], dtype=np.uint32)
    >>> from bitmeter.text.units.words import Words
    >>> runs_of(text, lengths, Words()).sizes.tolist()  # "to be or" holds three words
    [3, 2, 1, 1, 1]
    """
    documents = len(text.starts)
    plain = text.data.tobytes()
    sizes = text.stops - text.starts
    if units.name == "bytes":
        keep = np.ones(len(text.data), dtype=np.bool_)
        keep[text.stops[:-1]] = False
        starts = np.flatnonzero(keep)
        bounds = np.concatenate(([0], np.cumsum(sizes)))
        return Runs(starts, starts + 1, bounds, lengths[starts].astype(np.int64))
    whole = b"".join(plain[start:stop] for start, stop in zip(text.starts.tolist(), text.stops.tolist(), strict=True))
    split = units.split(whole, np.cumsum(sizes))
    if units.name.partition(":")[0] in NOT_JOINED:
        starts, stops = _core.trim(whole, split.cuts, _WHITE)
    else:
        starts, stops = split.cuts[:-1], split.cuts[1:]
    document = np.repeat(np.arange(documents), np.diff(split.bounds[: documents + 1]))
    some = np.asarray(~units.blank(split) & (stops > starts))
    bounds = np.concatenate(([0], np.cumsum(some)))[split.bounds[: documents + 1]]
    starts, stops = (starts + document)[some], (stops + document)[some]
    ends = np.searchsorted(stops, starts + lengths[starts], side="right")
    return Runs(starts, stops, bounds, np.maximum(ends - np.arange(len(starts)), 0))


def covered(sizes: Ints, length: int) -> tuple[Bools, Ints]:
    """Which units lie in a match of at least `length` units; and how far matches reach that start at each or before.

    Examples
    --------
    >>> covered(np.array([1, 3, 2, 1, 0]), 2)[0].tolist()
    [False, True, True, True, False]
    """
    places = np.arange(len(sizes))
    reach = np.maximum.accumulate(np.where(sizes >= length, places + sizes, 0)) if len(sizes) else places
    return np.asarray(reach > places), reach


def extending(sizes: Ints, length: int, reach: Ints) -> tuple[Ints, Ints]:
    """The matches that reach further than those before them, and how many units each adds to what is covered.

    Examples
    --------
    >>> sizes = np.array([3, 2, 4, 3, 2, 1])
    >>> [x.tolist() for x in extending(sizes, 2, covered(sizes, 2)[1])]
    [[0, 2], [3, 3]]
    """
    places = np.arange(len(sizes))
    before = np.concatenate(([0], reach[:-1])) if len(reach) else reach
    found = np.flatnonzero((sizes >= length) & (places + sizes > before))
    return found, found + sizes[found] - np.maximum(found, before[found])
