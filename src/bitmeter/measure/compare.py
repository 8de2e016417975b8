"""Models on the same text: the difference in bits a byte, how sure it is, and a refusal where it means nothing."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bitmeter._util.check import integer, real
from bitmeter.errors import EmptyError, IncomparableError, InputError, InputTypeError
from bitmeter.measure.aggregates import BlockSums
from bitmeter.measure.interval.statistics import PairedTest, holm, paired
from bitmeter.measure.score import FEWEST_DOCUMENTS, Score, as_score, nothing_scored
from bitmeter.measure.scoring import score
from bitmeter.measure.signature import differences

_LN2 = math.log(2.0)


@dataclass(frozen=True, slots=True)
class Row:
    """One model against the baseline.

    Attributes
    ----------
    score
        Its score.
    difference
        Its bits a byte less the baseline's: below zero it is the better model.
    test
        The paired test; None for the baseline and where only totals are known.
    p_value
        After Holm's correction for the number of models; None with the reason where there is none.
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
        """How many documents or stretches were compared."""
        return None if self.test is None or self.test.interval is None else self.test.interval.clusters


@dataclass(frozen=True, slots=True)
class Comparison:
    r"""Models on the same text, the baseline first, the others in the order given.

    Attributes
    ----------
    rows
        One a model: its score, the difference to the baseline, the paired test.
    confidence
        Of the intervals.
    method
        How the intervals were taken, and of what they speak.

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

    def remarks(self) -> list[str]:
        """What must be known to read the figures: how they were taken, and why something is missing."""
        from bitmeter.reports.panel import short_names

        text = short_names([self.baseline.text])[self.baseline.text]
        lines = [f"Δ is in bits a byte against {self.baseline.model} on {text}; below zero is better."]
        if self.method != "totals only":
            lines.append(f"Intervals and tests: {self.method}.")
        tests = sum(row.p_value is not None for row in self.rows)
        if tests > 1:
            lines.append(f"p is corrected for {tests} comparisons (Holm).")
        reasons: dict[str, list[str]] = {}
        for row in self.rows[1:]:
            if row.reason:
                reasons.setdefault(row.reason, []).append(row.score.model)
        return lines + [f"{', '.join(models)}: no p-value: {reason}" for reason, models in reasons.items()]

    def __str__(self) -> str:
        width = max(len(row.score.model) for row in self.rows)
        lines = []
        for row in self.rows:
            change = "baseline" if row.reason == "baseline" else f"{row.difference:+.6f}"
            if row.low is not None and row.high is not None:
                change += f" [{row.low:+.6f}, {row.high:+.6f}]"
            if row.p_value is not None:
                change += "  p < .001" if row.p_value < 0.001 else f"  p = {row.p_value:.3f}"
            lines.append(f"{row.score.model:<{width}}  {row.score.bits_per_byte:.6f} bits/byte  {change}")
        return "\n".join([*lines, *self.remarks()])


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
        For each model the difference in bits a byte to the baseline with its interval, p-value and e-value.

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
        from bitmeter.reports.panel import refusal, short_names

        names = short_names((first.text, second.text))
        a, b = f"{first.model} on {names[first.text]}", f"{second.model} on {names[second.text]}"
        message = (
            f"{a} and {b} must not be compared: {refusal(found)}. "
            f"Score both again on the same text with the same conventions{_options(found)}"
        )
        raise IncomparableError(message, differences=found)


def _options(found: tuple[Any, ...]) -> str:
    """The options by which conventions that differ are set; none where the texts are others already."""
    if any(d.key == "text" for d in found):
        return ""
    told = ", ".join(f"--{d.key}" for d in found if d.key in ("docs", "norm", "first", "eos", "oov", "den"))
    spelled = any(d.key == "oov" and "spelled" in (d.first, d.second) for d in found)
    spells = "; bitmeter convert MODEL new.bmn --spelling TEXT teaches a model from ARPA to spell" if spelled else ""
    return (f": {told}" if told else "") + spells


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
        # The scored bytes may differ by skipped units; the denominator is the text's own.
        test = paired(b.nats / _LN2, a.nats / _LN2, a.bytes, confidence)
        return test, test.reason or ""
    first, second = base.by_block, other.by_block
    if first is None or second is None or first.size != second.size or not np.array_equal(first.bytes, second.bytes):
        first, second = _common_blocks(first, second)
    if first is None or second is None:
        return None, "too few documents, and no sums along the text"
    test = paired(second.nats / _LN2, first.nats / _LN2, first.bytes, confidence, series=True)
    # Stretches of one text speak about that text alone: a p-value would be taken for more.
    few = f"{len(a)} document{'s' * (len(a) != 1)}; five or fewer say too little of other texts"
    return replace(test, p_value=None), few


def _common_blocks(first: Any, second: Any) -> tuple[Any, Any]:
    """Stretches of one grid: units of other sizes start in other places, so the bytes are set to the grid's own."""
    if first is None or second is None or first.size != second.size:
        return None, None
    length = max(len(first.nats), len(second.nats))
    grid = np.full(length, first.size)
    grid[-1] = max(1, int(first.bytes.sum()) - first.size * (length - 1))
    return tuple(BlockSums(b.size, np.pad(b.nats, (0, length - len(b.nats))), grid) for b in (first, second))  # type: ignore[return-value]


def _finite(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
