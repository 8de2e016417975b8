"""One row per group of a score, and their average."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bitmeter.errors import UndefinedError
from bitmeter.measure.aggregates import DocumentSums, Per
from bitmeter.measure.groups.averages import documents_interval, macro_of_groups
from bitmeter.measure.groups.sums import GroupSums
from bitmeter.measure.interval.base import Interval

__all__ = ["Group", "Grouped", "ends", "groups_dict", "groups_of", "macro", "source_means", "sums_of"]

_LN2 = math.log(2.0)
_COUNTS = ("bytes", "chars", "words", "tokens", "documents")


@dataclass(frozen=True, slots=True)
class Group:
    """One group of a score.

    Attributes
    ----------
    name
        The value of the field, or the path.
    nats
        What it cost.
    bytes, chars, words, tokens, documents
        Counts.
    figure
        Bits per byte, or per token for a closed vocabulary (`Score.figure_per`); None where there is nothing to divide
        by.
    interval
        Of the figure, by document or cluster of documents; it holds for this group, not for all groups at once.
    source
        The source to which the domain belongs, if there are two levels; else "".
    """

    name: str
    nats: float
    bytes: int
    chars: int
    words: int
    tokens: int
    documents: int
    figure: float | None
    interval: Interval | None
    source: str = ""


class Grouped(Protocol):
    """What is needed of a score."""

    @property
    def model(self) -> str:
        """The name of the model."""

    @property
    def text(self) -> str:
        """The name of the text."""

    @property
    def docs(self) -> str:
        """What one document is."""

    @property
    def confidence(self) -> float:
        """The level of intervals."""

    @property
    def figure_per(self) -> Per:
        """What figures are per."""

    @property
    def by_document(self) -> DocumentSums | None:
        """The sums by document."""

    @property
    def by_group(self) -> GroupSums | None:
        """The sums by group."""


def sums_of(score: Grouped) -> GroupSums:
    """The sums of the groups; an error if it was scored without."""
    if score.by_group is None:
        message = f"{score.model} on {score.text} was scored without groups; score with group=… (--group)"
        raise UndefinedError(message)
    return score.by_group


def groups_of(score: Grouped) -> tuple[Group, ...]:
    """The groups of a score, in the order of the text.

    Examples
    --------
    >>> import bitmeter as bm
    >>> rows = [{"text": "one", "domain": "a"}, {"text": "two!", "domain": "b"}, {"text": "three", "domain": "a"}]
    >>> found = bm.score("uniform", bm.Corpus.from_records(rows), group="domain")
    >>> [(group.name, group.figure, group.bytes) for group in found.groups]
    [('a', 8.0, 8), ('b', 8.0, 4)]
    """
    sums, per = sums_of(score), score.figure_per
    sizes = sums.bytes if per == "byte" else sums.tokens
    nats = sums.nats
    found = []
    for k, name in enumerate(sums.names):
        size = int(sizes[k])
        interval = None
        if sums.rows is not None and score.by_document is not None and size:
            rows = np.flatnonzero(sums.rows == k)
            interval = documents_interval(score.by_document, score.docs, per, score.confidence, rows)
        count = {key: int(getattr(sums, key)[k]) for key in _COUNTS}
        figure = float(nats[k]) / size / _LN2 if size else None
        source = sums.sources[k] if sums.sources else ""
        found.append(Group(name=name, nats=float(nats[k]), figure=figure, interval=interval, source=source, **count))
    return tuple(found)


def macro(score: Grouped) -> Interval | None:
    """The mean of the figures of the groups, each weighed alike; groups without bytes are left out.

    With two levels, the mean over sources of the mean over the domains of each.
    """
    if not sums_of(score).sources:
        return _mean(groups_of(score), score.confidence)
    parts = [mean for mean in source_means(score).values() if mean is not None]
    return macro_of_groups([mean.estimate for mean in parts], parts, score.confidence) if parts else None


def source_means(score: Grouped) -> dict[str, Interval | None]:
    """The mean over the domains of each source, in the order of the text; empty if there is one level.

    Examples
    --------
    >>> import bitmeter as bm
    >>> rows = [{"text": "abcd", "source": "web", "domain": name} for name in "xy"]
    >>> found = bm.score("uniform", bm.Corpus.from_records(rows), group="source,domain")
    >>> source_means(found)["web"].estimate
    8.0
    """
    groups = groups_of(score) if sums_of(score).sources else ()
    names = dict.fromkeys(group.source for group in groups)
    return {name: _mean([group for group in groups if group.source == name], score.confidence) for name in names}


def _mean(groups: Sequence[Group], confidence: float) -> Interval | None:
    sized = [group for group in groups if group.figure is not None]
    if not sized:
        return None
    return macro_of_groups([group.figure or 0.0 for group in sized], [group.interval for group in sized], confidence)


def ends(found: Interval | None) -> dict[str, float | str | None] | None:
    """An estimate and the ends of its interval, as JSON has them; infinity is the string "inf".

    Examples
    --------
    >>> ends(Interval(1.0, 3.0, 2.0, 0.5, 0.95, "x", 9, 8.0))
    {'estimate': 2.0, 'low': 1.0, 'high': 3.0}
    """
    return None if found is None else {"estimate": _number(found.estimate), "low": found.low, "high": found.high}


def groups_dict(score: Grouped, micro: Interval | None) -> dict[str, object]:
    """The figures that follow from the sums by group, for those who read JSON; a saved run is read without them."""
    figure = f"bits_per_{score.figure_per}"
    rows = [
        {
            "name": group.name,
            figure: None if group.figure is None else _number(group.figure),
            "low": None if group.interval is None else group.interval.low,
            "high": None if group.interval is None else group.interval.high,
            "bytes": group.bytes,
            "documents": group.documents,
        }
        for group in groups_of(score)
    ]
    sources = {name: ends(mean) for name, mean in source_means(score).items()}
    return {
        "kind": sums_of(score).kind,
        "micro": ends(micro),
        "macro": ends(macro(score)),
        **({"sources": sources} if sources else {}),
        "rows": rows,
    }


def _number(value: float) -> float | str:
    return value if math.isfinite(value) else str(value)
