"""Models on the same text: the difference in bits per byte with its interval; what cannot be compared is refused."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.check import choice, integer, real
from bitmeter._util.frames import Column, Tabular
from bitmeter._util.rendering import InNotebooks, rendered
from bitmeter.errors import EmptyError, IncomparableError, InputError, InputTypeError
from bitmeter.measure.aggregates import BlockSums, DocumentSums, Per
from bitmeter.measure.groups.compare import GroupDifference, compare_groups
from bitmeter.measure.interval import blocks as along_text
from bitmeter.measure.interval import cluster as by_cluster
from bitmeter.measure.interval.paired import PairedTest, Tested, holm, paired_clusters
from bitmeter.measure.interval.ratio import no_spread
from bitmeter.measure.score import Score, as_score, nothing_scored
from bitmeter.measure.scoring import score
from bitmeter.measure.signature import Difference, differences

_LN2 = math.log(2.0)
#: The largest difference that an e-value counts, in bits per byte.
_CLIP = 0.25
#: What counts alike in a difference.
Weights: TypeAlias = Literal["byte", "document"]
WEIGHTS: tuple[Weights, ...] = ("byte", "document")


@dataclass(frozen=True, slots=True)
class Row(Tested):
    """One model against the baseline.

    Attributes
    ----------
    score
        Its score.
    difference
        Its bits per byte (`Comparison.per`) minus the baseline's: below zero, it is the better model.
    test
        The paired test; None for the baseline and if only totals are known.
    p_value
        After Holm's correction for the number of models; None if there is none.
    reason
        Why there is no p-value or no e-value.
    remarks
        The notes of its score but for those of the interval; and that it differs from the baseline in precision alone.
    """

    score: Score
    difference: float
    test: PairedTest | None
    p_value: float | None
    reason: str
    remarks: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """Remarks, and why to trust the difference's interval and p-value less."""
        return (*self.remarks, *(() if self.test is None else self.test.notes))

    @property
    def caveat(self) -> str:
        """What such clusters can never show, as `Interval.caveat` says."""
        return "" if self.test is None or self.test.interval is None else self.test.interval.caveat

    @property
    def clusters(self) -> int | None:
        """The number of clusters or blocks that were compared."""
        return None if self.test is None or self.test.interval is None else self.test.interval.clusters


@dataclass(frozen=True, slots=True)
class Comparison(Tabular, InNotebooks):
    r"""Models on the same text, the baseline first, the others in the order given.

    Attributes
    ----------
    rows
        One per model: its score, the difference to the baseline, the paired test.
    confidence
        Of the intervals.
    method
        How the intervals were computed, and to what they generalise.
    weights
        What counts alike in the differences: every "byte" (micro average), or every "document" (macro average).
    per
        What figures and differences are per: "byte", or "token" for closed vocabularies, which leave bytes unpaid.
    groups
        The differences on each group, if all were scored with the same `group`.

    Examples
    --------
    >>> import bitmeter as bm
    >>> lines = b"".join(b"line %d of a small text\n" % i for i in range(20))
    >>> found = bm.compare("uniform", "kt", on=lines, docs="line")
    >>> found.best.model, found.method, found.rows[1].test.share_won
    ('kt', 'serial-clusters(line,learning), by line', 1.0)
    """

    rows: tuple[Row, ...]
    confidence: float
    method: str
    weights: Weights = "byte"
    per: Per = "byte"
    groups: tuple[GroupDifference, ...] = ()

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
            "weights": self.weights,
            "per": self.per,
            "rows": [
                {
                    "model": row.score.model,
                    "text": row.score.text,
                    f"bits_per_{self.per}": _finite(row.score.per(self.per)),
                    "difference": _finite(row.difference),
                    "low": row.low,
                    "high": row.high,
                    "p_value": row.p_value,
                    "e_value": None if row.test is None else row.test.e_value,
                    "share_won": None if row.test is None else row.test.share_won,
                    "clusters": row.clusters,
                    "reason": row.reason,
                    "notes": list(row.notes),
                    "caveat": row.caveat,
                    "signature": str(row.score.signature),
                }
                for row in self.rows
            ],
            **({"groups": [found.to_dict() for found in self.groups]} if self.groups else {}),
        }

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def to_columns(self) -> dict[str, Column]:
        """One row per model, for `to_pandas`, `to_polars` and `to_arrow`; what is not known is missing.

        Examples
        --------
        >>> import bitmeter as bm
        >>> columns = bm.compare("uniform", bm.Distribution({"a": 0.5, "b": 0.5}), on=b"abba" * 20).to_columns()
        >>> columns["model"][0], columns["difference_bits"].tolist()
        ('uniform:256', [0.0, -7.0])
        """
        rows = self.rows

        def reals(values: list[float | int | None]) -> Column:
            return np.array([np.nan if value is None else value for value in values], dtype=np.float64)

        return {
            "model": [row.score.model for row in rows],
            "text": [row.score.text for row in rows],
            f"bits_per_{self.per}": reals([row.score.per(self.per) for row in rows]),
            "difference_bits": reals([row.difference for row in rows]),
            "difference_low": reals([row.low for row in rows]),
            "difference_high": reals([row.high for row in rows]),
            "p_value": reals([row.p_value for row in rows]),
            "e_value": reals([None if row.test is None else row.test.e_value for row in rows]),
            "share_won": reals([None if row.test is None else row.test.share_won for row in rows]),
            "clusters": reals([row.clusters for row in rows]),
            "short": [row.score.signature.short for row in rows],
        }

    def _metadata(self) -> dict[str, str]:
        return {"method": self.method, "confidence": repr(self.confidence), "weights": self.weights}

    def __str__(self) -> str:
        return rendered(self)

    def __repr__(self) -> str:
        names = ", ".join(row.score.model for row in self.rows)
        return f"Comparison({names} on {self.baseline.text}; best: {self.best.model})"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Two scores that must not be compared, and the differences that forbid it; its text says what to type instead."""

    first: Score
    second: Score
    differences: tuple[Difference, ...]

    def __str__(self) -> str:
        return rendered(self)


def compare(
    *models: Any,
    on: Any = None,
    baseline: int = 0,
    confidence: float = 0.95,
    weights: Weights = "byte",
    **keywords: Any,
) -> Comparison:
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
    weights
        What counts alike in a difference: every "byte", as in the bits per byte of the text (micro average); or every
        "document", whatever its length (macro average), which finds a difference that is the same on all documents
        with fewer of them.
    **keywords
        Handed to `score`.

    Returns
    -------
    Comparison
        For each model the difference to the baseline in bits per byte, with its interval, p-value and e-value; for
        closed vocabularies, in bits per token.

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
    choice(weights, "weights", WEIGHTS)
    first = integer(baseline, "baseline", low=0, high=len(models) - 1)
    if on is not None:
        scores = [score(model, on, confidence=level, **keywords) for model in models]
    elif keywords:
        message = f"{', '.join(keywords)} is for scoring, but without on=TEXT nothing is scored"
        raise InputError(message)
    else:
        scores = [as_score(model) for model in models]
    return compare_scores([scores[first], *(s for i, s in enumerate(scores) if i != first)], level, weights)


def compare_scores(scores: list[Score], confidence: float, weights: Weights = "byte") -> Comparison:
    """The first score against each of the others."""
    base = scores[0]
    for other in scores[1:]:
        _refuse_unlike(base, other)
    apart = [_difference(base, other) for other in scores[1:]]
    tests = [_test(base, other, confidence, weights) for other in scores[1:]]
    corrected = holm([None if test is None else test.p_value for test, _ in tests])
    rows = [Row(base, 0.0, None, None, "baseline", base.own_notes)]
    for other, difference, (test, reason), p_value in zip(scores[1:], apart, tests, corrected, strict=True):
        weighed = difference if weights == "byte" else _mean_difference(test, reason)
        rows.append(Row(other, weighed, test, p_value, reason, (*other.own_notes, *_precision(base, other))))
    method = next((f"{t.interval.method}, {t.label}" for t, _ in tests if t is not None and t.interval), "totals only")
    groups = compare_groups(scores, confidence)
    return Comparison(tuple(rows), confidence, method, weights, base.figure_per, groups)


def _precision(base: Score, other: Score) -> tuple[str, ...]:
    """A note where models of one name were run in different precision, such as int8 weights and float32."""
    ours, baseline = other.signature.precision, base.signature.precision
    if base.model != other.model or ours == baseline:
        return ()
    return (f"the precision is {ours}, and that of the baseline of the same name {baseline}",)


def _mean_difference(test: PairedTest | None, reason: str) -> float:
    if test is None or test.difference is None:
        why = reason
        message = f"documents cannot be weighed alike: {why}; compare with weights='byte' (--weights byte)"
        raise IncomparableError(message)
    return test.difference


def _difference(base: Score, other: Score) -> float:
    if not (base.bytes and base.count(base.figure_per)):
        message = f"{nothing_scored(base)}, so there is nothing to compare"
        raise EmptyError(message)
    if math.isinf(base.nats) and math.isinf(other.nats):
        message = "both scores are infinite, so neither is better; smooth the models, or skip what they do not know"
        raise IncomparableError(message)
    return other.per(base.figure_per) - base.per(base.figure_per)


def _refuse_unlike(first: Score, second: Score) -> None:
    found = tuple(d for d in differences(first.signature, second.signature) if d.decisive)
    if found:
        raise IncomparableError(str(Refusal(first, second, found)), differences=found)
    if first.figure_per == "byte" and first.bytes != second.bytes:
        message = (
            f"{first.model} and {second.model} must not be compared: their conventions leave out different parts of "
            f"the text, and so they are measured on {first.bytes:,} and {second.bytes:,} bytes. Score both without "
            "--first skip and --oov skipped, and with the same windows"
        )
        raise IncomparableError(message)
    if first.figure_per == "token" and first.tokens != second.tokens:
        message = (
            f"{first.model} and {second.model} must not be compared: they leave out what they do not know, and so are "
            f"measured on different words, {first.tokens:,} and {second.tokens:,}. Score both with --oov spelled, or "
            "with --oov class"
        )
        raise IncomparableError(message)


def _test(base: Score, other: Score, confidence: float, weights: Weights) -> tuple[PairedTest | None, str]:
    """The paired test by document or cluster of documents, or along the text where there is but one."""
    if math.isinf(base.nats) or math.isinf(other.nats):
        return None, "an infinite score has no interval"
    a, b = base.by_document, other.by_document
    if a is None or b is None:
        return None, "a compressor gives only a total"
    if len(a) != len(b):
        message = f"{base.model} has {len(a)} documents and {other.model} {len(b)}; they are not the same text"
        raise InputTypeError(message)
    groups = a if a.clusters is not None or b.clusters is None else b
    sections = groups.clusters is None and _sections(base, other) is not None and weights == "byte"
    if weights == "document" and (len(a) < 2 or a.sizes is not None):
        why = "there is one document" if len(a) < 2 else "there are so many that they are summed in groups"
        return None, why
    if not sections and len(a) > 1:
        sizes, macro = _sizes(base, a), weights == "document"
        first, second = (by_cluster.of_documents(s, sizes, base.docs, macro=macro, groups=groups) for s in (a, b))
        if not no_spread(first) or weights == "document":
            like = replace(first, learns=base.learns or other.learns)
            test = paired_clusters(second.costs, first.costs, like, confidence, _CLIP / _per_byte(base))
            return test, test.reason
    blocks = _common_blocks(base.by_block, other.by_block)
    if blocks is None:
        return None, "too few documents, and no sums along the text"
    of_base, of_other = (found.nats / _LN2 for found in blocks)
    grid = np.array(blocks[0].sizes(base.figure_per, base.count(base.figure_per)))
    clusters = _sections(base, other)
    if clusters is not None:
        sums = (by_cluster.grouped(found, clusters[: len(found)]) for found in (of_base, of_other, grid))
        of_base, of_other, grid = sums
        like = replace(by_cluster.named(of_base, grid, blocks[0].kind), learns=base.learns or other.learns)
        test = paired_clusters(of_other, of_base, like, confidence, _CLIP / _per_byte(base))
        return test, test.reason
    like = replace(along_text.as_clusters(of_base, grid, blocks[0].size), learns=base.learns or other.learns)
    test = paired_clusters(of_other, of_base, like, confidence)
    # Blocks of one text say nothing about other texts: a p-value would be taken for more.
    few = "one document says too little about other texts" if len(a) == 1 else "one document is nearly all of the text"
    return replace(test, p_value=None, reason=few), few


def _per_byte(score: Score) -> float:
    """The number of what the figure is per for each byte of the text."""
    documents = score.by_document
    if score.figure_per == "byte" or documents is None:
        return 1.0
    return float(documents.tokens.sum() / documents.bytes.sum())


def _sections(base: Score, other: Score) -> Ints | None:
    """The sections of the text in which its blocks start, if both scores know the same."""
    a, b = base.by_block, other.by_block
    if a is None or b is None or a.clusters is None or b.clusters is None or a.size != b.size:
        return None
    longer = a.clusters if len(a.clusters) >= len(b.clusters) else b.clusters
    shorter = min(len(a.clusters), len(b.clusters))
    return longer if np.array_equal(a.clusters[:shorter], b.clusters[:shorter]) else None


def _sizes(score: Score, documents: DocumentSums) -> Floats:
    """The size of each document, in all as many as the figure is divided by: what was not scored is in neither."""
    found = (documents.bytes if score.figure_per == "byte" else documents.tokens).astype(np.float64)
    whole = float(found.sum())
    return found * (score.count(score.figure_per) / whole) if whole else found


def _common_blocks(first: BlockSums | None, second: BlockSums | None) -> tuple[BlockSums, BlockSums] | None:
    """The blocks of both on one grid; units of different sizes start elsewhere, so the sizes are set to the grid's.

    Figures per token are compared between models of the same units, whose blocks are the same.
    """
    if first is None or second is None or first.size != second.size:
        return None
    if np.array_equal(first.bytes, second.bytes):
        return first, second
    length = max(len(first.nats), len(second.nats))
    grid = np.full(length, first.size)
    grid[-1] = max(1, int(first.bytes.sum()) - first.size * (length - 1))
    nats = [np.pad(blocks.nats, (0, length - len(blocks.nats))) for blocks in (first, second)]
    kind = first.kind
    return BlockSums(first.size, nats[0], grid, kind=kind), BlockSums(first.size, nats[1], grid, kind=kind)


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
