"""Models on the same text: the difference in bits per byte with its interval; what cannot be compared is refused."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bitmeter._util.check import integer, real
from bitmeter._util.rendering import rendered
from bitmeter.errors import EmptyError, IncomparableError, InputError, InputTypeError
from bitmeter.measure.aggregates import BlockSums
from bitmeter.measure.interval.cluster import FEWEST_DOCUMENTS
from bitmeter.measure.interval.paired import PairedTest, holm, paired
from bitmeter.measure.score import Score, as_score, nothing_scored
from bitmeter.measure.scoring import score
from bitmeter.measure.signature import Difference, differences

_LN2 = math.log(2.0)


@dataclass(frozen=True, slots=True)
class Row:
    """One model against the baseline.

    Attributes
    ----------
    score
        Its score.
    difference
        Its bits per byte minus the baseline's: below zero, it is the better model.
    test
        The paired test; None for the baseline and if only totals are known.
    p_value
        After Holm's correction for the number of models; None if there is none.
    reason
        Why there is no p-value.
    """

    score: Score
    difference: float
    test: PairedTest | None
    p_value: float | None
    reason: str

    @property
    def low(self) -> float | None:
        """The lower end of the difference's interval."""
        return None if self.test is None or self.test.interval is None else self.test.interval.low

    @property
    def high(self) -> float | None:
        """The upper end of the difference's interval."""
        return None if self.test is None or self.test.interval is None else self.test.interval.high

    @property
    def clusters(self) -> int | None:
        """The number of documents or batches that were compared."""
        return None if self.test is None or self.test.interval is None else self.test.interval.clusters


@dataclass(frozen=True, slots=True)
class Comparison:
    r"""Models on the same text, the baseline first, the others in the order given.

    Attributes
    ----------
    rows
        One per model: its score, the difference to the baseline, the paired test.
    confidence
        Of the intervals.
    method
        How the intervals were computed, and to what they generalise.

    Examples
    --------
    >>> import bitmeter as bm
    >>> lines = b"".join(b"line %d of a small text\n" % i for i in range(20))
    >>> found = bm.compare("uniform", "kt", on=lines, docs="line")
    >>> found.best.model, found.method, found.rows[1].test.share_won
    ('kt', 'cluster-t, by document', 1.0)
    """

    rows: tuple[Row, ...]
    confidence: float
    method: str

    @property
    def baseline(self) -> Score:
        """What the others are compared with."""
        return self.rows[0].score

    @property
    def best(self) -> Score:
        """The model that needs the fewest bits; of equals the first."""
        return min((row.score for row in self.rows), key=lambda found: found.nats)

    def to_dict(self) -> dict[str, Any]:
        """All figures at full precision."""
        return {
            "schema": "bitmeter.comparison/1",
            "confidence": self.confidence,
            "method": self.method,
            "rows": [
                {
                    "model": row.score.model,
                    "text": row.score.text,
                    "bits_per_byte": _finite(row.score.bits_per_byte),
                    "difference": _finite(row.difference),
                    "low": row.low,
                    "high": row.high,
                    "p_value": row.p_value,
                    "e_value": None if row.test is None else row.test.e_value,
                    "share_won": None if row.test is None else row.test.share_won,
                    "clusters": row.clusters,
                    "reason": row.reason,
                    "signature": str(row.score.signature),
                }
                for row in self.rows
            ],
        }

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        return rendered(self)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Two scores that must not be compared, and the differences that forbid it; its text says what to type instead."""

    first: Score
    second: Score
    differences: tuple[Difference, ...]

    def __str__(self) -> str:
        return rendered(self)


def compare(*models: Any, on: Any = None, baseline: int = 0, confidence: float = 0.95, **keywords: Any) -> Comparison:
    """Compare models on the same text, or runs that were taken on it.

    Parameters
    ----------
    *models
        With `on`: models, as `score` takes them. Without: Scores, or the paths of saved runs.
    on
        The text.
    baseline
        Which of them the others are compared with.
    confidence
        Of the intervals.
    **keywords
        Handed to `score`.

    Returns
    -------
    Comparison
        For each model the difference to the baseline in bits per byte, with its interval, p-value and e-value.

    Raises
    ------
    IncomparableError
        If the conventions of two runs disagree on what must agree.

    Examples
    --------
    >>> import bitmeter as bm
    >>> found = bm.compare("uniform", "kt", on=b"abracadabra" * 100)
    >>> found.best.model, found.rows[1].difference < 0
    ('kt', True)
    """
    if len(models) < 2:
        message = f"{len(models)} model given; a comparison needs at least two"
        raise EmptyError(message)
    level = real(confidence, "confidence", low=0.5, high=0.9999)
    first = integer(baseline, "baseline", low=0, high=len(models) - 1)
    if on is not None:
        scores = [score(model, on, confidence=level, **keywords) for model in models]
    elif keywords:
        message = f"{', '.join(keywords)} is for scoring, but without on=TEXT nothing is scored"
        raise InputError(message)
    else:
        scores = [as_score(model) for model in models]
    return compare_scores([scores[first], *(s for i, s in enumerate(scores) if i != first)], level)


def compare_scores(scores: list[Score], confidence: float) -> Comparison:
    """The first score against each of the others."""
    base = scores[0]
    for other in scores[1:]:
        _refuse_unlike(base, other)
    tests = [_test(base, other, confidence) for other in scores[1:]]
    corrected = holm([None if test is None else test.p_value for test, _ in tests])
    rows = [Row(base, 0.0, None, None, "baseline")]
    for other, (test, reason), p_value in zip(scores[1:], tests, corrected, strict=True):
        rows.append(Row(other, _difference(base, other), test, p_value, reason))
    method = next((f"{t.interval.method}, {t.label}" for t, _ in tests if t is not None and t.interval), "totals only")
    return Comparison(tuple(rows), confidence, method)


def _difference(base: Score, other: Score) -> float:
    if base.bytes == 0:
        message = f"{nothing_scored(base)}, so there is nothing to compare"
        raise EmptyError(message)
    if math.isinf(base.nats) and math.isinf(other.nats):
        message = "both scores are infinite, so neither is better; smooth the models, or skip what they do not know"
        raise IncomparableError(message)
    return other.bits_per_byte - base.bits_per_byte


def _refuse_unlike(first: Score, second: Score) -> None:
    found = tuple(d for d in differences(first.signature, second.signature) if d.decisive)
    if found:
        raise IncomparableError(str(Refusal(first, second, found)), differences=found)


def _test(base: Score, other: Score, confidence: float) -> tuple[PairedTest | None, str]:
    """The paired test by document, or along the text where there are too few."""
    if math.isinf(base.nats) or math.isinf(other.nats):
        return None, "an infinite score has no interval"
    a, b = base.by_document, other.by_document
    if a is None or b is None:
        return None, "a compressor gives only a total"
    if len(a) != len(b):
        message = f"{base.model} has {len(a)} documents and {other.model} {len(b)}; they are not the same text"
        raise InputTypeError(message)
    if len(a) >= FEWEST_DOCUMENTS:
        # Skipped units may make the scored bytes differ; the denominator is the size of the documents.
        test = paired(b.nats / _LN2, a.nats / _LN2, a.bytes, confidence)
        return test, test.reason or ""
    blocks = _common_blocks(base.by_block, other.by_block)
    if blocks is None:
        return None, "too few documents, and no sums along the text"
    first, second = blocks
    test = paired(second.nats / _LN2, first.nats / _LN2, first.bytes, confidence, series=True)
    # Blocks of one text say nothing about other texts: a p-value would be taken for more.
    few = f"{len(a)} document{'s' * (len(a) != 1)}; five or fewer say too little about other texts"
    return replace(test, p_value=None), few


def _common_blocks(first: BlockSums | None, second: BlockSums | None) -> tuple[BlockSums, BlockSums] | None:
    """The blocks of both on one grid; units of different sizes start elsewhere, so the sizes are set to the grid's."""
    if first is None or second is None or first.size != second.size:
        return None
    if np.array_equal(first.bytes, second.bytes):
        return first, second
    length = max(len(first.nats), len(second.nats))
    grid = np.full(length, first.size)
    grid[-1] = max(1, int(first.bytes.sum()) - first.size * (length - 1))
    nats = [np.pad(blocks.nats, (0, length - len(blocks.nats))) for blocks in (first, second)]
    return BlockSums(first.size, nats[0], grid), BlockSums(first.size, nats[1], grid)


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
