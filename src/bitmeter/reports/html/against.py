"""Two models on one text: where one needs fewer bits than the other, by pattern, word, group and document."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.arrays import Floats, Ints
from bitmeter.measure.interval.paired import PairedTest, holm, paired_clusters
from bitmeter.measure.score import Score
from bitmeter.reports.html.patterns import PATTERNS
from bitmeter.reports.series.observed import Observed, observed
from bitmeter.reports.series.words import owners

__all__ = ["Bucket", "Shared", "buckets", "literals", "shared_segments", "top_words"]

#: A literal is tested if it occurs so often, in so many clusters.
_FEWEST = 6
#: How many rows a list of words or literals has each way.
ROWS = 12


@dataclass(frozen=True, slots=True)
class Shared:
    """The spans between the offsets at which both models have a boundary: their sums are exact under both."""

    #: Byte offsets, one more than there are segments.
    cuts: Ints
    #: Bits of each segment.
    a: Floats
    b: Floats
    #: The document of each segment.
    doc: Ints


def shared_segments(data: bytes, first: tuple[Ints, Floats], second: tuple[Ints, Floats], ends: Ints) -> Shared:
    """The finest segmentation that both models have, with the bits of each segment.

    Parameters
    ----------
    data
        The text.
    first, second
        Offsets of each model's units, one more than there are, and the bits of each unit.
    ends
        Where documents end.

    Examples
    --------
    >>> bytewise, by_word = (np.arange(6), np.ones(5)), (np.array([0, 3, 5]), np.array([4.0, 1.0]))
    >>> found = shared_segments(b"to be", bytewise, by_word, np.array([5]))
    >>> found.cuts.tolist(), found.a.tolist(), found.b.tolist()
    ([0, 3, 5], [3.0, 2.0], [4.0, 1.0])
    """
    # Both rise, so that neither has to be sorted; an offset may come twice, where a unit has no bytes.
    own = first[0][np.diff(first[0], prepend=-1) > 0]
    at = np.minimum(np.searchsorted(second[0], own), len(second[0]) - 1)
    cuts = own[second[0][at] == own]
    number = max(len(cuts) - 1, 0)
    a, b = (_summed(own, bits, cuts, number) for own, bits in (first, second))
    doc = np.searchsorted(ends, cuts[:-1], side="right")
    return Shared(cuts, a, b, np.minimum(doc, max(len(ends) - 1, 0)))


def _summed(own: Ints, bits: Floats, cuts: Ints, number: int) -> Floats:
    """A unit without bytes, the end of a document, belongs to the segment before it."""
    starts = np.where(np.diff(own) == 0, np.maximum(own[:-1] - 1, 0), own[:-1])
    index = np.clip(np.searchsorted(cuts, starts, side="right") - 1, 0, max(number - 1, 0))
    return np.asarray(np.bincount(index, bits, number)[:number], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Bucket:
    """One row of a table: what two models need for some of the text.

    Attributes
    ----------
    name
        The pattern or the literal.
    count, bytes
        Segments and bytes.
    a, b
        Bits under each model.
    difference, low, high
        B − A in bits per byte, with an interval that holds for all rows of the table at once (Bonferroni).
    p_value
        Corrected for the number of rows: Holm for patterns, Bonferroni for literals, of which only some are shown.
    reason
        Why there is no interval or no p-value.
    """

    name: str
    count: int
    bytes: int
    a: float
    b: float
    difference: float
    low: float | None
    high: float | None
    p_value: float | None
    reason: str


class _Tests:
    """Paired tests over parts of a text, by the clusters of the comparison of the whole."""

    def __init__(self, base: Score, other: Score) -> None:
        self._like: Observed | None = None
        self.reason = ""
        if math.isinf(base.nats) or math.isinf(other.nats):
            self.reason = "an infinite score has no interval"
        else:
            found = observed(base)
            self.reason = "" if found is not None else "only totals are known"
            self._like = found
        self._learns = base.learns or other.learns

    def clusters(self, doc: Ints, offset: Ints) -> Ints | None:
        """The cluster of each segment."""
        return None if self._like is None else self._like.of(doc, offset)

    def test(self, cluster: Ints, a: Floats, b: Floats, sizes: Floats, confidence: float) -> PairedTest:
        """B − A over the clusters that have any of these segments."""
        assert self._like is not None, "without clusters there is no test"
        number = len(self._like)
        of_a, of_b, of_sizes = (np.bincount(cluster, values, number).astype(np.float64) for values in (a, b, sizes))
        used = of_sizes > 0.0
        like = replace(self._like.clusters, sizes=of_sizes[used], costs=of_a[used], learns=self._learns)
        return paired_clusters(of_b[used], of_a[used], like, confidence)

    @property
    def one_text(self) -> bool:
        """Whether the observations are blocks of one text, which say nothing of other texts."""
        return self._like is not None and self._like.clusters.noun == "block"


def buckets(
    base: Score, other: Score, shared: Shared, kinds: NDArray[np.uint8], confidence: float
) -> tuple[Bucket, ...]:
    """One row per pattern that occurs, the largest share of the gap first.

    Parameters
    ----------
    base, other
        A and B.
    shared
        Their segments.
    kinds
        The pattern of each segment.
    confidence
        Of all intervals together.
    """
    tests = _Tests(base, other)
    sizes = np.diff(shared.cuts).astype(np.float64)
    cluster = tests.clusters(shared.doc, shared.cuts[:-1])
    present = np.unique(kinds).tolist()
    level = 1.0 - (1.0 - confidence) / max(1, len(present))
    rows = []
    for kind in present:
        some = kinds == kind
        test = None
        if cluster is not None:
            test = tests.test(cluster[some], shared.a[some], shared.b[some], sizes[some], level)
        rows.append(_row(PATTERNS[kind], some, shared, sizes, test, tests))
    corrected = holm([row.p_value for row in rows])
    rows = [replace(row, p_value=p) for row, p in zip(rows, corrected, strict=True)]
    return tuple(sorted(rows, key=lambda row: -abs(row.b - row.a)))


def _row(
    name: str, some: NDArray[np.bool_] | Ints, shared: Shared, sizes: Floats, test: PairedTest | None, tests: _Tests
) -> Bucket:
    a, b, size = float(shared.a[some].sum()), float(shared.b[some].sum()), float(sizes[some].sum())
    count = len(sizes[some])
    difference = (b - a) / size if math.isfinite(a) or math.isfinite(b) else 0.0
    interval = None if test is None else test.interval
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    p = None if test is None or tests.one_text else test.p_value
    reason = tests.reason or ("" if test is None else test.reason)
    if tests.one_text and test is not None:
        reason = "no p-value: blocks of one text say nothing about other texts"
    return Bucket(name, count, int(size), a, b, difference, low, high, p, reason)


def top_words(a: Floats, b: Floats, rows: int = ROWS) -> tuple[list[int], list[int]]:
    """The words on which A gains most, and those on which B does, by their indices.

    Examples
    --------
    >>> top_words(np.array([1.0, 9.0, 2.0]), np.array([5.0, 1.0, 2.0]))
    ([0], [1])
    """
    with np.errstate(invalid="ignore"):
        gain = np.where(np.isfinite(a) & np.isfinite(b), b - a, 0.0)
    order = np.argsort(-gain, kind="stable")
    first = [int(k) for k in order[:rows] if gain[k] > 0.0]
    second = [int(k) for k in order[::-1][:rows] if gain[k] < 0.0]
    return first, second


def literals(
    base: Score, other: Score, data: bytes, words: Ints, shared: Shared, confidence: float, rows: int = ROWS
) -> tuple[tuple[Bucket, ...], tuple[Bucket, ...], int]:
    """Words that occur often: those on which A gains most in all, those on which B does, and how many there are.

    Intervals and p-values are corrected for all literals that occur often enough, not only for those shown.
    """
    owner = owners(data, shared.cuts, words)
    a, b = (np.bincount(owner, values, len(words) - 1).astype(np.float64) for values in (shared.a, shared.b))
    by_name: dict[bytes, list[int]] = {}
    for k, (i, j) in enumerate(zip(words[:-1].tolist(), words[1:].tolist(), strict=True)):
        by_name.setdefault(data[i:j].strip(), []).append(k)
    often = {name: np.array(found) for name, found in by_name.items() if len(found) >= _FEWEST and name}
    doc = np.searchsorted(shared.cuts, words[:-1], side="right") - 1
    lines = Shared(words, a, b, shared.doc[np.clip(doc, 0, max(len(shared.doc) - 1, 0))])
    return (*_each_way(base, other, lines, often, confidence, rows), len(often))


def _each_way(
    base: Score, other: Score, lines: Shared, often: Mapping[bytes, Ints], confidence: float, rows: int
) -> tuple[tuple[Bucket, ...], tuple[Bucket, ...]]:
    tests = _Tests(base, other)
    if tests.reason and math.isinf(base.nats + other.nats):
        return (), ()
    sizes = np.diff(lines.cuts).astype(np.float64)
    cluster = tests.clusters(lines.doc, lines.cuts[:-1])
    level = 1.0 - (1.0 - confidence) / max(1, len(often))
    gains = sorted(((float((lines.b[at] - lines.a[at]).sum()), name) for name, at in often.items()), reverse=True)
    found = []
    for chosen in ([g for g in gains[:rows] if g[0] > 0.0], [g for g in gains[::-1][:rows] if g[0] < 0.0]):
        lot = []
        for _, name in chosen:
            at = often[name]
            test = None if cluster is None else tests.test(cluster[at], lines.a[at], lines.b[at], sizes[at], level)
            row = _row(name.decode("utf-8", "backslashreplace"), at, lines, sizes, test, tests)
            lot.append(replace(row, p_value=None if row.p_value is None else min(1.0, row.p_value * len(often))))
        found.append(tuple(lot))
    return found[0], found[1]
