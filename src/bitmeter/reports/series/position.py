"""Bits per byte by position, in the document and in the model's window: whether what came before helps."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter.measure.score import Score
from bitmeter.measure.trace.trace import Trace
from bitmeter.models.windows import parse_context, plan_windows, settle_windowing
from bitmeter.reports.series.observed import observed, ratio_of_parts
from bitmeter.reports.series.texts import offsets_of

__all__ = ["PositionBin", "positions", "window_positions"]

#: The upper part of a window is drawn in so many equal steps; below, each step is twice the one before.
_STEPS = 8


@dataclass(frozen=True, slots=True)
class PositionBin:
    """Units from `begin` to before `end`: bytes after the start of their document, or tokens of context before them."""

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
    start = trace.start
    if not len(start):
        return ()
    powers = int(np.floor(np.log2(max(1, int(start.max())))))
    edges = np.array([0, *(2**k for k in range(1, powers + 2))], dtype=np.int64)
    return _binned(score, trace, start, edges, np.ones(len(start), dtype=np.bool_))


def window_positions(score: Score, trace: Trace) -> tuple[PositionBin, ...]:
    """Bits per byte by how many tokens of its window stand before a token: context that the model had.

    The windows are laid out again as the signature says. Empty for a model that sees all that came before, for answers
    that were given contexts, and for a log of another tool.

    Examples
    --------
    >>> import bitmeter as bm
    >>> score = bm.score("kt", b"to be")
    >>> window_positions(score, score.trace)
    ()
    """
    ctx, doc = score.signature.ctx, trace.doc
    if ctx == "full" or ctx.startswith("log-") or score.signature.given != "none" or not len(doc):
        return ()
    window = parse_context(ctx)[1]
    if not window:
        return ()
    # Whether a token stands before each window decides how many of the text fit; which it is does not matter.
    prefix = 0 if score.signature.first in ("bos", "eos") else None
    bounds = np.append(np.flatnonzero(np.diff(doc, prepend=-1)), len(doc)).astype(np.int64)
    plan = plan_windows(settle_windowing(ctx, None, prefix, score.model), bounds)
    if not len(plan):
        return ()
    index = np.arange(len(doc), dtype=np.int64)
    owner = np.minimum(np.searchsorted(plan.stop, index, side="right"), len(plan) - 1)
    seen = (plan.first[owner] <= index) & (index < plan.stop[owner])
    steps = [window * k // _STEPS for k in range(1, _STEPS + 1)]
    small = [2**k for k in range(window.bit_length()) if 2**k < steps[0]]
    edges = np.array(sorted({0, *small, *(step for step in steps if step)}), dtype=np.int64)
    place = index - plan.start[owner]
    edges[-1] = max(edges[-1], int(place[seen].max(initial=0)) + 1)  # rolling windows see one token more
    return _binned(score, trace, place, edges, seen)


def _binned(score: Score, trace: Trace, place: Ints, edges: Ints, used: Bools) -> tuple[PositionBin, ...]:
    """The figures of units whose place is from one edge to before the next."""
    like, bits = observed(score), trace.bits
    sizes: Floats = (trace.end - trace.start).astype(np.float64)
    cluster = None if like is None else like.of(trace.doc, offsets_of(trace.end - trace.start))
    index = np.searchsorted(edges, place, side="right") - 1
    found = []
    for k in range(len(edges) - 1):
        some = (index == k) & used
        whole = float(sizes[some].sum())
        if not whole:
            continue
        total = float(bits[some].sum())
        interval = None
        if like is not None and cluster is not None and math.isfinite(total):
            interval = ratio_of_parts(like, cluster[some], bits[some], sizes[some], score.confidence)
        low, high = (None, None) if interval is None else (interval.low, interval.high)
        found.append(PositionBin(int(edges[k]), int(edges[k + 1]), int(whole), total / whole, low, high))
    return tuple(found)
