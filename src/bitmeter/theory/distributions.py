"""Distributions over labels, and conditional ones: tables of the probability of each outcome."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from functools import cached_property
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bitmeter._util import check, labelled
from bitmeter._util.arrays import Floats
from bitmeter._util.check import Seed, Unit
from bitmeter._util.rendering import InNotebooks
from bitmeter.errors import EmptyError, InputTypeError, RangeError, ShapeError, UndefinedError, UnknownLabelError
from bitmeter.theory import sums

Label: TypeAlias = Hashable

#: Labels are Python objects: beyond this they would fill the memory before they are of use.
_MOST_LABELS = 10**8


class Distribution(InNotebooks):
    """Labels and how likely each is; immutable.

    Parameters
    ----------
    probabilities
        A mapping from label to probability, a Series of pandas (its index are the labels), a DataArray of xarray with
        coordinates, or probabilities alone (the labels are then 0, 1, 2, …).
    normalise
        Divide by the sum on purpose. Without it, what does not sum to one is an error.

    Examples
    --------
    >>> p = Distribution({"a": 0.25, "b": 0.5, "c": 0.25})
    >>> p["b"], p.entropy, p.perplexity
    (0.5, 1.5, 2.82842712474619)
    >>> p
    Distribution(3 labels, 1.5 bits: 'b' 0.5, 'a' 0.25, 'c' 0.25)
    """

    __slots__ = ("__dict__", "_index", "_labels", "_probabilities")

    #: Compared with an array it is one thing, not a sequence of labels to compare with each entry.
    __array_ufunc__: ClassVar[None] = None

    _labels: tuple[Label, ...]
    _probabilities: Floats
    _index: dict[Label, int]

    def __init__(self, probabilities: Any, *, normalise: bool = False) -> None:
        names, values = _labelled_numbers(probabilities, "probabilities")
        divide, within = check.flag(normalise, "normalise"), check.tolerance(probabilities)
        self._set(names, check.probabilities(values, "probabilities", normalise=divide, within=within))

    def _set(self, names: tuple[Label, ...], values: Floats) -> None:
        values.flags.writeable = False
        object.__setattr__(self, "_labels", names)
        object.__setattr__(self, "_probabilities", values)
        object.__setattr__(self, "_index", {name: i for i, name in enumerate(names)})

    def __setattr__(self, name: str, value: Any) -> None:
        message = f"a Distribution cannot be changed (tried to set {name!r}); make a new one"
        raise InputTypeError(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (type(self), self._labels, np.array(self._probabilities))

    @classmethod
    def _make(cls, names: tuple[Label, ...], weights: Floats) -> Distribution:
        made = cls.__new__(cls)
        made._set(names, np.array(weights / sums.total(weights)))
        return made

    # ---- other ways to make one -------------------------------------------------------------------------------------

    @classmethod
    def from_counts(cls, counts: Any) -> Distribution:
        """The relative frequencies of counts (a mapping from label to count, or counts alone).

        Examples
        --------
        >>> Distribution.from_counts({"heads": 3, "tails": 1})["heads"]
        0.75
        """
        names, values = _labelled_numbers(counts, "counts")
        return cls._make(names, check.counts(values, "counts").astype(np.float64))

    @classmethod
    def from_data(cls, data: Any) -> Distribution:
        """The empirical distribution c(y)/|T| of a sequence of symbols.

        Examples
        --------
        >>> Distribution.from_data("barb")["b"]
        0.5
        """
        return cls._counted(check.symbols(data, "data"))

    @classmethod
    def _counted(cls, sample: check.Symbols) -> Distribution:
        kinds, numbers = check.count(sample)
        return cls._make(tuple(sample.label(int(k)) for k in kinds), numbers.astype(np.float64))

    @classmethod
    def uniform(cls, labels: Any) -> Distribution:
        """All labels equally likely; a whole number n stands for the labels 0…n-1.

        Examples
        --------
        >>> Distribution.uniform(8).entropy
        3.0
        """
        names = _numbered(labels)
        return cls._make(names, np.ones(len(names)))

    @classmethod
    def zipf(cls, labels: Any, exponent: float = 1.0) -> Distribution:
        """The r-th label in proportion to 1/r^exponent, as words roughly are.

        Examples
        --------
        >>> Distribution.zipf(3)[0]
        0.5454545454545455
        """
        names = _numbered(labels)
        ranks = np.arange(1, len(names) + 1, dtype=np.float64)
        return cls._make(names, np.exp(-check.real(exponent, "exponent", low=0.0) * np.log(ranks)))

    # ---- what it is -------------------------------------------------------------------------------------------------

    @property
    def labels(self) -> tuple[Label, ...]:
        """The labels, in the order in which they were given."""
        return self._labels

    @property
    def probabilities(self) -> Floats:
        """The probabilities in the order of the labels; read-only."""
        return self._probabilities

    @property
    def support(self) -> tuple[Label, ...]:
        """The labels that can happen."""
        return tuple(self._labels[i] for i in np.flatnonzero(self._probabilities))

    @cached_property
    def entropy(self) -> float:
        """H(p) in bits; `bitmeter.entropy(p, unit=…)` for other units."""
        return float(sums.entropy(self._probabilities, "p", normalise=False))

    @property
    def perplexity(self) -> float:
        """2^H: as hard to guess as this many equally likely outcomes."""
        return float(2.0**self.entropy)

    @cached_property
    def varentropy(self) -> float:
        """The variance of the surprisal, in bits²."""
        return float(sums.varentropy(self._probabilities, "p", normalise=False))

    @property
    def sharpness(self) -> float:
        """How far from flat, 1 − H/log n: 0 for a uniform distribution, 1 for a certain outcome.

        Examples
        --------
        >>> Distribution.uniform(4).sharpness, Distribution({"sun": 1.0, "no sun": 0.0}).sharpness
        (0.0, 1.0)
        """
        return 1.0 if len(self) == 1 else max(0.0, 1.0 - self.entropy / math.log2(len(self)))

    def __len__(self) -> int:
        return len(self._labels)

    def __iter__(self) -> Iterator[Label]:
        return iter(self._labels)

    def __contains__(self, label: object) -> bool:
        return check.hashes(label) and label in self._index

    def __getitem__(self, label: Label) -> float:
        if label not in self:
            message = f"{check.shown(label)} is not a label of this distribution, which has {_some(self._labels)}"
            raise UnknownLabelError(message, value=label)
        return float(self._probabilities[self._index[label]])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Distribution):
            return NotImplemented
        return dict(zip(self._labels, self._probabilities.tolist(), strict=True)) == dict(
            zip(other._labels, other._probabilities.tolist(), strict=True)
        )

    def __hash__(self) -> int:
        return hash(frozenset(zip(self._labels, self._probabilities.tolist(), strict=True)))

    def __repr__(self) -> str:
        order = np.argsort(-self._probabilities, kind="stable")[:3]
        best = ", ".join(f"{check.shown(self._labels[i])} {self._probabilities[i]:.4g}" for i in order)
        more = ", …" if len(self) > 3 else ""
        return f"Distribution({len(self)} label{'s' * (len(self) != 1)}, {self.entropy:.6g} bits: {best}{more})"

    # ---- what it does -----------------------------------------------------------------------------------------------

    def logprobs(self, labels: Any) -> Floats:
        """ln p of each symbol of a sequence; −inf for what cannot happen, known or not.

        Examples
        --------
        >>> Distribution({"a": 0.5, "b": 0.5}).logprobs("abc")
        array([-0.69314718, -0.69314718,        -inf])
        """
        sample = check.symbols(labels, "labels")
        kinds, places = np.unique(sample.ids, return_inverse=True)
        with np.errstate(divide="ignore"):
            known = np.log([self.probability(sample.label(int(kind))) for kind in kinds])
        return np.asarray(known[places], dtype=np.float64)

    def probability(self, label: Label) -> float:
        """p(label), which is 0 for a label outside of the distribution."""
        if not check.hashes(label):
            message = f"label is {check.shown(label)}; a label must be hashable"
            raise InputTypeError(message, value=label)
        place = self._index.get(label)
        return 0.0 if place is None else float(self._probabilities[place])

    def sample(self, n: int, seed: Seed = None) -> list[Label]:
        """Draw n labels, independently.

        Examples
        --------
        >>> Distribution({"a": 1.0}).sample(3, seed=0)
        ['a', 'a', 'a']
        """
        draws = check.generator(seed).random(check.integer(n, "n", low=0, high=check.MOST_DRAWS))
        cumulative = np.cumsum(self._probabilities)
        # The last label that can happen takes what rounding left of the interval.
        last = int(np.flatnonzero(self._probabilities)[-1])
        places = np.minimum(np.searchsorted(cumulative, draws, side="right"), last)
        return [self._labels[i] for i in places.tolist()]

    def surprisal_quantile(self, level: float, *, unit: Unit = "bits") -> float:
        """The least surprisal s with P(−log p(X) ≤ s) ≥ level.

        Examples
        --------
        >>> p = Distribution({"a": 0.5, "b": 0.25, "c": 0.25})
        >>> p.surprisal_quantile(0.5), p.surprisal_quantile(0.9)
        (1.0, 2.0)
        """
        wanted = check.real(level, "level", low=0.0, high=1.0)
        order = np.sort(self._probabilities[self._probabilities > 0])[::-1]
        # A level that is met but for the rounding of the sum is met.
        reached = np.cumsum(order) >= wanted * (1.0 - 4e-16 * len(order))
        chosen = order[int(np.argmax(reached))] if reached.any() else order[-1]
        return -math.log2(chosen) * check.from_bits(unit) + 0.0

    def mix(self, other: Distribution, weight: float = 0.5) -> Distribution:
        """(1 − weight)·self + weight·other, over the labels of both.

        Examples
        --------
        >>> Distribution({"a": 1.0}).mix(Distribution({"b": 1.0}), weight=0.25)["a"]
        0.75
        """
        _need(other, "other")
        share = check.real(weight, "weight", low=0.0, high=1.0)
        names = tuple(dict.fromkeys((*self._labels, *other._labels)))
        here = np.array([self.probability(name) for name in names])
        there = np.array([other.probability(name) for name in names])
        return Distribution._make(names, (1.0 - share) * here + share * there)

    def condition(self, event: Callable[[Label], bool] | Any) -> Distribution:
        """The distribution given that the outcome is in `event`: labels, or a function that says yes or no.

        Examples
        --------
        >>> Distribution.uniform(6).condition(lambda face: face % 2 == 0)[2]
        0.3333333333333333
        """
        if callable(event):
            chosen = np.array([_holds(event, name) for name in self._labels])
        else:
            wanted = set(check.labels(event, "event"))
            chosen = np.array([name in wanted for name in self._labels])
        mass = np.where(chosen, self._probabilities, 0.0)
        if not mass.any():
            message = "the event has probability 0, so nothing can be conditioned on it"
            raise UndefinedError(message)
        return Distribution._make(tuple(n for n, c in zip(self._labels, chosen, strict=True) if c), mass[chosen])


def _holds(event: Callable[[Label], bool], name: Label) -> bool:
    try:
        return bool(event(name))
    except Exception as error:
        message = f"event raised {type(error).__name__} for the label {check.shown(name)}: {error}"
        raise InputTypeError(message, value=name) from error


def _need(value: Any, name: str) -> Distribution:
    if not isinstance(value, Distribution):
        message = f"{name} is {check.shown(value)}; it must be a Distribution"
        raise InputTypeError(message, value=value)
    return value


def _numbered(labels: Any) -> tuple[Label, ...]:
    if isinstance(labels, int | np.integer) and not isinstance(labels, bool):
        return tuple(range(check.integer(labels, "labels", low=1, high=_MOST_LABELS)))
    return check.labels(labels, "labels")


def _labelled_numbers(value: Any, name: str) -> tuple[tuple[Label, ...], NDArray[Any]]:
    if isinstance(value, Mapping) and not value:
        message = f"{name} is empty; at least one label is needed"
        raise EmptyError(message)
    found = labelled.read(value, name)
    if found is not None and found.values.ndim == 1:
        assert found.names is not None
        return found.names, check.array(found.values, name)
    numbers = check.array(value, name)
    if numbers.ndim != 1:
        message = f"{name} has shape {numbers.shape}; a distribution has one axis (see Conditional for tables)"
        raise ShapeError(message)
    if numbers.size > _MOST_LABELS:
        message = f"{name} has {numbers.size:,} labels, more than a labelled distribution should hold; use the arrays"
        raise RangeError(message)
    return tuple(range(numbers.size)), numbers


def _some(names: tuple[Label, ...]) -> str:
    text = ", ".join(map(check.shown, names[:8]))
    return text if len(names) <= 8 else f"{text}, … ({len(names)} in all)"


def _restored(kind: type[Distribution], names: tuple[Label, ...], values: Floats) -> Distribution:
    """What was pickled or copied, to the last bit."""
    made = kind.__new__(kind)
    made._set(names, values)
    return made
