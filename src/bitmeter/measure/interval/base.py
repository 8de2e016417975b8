"""What an interval is, and what a method must offer that computes one from a score."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

from bitmeter._util import check
from bitmeter.errors import UndefinedError
from bitmeter.measure.aggregates import BlockSums, DocumentSums, Per

#: The names of the methods, as they stand in signatures: by clusters of documents, and by blocks along a text.
BY_CLUSTER, BY_BLOCK = "serial-clusters", "serial-blocks"
#: What a cluster can be called, and whether it is a text of its own rather than a part of one.
NOUNS = {
    "file": ("document", True),
    "record": ("record", True),
    "line": ("line", False),
    "blank": ("paragraph", False),
    "heading": ("section", True),
    "blanks": ("section", False),
    "field": ("cluster", True),
    "regex": ("cluster", True),
    "block": ("block", False),
}
#: Sums larger than this, and sizes below its inverse or above it, are not measurements but mistakes.
LARGEST = 1e100


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure and its uncertainty; `low`, `high` and `standard_error` are None where there is no interval.

    The estimate need not be in the middle: where a few documents cost far more than the others, the interval reaches
    further up than down.

    Examples
    --------
    >>> found = Interval(1.9, 2.2, 2.0, 0.05, 0.95, "serial-clusters(file)", 40, 39.0)
    >>> 2.15 in found, round(found.half_width, 3)
    (True, 0.15)
    """

    low: float | None
    high: float | None
    estimate: float
    standard_error: float | None
    #: The share of such intervals that cover the true value, if the assumptions hold.
    confidence: float
    #: "serial-clusters(line)" with what a cluster is, or "serial-blocks(64)" with the bytes of a block.
    method: str
    #: The number of clusters or blocks whose spread was measured; empty ones are not counted.
    clusters: int
    #: Degrees of freedom of Student's t over independent clusters; not an integer where clusters are of unequal size.
    degrees: float | None
    #: Why there is no interval, why it is as wide as it is, or why to trust it less.
    notes: tuple[str, ...] = ()
    #: What such clusters can never show, whatever they cost; "" if there are so many that it does not matter.
    caveat: str = ""

    @property
    def half_width(self) -> float | None:
        """Half of the distance between low and high."""
        return None if self.low is None or self.high is None else (self.high - self.low) / 2.0

    def scaled(self, factor: float) -> Interval:
        """The same interval in another unit: every figure is multiplied by a positive number.

        Examples
        --------
        >>> Interval(1.0, 3.0, 2.0, 0.5, 0.95, "serial-clusters(file)", 40, 39.0).scaled(10).high
        30.0
        """
        number = check.real(factor, "factor", low=1.0 / LARGEST, high=LARGEST)
        low, high, error = (
            None if value is None else value * number for value in (self.low, self.high, self.standard_error)
        )
        return replace(self, low=low, high=high, estimate=self.estimate * number, standard_error=error)

    def __contains__(self, value: float) -> bool:
        return self.low is not None and self.high is not None and self.low <= value <= self.high

    def __str__(self) -> str:
        reasons = "; ".join(self.notes)
        if self.low is None or self.high is None:
            return f"{self.estimate:.6g} (no interval: {reasons})"
        how = f"{100 * self.confidence:.4g} %, {self.method}, {self.clusters:,} clusters"
        how += f"; {self.caveat}" if self.caveat else ""
        shown = f"{self.estimate:.6g} {bracketed(self.low, self.high)} ({how})"
        return f"{shown}; {reasons}" if reasons else shown


def bracketed(low: float, high: float, places: int | None = None, *, sign: bool = False) -> str:
    """Both ends of an interval, by default with as many decimals as its width deserves.

    Examples
    --------
    >>> bracketed(1.93217, 2.0781), bracketed(-0.00123, 0.00098, sign=True)
    ('[1.93, 2.08]', '[-0.0012, +0.0010]')
    """
    digits = decimals(high - low) if places is None else places
    return f"[{low:{'+' * sign}.{digits}f}, {high:{'+' * sign}.{digits}f}]"


def decimals(width: float, least: int = 2) -> int:
    """The decimals that show two digits of half of an interval's width."""
    return least if not width > 0.0 else min(12, max(least, 1 - math.floor(math.log10(0.5 * width))))


class Measured(Protocol):
    """What a method may use of a score."""

    @property
    def nats(self) -> float:
        """−ln P of the text."""

    @property
    def bytes(self) -> int:
        """The number of bytes."""

    @property
    def docs(self) -> str:
        """What one document is: "file", "line", "blank", "record" and so on."""

    @property
    def by_document(self) -> DocumentSums | None:
        """The sums of each document, if they are known."""

    @property
    def by_block(self) -> BlockSums | None:
        """The sums of successive blocks of the text, if they are known."""

    @property
    def learns(self) -> bool:
        """Whether the model learned from the text, so that its costs fall along it."""

    def count(self, per: Per) -> int:
        """The number of bytes, characters, words, tokens or documents."""


def found_by(
    method: IntervalMethod, score: Measured, per: Per, confidence: float
) -> tuple[Interval | None, tuple[str, ...]]:
    """The interval of a score in bits by one method, and notes: why there is none, or why to trust it less."""
    try:
        found = method.interval(score, per, confidence)
    except UndefinedError as error:
        return None, (f"no interval: {error}",)
    return found, tuple(f"no interval: {note}" if found.low is None else note for note in found.notes)


class IntervalMethod(ABC):
    """Computes the interval of a score's bits per byte, character, word, token or document.

    A module of this package that defines `METHOD` as an instance of a subclass adds a method.
    """

    #: As it stands in the signature, without parameters in parentheses.
    name: ClassVar[str]
    #: What it does, for `bitmeter explain`.
    description: ClassVar[str]
    #: Of the methods that apply to a score, the one of the highest priority is used.
    priority: ClassVar[int]

    @abstractmethod
    def applies(self, score: Measured, per: Per) -> bool:
        """Whether the score has what this method needs."""

    @abstractmethod
    def interval(self, score: Measured, per: Per, confidence: float) -> Interval:
        """The interval of the score in bits.

        Raises
        ------
        UndefinedError
            If there is none, with the reason.
        """
