"""text_statistics(): Min-K %, Min-K%++, the zlib ratio and Binoculars' ratio of each document, with a null."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter._util.check import items, real, shown
from bitmeter._util.progress import Progress, Step
from bitmeter._util.rendering import rendered
from bitmeter.errors import ChoiceError, EmptyError, IncomparableError, InputError, InputTypeError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.divergence import as_predictor
from bitmeter.measure.interval.base import Interval
from bitmeter.measure.interval.cluster import named
from bitmeter.measure.interval.ratio import ratio_interval
from bitmeter.measure.membership.costs import by_costs, costs_of_documents, names_of_documents
from bitmeter.measure.membership.rows import Moments, moments
from bitmeter.measure.options import settle
from bitmeter.measure.score import Score
from bitmeter.measure.scoring import _corpus, score
from bitmeter.models.protocols import Model
from bitmeter.models.registry import resolve
from bitmeter.text.corpus.corpus import Corpus

__all__ = ["STATISTICS", "Statistic", "TextStatistics", "min_k", "min_k_plus", "text_statistics"]

#: The statistics by name.
STATISTICS = ("min-k", "min-k++", "zlib", "binoculars")
_LN2 = math.log(2.0)
#: Those that need only what each unit costs, and not the rest of its prediction.
_OF_COSTS = ("min-k", "zlib")
#: Why a model must expose its distributions.
_PURPOSE = "statistics of documents need a model that does"


@dataclass(frozen=True, slots=True, eq=False)
class Statistic:
    """One statistic of all documents.

    Attributes
    ----------
    name
        One of `STATISTICS`.
    values
        One per document that has tokens.
    mean
        Their mean over documents, with its interval.
    null
        Its values on the texts of the null; empty if none were given.
    quantiles
        For each document the share of the null that lies below it, ties half; empty without a null.
    """

    name: str
    values: Floats
    mean: Interval
    null: Floats
    quantiles: Floats


@dataclass(frozen=True, slots=True, eq=False)
class TextStatistics:
    """Statistics of the documents of a text under a model: numbers, and where they lie in a null; no verdict.

    Examples
    --------
    >>> import bitmeter as bm
    >>> found = bm.text_statistics("kt", bm.Corpus.from_documents(["abab" * 9, "abcd" * 9]), at="min-k,zlib")
    >>> [statistic.name for statistic in found.statistics], len(found.documents)
    (['min-k', 'zlib'], 2)
    """

    model: str
    text: str
    share: float
    documents: tuple[str, ...]
    statistics: tuple[Statistic, ...]

    def to_dict(self) -> dict[str, Any]:
        """All figures at full precision."""
        return {
            "schema": "bitmeter.statistics/1",
            "model": self.model,
            "text": self.text,
            "share": self.share,
            "documents": list(self.documents),
            "statistics": [
                {
                    "name": one.name,
                    "mean": _number(one.mean.estimate),
                    "low": one.mean.low,
                    "high": one.mean.high,
                    "values": [_number(value) for value in one.values.tolist()],
                    "null": [_number(value) for value in one.null.tolist()],
                    "quantiles": one.quantiles.tolist(),
                }
                for one in self.statistics
            ],
        }

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        return rendered(self)


def min_k(logprobs: Floats, share: float) -> float:
    """Min-K % (Shi et al. 2024): the mean of the lowest share of ln p.

    Examples
    --------
    >>> min_k(np.array([-1.0, -4.0, -2.0, -3.0, -5.0]), 0.4)
    -4.5
    """
    return float(np.sort(logprobs)[: max(1, int(share * len(logprobs)))].mean())


def min_k_plus(found: Moments, share: float) -> float:
    """Min-K%++ (Zhang et al. 2024): the same of (ln p − μ) / σ, where μ and σ are of ln p under the prediction.

    A prediction that is certain has σ = 0: what it predicts is at 0, all else at −∞.
    """
    apart = found.logprobs - found.means
    flat = found.deviations <= 1e-12
    with np.errstate(divide="ignore", invalid="ignore"):
        scaled = apart / np.where(flat, 1.0, found.deviations)
    scaled = np.where(flat, np.where(np.abs(apart) <= 1e-9, 0.0, np.where(apart < 0.0, -math.inf, math.inf)), scaled)
    return min_k(scaled, share)


def text_statistics(
    model: Any,
    text: Any = None,
    *,
    at: str | Iterable[str] = ("min-k", "min-k++", "zlib"),
    other: Any = None,
    null: Any = None,
    share: float = 0.2,
    docs: str | None = None,
    field: str | None = None,
    ctx: str | None = None,
    confidence: float = 0.95,
    progress: Progress | None = None,
) -> TextStatistics:
    """Statistics by which memorised or generated texts are looked for, of each document.

    Parameters
    ----------
    model
        A model that exposes the distribution of the next unit; for "min-k" and "zlib" any that gives costs of units; or
        a `Score` with its trace, from which these two are taken without another pass.
    text
        As for `score`; each document has figures of its own. None with a `Score`.
    at
        Names of statistics, as a list or separated by commas: "min-k", "min-k++", "zlib" (bits under the model over
        bits under zlib), "binoculars" (ln perplexity over the cross-entropy −Σ p ln q with `other`).
    other
        The other model of Binoculars; it must predict the same outcomes.
    null
        Texts that are known not to be of the kind looked for: the share of them that lies below each document is its
        quantile. There is no verdict: what a quantile means depends on how like the null is.
    share
        K as a share: which tokens are the lowest.
    docs, field, ctx
        As for `score`, for text and null.
    confidence
        Of the intervals of the means over documents.
    progress
        Called as documents go by.

    Examples
    --------
    >>> import bitmeter as bm
    >>> texts = bm.Corpus.from_documents(["to be or not to be", "be to not or be to"])
    >>> found = bm.text_statistics("kt", texts, at="min-k++", null=bm.Corpus.from_documents(["qwxz" * 5]))
    >>> found.statistics[0].quantiles.tolist()  # both below the only text of the null
    [0.0, 0.0]
    """
    names = _names(at)
    k = real(share, "share", low=1e-6, high=1.0)
    level = real(confidence, "confidence", low=0.5, high=0.9999)
    if ("binoculars" in names) != (other is not None):
        message = (
            "binoculars is a ratio between two models: give the other one (other=…, --other MODEL)"
            if other is None
            else "the other model is for binoculars, which is not among the statistics"
        )
        raise InputError(message)
    settings = settle(convention("bitmeter"), docs, field, None, None, None, None, None, ctx, level)
    if isinstance(model, Score):
        if text is not None or docs is not None or field is not None or ctx is not None:
            message = "a score knows its text and its conventions already; leave out text, docs, field and ctx"
            raise InputError(message)
        return _of_score(model, names, null, k, level)
    ready = resolve(model)
    corpora = [_corpus(texts, settings) for texts in ((text,) if null is None else (text, null))]
    if set(names) <= set(_OF_COSTS) and isinstance(ready, Model) and all(by_costs(ready, one) for one in corpora):
        scores = [score(ready, corpus, ctx=ctx, progress=progress) for corpus in corpora]
        (found, rows), *rest = (_rows_of_score(one, k) for one in scores)
        labels = names_of_documents(corpora[0], found)
        others = rest[0][1] if rest else []
        return _statistics(ready.name, corpora[0].name, labels, rows, others, names, k, level)
    one = as_predictor(ready, _PURPOSE)
    two = one if other is None else as_predictor(other, _PURPOSE)

    def measured(corpus: Corpus) -> tuple[str, list[str], list[dict[str, float]]]:
        labels, rows, done = [], [], 0
        for document in corpus.documents():
            found = moments(one, two, document.data, settings)
            done += len(document.data)
            if progress is not None:
                progress(Step(done, corpus.total_bytes))
            if len(found):
                labels.append(document.name)
                rows.append(_of_document(document.data, found, k))
        if not rows:
            message = f"{corpus.name} has no document with a unit that is predicted"
            raise EmptyError(message)
        return corpus.name, labels, rows

    title, labels, rows = measured(corpora[0])
    others = measured(corpora[1])[2] if len(corpora) > 1 else []
    return _statistics(one.name, title, labels, rows, others, names, k, level)


def _statistics(
    model: str,
    text: str,
    labels: list[str],
    rows: list[dict[str, float]],
    others: list[dict[str, float]],
    names: tuple[str, ...],
    share: float,
    level: float,
) -> TextStatistics:
    found = tuple(_statistic(name, rows, others, level) for name in names)
    return TextStatistics(model, text, share, tuple(labels), found)


def _of_score(found: Score, names: tuple[str, ...], null: Any, share: float, level: float) -> TextStatistics:
    more = [name for name in names if name not in _OF_COSTS]
    if more:
        message = (
            f"{more[0]} needs whole predictions, and a score has only what each unit costs; give the model and the text"
        )
        raise InputError(message, value=more[0])
    if null is not None and not isinstance(null, Score):
        message = f"null is {shown(null)}; beside a score it must be a score, too"
        raise InputTypeError(message, value=null)
    if null is not None and null.signature.model != found.signature.model:
        message = f"the null was scored by {null.model}, and the text by {found.model}; score both by one model"
        raise IncomparableError(message)
    documents, rows = _rows_of_score(found, share)
    others = [] if null is None else _rows_of_score(null, share)[1]
    labels = [f"{found.text}:{document + 1}" if found.documents > 1 else found.text for document in documents]
    return _statistics(found.model, found.text, labels, rows, others, names, share, level)


def _rows_of_score(found: Score, share: float) -> tuple[list[int], list[dict[str, float]]]:
    documents, rows = [], []
    for document, data, logs in costs_of_documents(found):
        documents.append(document)
        rows.append(_of_costs(data, logs, share))
    if not rows:
        message = f"{found.text} has no document with a unit that is predicted"
        raise EmptyError(message)
    return documents, rows


def _names(at: str | Iterable[str]) -> tuple[str, ...]:
    parts = at.split(",") if isinstance(at, str) else items(at, "at", "names of statistics")
    found = [part.strip() if isinstance(part, str) else part for part in parts]
    wrong = [name for name in found if not isinstance(name, str) or name not in STATISTICS]
    if wrong or not found:
        unknown = shown(wrong[0]) if wrong else "nothing"
        message = f"{unknown} is no statistic; known are {', '.join(STATISTICS)}"
        raise ChoiceError(message, value=at)
    return tuple(dict.fromkeys(found))


def _of_costs(data: bytes, logprobs: Floats, share: float) -> dict[str, float]:
    nats = -math.fsum(logprobs) if np.isfinite(logprobs).all() else math.inf
    return {"min-k": min_k(logprobs, share), "zlib": nats / _LN2 / (8.0 * len(zlib.compress(data, 9)))}


def _of_document(data: bytes, found: Moments, share: float) -> dict[str, float]:
    nats = -math.fsum(found.logprobs) if np.isfinite(found.logprobs).all() else math.inf
    cross = -math.fsum(found.crosses) if np.isfinite(found.crosses).all() else math.inf
    return {
        **_of_costs(data, found.logprobs, share),
        "min-k++": min_k_plus(found, share),
        # An infinite cross-entropy is infinitely more than any finite perplexity.
        "binoculars": 0.0 if math.isinf(cross) and math.isfinite(nats) else nats / cross if cross > 0.0 else math.inf,
    }


def _statistic(name: str, rows: list[dict[str, float]], others: list[dict[str, float]], level: float) -> Statistic:
    values, null = (np.array([row[name] for row in found], dtype=np.float64) for found in (rows, others))
    mean = ratio_interval(replace(named(values, np.ones(len(values)), "record"), signed=True), level)
    below = (null[None, :] < values[:, None]).sum(axis=1) + 0.5 * (null[None, :] == values[:, None]).sum(axis=1)
    quantiles = below / len(null) if len(null) else np.zeros(0)
    return Statistic(name, values, mean, null, quantiles)


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
