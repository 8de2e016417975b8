"""Intervals by document: each document is one observation."""

from __future__ import annotations

import math
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bitmeter._util.check import Floats
from bitmeter.errors import UndefinedError
from bitmeter.measure.aggregates import DocumentSums, Per
from bitmeter.measure.interval.base import Interval, IntervalMethod, Measured
from bitmeter.measure.interval.inputs import read, read_confidence
from bitmeter.measure.interval.ratio import (
    LEAST_EFFECTIVE,
    effective,
    infinite_interval,
    standard_error,
    student_interval,
    used,
)
from bitmeter.theory.sums import total

#: Fewer documents than this say too little about each other.
FEWEST_DOCUMENTS = 6


def cluster_ratio(numerators: ArrayLike, denominators: ArrayLike, confidence: float = 0.95) -> Interval:
    """Σ numerators / Σ denominators with an interval for which each document is one observation.

    The variance is that of the linearised ratio, Σ e² / c with e = (x − R·n) / Σn. The small-sample correction
    c = 1 − 2w + Σw², where w = n / Σn, is exact when documents have random effects of their own; it is the
    standard k/(k−1) when all are of one size. The degrees of freedom of Student's t are the *effective* number of
    documents, 1/Σw², minus one: k − 1 when all are of one size.

    Parameters
    ----------
    numerators
        The cost of each document, in bits or nats; inf where the model gave it probability zero.
    denominators
        The size of each document; an empty one is allowed, and has no weight.
    confidence
        Between 0 and 1.

    Returns
    -------
    Interval
        In the unit of the numerators per unit of the denominators.

    Examples
    --------
    >>> found = cluster_ratio([21.0, 39.0, 22.0, 38.0, 60.0], [10, 20, 10, 20, 30])
    >>> print(found)
    2 ± 0.12 (95 %, cluster-t, 5 clusters)
    >>> cluster_ratio([21.0, math.inf], [10, 20]).note
    'infinite on 1 of 2 documents'
    """
    x, n = read(numerators, denominators)
    return cluster_interval(x, n, read_confidence(confidence), "document")


def cluster_interval(x: Floats, n: Floats, confidence: float, what: str) -> Interval:
    """The same for arrays that were checked; `what` names a cluster in the note."""
    infinite = infinite_interval(x, n, confidence, "cluster-t", f"{what}s")
    if infinite is not None:
        return infinite
    estimate = total(x) / total(n)
    note = ""
    if int(np.sum(n > 0.0)) == 1:
        note = f"one {what} does not show how {what}s differ"
    elif effective(n) < LEAST_EFFECTIVE:
        note = f"one {what} holds {100 * n.max() / n.sum():.0f} % of the text, so that there is no spread to measure"
    if note:
        return Interval(None, None, estimate, None, confidence, "cluster-t", used(x, n), None, note)
    error, degrees = standard_error(x - estimate * n, n)
    return student_interval(estimate, error, degrees, confidence, "cluster-t", used(x, n), "")


class ByDocument(IntervalMethod):
    """Student's t over the documents of a text."""

    name: ClassVar[str] = "cluster-t"
    description: ClassVar[str] = "each document is one observation"
    priority: ClassVar[int] = 20

    def applies(self, score: Measured, per: Per) -> bool:
        """Whether there are enough documents."""
        documents = score.by_document
        return math.isfinite(score.nats) and documents is not None and len(documents) >= FEWEST_DOCUMENTS

    def interval(self, score: Measured, per: Per, confidence: float) -> Interval:
        """The interval from the sums of the documents."""
        documents = score.by_document
        if documents is None:
            message = "the documents are not known"
            raise UndefinedError(message)
        return cluster_ratio(documents.nats / math.log(2.0), _sizes(documents, per), confidence)


def _sizes(documents: DocumentSums, per: Per) -> NDArray[np.int64]:
    return {
        "byte": documents.bytes,
        "char": documents.chars,
        "word": documents.words,
        "token": documents.tokens,
        "document": documents.documents,
    }[per]


METHOD = ByDocument()
