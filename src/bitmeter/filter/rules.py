"""Rules by which documents are kept: limits, shares of all documents, buckets, tables by language, and sampling.

A rule that speaks of shares (the best 30 %) becomes one of limits once the values of all documents are known.
"""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.check import real
from bitmeter.errors import ChoiceError, InputError

__all__ = [
    "Between",
    "Buckets",
    "Decision",
    "Everything",
    "Sampled",
    "Shares",
    "parse_range",
    "parse_sample",
    "parse_shares",
]

#: From the lowest values to the highest.
BUCKETS = ("head", "middle", "tail")

#: Numbers in [0, 1) for some documents, each from its text and the seed alone.
Draw = Callable[[Ints], Floats]
Languages = Sequence[str] | None


class Decision(ABC):
    """Gives each document one of a few labels."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the outcomes."""
        return ("kept", "dropped")

    @property
    def keeps(self) -> tuple[bool, ...]:
        """Which of them are kept."""
        return (True, False)

    @abstractmethod
    def decide(self, values: Floats, languages: Languages, draw: Draw) -> Ints:
        """The index of the label of each document, all of which have a value."""

    @abstractmethod
    def describe(self) -> dict[str, Any]:
        """As JSON, with everything that can change a decision."""


def _by_language(languages: Languages, size: int) -> dict[str, Ints]:
    """Which documents are of each language."""
    if languages is None:
        return {"": np.arange(size)}
    found: dict[str, list[int]] = {}
    for place, language in enumerate(languages):
        found.setdefault(language, []).append(place)
    return {language: np.array(places) for language, places in found.items()}


class Everything(Decision):
    """Keeps every document: to add scores."""

    def decide(self, values: Floats, languages: Languages, draw: Draw) -> Ints:
        """All are kept."""
        return np.zeros(len(values), dtype=np.int64)

    def describe(self) -> dict[str, Any]:
        """No limits."""
        return {"rule": "all"}


@dataclass(frozen=True)
class Between(Decision):
    """Keeps values within limits, both included; `above` leaves out the lower one itself.

    Attributes
    ----------
    limits
        The least and the largest value by language; "" for all others. A language without limits is dropped.
    above
        Whether a value must be larger than the lower limit.
    """

    limits: Mapping[str, tuple[float, float]]
    above: bool = False

    def decide(self, values: Floats, languages: Languages, draw: Draw) -> Ints:
        """By the limits of each language."""
        labels = np.ones(len(values), dtype=np.int64)
        for language, places in _by_language(languages, len(values)).items():
            limits = self.limits.get(language, self.limits.get(""))
            if limits is not None:
                here = values[places]
                over = here > limits[0] if self.above else here >= limits[0]
                labels[places] = ~(over & (here <= limits[1]))
        return labels

    def describe(self) -> dict[str, Any]:
        """The limits."""
        limits = {language: [_finite(low), _finite(high)] for language, (low, high) in sorted(self.limits.items())}
        return {"rule": "between", "limits": limits, "above": self.above}


@dataclass(frozen=True)
class Buckets(Decision):
    """Labels documents head, middle and tail by two cuts; a language without cuts is labelled all. All are kept.

    Attributes
    ----------
    cuts
        By language; "" for all others.
    strict
        Whether the head is below its cut, as in CCNet; else the cut is still in it.
    """

    cuts: Mapping[str, tuple[float, ...]]
    strict: bool = False

    @property
    def labels(self) -> tuple[str, ...]:
        """The buckets; the last one is for languages that a table does not know."""
        return (*BUCKETS, "all") if self.strict else BUCKETS

    @property
    def keeps(self) -> tuple[bool, ...]:
        """All of them."""
        return (True,) * len(self.labels)

    def decide(self, values: Floats, languages: Languages, draw: Draw) -> Ints:
        """By the cuts of each language."""
        labels = np.full(len(values), 3, dtype=np.int64)
        for language, places in _by_language(languages, len(values)).items():
            cuts = self.cuts.get(language, self.cuts.get(""))
            if cuts is not None:
                labels[places] = np.searchsorted(
                    np.array(cuts, dtype=np.float64), values[places], side="right" if self.strict else "left"
                )
        return labels

    def describe(self) -> dict[str, Any]:
        """The cuts."""
        cuts = {language: [*map(_finite, found)] for language, found in sorted(self.cuts.items())}
        return {"rule": "buckets", "cuts": cuts, "strict": self.strict}


@dataclass(frozen=True)
class Sampled(Decision):
    """Keeps each document with a probability that depends on its value.

    The draw depends on the seed and the text of the document alone: not on the order of documents, nor on how they are
    divided among files. So documents with the same text are kept or dropped together.

    Attributes
    ----------
    spec
        As it was typed.
    weight
        The probability of each value.
    seed
        Of the draws.
    within
        What is dropped in any case.
    """

    spec: str
    weight: Callable[[Floats], Floats]
    seed: int
    within: Decision = field(default_factory=Everything)

    def decide(self, values: Floats, languages: Languages, draw: Draw) -> Ints:
        """By the weights."""
        labels = self.within.decide(values, languages, draw)
        left = np.flatnonzero(labels == 0)
        labels[left] = draw(left) >= self.weight(values[left])
        return labels

    def describe(self) -> dict[str, Any]:
        """The weights and the seed."""
        return {"rule": "sample", "weight": self.spec, "seed": self.seed, "within": self.within.describe()}


@dataclass(frozen=True)
class Shares:
    """Keeps a range of all documents by rank, or cuts them into head, middle and tail: limits come from their values.

    Attributes
    ----------
    shares
        From which share to which one is kept; or the ends of head and middle.
    buckets
        Whether they are the cuts of buckets.
    """

    shares: tuple[Fraction, Fraction]
    buckets: bool = False

    def describe(self) -> dict[str, Any]:
        """The shares."""
        return {"rule": "buckets" if self.buckets else "keep", "shares": [str(share) for share in self.shares]}

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the outcomes."""
        return BUCKETS if self.buckets else ("kept", "dropped")

    def settled(self, quantile: Callable[[str, Fraction], float], languages: Sequence[str]) -> Decision:
        """The rule by limits. `quantile` gives the value of a share; of none, a value below all."""
        found = {language: tuple(quantile(language, share) for share in self.shares) for language in languages}
        if self.buckets:
            return Buckets(found)
        return Between({language: (low, high) for language, (low, high) in found.items()}, above=True)


def _finite(value: float) -> float | str:
    """JSON has no infinity."""
    return value if math.isfinite(value) else "inf" if value > 0 else "-inf"


_PERCENT = re.compile(r"[0-9]{1,3}(\.[0-9]{1,9})?")


def _share(text: str, what: str, option: str) -> Fraction:
    digits = text.strip().removesuffix("%").strip()
    share = Fraction(digits) / 100 if _PERCENT.fullmatch(digits) else Fraction(-1)
    if not 0 <= share <= 1:
        message = f"{option} is {what!r:.40}; it must name percentages from 0 to 100, such as {_EXAMPLES[option]}"
        raise ChoiceError(message, value=what)
    return share


_EXAMPLES = {"--keep": "30% (the lowest) or 25%-75% (the middle half)", "--buckets": "30%,60%"}


def parse_range(text: str) -> tuple[Fraction, Fraction]:
    """A range of shares: "30%" is from 0 to 30 %, "25%-75%" the middle half.

    Examples
    --------
    >>> parse_range("30%"), parse_range("25%-75%")
    ((Fraction(0, 1), Fraction(3, 10)), (Fraction(1, 4), Fraction(3, 4)))
    """
    first, dash, second = text.partition("-")
    low, high = (Fraction(0), _share(first, text, "--keep")) if not dash else (
        _share(first, text, "--keep"), _share(second, text, "--keep")
    )  # fmt: skip
    if low >= high:
        message = f"--keep is {text!r:.40}, which keeps nothing; the first percentage must be below the second"
        raise ChoiceError(message, value=text)
    return low, high


def parse_shares(text: str) -> tuple[Fraction, Fraction]:
    """Where head and middle end: "30%,60%".

    Examples
    --------
    >>> parse_shares("30%,60%")
    (Fraction(3, 10), Fraction(3, 5))
    """
    parts = [_share(part, text, "--buckets") for part in text.split(",")]
    if len(parts) != 2 or not parts[0] < parts[1]:
        message = f"--buckets is {text!r:.40}; it must be two ascending percentages, such as 30%,60%"
        raise ChoiceError(message, value=text)
    return parts[0], parts[1]


def parse_sample(text: str, seed: int, within: Decision) -> Sampled:
    """Weights by name: "uniform:0.1", "gaussian:CENTRE,WIDTH" or "steps:100=0.2,300=1".

    Examples
    --------
    >>> import numpy as np
    >>> parse_sample("steps:100=0.25,300=1", 0, Everything()).weight(np.array([50.0, 100.0, 200.0, 400.0])).tolist()
    [0.25, 0.25, 1.0, 0.0]
    """
    kind, _, rest = text.partition(":")
    try:
        weight = _WEIGHTS[kind](rest)
    except (KeyError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        message = (
            f"--sample is {text!r:.60}; it must be uniform:P (each with probability P), gaussian:CENTRE,WIDTH "
            "(exp(-((x - CENTRE)/WIDTH)²/2)), or steps:X=P,X=P,… (P for values up to X, in ascending order, 0 above)"
        )
        raise ChoiceError(message, value=text) from error
    return Sampled(text, weight, seed, within)


def _uniform(rest: str) -> Callable[[Floats], Floats]:
    share = real(float(rest), "the probability of --sample uniform", low=0.0, high=1.0)
    return partial(_uniform_weight, share)


# Functions of the module, so that a rule can be sent to other processes.


def _uniform_weight(share: float, values: Floats) -> Floats:
    return np.full(len(values), share)


def _gaussian(rest: str) -> Callable[[Floats], Floats]:
    centre, width = (float(part) for part in rest.split(","))
    if not (math.isfinite(centre) and 0 < width < math.inf):
        raise ValueError
    return partial(_gaussian_weight, centre, width)


def _gaussian_weight(centre: float, width: float, values: Floats) -> Floats:
    return np.asarray(np.exp(-0.5 * np.square((values - centre) / width)))


def _steps(rest: str) -> Callable[[Floats], Floats]:
    pairs = [tuple(map(float, part.split("="))) for part in rest.split(",")]
    ends, shares = (np.array(column) for column in zip(*pairs, strict=True))
    if not ((np.diff(ends) > 0).all() and (shares >= 0).all() and (shares <= 1).all() and not np.isnan(ends).any()):
        raise ValueError
    return partial(_steps_weight, ends, shares)


def _steps_weight(ends: Floats, shares: Floats, values: Floats) -> Floats:
    return np.asarray(np.append(shares, 0.0)[np.searchsorted(ends, values, side="left")])


_WEIGHTS = {"uniform": _uniform, "gaussian": _gaussian, "steps": _steps}
