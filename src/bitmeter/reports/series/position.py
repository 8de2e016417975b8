"""Bits per byte by position in the document: whether what came before helps."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bitmeter.measure.score import Score
from bitmeter.measure.trace.trace import Trace
from bitmeter.reports.series.observed import observed, ratio_of_parts
from bitmeter.reports.series.texts import offsets_of

__all__ = ["PositionBin", "positions"]


@dataclass(frozen=True, slots=True)
class PositionBin:
    """Units that begin from `begin` to before `end` bytes after the start of their document."""

    begin: int
    end: int
    bytes: int
    figure: float
    low: float | None
    high: float | None


def positions(score: Score, trace: Trace) -> tuple[PositionBin, ...]:
    """Bits per byte of the units at positions 0-1, 2-3, 4-7, 8-15 … of their documents, in bytes.

    Bits of one unit are not divided: all are counted where it begins, and so are its bytes.

    Examples
    --------
    >>> import bitmeter as bm
    >>> score = bm.score("uniform", b"four" * 8)
    >>> [(found.begin, found.bytes, found.figure) for found in positions(score, score.trace)][:3]
    [(0, 2, 8.0), (2, 2, 8.0), (4, 4, 8.0)]
    """
    like = observed(score)
    start, bits = trace.start, trace.bits
    sizes = (trace.end - start).astype(np.float64)
    if not len(start):
        return ()
    doc = trace.doc
    cluster = None if like is None else like.of(doc, offsets_of(trace.end - start))
    index = np.floor(np.log2(np.maximum(start, 1))).astype(np.int64)
    found = []
    for k in range(int(index.max()) + 1):
        some = index == k
        whole = float(sizes[some].sum())
        if not whole:
            continue
        total = float(bits[some].sum())
        interval = None
        if like is not None and cluster is not None and math.isfinite(total):
            interval = ratio_of_parts(like, cluster[some], bits[some], sizes[some], score.confidence)
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        found.append(PositionBin(0 if k == 0 else 2**k, 2 ** (k + 1), int(whole), total / whole, low, high))
    return tuple(found)
