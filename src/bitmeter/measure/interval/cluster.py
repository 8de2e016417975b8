"""Intervals by cluster: each document, or each group of documents that belong together, is one observation."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.check import choice
from bitmeter.errors import UndefinedError
from bitmeter.measure.aggregates import DocumentSums, Per
from bitmeter.measure.interval.base import BY_CLUSTER, NOUNS, Interval, IntervalMethod, Measured
from bitmeter.measure.interval.inputs import read, read_confidence
from bitmeter.measure.interval.ratio import Clusters, no_spread, ratio_interval

_OTHER = ("document", True)


def cluster_ratio(
    numerators: ArrayLike, denominators: ArrayLike, confidence: float = 0.95, *, kind: str = "file"
) -> Interval:
    """Σ numerators / Σ denominators with an interval for which each cluster is one observation.

    The interval is the widest of Student's t over independent clusters and of a mixture over models in which
    neighbours are alike; it reaches further to the side to which costs are skewed.

    Parameters
    ----------
    numerators
        The cost of each cluster, in bits or nats and in the order of the text; inf where the model gave it
        probability zero.
    denominators
        The size of each cluster; an empty one is allowed, and has no weight.
    confidence
        Between 0 and 1.
    kind
        What a cluster is: "file", "record", "heading", "field" or "regex" for texts of their own; "line", "blank",
        "blanks" or "block" for parts of a text, whose neighbours are expected to be alike.

    Returns
    -------
    Interval
        In the unit of the numerators per unit of the denominators.

    Examples
    --------
    >>> found = cluster_ratio([21.0, 39.0, 22.0, 38.0, 60.0, 41.0], [10, 20, 10, 20, 30, 20])
    >>> print(found)
    2.00909 [1.921, 2.110] (95 %, serial-clusters(file), 6 clusters; a kind below 39 % may be missing)
    >>> cluster_ratio([21.0, math.inf], [10, 20]).notes
    ('infinite on 1 of 2 documents',)
    """
    x, n = read(numerators, denominators)
    return ratio_interval(named(x, n, choice(kind, "kind", NOUNS)), read_confidence(confidence))


def named(x: Floats, n: Floats, kind: str) -> Clusters:
    """Costs and sizes as clusters of a kind, such as "line" or "field.source"."""
    noun, separate = NOUNS.get(kind.partition(".")[0], _OTHER)
    return Clusters(x, n, noun, f"{ByCluster.name}({kind})", separate)


def observed(score: Measured, per: Per) -> Clusters | None:
    """The clusters of a score: documents, what they are grouped to, or sections of one text; None if not known."""
    documents, blocks = score.by_document, score.by_block
    if documents is None or len(documents) == 0 or score.count(per) == 0:
        return None
    sizes = sizes_of(documents, per).astype(np.float64)
    if documents.clusters is None and blocks is not None and blocks.clusters is not None and per != "document":
        x, n, kind = blocks.nats, np.array(blocks.sizes(per, score.count(per))), blocks.kind
        x, n = grouped(x, blocks.clusters), grouped(n, blocks.clusters)
    elif documents.clusters is not None:
        x, n, kind = grouped(documents.nats, documents.clusters), grouped(sizes, documents.clusters), documents.kind
    else:
        x, n, kind = documents.nats, sizes, score.docs
    whole = n.sum()
    # Units that were not scored belong to documents, but not to the bytes by which the figure is divided.
    return named(x / math.log(2.0), n * (score.count(per) / whole if whole else 1.0), kind)


def of_documents(
    documents: DocumentSums,
    sizes: Floats,
    docs: str,
    *,
    macro: bool = False,
    groups: DocumentSums | None = None,
    which: Ints | None = None,
) -> Clusters:
    """Documents, or what they are grouped to, as clusters with their costs in bits.

    Parameters
    ----------
    documents, sizes
        The sums by document, and the size of each.
    docs
        What a document is.
    macro
        Weigh every document alike, and not every byte.
    groups
        Sums that know to which cluster each document belongs; the documents' own if None.
    which
        The rows; None for all.

    Examples
    --------
    >>> one = np.array([1, 3])
    >>> sums = DocumentSums(np.array([1.0, 6.0]) * math.log(2.0), one, one, one, one)
    >>> of_documents(sums, np.array([1.0, 3.0]), "record", macro=True).costs.tolist()
    [1.0, 2.0]
    """
    chosen = np.arange(len(documents)) if which is None else which
    costs, sizes, kind = documents.nats[chosen] / math.log(2.0), sizes[chosen], docs
    if macro:
        some = sizes > 0.0
        costs = np.divide(costs, sizes, out=np.zeros_like(costs), where=some)
        sizes = some.astype(np.float64)
    by = documents if groups is None else groups
    if by.clusters is not None:
        numbers = np.unique(by.clusters[chosen], return_inverse=True)[1].reshape(-1)
        costs, sizes, kind = grouped(costs, numbers), grouped(sizes, numbers), by.kind
    return named(costs, sizes, kind)


def grouped(values: Floats, clusters: np.ndarray) -> Floats:
    """The sums of values over clusters; an infinite one makes its cluster infinite."""
    found = np.bincount(clusters, np.where(np.isinf(values), 0.0, values))
    found[np.unique(clusters[np.isinf(values)])] = np.inf
    return np.asarray(found, dtype=np.float64)


class ByCluster(IntervalMethod):
    """The clusters of a text are the observations."""

    name: ClassVar[str] = BY_CLUSTER
    description: ClassVar[str] = "each cluster is one observation, and neighbours may be alike"
    priority: ClassVar[int] = 20

    def applies(self, score: Measured, per: Per) -> bool:
        """Whether there are at least two clusters with a spread to measure, or nothing else to measure."""
        if not math.isfinite(score.nats):
            return False
        found = observed(score, per)
        return found is not None and (score.by_block is None or not no_spread(found))

    def interval(self, score: Measured, per: Per, confidence: float) -> Interval:
        """The interval from the sums of the clusters."""
        found = observed(score, per)
        if found is None:
            message = "the documents are not known"
            raise UndefinedError(message)
        return ratio_interval(replace(found, learns=score.learns), confidence)


def sizes_of(documents: DocumentSums, per: Per) -> np.ndarray:
    """The size of each document, in what a figure is per."""
    return {
        "byte": documents.bytes,
        "char": documents.chars,
        "word": documents.words,
        "token": documents.tokens,
        "document": documents.documents,
    }[per]


METHOD = ByCluster()
