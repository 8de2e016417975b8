"""The cross-entropy of a text so far, with its interval: how a figure settles (Shannon-McMillan-Breiman at work)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from bitmeter.measure.interval.ratio import ratio_interval
from bitmeter.measure.score import Score
from bitmeter.reports.series.observed import observed

__all__ = ["Running", "running", "running_line"]

#: About how many points a curve has.
POINTS = 48


@dataclass(frozen=True, slots=True)
class Running:
    """A figure along the text; the last point is the figure of the score and its interval."""

    #: How much was read: bytes, or tokens where the figure is per token.
    read: tuple[float, ...]
    figure: tuple[float, ...]
    #: The ends of the interval; None where what was read gives none.
    low: tuple[float | None, ...]
    high: tuple[float | None, ...]
    #: The figure at more points, from the sums along the text; empty where those are not known.
    line_read: tuple[float, ...] = ()
    line_figure: tuple[float, ...] = ()


def running(score: Score, points: int = POINTS) -> Running | None:
    r"""The figure after more and more clusters of the text; None if only the total is known.

    Examples
    --------
    >>> import bitmeter as bm
    >>> score = bm.score("kt", b"to be or not to be\n" * 50, docs="line")
    >>> curve = running(score)
    >>> curve.read[-1], curve.figure[-1] == score.interval.estimate, curve.high[-1] == score.interval.high
    (950.0, True, True)
    """
    found = observed(score)
    if found is None:
        return None
    costs, sizes = found.clusters.costs, found.clusters.sizes
    sized = np.flatnonzero(sizes > 0.0)
    if not len(sized):
        return None
    # Points are about evenly spaced on a logarithmic axis of what was read.
    read = np.cumsum(sizes)
    wanted = np.geomspace(max(read[sized[0]], read[-1] / 4096.0), read[-1], points)
    ends = np.unique(np.append(np.minimum(np.searchsorted(read, wanted), len(read) - 1), len(read) - 1)) + 1
    ends = ends[ends > sized[0]]
    rows = []
    for end in ends.tolist():
        # The last one is the interval of the score itself: all clusters, one of no size at the end included.
        interval = ratio_interval(replace(found.clusters, costs=costs[:end], sizes=sizes[:end]), score.confidence)
        rows.append((float(read[end - 1]), interval.estimate, interval.low, interval.high))
    at, figure, low, high = zip(*rows, strict=True)
    return Running(at, figure, low, high, *running_line(score, points))


def running_line(score: Score, points: int = POINTS) -> tuple[tuple[float, ...], tuple[float, ...]]:
    r"""What was read and the figure so far, along the blocks of the text, which are finer than its clusters.

    Examples
    --------
    >>> import bitmeter as bm
    >>> score = bm.score("kt", b"to be or not to be\n" * 50)
    >>> read, figure = running_line(score)
    >>> read[-1], abs(figure[-1] - score.bits_per_byte) < 1e-9
    (950.0, True)
    """
    blocks = score.by_block
    if blocks is None or score.figure_per != "byte" or int(blocks.bytes.sum()) != score.bytes or not score.bytes:
        return (), ()
    read, spent = np.cumsum(blocks.bytes), np.cumsum(blocks.nats) / math.log(2.0)
    wanted = np.geomspace(max(1.0, read[-1] / 4096.0, float(read[0])), float(read[-1]), 4 * points)
    ends = np.unique(np.minimum(np.searchsorted(read, wanted), len(read) - 1))
    ends = ends[read[ends] > 0]
    return tuple(read[ends].astype(np.float64).tolist()), tuple((spent[ends] / read[ends]).tolist())
