"""Conditional distributions p(y|x) as a table: a Distribution of the outcome for each context."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from bitmeter import _core
from bitmeter._util import check
from bitmeter._util.check import Unit
from bitmeter.errors import EmptyError, InputTypeError, UndefinedError, UnknownLabelError
from bitmeter.theory.distributions import Distribution, Label, _need, _some


class Conditional:
    """p(y|x): for each context x, a distribution over outcomes y; immutable.

    Parameters
    ----------
    table
        A mapping from context to a Distribution, or to a mapping from outcome to probability.
    other
        The label that stands for every context or outcome that the table does not name.
    start
        The context of the first symbol of a sequence.

    Examples
    --------
    >>> weather = Conditional({"sun": {"sun": 0.9, "rain": 0.1}, "rain": {"sun": 0.5, "rain": 0.5}}, start="sun")
    >>> weather["rain"]["sun"]
    0.5
    >>> weather.cross_entropy(["sun", "sun", "rain", "rain"])
    1.1565
    """

    __slots__ = ("_other", "_start", "_table")

    _table: dict[Label, Distribution]
    _other: Label | None
    _start: Label | None

    def __init__(self, table: Any, *, other: Label | None = None, start: Label | None = None) -> None:
        if not isinstance(table, Mapping):
            message = f"table is {check.shown(table)}; it must be a mapping from context to distribution"
            raise InputTypeError(message, value=table)
        if not table:
            message = "table is empty; at least one context is needed"
            raise EmptyError(message)
        rows = {}
        for context, row in table.items():
            if not isinstance(row, Distribution | Mapping):
                message = f"table[{check.shown(context)}] is {check.shown(row)}; it must be a Distribution or a mapping"
                raise InputTypeError(message, index=context, value=row)
            rows[context] = row if isinstance(row, Distribution) else Distribution(row)
        for name, label in (("other", other), ("start", start)):
            if not check.hashes(label):
                message = f"{name} is {check.shown(label)}; it must be a hashable label"
                raise InputTypeError(message, value=label)
        object.__setattr__(self, "_table", rows)
        object.__setattr__(self, "_other", other)
        object.__setattr__(self, "_start", start)

    def __setattr__(self, name: str, value: Any) -> None:
        message = f"a Conditional cannot be changed (tried to set {name!r}); make a new one"
        raise InputTypeError(message)

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(type(self), other=self._other, start=self._start), (self._table,)

    @classmethod
    def from_pairs(cls, pairs: Any) -> Conditional:
        """The relative frequencies of y after x in pairs (x, y), or the conditional of a Distribution over pairs.

        Examples
        --------
        >>> Conditional.from_pairs([("q", "u"), ("q", "u"), ("q", "i")])["q"]["u"]
        0.6666666666666666
        """
        joint = pairs if isinstance(pairs, Distribution) else Distribution.from_data(_as_pairs(pairs))
        rows: dict[Label, dict[Label, float]] = {}
        for (context, outcome), mass in _pair_items(joint):
            if mass > 0:
                rows.setdefault(context, {})[outcome] = mass
        return cls({context: Distribution(row, normalise=True) for context, row in rows.items()})

    @classmethod
    def from_data(cls, data: Any) -> Conditional:
        """The relative frequencies of each symbol after the one before it, in a sequence.

        Examples
        --------
        >>> Conditional.from_data("abab")["a"]["b"]
        1.0
        """
        return cls.from_pairs(_neighbours(data))

    @property
    def contexts(self) -> tuple[Label, ...]:
        """The contexts that the table names."""
        return tuple(self._table)

    @property
    def outcomes(self) -> tuple[Label, ...]:
        """The outcomes that any row names, in the order of first mention."""
        return tuple(dict.fromkeys(label for row in self._table.values() for label in row))

    @property
    def other(self) -> Label | None:
        """The label for all that the table does not name."""
        return self._other

    @property
    def start(self) -> Label | None:
        """The context of a sequence's first symbol."""
        return self._start

    def __len__(self) -> int:
        return len(self._table)

    def __iter__(self) -> Iterator[Label]:
        return iter(self._table)

    def __getitem__(self, context: Label) -> Distribution:
        if check.hashes(context) and context in self._table:
            return self._table[context]
        if self._other is not None and self._other in self._table:
            return self._table[self._other]
        message = (
            f"{check.shown(context)} is not a context of this table, which has {_some(self.contexts)}; "
            "name a row for all others with other=…"
        )
        raise UnknownLabelError(message, value=context)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Conditional):
            return NotImplemented
        return (self._table, self._other, self._start) == (other._table, other._other, other._start)

    def __hash__(self) -> int:
        return hash((frozenset(self._table.items()), self._other, self._start))

    def __repr__(self) -> str:
        return f"Conditional({len(self)} contexts, {len(self.outcomes)} outcomes: {_some(self.contexts)})"

    def probability(self, outcome: Label, context: Label) -> float:
        """p(outcome|context); an outcome that the table never names counts as `other` where there is one."""
        row = self[context]
        if outcome in row:
            return row[outcome]
        named = any(outcome in other_row for other_row in self._table.values())
        return 0.0 if named or self._other is None else row.probability(self._other)

    def joint(self, marginal: Distribution) -> Distribution:
        """p(x, y) = p(x)·p(y|x), over pairs (x, y), for a distribution of the contexts.

        Examples
        --------
        >>> coin = Conditional({"fair": {"H": 0.5, "T": 0.5}, "bent": {"H": 1.0, "T": 0.0}})
        >>> coin.joint(Distribution.uniform(["fair", "bent"]))["fair", "H"]
        0.25
        """
        contexts = _need(marginal, "marginal")
        masses = {
            (context, outcome): weight * probability
            for context, weight in zip(contexts.labels, contexts.probabilities.tolist(), strict=True)
            if weight > 0
            for outcome, probability in _items(self[context])
        }
        return Distribution(masses, normalise=True)

    def marginal(self, marginal: Distribution) -> Distribution:
        """p(y) = Σ p(x)·p(y|x), for a distribution of the contexts.

        Examples
        --------
        >>> coin = Conditional({"fair": {"H": 0.5, "T": 0.5}, "bent": {"H": 1.0, "T": 0.0}})
        >>> coin.marginal(Distribution.uniform(["fair", "bent"]))["H"]
        0.75
        """
        masses: dict[Label, list[float]] = {}
        for (_, outcome), mass in _pair_items(self.joint(marginal)):
            masses.setdefault(outcome, []).append(mass)
        return Distribution({outcome: math.fsum(parts) for outcome, parts in masses.items()}, normalise=True)

    def reverse(self, marginal: Distribution) -> Conditional:
        """p(x|y) by Bayes' rule, for a distribution of the contexts.

        Examples
        --------
        >>> coin = Conditional({"fair": {"H": 0.5, "T": 0.5}, "bent": {"H": 1.0, "T": 0.0}})
        >>> coin.reverse(Distribution.uniform(["fair", "bent"]))["H"]["bent"]
        0.6666666666666666
        """
        joint = self.joint(marginal)
        turned = {(outcome, context): mass for (context, outcome), mass in _pair_items(joint)}
        return Conditional.from_pairs(Distribution(turned, normalise=True))

    def entropy(self, marginal: Distribution, *, unit: Unit = "bits") -> float:
        """H(Y|X) = Σ p(x) H(Y|X=x), for a distribution of the contexts.

        Examples
        --------
        >>> coin = Conditional({"fair": {"H": 0.5, "T": 0.5}, "bent": {"H": 1.0, "T": 0.0}})
        >>> coin.entropy(Distribution.uniform(["fair", "bent"]))
        0.5
        """
        contexts = _need(marginal, "marginal")
        scale = check.from_bits(unit)
        terms = (weight * self[x].entropy for x, weight in _items(contexts) if weight > 0)
        return math.fsum(terms) * scale

    def cross_entropy(self, data: Any, *, unit: Unit = "bits") -> float:
        """The average bits per symbol that this table needs for data.

        Parameters
        ----------
        data
            A sequence of symbols, each predicted from the one before it (the first from `start`): the sum over the
            data. Or a Distribution over pairs (x, y): the sum over the space. Both give the same figure for the
            same data, see `pairs`.
        unit
            "bits", "nats", "hartleys", or a number: the base of the logarithm.

        Returns
        -------
        float
            −Σ p'(x, y) log p(y|x); inf where something happened to which the table gives probability 0.
        """
        scale = check.from_bits(unit)
        joint = data if isinstance(data, Distribution) else self.pairs(data)
        terms = [
            -mass * math.log2(probability) if (probability := self.probability(y, x)) > 0 else math.inf
            for (x, y), mass in _pair_items(joint)
            if mass > 0
        ]
        return math.inf if math.inf in terms else math.fsum(terms) * scale + 0.0

    def pairs(self, data: Any) -> Distribution:
        """The empirical distribution p'(x, y) of each symbol with the one before it, the first with `start`.

        Examples
        --------
        >>> Conditional({"a": {"a": 1.0}}, start="a").pairs("aab")["a", "b"]
        0.3333333333333333
        """
        sample = check.symbols(data, "data")
        if self._start is None:
            message = (
                "this table has no start, so the first symbol has no context; make it with start=…, "
                "or give the data as a Distribution over pairs"
            )
            raise UndefinedError(message)
        counts: dict[Label, int] = {(self._start, sample.label(int(sample.ids[0]))): 1}
        for pair, number in _pair_counts(sample).items():
            counts[pair] = counts.get(pair, 0) + number
        return Distribution.from_counts(counts)


def _items(row: Distribution) -> Iterator[tuple[Label, float]]:
    return zip(row.labels, row.probabilities.tolist(), strict=True)


def _pair_items(joint: Distribution) -> Iterator[tuple[tuple[Label, Label], float]]:
    for place, (pair, mass) in enumerate(_items(joint)):
        if not isinstance(pair, tuple) or len(pair) != 2:
            message = f"label {place} of the joint distribution is {check.shown(pair)}; it must be a pair (x, y)"
            raise InputTypeError(message, index=place, value=pair)
        yield pair, mass


def _as_pairs(pairs: Any) -> list[Label]:
    found: list[Label] = []
    for place, pair in enumerate(check.items(pairs, "pairs", "a sequence of pairs (x, y)")):
        if not isinstance(pair, tuple | list) or len(pair) != 2:
            message = f"pairs[{place}] is {check.shown(pair)}; it must be a pair (x, y)"
            raise InputTypeError(message, index=place, value=pair)
        found.append(tuple(pair))
    return found


def _pair_counts(sample: check.Symbols) -> dict[Label, int]:
    first, second, numbers = _core.count_pairs(sample.ids[:-1], sample.ids[1:])
    rows = zip(first.tolist(), second.tolist(), numbers.tolist(), strict=True)
    return {(sample.label(x), sample.label(y)): number for x, y, number in rows}


def _neighbours(data: Any) -> Distribution:
    sample = check.symbols(data, "data")
    if sample.ids.size < 2:
        message = "data has one symbol; pairs of neighbours need at least two"
        raise EmptyError(message)
    return Distribution.from_counts(_pair_counts(sample))
