"""The observations of a score's interval, and to which of them each unit of its trace belongs.

Whatever is drawn beside a headline is computed over the same clusters by the same method, so that a curve ends where
the headline stands.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter.measure.interval import blocks as along_text
from bitmeter.measure.interval import cluster as by_cluster
from bitmeter.measure.interval.base import Interval
from bitmeter.measure.interval.ratio import Clusters, ratio_interval
from bitmeter.measure.score import Score

__all__ = ["Observed", "observed", "ratio_of_parts"]


@dataclass(frozen=True, slots=True)
class Observed:
    """The clusters of a score, in bits and in what its figure is per, and how units are assigned to them."""

    clusters: Clusters
    #: Bytes per block where a unit is assigned by its offset in the text; None where it is by its document.
    block: int | None
    #: The cluster of each block or of each row of documents; None where each is a cluster of its own.
    numbers: Ints | None
    #: How many documents each row holds; None for one each.
    sizes: Ints | None

    def __len__(self) -> int:
        return len(self.clusters.costs)

    def of(self, doc: Ints, offset: Ints) -> Ints:
        """The cluster of each unit, from the index of its document and the offset of its first byte in the text."""
        if self.block is not None:
            rows = offset // self.block
        elif self.sizes is None:
            rows = doc
        else:
            rows = np.searchsorted(np.cumsum(self.sizes), doc, side="right")
        last = (len(self) if self.numbers is None else len(self.numbers)) - 1
        rows = np.minimum(rows, last)
        return np.asarray(rows if self.numbers is None else self.numbers[rows], dtype=np.int64)


def observed(score: Score) -> Observed | None:
    r"""The observations that the interval of a score is computed from; None if only its total is known.

    Examples
    --------
    >>> import bitmeter as bm
    >>> found = observed(bm.score("kt", b"one line\n" * 20, docs="line"))
    >>> len(found), found.clusters.noun
    (20, 'line')
    """
    per, documents, blocks = score.figure_per, score.by_document, score.by_block
    if documents is not None and by_cluster.METHOD.applies(score, per):
        found = by_cluster.observed(score, per)
        assert found is not None, "the method applies"
        found = replace(found, learns=score.learns)
        if documents.clusters is None and blocks is not None and blocks.clusters is not None:
            return Observed(found, blocks.size, blocks.clusters, None)
        return Observed(found, None, documents.clusters, documents.sizes)
    if blocks is not None and along_text.METHOD.applies(score, per):
        found = along_text.observed(blocks, per, score.count(per))
        found = replace(found, costs=np.asarray(found.costs), sizes=np.asarray(found.sizes), learns=score.learns)
        return Observed(found, blocks.size, None, None)
    return None


def ratio_of_parts(like: Observed, cluster: Ints, costs: Floats, sizes: Floats, confidence: float) -> Interval | None:
    """Σ costs / Σ sizes over some of the units, with an interval by the clusters of the whole.

    Parameters
    ----------
    like
        The clusters of the whole.
    cluster
        The cluster of each unit.
    costs, sizes
        Of each unit.
    confidence
        Of the interval.
    """
    if not len(cluster) or not sizes.sum() > 0.0:
        return None
    of_costs = np.bincount(cluster, costs, len(like)).astype(np.float64)
    of_sizes = np.bincount(cluster, sizes, len(like)).astype(np.float64)
    used = of_sizes > 0.0
    some = replace(like.clusters, costs=of_costs[used], sizes=of_sizes[used])
    return ratio_interval(some, confidence)
