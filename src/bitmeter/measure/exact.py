"""Exact sums as a few numbers that can be saved and added: what a score keeps of its totals."""

from __future__ import annotations

import math
from collections.abc import Iterable

__all__ = ["Parts", "exact_parts", "rounded"]

#: Numbers whose exact sum is meant: the rounded sum, what that leaves, and so on.
Parts = tuple[float, ...]


def exact_parts(values: Iterable[float]) -> Parts:
    """The exact sum of some numbers, in the one form that does not depend on their order.

    Examples
    --------
    >>> exact_parts([1.0, 1e-20, 2.0])
    (3.0, 1e-20)
    >>> exact_parts([1e-20, 3.0]) == exact_parts([3.0, 1e-20])
    True
    """
    left = list(values)
    found: list[float] = []
    while rest := rounded(left):
        found.append(rest)
        if math.isinf(rest):
            return (rest,)
        left.append(-rest)
    return tuple(found)


def rounded(parts: Iterable[float]) -> float:
    """The sum, rounded once.

    Examples
    --------
    >>> rounded((3.0, 1e-20))
    3.0
    """
    values = list(parts)
    try:
        return math.fsum(values)
    except OverflowError:  # beyond the largest double
        return math.copysign(math.inf, sum(value / len(values) for value in values))
