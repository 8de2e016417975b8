"""Items with several answers: which one a model finds most likely, by sum, per byte, per character and per token."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.check import shown
from bitmeter._util.progress import Progress
from bitmeter._util.rendering import rendered
from bitmeter.errors import EmptyError, InputError, InputTypeError
from bitmeter.measure.aggregates import DocumentSums
from bitmeter.measure.answers.accuracy import Accuracy, accuracy, macro_accuracy, mean_margin
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.groups.averages import documents_interval
from bitmeter.measure.groups.rows import ends
from bitmeter.measure.interval.base import Interval
from bitmeter.measure.interval.ratio import ROUNDING
from bitmeter.measure.score import Score
from bitmeter.measure.scoring import score
from bitmeter.measure.signature import Signature
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.encoding import encode
from bitmeter.text.corpus.rows import Item, check_names, read_items, read_text, source_label
from bitmeter.text.units.counts import TextCounter

__all__ = ["WAYS", "Choices", "Way", "choose"]

_LN2 = math.log(2.0)
#: An index of an answer has fewer digits.
_LONGEST_INDEX = 10
#: How the costs of answers are compared, and what that means.
WAYS = {
    "sum": "the most likely answer",
    "byte": "the fewest bits per byte",
    "char": "the fewest bits per character",
    "token": "the fewest bits per token",
    "calibrated": "the answer that the context makes likelier most, against the prompt that is the same for all",
}


@dataclass(frozen=True, slots=True)
class Way:
    """The items, judged in one way.

    Attributes
    ----------
    name
        One of `WAYS`.
    accuracy
        How many items are right: the labelled answer is best. A tie of n answers for the best counts 1/n.
    margin
        The mean over items of how many bits (or bits per byte …) the labelled answer is better than the best other
        one; None if one is infinite.
    picked
        For each item the index of the best answer; of equals the first.
    by_group, macro
        The accuracy of each group, and the mean over groups, if items were grouped.
    """

    name: str
    accuracy: Accuracy
    margin: Interval | None
    picked: Ints = field(repr=False)
    by_group: Mapping[str, Accuracy] = field(default_factory=dict)
    macro: Interval | None = None


@dataclass(frozen=True, slots=True)
class Choices:
    """Items with several answers, under a model.

    Attributes
    ----------
    model, text
        Their names.
    signature
        The conventions under which all answers were scored.
    items, answers
        How many there are.
    ways
        By name, how the answers were compared.
    micro, macro
        Bits per byte of the labelled answers: over all of their bytes, and the mean over items.
    calibrate
        The prompt that is the same for all answers, if they were calibrated.
    nats, labels, bounds
        The cost of each answer; for each item the index of its labelled answer; where the answers of an item begin.
    notes
        Remarks for the reader.
    confidence
        Of the intervals.
    """

    model: str
    text: str
    signature: Signature
    items: int
    answers: int
    ways: Mapping[str, Way]
    micro: Interval | None
    macro: Interval | None
    calibrate: str | None
    nats: Floats = field(repr=False)
    labels: Ints = field(repr=False)
    bounds: Ints = field(repr=False)
    notes: tuple[str, ...] = ()
    confidence: float = 0.95

    def to_dict(self) -> dict[str, Any]:
        """All figures at full precision; infinity is the string "inf"."""
        return {
            "schema": "bitmeter.choices/1",
            "model": self.model,
            "text": self.text,
            "items": self.items,
            "answers": self.answers,
            "calibrate": self.calibrate,
            "ways": {name: _way(way) for name, way in self.ways.items()},
            "bits_per_byte": {"micro": ends(self.micro), "macro": ends(self.macro)},
            "confidence": self.confidence,
            "notes": list(self.notes),
            "signature": str(self.signature),
            "rows": [
                {
                    "nats": [value if math.isfinite(value) else "inf" for value in self.nats[a:b].tolist()],
                    "label": int(label),
                    **{f"picked_by_{name}": int(way.picked[i]) for name, way in self.ways.items()},
                }
                for i, (a, b, label) in enumerate(zip(self.bounds[:-1], self.bounds[1:], self.labels, strict=True))
            ],
        }

    def to_json(self) -> str:
        """The same as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def __str__(self) -> str:
        return rendered(self)


def choose(
    model: Any,
    items: Any,
    *,
    given: str = "question",
    choices: str = "choices",
    label: str = "label",
    calibrate: str | None = None,
    group: str | None = None,
    between: str | None = None,
    border: str | None = None,
    first: str | None = None,
    oov: str | None = None,
    norm: str | None = None,
    ctx: str | None = None,
    like: str = "bitmeter",
    confidence: float = 0.95,
    progress: Progress | None = None,
) -> Choices:
    r"""Let a model choose between the answers of each item.

    Parameters
    ----------
    model
        As for `score`.
    items
        JSON lines, CSV or TSV, a dataset, or a list of mappings.
    given
        The field of the context that stands before each answer.
    choices
        The field of the answers: a list of strings; or a mapping with the lists "text" and "label", as in ARC.
    label
        The field of the right answer: its index from 0, its text, or its name in the list "label".
    calibrate
        A prompt such as "Answer:". Each answer's cost after it is subtracted from that after its context, so that
        answers that are likely anyway are not preferred (pointwise mutual information).
    group
        A field by which accuracy is also given, such as "subject".
    between, border, first, oov, norm, ctx, like
        As for `score`, with the same defaults. With `like="lm-eval"`, lengths are those of the answers as written,
        without what stands before them.
    confidence
        Of the intervals.
    progress
        Called with a `Step` as the answers go by.

    Returns
    -------
    Choices
        Accuracy and margin in each way, and the bits per byte of the labelled answers.

    Examples
    --------
    >>> import bitmeter as bm
    >>> model = bm.NGram(order=2, units="bytes").fit(b"two and two is four\n" * 9)
    >>> found = bm.choose(model, [{"question": "two and two is ", "choices": ["four", "nine"], "label": 0}])
    >>> found.ways["sum"].accuracy.share
    1.0
    """
    check_names(given=given, choices=choices, label=label)
    check_names(group=group, optional=True)
    read = [_read(item, given, choices, label, group) for item in read_items(items)]
    if not read:
        message = "there are no items"
        raise EmptyError(message)
    _check_prompt(calibrate)
    bounds = np.concatenate(([0], np.cumsum([len(item.answers) for item in read]))).astype(np.int64)
    labels = np.array([item.label for item in read], dtype=np.int64)
    texts = [answer for item in read for answer in item.answers]
    keywords: dict[str, Any] = {
        "between": between, "border": border, "first": first, "oov": oov, "norm": norm, "ctx": ctx, "like": like,
        "confidence": confidence, "progress": progress,
    }  # fmt: skip
    contexts = [item.context for item in read for _ in item.answers]
    scored = _scored(model, contexts, texts, source_label(items), keywords)
    documents = _documents(scored)
    nats = documents.nats
    as_written = (border or convention(like).border) == "lm-eval"
    sizes = _written(texts) if as_written else {"byte": documents.bytes, "char": documents.chars}
    costs = {"sum": nats, **{way: _per(nats, sizes[way]) for way in ("byte", "char")}}
    costs["token"] = _per(nats, documents.tokens)
    if calibrate is not None:
        own = list(dict.fromkeys(texts))
        alone = dict(zip(own, _documents(_scored(model, [calibrate] * len(own), own, "", keywords)).nats, strict=True))
        costs["calibrated"] = _minus(nats, np.array([alone[text] for text in texts]))
    groups = None if group is None else [item.group for item in read]
    right = bounds[:-1] + labels
    docs = scored.docs
    return Choices(
        scored.model, scored.text, scored.signature, len(read), len(texts),
        {name: _judged(name, cost / _LN2, bounds, labels, groups, scored.confidence) for name, cost in costs.items()},
        documents_interval(documents, docs, "byte", scored.confidence, right),
        documents_interval(documents, docs, "byte", scored.confidence, right, macro=True),
        calibrate, nats, labels, bounds, (*_label_notes(read, label), *scored.own_notes), scored.confidence,
    )  # fmt: skip


def _check_prompt(calibrate: object) -> None:
    if calibrate is not None and not isinstance(calibrate, str):
        message = f"calibrate is {shown(calibrate)}; it must be a prompt, such as 'Answer:'"
        raise InputTypeError(message, value=calibrate)


@dataclass(frozen=True, slots=True)
class _Read:
    context: str
    answers: tuple[str, ...]
    label: int
    #: What was written, if it is a number but not a whole one of JSON.
    written: str
    group: str


def _read(item: Item, given: str, choices: str, label: str, group: str | None) -> _Read:
    context = read_text(item, given, "given")
    found, names = item.row.get(choices), None
    if isinstance(found, Mapping) and "text" in found:
        found, names = found["text"], found.get("label")
    if choices not in item.row:
        listed = ", ".join(map(shown, item.row))
        missing = f" has no field {choices!r}; it has {listed}. Choose one with --choices (choices=)"
        raise item.fail(missing)
    if not isinstance(found, Sequence) or isinstance(found, str) or not all(isinstance(x, str) for x in found):
        wrong = (
            f": {choices!r} is {shown(found)}; it must be a list of answers. Choose another with --choices (choices=)"
        )
        raise item.fail(wrong)
    if len(found) < 2 or any(not answer for answer in found):
        few = f": {choices!r} must have at least two answers, none of them empty; found {shown(found)}"
        raise item.fail(few)
    right = _label(item.row.get(label), found, names)
    if right is None:
        wrong = (
            f": {label!r} is {shown(item.row.get(label))}; it must be the index of one of the {len(found)} answers, "
            "from 0, or its text. Choose another with --label (label=)"
        )
        raise item.fail(wrong)
    return _Read(context, tuple(found), *right, "" if group is None else str(item.row.get(group)))


def _label(value: Any, answers: Sequence[str], names: Any) -> tuple[int, str] | None:
    """The index of the right answer, and what was written for it where that had to be read as a number."""
    if isinstance(names, Sequence) and not isinstance(names, str):
        return (list(names).index(value), "") if value in names else None
    if isinstance(value, str) and value in answers:
        return (list(answers).index(value), "") if answers.count(value) == 1 else None
    written = ""
    is_digits = isinstance(value, str) and value.isascii() and value.isdigit() and len(value) < _LONGEST_INDEX
    if is_digits or (isinstance(value, float) and value.is_integer()):
        value, written = int(value), repr(value)
    is_index = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(answers)
    return (value, written) if is_index else None


def _label_notes(read: list[_Read], label: str) -> tuple[str, ...]:
    found = [item.written for item in read if item.written]
    if not found:
        return ()
    number = f"{len(found):,} of {len(read):,} items" if len(found) < len(read) else "all items"
    return (f"{label!r} of {number} is a number such as {found[0]}; it was taken as the index, from 0",)


def _scored(model: Any, contexts: list[str], answers: list[str], name: str, keywords: dict[str, Any]) -> Score:
    rows = [{"context": a, "answer": b} for a, b in zip(contexts, answers, strict=True)]
    return score(model, Corpus.from_records(rows, field="answer", name=name), given="context", **keywords)


def _documents(found: Score) -> DocumentSums:
    if found.by_document is None or found.by_document.sizes is not None:
        message = f"{found.documents:,} answers are too many to keep one by one; give the items in several files"
        raise InputError(message)
    return found.by_document


def _written(texts: list[str]) -> dict[str, Ints]:
    data = [encode(text) for text in texts]
    ends = np.cumsum([len(text) for text in data])
    found = TextCounter().feed(b"".join(data), ends)
    return {"byte": np.diff(ends, prepend=0), "char": np.asarray(found.chars[: len(texts)])}


def _per(nats: Floats, sizes: Ints) -> Floats:
    """An answer without a unit costs nothing per unit."""
    return np.divide(nats, sizes, out=np.zeros(len(nats)), where=sizes > 0)


def _minus(nats: Floats, alone: Floats) -> Floats:
    """What remains of infinite costs is infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isinf(nats), np.inf, nats - alone)


def _judged(name: str, costs: Floats, bounds: Ints, labels: Ints, groups: list[str] | None, confidence: float) -> Way:
    """Which answers are best, and by how much the labelled one is better than the others."""
    best = np.minimum.reduceat(costs, bounds[:-1])
    limit = np.repeat(best + ROUNDING * np.abs(best), np.diff(bounds))  # a difference that is rounding is a tie
    is_best: Bools = costs <= limit
    tied = np.add.reduceat(is_best.astype(np.int64), bounds[:-1])
    right = bounds[:-1] + labels
    points = np.where(is_best[right], 1.0 / tied, 0.0)
    others = costs.copy()
    others[right] = np.inf
    with np.errstate(invalid="ignore"):
        margins = np.minimum.reduceat(others, bounds[:-1]) - costs[right]
    margins = np.where(np.isnan(margins), 0.0, margins)  # both are infinite
    places = np.where(is_best, np.arange(len(costs)), len(costs))
    picked = np.minimum.reduceat(places, bounds[:-1]) - bounds[:-1]
    ties = (tied > 1) & is_best[right]
    by_group = {}
    if groups is not None:
        of_item = np.array(groups)
        for group in dict.fromkeys(groups):
            chosen = of_item == group
            by_group[group] = accuracy(points[chosen], ties[chosen], confidence)
    macro = macro_accuracy(list(by_group.values()), confidence) if by_group else None
    return Way(name, accuracy(points, ties, confidence), mean_margin(margins, confidence), picked, by_group, macro)


def _accuracy(found: Accuracy) -> dict[str, Any]:
    return {"right": found.right, "items": found.items, "ties": found.ties, **(ends(found.interval) or {})}


def _way(way: Way) -> dict[str, Any]:
    groups = {name: _accuracy(found) for name, found in way.by_group.items()}
    return {
        "accuracy": _accuracy(way.accuracy),
        "margin": ends(way.margin),
        **({"groups": groups, "macro": ends(way.macro)} if groups else {}),
    }
