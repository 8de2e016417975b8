"""Exact quantiles of any number of doubles, in bounded memory: integer histograms of their bit patterns.

Doubles are mapped to integers in the same order. A histogram of the first 18 bits says in which bin the value of a
rank lies; the next 16 bits of the values in that bin are counted on another pass, and so on. Counts of integers
add exactly, so the result depends neither on the order of the values nor on how they are divided among files.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.arrays import Floats, Ints

__all__ = ["BELOW", "Histogram", "exact_quantiles", "keys_of", "rank_of", "value_of"]

Keys = NDArray[np.uint64]
_SIGN = np.uint64(1 << 63)
#: The bits below the first ones, and below those that each further pass counts.
BELOW = 46
_LEVELS = ((16, 30), (16, 14), (14, 0))


def keys_of(values: Floats) -> Keys:
    """Integers in the order of the doubles; there must be no NaN."""
    bits = np.ascontiguousarray(values + 0.0, dtype=np.float64).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def value_of(key: int) -> float:
    """The double of an integer.

    Examples
    --------
    >>> import numpy as np
    >>> [value_of(int(key)) for key in keys_of(np.array([-1.5, 0.0, 3.25, np.inf]))]
    [-1.5, 0.0, 3.25, inf]
    """
    bits = key ^ (1 << 63) if key >> 63 else key ^ ((1 << 64) - 1)
    return float(np.array([bits], dtype=np.uint64).view(np.float64)[0])


@dataclass
class Histogram:
    """How many values there are in each bin, where a bin is the first eighteen bits: 64 bins per power of two.

    Examples
    --------
    >>> import numpy as np
    >>> found = Histogram()
    >>> found.add(np.array([1.0, 1.01, 2.0]))
    >>> found.total, sorted(found.counts.values())
    (3, [1, 2])
    """

    counts: dict[int, int] = field(default_factory=dict)

    @property
    def total(self) -> int:
        """How many values there are."""
        return sum(self.counts.values())

    def add(self, values: Floats) -> None:
        """Count values."""
        bins, counts = np.unique(keys_of(values) >> np.uint64(BELOW), return_counts=True)
        for place, count in zip(bins.tolist(), counts.tolist(), strict=True):
            self.counts[place] = self.counts.get(place, 0) + count

    def merge(self, other: Histogram) -> None:
        """Add the counts of another."""
        for place, count in other.counts.items():
            self.counts[place] = self.counts.get(place, 0) + count

    def to_json(self) -> dict[str, int]:
        """The bins in order."""
        return {str(place): self.counts[place] for place in sorted(self.counts)}

    @classmethod
    def from_json(cls, found: Mapping[str, int]) -> Histogram:
        """What `to_json` gave."""
        return cls({int(place): int(count) for place, count in found.items()})

    def locate(self, rank: int) -> tuple[int, int]:
        """The bin of the value of a rank (from 1), and how many values are below the bin."""
        below = 0
        for place in sorted(self.counts):
            if below + self.counts[place] >= rank:
                return place, below
            below += self.counts[place]
        message = f"there are {below} values, and rank {rank} was asked for"
        raise ValueError(message)


def rank_of(share: Fraction, total: int) -> int:
    """How many of `total` values are a share of them, rounded up.

    Examples
    --------
    >>> from fractions import Fraction
    >>> rank_of(Fraction("0.3"), 10), rank_of(Fraction("0.31"), 10), rank_of(Fraction(0), 10)
    (3, 4, 0)
    """
    return math.ceil(share * total)


def exact_quantiles(
    histogram: Histogram, ranks: Iterable[int], values: Callable[[], Iterable[Floats]]
) -> dict[int, float]:
    """The values of these ranks (from 1), exactly.

    Parameters
    ----------
    histogram
        Of all values.
    ranks
        Which are asked for.
    values
        Gives all values once more, in parts; called up to three times.
    """
    #: For each rank: the bits that are known, and its rank among the values that begin with them.
    known: dict[int, tuple[int, int]] = {}
    for rank in set(ranks):
        place, below = histogram.locate(rank)
        known[rank] = place, rank - below
    done = BELOW
    for size, below in _LEVELS:
        prefixes = sorted({prefix for prefix, _ in known.values()})
        counts = {prefix: np.zeros(1 << size, dtype=np.int64) for prefix in prefixes}
        for part in values():
            keys = keys_of(part)
            heads = keys >> np.uint64(done)
            for prefix in prefixes:
                chosen = (keys[heads == np.uint64(prefix)] >> np.uint64(below)) & np.uint64((1 << size) - 1)
                counts[prefix] += np.bincount(chosen.astype(np.int64), minlength=1 << size)
        for rank, (prefix, within) in known.items():
            sums: Ints = np.cumsum(counts[prefix])
            at = int(np.searchsorted(sums, within))
            known[rank] = prefix << size | at, within - (int(sums[at - 1]) if at else 0)
        done = below
    return {rank: value_of(key) for rank, (key, _) in known.items()}
