"""Intervals along one text: short blocks of it are the observations."""

from __future__ import annotations

import math
from array import array
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, cast

from bitmeter.errors import UndefinedError
from bitmeter.measure.aggregates import BlockSums, Per
from bitmeter.measure.interval.base import BY_BLOCK, Interval, IntervalMethod, Measured
from bitmeter.measure.interval.ratio import Clusters, ratio_interval

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from bitmeter._util.arrays import Floats


def block_ratio(numerators: ArrayLike, denominators: ArrayLike, confidence: float = 0.95) -> Interval:
    """Σ numerators / Σ denominators of one long text, given as successive blocks, with an interval.

    The interval is conditional on this text: it says how the figure would vary if the same source continued, not how
    other texts would score.

    Parameters
    ----------
    numerators
        The cost of each block, in the order of the text.
    denominators
        The size of each block.
    confidence
        Between 0 and 1.

    Returns
    -------
    Interval
        With notes if the text is short for the dependence in it.

    Examples
    --------
    >>> import numpy as np
    >>> costs = np.random.default_rng(0).exponential(2.0, 4096)
    >>> print(block_ratio(costs, np.ones(4096)))
    2.03859 [1.97, 2.11] (95 %, serial-blocks, 4,096 clusters)
    """
    from bitmeter.measure.interval.inputs import read, read_confidence

    x, n = read(numerators, denominators)
    return ratio_interval(as_clusters(x, n), read_confidence(confidence))


def as_clusters(x: Floats, n: Floats, size: int | None = None) -> Clusters:
    """Costs and sizes of successive blocks of a text, each of `size` bytes."""
    return Clusters(x, n, "block", f"{AlongText.name}({size})" if size else AlongText.name, separate=False)


class AlongText(IntervalMethod):
    """Successive blocks of the text are the observations."""

    name: ClassVar[str] = BY_BLOCK
    description: ClassVar[str] = "blocks of this text are the observations, and neighbours may be alike"
    priority: ClassVar[int] = 10

    def applies(self, score: Measured, per: Per) -> bool:
        """Whether there are sums along the text, and something to divide by."""
        blocks = score.by_block
        if not math.isfinite(score.nats) or blocks is None or len(blocks.nats) == 0:
            return False
        return per != "document" and score.count(per) > 0

    def interval(self, score: Measured, per: Per, confidence: float) -> Interval:
        """The interval from the sums of the blocks."""
        blocks = score.by_block
        if blocks is None:
            message = "only the total is known"
            raise UndefinedError(message)
        found = replace(observed(blocks, per, score.count(per)), learns=score.learns)
        return ratio_interval(found, confidence)


def observed(blocks: BlockSums, per: Per, count: int) -> Clusters:
    """The blocks of a text as clusters that sum to a number of units."""
    bit = math.log(2.0)
    # Any row of doubles serves the core; one of numpy would have to be imported first.
    costs, sizes = (array("d", row) for row in ([x / bit for x in blocks.nats.tolist()], blocks.sizes(per, count)))
    return as_clusters(cast("Floats", costs), cast("Floats", sizes), blocks.size)


METHOD = AlongText()
