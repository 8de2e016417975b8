"""Minimal pairs: which of two sentences a model prefers."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeAlias

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.check import choice, real
from bitmeter._util.frames import Column, Tabular
from bitmeter._util.progress import Progress, Step
from bitmeter._util.rendering import InNotebooks, rendered
from bitmeter.errors import EmptyError, InputError, ModelError
from bitmeter.measure.answers.accuracy import Accuracy, accuracy, macro_accuracy, mean_margin
from bitmeter.measure.interval.base import Interval
from bitmeter.measure.interval.ratio import ROUNDING
from bitmeter.measure.score import Score
from bitmeter.measure.scoring import score
from bitmeter.models.protocols import Compressor, PseudoScorer
from bitmeter.models.registry import resolve_any
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.encoding import encode
from bitmeter.text.corpus.rows import Item, check_names, read_items, read_text, source_label
from bitmeter.text.units.counts import TextCounter

__all__ = ["PAIR_PER", "PairGroup", "PairPer", "Preferences", "prefer"]

_LN2 = math.log(2.0)
#: What the cost of a sentence is divided by before two are compared.
PairPer: TypeAlias = Literal["total", "byte", "char", "token", "word"]
PAIR_PER: tuple[PairPer, ...] = ("total", "byte", "char", "token", "word")
#: Fields by which pairs are known, and by which they are grouped: our own, and BLiMP's.
_PAIRS = (("good", "bad"), ("sentence_good", "sentence_bad"))
_GROUPS = ("group", "UID")


@dataclass(frozen=True, slots=True)
class PairGroup:
    """The pairs of one group.

    Attributes
    ----------
    name
        The value of the field.
    accuracy
        How often the good sentence is preferred; a tie counts half.
    margin
        The mean of how many bits (or bits per byte …) the good sentence is cheaper; None if one is infinite.
    """

    name: str
    accuracy: Accuracy
    margin: Interval | None


@dataclass(frozen=True, slots=True)
class Preferences(Tabular, InNotebooks):
    r"""Which sentence of each pair a model prefers.

    Attributes
    ----------
    model, text
        Their names.
    per
        What costs were divided by before they were compared.
    pseudo
        Whether costs are pseudo-log-likelihoods of a masked model, which are no probabilities of sentences: from them
        follows no perplexity.
    accuracy, margin
        Over all pairs (micro average).
    macro
        The mean of the accuracies of the groups; None without groups.
    groups
        One per value of the group's field, in the order of the pairs.
    good, bad
        The cost of each sentence in nats.
    sizes
        By what they were divided: two columns, of good and bad.
    names
        The group of each pair.
    signature
        The conventions as one line.
    notes
        Remarks for the reader.
    confidence
        Of the intervals, each of which holds by itself.
    score
        Of all sentences, good and bad in turn; None for a masked model.
    """

    model: str
    text: str
    per: PairPer
    pseudo: bool
    accuracy: Accuracy
    margin: Interval | None
    macro: Interval | None
    groups: tuple[PairGroup, ...]
    good: Floats = field(repr=False)
    bad: Floats = field(repr=False)
    sizes: Ints = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    signature: str = ""
    notes: tuple[str, ...] = ()
    confidence: float = 0.95
    score: Score | None = field(default=None, repr=False)

    def __len__(self) -> int:
        return len(self.good)

    @property
    def margins(self) -> Floats:
        """For each pair how many bits (or bits per byte …) the good sentence is cheaper; infinite where one is."""
        return _margins(self.good, self.bad, self.sizes)

    def to_dict(self) -> dict[str, Any]:
        """All figures at full precision, but the pairs."""
        groups = [{"name": g.name, "accuracy": _accuracy(g.accuracy), "margin": _ends(g.margin)} for g in self.groups]
        return {
            "schema": "bitmeter.preferences/1",
            "model": self.model,
            "text": self.text,
            "per": self.per,
            "pseudo": self.pseudo,
            "pairs": len(self),
            "accuracy": _accuracy(self.accuracy),
            "macro": _ends(self.macro),
            "margin": _ends(self.margin),
            "groups": groups,
            "confidence": self.confidence,
            "notes": list(self.notes),
            "short": self.short,
            "signature": self.signature,
        }

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @property
    def short(self) -> str | None:
        """The short signature of the score of all sentences; None for a masked model, which has none."""
        return None if self.score is None else self.score.signature.short

    def to_columns(self) -> dict[str, Column]:
        """One row per pair, for `to_pandas`, `to_polars` and `to_arrow`.

        Examples
        --------
        >>> import bitmeter as bm
        >>> found = bm.prefer("kt", [{"good": "ab", "bad": "abc"}]).to_columns()
        >>> list(found), found["margin_bits"].round(3).tolist()
        (['pair', 'group', 'good_bits', 'bad_bits', 'margin_bits'], [8.022])
        """
        return {
            "pair": np.arange(1, len(self) + 1), "group": [name or None for name in self.names],
            "good_bits": self.good / _LN2, "bad_bits": self.bad / _LN2, "margin_bits": self.margins,
        }  # fmt: skip

    def _metadata(self) -> dict[str, str]:
        return {"signature": self.signature}

    def __str__(self) -> str:
        return rendered(self)

    def __repr__(self) -> str:
        share = f"{100.0 * self.accuracy.share:.1f} %"
        return f"Preferences({self.model} on {self.text}: {share} of {len(self):,} pairs, {self.short or 'pseudo'})"


def prefer(
    model: Any,
    pairs: Any,
    *,
    good: str | None = None,
    bad: str | None = None,
    group: str | None = None,
    per: PairPer = "total",
    first: str | None = None,
    eos: str | None = None,
    oov: str | None = None,
    norm: str | None = None,
    ctx: str | None = None,
    confidence: float = 0.95,
    progress: Progress | None = None,
) -> Preferences:
    r"""Which sentence of each pair a model prefers.

    Parameters
    ----------
    model
        As for `score`, or a masked model ("mlm:PATH"), which is scored by its pseudo-log-likelihood.
    pairs
        JSON lines, CSV or TSV, several files, a dataset, or a list of mappings; BLiMP's files as they are.
    good, bad
        The fields of the sentences; by default "good" and "bad", or "sentence_good" and "sentence_bad".
    group
        The field by which figures are also given; by default "group" or "UID", where the first pair has one.
    per
        What costs are divided by before they are compared: "total" for nothing, as BLiMP does; "byte", "char", "token"
        or "word".
    first, eos, oov, norm, ctx
        As for `score`. Each sentence is a document of its own; a model that learns starts afresh for each.
    confidence
        Of the intervals: Wilson's for accuracies, of which each holds by itself; of margins, each pair is one
        observation.
    progress
        Called with a `Step` as the sentences go by.

    Returns
    -------
    Preferences
        Accuracy and margin, by group and over all pairs. A tie counts half.

    Examples
    --------
    >>> import bitmeter as bm
    >>> model = bm.NGram(order=3).fit(b"the cats sleep\nthe cat sleeps\n" * 9)
    >>> pairs = [{"good": "the cats sleep", "bad": "the cats sleeps"}, {"good": "a", "bad": "a"}]
    >>> found = bm.prefer(model, pairs)
    >>> found.accuracy.share, found.accuracy.ties
    (0.75, 1)
    """
    choice(per, "per", PAIR_PER)
    level = real(confidence, "confidence", low=0.5, high=0.9999)
    check_names(good=good, bad=bad, group=group, optional=True)
    names, texts = _read(pairs, good, bad, group)
    sentences = [encode(text) for text in texts]
    found = resolve_any(model)
    label = source_label(pairs)
    scored = None
    if isinstance(found, PseudoScorer):
        unused = {"first": first, "eos": eos, "oov": oov, "norm": norm, "ctx": ctx}
        wrong = next((name for name, value in unused.items() if value is not None), None)
        if wrong is not None:
            message = f"{found.name} is a masked model, which has no {wrong}; leave it out (--{wrong})"
            raise ModelError(message, value=wrong)
        watch = None if progress is None else (lambda done, of: progress(Step(done, of, "sentences")))
        nats, tokens = found.pseudo(sentences, watch)
        shown, notes = found.name, found.caveats
        signature = f"pseudo:{found.metric}|model:{found.name}/{found.fingerprint}|per:{per}"
    elif isinstance(found, Compressor):
        message = f"{found.name} gives the size of a whole file, which says too little about a sentence; use a model"
        raise ModelError(message, value=found.name)
    else:
        rows = [{"context": "", "sentence": text} for text in texts]
        scored = score(
            found, Corpus.from_records(rows, field="sentence", name=label), given="context", first=first, eos=eos,
            oov=oov, norm=norm, ctx=ctx, confidence=level, progress=progress,
        )  # fmt: skip
        documents = scored.by_document
        if documents is None or documents.sizes is not None:
            message = f"{len(names):,} pairs are too many to keep one by one; give them in several files"
            raise InputError(message)
        nats, tokens, shown = documents.nats, documents.tokens, scored.model
        of_contexts = ("each answer is given", f"{scored.model} starts afresh")
        notes = tuple(note for note in scored.own_notes if not note.startswith(of_contexts))
        if found.traits.learns:
            notes += (f"{scored.model} starts afresh for each sentence",)
        signature = f"{scored.signature.but(given='none', interval='none')}|per:{per}"
    sizes = _sizes(sentences, tokens, per).reshape(-1, 2)
    judged = _judged(shown, label, per, nats, sizes, names, level, signature, notes, isinstance(found, PseudoScorer))
    return replace(judged, score=scored)


def _read(pairs: Any, good: str | None, bad: str | None, group: str | None) -> tuple[list[str], list[str]]:
    """The group of each pair, and the sentences, good and bad in turn."""
    names: list[str] = []
    texts: list[str] = []
    fields: tuple[str, str] | None = None if good is None or bad is None else (good, bad)
    by: str | None = group
    for item in read_items(pairs):
        if fields is None:
            own = next((pair for pair in _PAIRS if pair[0] in item.row), _PAIRS[0])
            fields = good or own[0], bad or own[1]
        if not names and by is None:
            by = next((name for name in _GROUPS if name in item.row), None)
        both = [read_text(item, fields[0], "good"), read_text(item, fields[1], "bad")]
        if not all(both):
            empty = fields[0 if not both[0] else 1]
            wrong = f": {empty!r} is empty, and a sentence without a unit costs nothing; leave such pairs out"
            raise item.fail(wrong)
        texts += both
        names.append("" if by is None else _name(item, by))
    if not names:
        message = "there are no pairs"
        raise EmptyError(message)
    return names, texts


def _name(item: Item, by: str) -> str:
    value = item.row.get(by)
    if not isinstance(value, str | int):
        wrong = f" has no {by!r} to group by, or one that is no name; choose another field with group=… (--group)"
        raise item.fail(wrong)
    return str(value)


def _sizes(sentences: list[bytes], tokens: Ints, per: PairPer) -> Ints:
    if per == "total":
        return np.ones(len(sentences), dtype=np.int64)
    if per == "token":
        return tokens
    lengths = np.array([len(sentence) for sentence in sentences], dtype=np.int64)
    if per == "byte":
        return lengths
    counted = TextCounter().feed(b"".join(sentences), np.cumsum(lengths))
    return np.asarray((counted.chars if per == "char" else counted.words)[: len(sentences)])


def _margins(good: Floats, bad: Floats, sizes: Ints) -> Floats:
    """Positive where the good sentence is cheaper; 0 where both are infinite."""
    per = np.maximum(sizes, 1)
    with np.errstate(invalid="ignore"):
        found = (bad / per[:, 1] - good / per[:, 0]) / _LN2
    # A difference that is rounding is a tie.
    small = np.abs(found) <= ROUNDING * (np.abs(bad / per[:, 1]) + np.abs(good / per[:, 0]))
    return np.where(np.isnan(found) | (small & np.isfinite(found)), 0.0, found)


def _judged(
    model: str,
    text: str,
    per: PairPer,
    nats: Floats,
    sizes: Ints,
    names: list[str],
    confidence: float,
    signature: str,
    notes: tuple[str, ...],
    pseudo: bool,  # noqa: FBT001
) -> Preferences:
    good, bad = np.ascontiguousarray(nats[0::2]), np.ascontiguousarray(nats[1::2])
    margins = _margins(good, bad, sizes)
    points = np.where(margins > 0.0, 1.0, np.where(margins == 0.0, 0.5, 0.0))
    groups = []
    of_pair = np.array(names)
    for name in dict.fromkeys(names) if any(names) else ():
        chosen = of_pair == name
        tied = margins[chosen] == 0.0
        groups.append(
            PairGroup(name, accuracy(points[chosen], tied, confidence), mean_margin(margins[chosen], confidence))
        )
    both = int(np.count_nonzero(np.isinf(good) & np.isinf(bad)))
    said = "1 pair is impossible on both sides, and counts as a tie"
    if both > 1:
        said = f"{both:,} pairs are impossible on both sides, and count as ties"
    more = (said,) if both else ()
    return Preferences(
        model, text, per, pseudo, accuracy(points, margins == 0.0, confidence), mean_margin(margins, confidence),
        macro_accuracy([group.accuracy for group in groups], confidence) if groups else None,
        tuple(groups), good, bad, sizes, tuple(names), signature, (*notes, *more), confidence,
    )  # fmt: skip


def _accuracy(found: Accuracy) -> dict[str, Any]:
    return {"right": found.right, "pairs": found.items, "ties": found.ties, **(_ends(found.interval) or {})}


def _ends(found: Interval | None) -> Mapping[str, float | None] | None:
    return None if found is None else {"estimate": found.estimate, "low": found.low, "high": found.high}
