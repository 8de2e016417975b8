"""Averages that weigh all alike: over documents, and over groups of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter.measure.aggregates import DocumentSums, Per
from bitmeter.measure.interval import cluster as by_cluster
from bitmeter.measure.interval.base import Interval
from bitmeter.measure.interval.ratio import ratio_interval

__all__ = ["documents_interval", "macro_of_documents", "macro_of_groups"]

_LN2 = math.log(2.0)


def documents_interval(
    documents: DocumentSums, docs: str, per: Per, confidence: float, which: Ints | None = None, *, macro: bool = False
) -> Interval | None:
    """Bits per unit over some documents, with an interval by document, or by cluster of documents.

    Parameters
    ----------
    documents
        The sums by document.
    docs
        What a document is, for the interval.
    per
        What bits are divided by.
    confidence
        Of the interval.
    which
        The rows; None for all.
    macro
        Weigh every document alike, and not every byte.

    Returns
    -------
    Interval
        None if there is nothing to divide by.

    Examples
    --------
    >>> one = np.array([1, 3])
    >>> sums = DocumentSums(np.array([_LN2, 6 * _LN2]), one, one, one, one)
    >>> documents_interval(sums, "record", "byte", 0.95).estimate
    1.75
    >>> documents_interval(sums, "record", "byte", 0.95, macro=True).estimate
    1.5
    """
    sizes = by_cluster.sizes_of(documents, per).astype(np.float64)
    found = by_cluster.of_documents(documents, sizes, docs, macro=macro, which=which)
    return ratio_interval(found, confidence) if found.sizes.sum() > 0.0 else None


def macro_of_documents(documents: DocumentSums | None, docs: str, per: Per, confidence: float) -> Interval | None:
    """The mean over documents of the bits per unit of each; None where they are not known one by one."""
    if documents is None or documents.sizes is not None:
        return None
    return documents_interval(documents, docs, per, confidence, macro=True)


def macro_of_groups(figures: Sequence[float], intervals: Sequence[Interval | None], confidence: float) -> Interval:
    """The mean of the figures of groups that are given: all of a fixed list, and not a sample of groups.

    The distances from each figure to the ends of its interval are combined as those of independent figures (the square
    root of the sum of their squares, over the number of groups), each side by itself.

    Examples
    --------
    >>> parts = [Interval(1.0, 3.0, 2.0, 0.5, 0.95, "x", 9, 8.0), Interval(4.0, 6.0, 5.0, 0.5, 0.95, "x", 9, 8.0)]
    >>> found = macro_of_groups([2.0, 5.0], parts, 0.95)
    >>> round(found.low, 3), found.estimate, round(found.high, 3)
    (2.793, 3.5, 4.207)
    """
    number = len(figures)
    estimate = math.fsum(figures) / number if all(map(math.isfinite, figures)) else math.inf
    made = Interval(None, None, estimate, None, confidence, "groups", number, None)
    if math.isinf(estimate):
        return replace(made, notes=("a group is infinite",))
    ends = [(found.low, found.high) for found in intervals if found is not None]
    sides: list[Floats] = []
    for side, sign in ((0, -1.0), (1, 1.0)):
        known = [pair[side] for pair in ends]
        if len(known) < number or any(end is None for end in known):
            missing = number - sum(end is not None for end in known)
            return replace(made, notes=(f"{missing} of {number} groups have no interval",))
        distances = np.array([sign * (end - figure) for end, figure in zip(known, figures, strict=True)])  # type: ignore[operator]
        sides.append(np.sqrt(np.square(distances).sum()) / number)
    return replace(made, low=estimate - float(sides[0]), high=estimate + float(sides[1]))
