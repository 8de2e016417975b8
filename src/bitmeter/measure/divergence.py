"""How far the predictions of two models lie apart on one text, unit by unit: a quantised model against its original.

Models that see windows read the same ones side by side; others go through each document unit by unit. Only what a few
positions need is held at once: no logits are kept.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter._util.progress import Progress, Step
from bitmeter._util.rendering import rendered
from bitmeter.errors import EmptyError, IncomparableError, ModelError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.options import Settings, settle
from bitmeter.measure.run import signature_of
from bitmeter.measure.scoring import _corpus
from bitmeter.measure.signature import Signature, units_value
from bitmeter.measure.sums import CountTotals
from bitmeter.measure.window_sums import in_windows, with_windows, without_windows
from bitmeter.models.protocols import OpenVocabulary, Predictor, Stepper, WindowedPredictor
from bitmeter.models.registry import resolve
from bitmeter.text.blocks import split_corpus
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import BLANK, Split

__all__ = ["Divergence", "as_predictor", "divergence", "rows_of_both"]

#: Rows of ln p, rows of ln q, and the entry of each row that came.
Rows: TypeAlias = tuple[Floats, Floats, Ints]

_LN2 = math.log(2.0)
#: Bytes of a block of which a text is stepped through unit by unit; progress is reported after each.
_STEPPED = 1 << 12
#: The shares at which the distribution over tokens is shown.
PERCENTILES = (0.1, 1.0, 5.0, 10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9)


@dataclass(frozen=True, slots=True, eq=False)
class Divergence:
    """How far the predictions of one model lie from another's.

    Attributes
    ----------
    first, second
        The names of the models; the first is the truth in D(first‖second).
    text
        The text's name.
    nats
        D(first‖second) of each token's prediction, in nats; inf where the second gives no probability to what the first
        does.
    same_top
        Whether both have the same most likely token, for each token.
    first_logprobs, second_logprobs
        ln p of the token that came, under each.
    documents, bytes, chars, words
        Counts of the text.
    signatures
        The conventions under which each model predicted.
    """

    first: str
    second: str
    text: str
    nats: Floats
    same_top: Bools
    first_logprobs: Floats
    second_logprobs: Floats
    documents: int = 0
    bytes: int = 0
    chars: int = 0
    words: int = 0
    signatures: tuple[Signature, Signature] = (Signature(), Signature())

    def __len__(self) -> int:
        return len(self.nats)

    @property
    def mean(self) -> float:
        """The mean divergence, in bits per token."""
        return math.fsum(self.nats) / len(self) / _LN2 if np.isfinite(self.nats).all() else math.inf

    @property
    def error(self) -> float:
        """One standard error of the mean, in bits, as if tokens did not depend on each other."""
        if len(self) < 2 or not np.isfinite(self.nats).all():
            return math.inf
        return float(np.std(self.nats, ddof=1)) / math.sqrt(len(self)) / _LN2

    @property
    def same_top_rate(self) -> float:
        """The share of tokens for which both have the same most likely one."""
        return float(np.mean(self.same_top))

    @property
    def log_ratio(self) -> float:
        """By how many bits per token the second's cross-entropy is higher: the mean of log p − log q of what came."""
        same = self.first_logprobs == self.second_logprobs  # also where neither gives it any probability
        with np.errstate(invalid="ignore"):
            ratios = np.where(same, 0.0, self.first_logprobs - self.second_logprobs)
        if np.isinf(ratios).any():
            return math.inf if np.isposinf(ratios).any() else -math.inf
        return math.fsum(ratios) / len(self) / _LN2

    @property
    def probability_error(self) -> float:
        """The root of the mean squared difference of the probabilities of what came."""
        return float(np.sqrt(np.mean((np.exp(self.first_logprobs) - np.exp(self.second_logprobs)) ** 2)))

    def percentile(self, share: float) -> float:
        """The divergence, in bits, below which this share of the tokens, in per cent, lies."""
        return float(np.percentile(self.nats, share, method="inverted_cdf")) / _LN2

    def to_dict(self) -> dict[str, Any]:
        """The figures, as JSON has them; infinity as the string "inf"."""
        found: dict[str, float] = {
            "mean": self.mean, "error": self.error, "max": self.percentile(100.0), "min": self.percentile(0.0),
            "same_top_rate": self.same_top_rate, "log_ratio": self.log_ratio,
            "probability_error": self.probability_error,
        }  # fmt: skip
        shown = {name: value if math.isfinite(value) else str(value) for name, value in found.items()}
        shares = {f"{share:g}": self.percentile(share) for share in PERCENTILES}
        return {
            "first": self.first, "second": self.second, "text": self.text, "tokens": len(self), **shown,
            "percentiles": {k: v if math.isfinite(v) else str(v) for k, v in shares.items()},
        }  # fmt: skip

    def __str__(self) -> str:
        return rendered(self)


def divergence(
    first: Any,
    second: Any,
    text: Any,
    *,
    docs: str | None = None,
    field: str | None = None,
    ctx: str | None = None,
    progress: Progress | None = None,
) -> Divergence:
    """How far the predictions of two models of the same units lie apart on a text.

    Parameters
    ----------
    first
        The model that is taken for the truth, such as the original.
    second
        The model that is measured by it, such as a quantised one.
    text
        As for `score`.
    docs, field, ctx
        As for `score`; models that see windows both read in those that the first has. The ends of documents are not
        predicted, and an unknown word is the outcome `<unk>`.
    progress
        Called as the text goes by.

    Returns
    -------
    Divergence
        D(first‖second) of every token's prediction, and what can be said of them.

    Examples
    --------
    >>> import bitmeter as bm
    >>> round(bm.divergence("uniform", "kt", b"ab").mean, 6)  # the first byte is uniform under both
    0.002518
    """
    chosen = settle(convention("bitmeter"), docs, field, None, None, None, None, None, ctx, 0.95)
    one, two = as_predictor(first), as_predictor(second)
    sizes = len(one.outcomes), len(two.outcomes)
    if sizes[0] != sizes[1] or not _same_outcomes(one, two):
        apart = f"{one.units.name}, {sizes[0]:,} of them; {two.units.name}, {sizes[1]:,}"
        if sizes[0] == sizes[1]:
            apart = f"{sizes[0]:,} each, but not the same, or in another order"
        message = (
            f"{one.name} and {two.name} do not predict the same outcomes ({apart}), so their predictions have no "
            "divergence; compare their bits per byte instead: bitmeter compare"
        )
        raise IncomparableError(message)
    corpus = _corpus(text, chosen)
    parts: list[tuple[Floats, ...]] = []
    counts = CountTotals()
    for done, rows in rows_of_both(one, two, corpus, chosen, counts):
        parts += (_compared(one, two, *found) for found in rows)
        if progress is not None:
            progress(Step(done, corpus.total_bytes))
    if not sum(len(part[0]) for part in parts):
        message = f"{corpus.name} has no unit that is predicted, so there is nothing to compare"
        raise EmptyError(message)
    nats, same, own, theirs = (np.concatenate(column) for column in zip(*parts, strict=True))
    length, chars, words = counts.finished()[0].sum(axis=0).tolist()
    return Divergence(
        *_distinct_names(one, two), corpus.name, nats, same.astype(np.bool_), own, theirs,
        counts.documents, length, chars, words,
        (_signature(one, corpus, chosen, length, counts), _signature(two, corpus, chosen, length, counts)),
    )  # fmt: skip


def _signature(model: Predictor, corpus: Corpus, settings: Settings, length: int, counts: CountTotals) -> Signature:
    """The conventions of a model's predictions: unknown words are their class, ends are not predicted."""
    oov = "class" if isinstance(model, OpenVocabulary) and "class" in model.traits.oov else "none"
    settled = replace(with_windows(model, settings)[1], oov=oov)
    return signature_of(model.name, model.fingerprint, corpus, settled, length, counts.documents).but(
        units=units_value(model.units), precision=model.traits.precision
    )


def as_predictor(model: Any, purpose: str = "a divergence needs two models that do") -> Predictor:
    """A model that exposes the distribution of the next unit; an unknown word is one of its outcomes."""
    found = resolve(model)
    if not isinstance(found, Predictor):
        message = (
            f"{found.name} does not expose the distribution of the next unit; {purpose}, "
            "such as hf:PATH, an n-gram model or kt"
        )
        raise ModelError(message, value=model)
    if isinstance(found, OpenVocabulary) and "class" in found.traits.oov:
        return found.with_oov("class")
    return found


def _same_outcomes(one: Predictor, two: Predictor) -> bool:
    """Whether entries of both stand for the same units."""
    if isinstance(one, WindowedPredictor) or not (one.outcomes.named and two.outcomes.named):
        return one.units == two.units
    # The units of an n-gram model hold its vocabulary and are never equal to another's; the names of the words are.
    return (
        one.units.name == two.units.name
        and one.outcomes.names == two.outcomes.names
        and np.array_equal(one.outcomes.ids, two.outcomes.ids)
    )


def rows_of_both(
    one: Predictor, two: Predictor, corpus: Corpus, settings: Settings, counts: CountTotals | None = None
) -> Iterator[tuple[int, Iterator[Rows]]]:
    """For each block of the text: the offset of its end, and rows of ln p, rows of ln q, and the entries that came.

    A model beside itself predicts once. The text itself is counted on the way, if counts are given.
    """
    if isinstance(one, WindowedPredictor) and isinstance(two, WindowedPredictor):
        reader, settled = in_windows(one, settings)
        other = reader if two is one else in_windows(two, settled)[0].with_windowing(reader.windowing)
        for block in split_corpus(corpus, reader.units, reader.traits.block_bytes):
            if counts is not None:
                counts.add(block.data, block.ends)
            yield block.offset + len(block.data), _by_windows(reader, other, block.split.ids, block.split.bounds)
        return
    for model in (one, two):
        if isinstance(model, WindowedPredictor):
            message = (
                f"{model.name} reads in windows and the other model does not, so that they would predict from "
                "different histories; compare their bits per byte instead: bitmeter compare"
            )
            raise IncomparableError(message)
        without_windows(model.name, settings)
    steppers = (one.stepper(),) if two is one else (one.stepper(), two.stepper())
    for block in split_corpus(corpus, one.units, _STEPPED):
        if counts is not None:
            counts.add(block.data, block.ends)
        found = _by_steps(one, steppers, block.split, continues=block.continues)
        yield block.offset + len(block.data), found


def _by_steps(model: Predictor, steppers: tuple[Stepper, ...], split: Split, *, continues: bool) -> Iterator[Rows]:
    starts = set(split.bounds[1 if continues else 0 : -1].tolist())
    entries = model.outcomes.index(split.ids)
    for at, (unit, entry) in enumerate(zip(split.ids.tolist(), entries.tolist(), strict=True)):
        if at in starts:
            for stepper in steppers:
                stepper.begin()
        if unit == BLANK:
            continue
        if not 0 <= entry < len(model.outcomes):
            message = (
                f"{model.name} predicts {len(model.outcomes):,} outcomes, and the unit id {unit} is none of "
                "them, so there is no divergence on this text"
            )
            raise ModelError(message, value=unit)
        rows = [stepper.predict()[None] for stepper in steppers]
        yield rows[0], rows[-1], np.array([[entry]])
        for stepper in steppers:
            stepper.take(unit)


def _distinct_names(one: Predictor, two: Predictor) -> tuple[str, str]:
    """The names of two models, with their precision where they have one name: quantised against original, often."""
    if one.name != two.name or one.traits.precision == two.traits.precision:
        return one.name, two.name
    return f"{one.name} ({one.traits.precision})", f"{two.name} ({two.traits.precision})"


def _by_windows(one: WindowedPredictor, two: WindowedPredictor, ids: Ids, bounds: Ints) -> Iterator[Rows]:
    tokens = np.asarray(ids, dtype=np.int64)
    if ((tokens < 0) | (tokens >= len(one.outcomes))).any():  # a document of which the tokenizer kept nothing
        known = (tokens >= 0) & (tokens < len(one.outcomes))
        tokens, bounds = tokens[known], np.concatenate(([0], np.cumsum(known)))[bounds]
    plan = one.plan(bounds)
    for sequence, lead in zip(*one.sequences(tokens, plan), strict=True):
        if lead < len(sequence):
            yield from _window(one, two, sequence, lead)


def _window(one: WindowedPredictor, two: WindowedPredictor, sequence: Ints, lead: int) -> Iterator[Rows]:
    at = lead
    rows = [model.predictions(sequence, lead) for model in ((one,) if two is one else (one, two))]
    for found in zip(*rows, strict=True):
        p, q = found[0], found[-1]
        truth = sequence[at : at + len(p), None]
        at += len(p)
        yield p, q, truth


def _compared(one: Predictor, two: Predictor, p: Floats, q: Floats, truth: Ints) -> tuple[Floats, ...]:
    """For rows of ln p and ln q: D(p‖q), whether the most likely agree, and ln p and ln q of what came."""
    for model, rows in ((one, p), (two, q)):
        if np.isnan(rows).any():
            message = f"{model.name} gave NaN among its predictions, so its divergence does not exist"
            raise ModelError(message)
    weights = np.exp(p)
    with np.errstate(invalid="ignore"):
        terms = np.where(weights > 0.0, weights * (p - q), 0.0)
    own, theirs = (np.take_along_axis(rows, truth, axis=1)[:, 0] for rows in (p, q))
    same = (p.argmax(axis=1) == q.argmax(axis=1)).astype(np.float64)
    return np.maximum(terms.sum(axis=1), 0.0), same, own, theirs
