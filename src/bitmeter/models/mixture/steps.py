"""A mixture unit by unit: each component predicts, the weighted mean is taken, and each takes what came."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter.models.mixture.last import LastUnits
from bitmeter.models.mixture.vocabulary import Vocabulary
from bitmeter.models.mixture.weights import Weights, mixed
from bitmeter.models.ngram.session import NGramStepper
from bitmeter.models.protocols import Traits
from bitmeter.models.session import Stepper

__all__ = ["CacheStepper", "MixtureStepper", "MixtureView"]


class MixtureView(Protocol):
    """What sessions and steppers need of a mixture."""

    bucketed: bool
    gated: bool
    dimensions: list[tuple[int, int]]
    weighted: Weights

    @property
    def traits(self) -> Traits:
        """Those of the mixture: how its documents end."""

    @property
    def vocabulary(self) -> Vocabulary:
        """The outcomes that the components share."""

    def without_unknown(self, ids: Ids, logs: Floats) -> Floats:
        """Unknown words are impossible unless their class or spelling is asked for."""


class CacheStepper(Stepper):
    """A cache, which goes on over documents; its outcomes and ids are the mixture's."""

    def __init__(self, cache: _core.HistoryCache, vocabulary: Vocabulary) -> None:
        self._cache, self._vocabulary = cache, vocabulary

    def begin(self) -> None:
        """The cache goes on."""

    def predict(self) -> Floats:
        """ln p of each outcome."""
        return _logs(self.shares())

    def shares(self) -> Floats:
        """The probabilities themselves, most of them 0."""
        return self._cache.predict()

    def bucket(self) -> int:
        """The bucket of what came last."""
        return self._cache.bucket()

    def kind(self) -> int:
        """The same for a gate."""
        return self._cache.kind()

    def take(self, unit: int) -> None:
        """Remember a unit."""
        self._cache.follow(self._vocabulary.entries(np.array([unit], dtype=np.int64)))

    def copy(self) -> Self:
        """The same cache, to go on apart."""
        return type(self)(self._cache.copy(), self._vocabulary)


class MixtureStepper(Stepper):
    """All components of a mixture, one unit after the other."""

    def __init__(self, mixture: MixtureView, parts: list[Stepper], last: LastUnits | None = None) -> None:
        self._mixture, self._parts, self._last = mixture, parts, last

    def begin(self) -> None:
        """Begin a new document."""
        if self._last is not None:
            self._last.begin()
        for part in self._parts:
            part.begin()

    def predict(self) -> Floats:
        """ln p of each outcome of the mixture."""
        vocabulary, weights = self._mixture.vocabulary, self._weights()
        total = np.zeros(len(vocabulary.names) or vocabulary.size)
        rows: list[Floats] = []
        for index, (weight, part) in enumerate(zip(weights, self._parts, strict=True)):
            if isinstance(part, CacheStepper):
                total += weight * part.shares()
                continue
            rows.append(vocabulary.spread(index, np.asarray(part.predict(), dtype=np.float64)))
            total += weight * np.exp(rows[-1])
        lost = np.flatnonzero(total == 0.0)
        if any(np.isfinite(row[lost]).any() for row in rows):  # too small for a probability, but not for its logarithm
            total[lost] = 1.0
            found = _logs(total)
            other = [
                weight for weight, part in zip(weights, self._parts, strict=True) if not isinstance(part, CacheStepper)
            ]
            found[lost] = mixed(np.array([row[lost] for row in rows]), np.array(other)[:, None])
            return found
        return _logs(total)

    def _weights(self) -> Floats:
        """Those of the bucket of the present history."""
        mixture, bucket = self._mixture, 0
        if self._last is not None:
            parts: list[Stepper | LastUnits] = [*self._parts, self._last]
            kinds = [np.array([_kind(part)], dtype=np.int64) for part in parts]
            return mixture.weighted.at(kinds_of(kinds, mixture.dimensions, 1))[:, 0]
        for index, bins in mixture.dimensions if mixture.bucketed else ():
            part = self._parts[index]
            own = part.bucket() if isinstance(part, NGramStepper | CacheStepper) else 0
            bucket = bucket * bins + min(own, bins - 1)
        return mixture.weighted.at(np.array([bucket]))[:, 0]

    def take(self, unit: int) -> None:
        """Take the id of the unit that came."""
        ids = np.array([unit], dtype=np.int64)
        for index, part in enumerate(self._parts):
            own = unit if isinstance(part, CacheStepper) else int(self._mixture.vocabulary.own_ids(index, ids)[0])
            part.take(own)
        if self._last is not None:
            self._last.take(unit)

    def copy(self) -> Self:
        """All components, to go on apart."""
        last = None if self._last is None else self._last.copy()
        return type(self)(self._mixture, [part.copy() for part in self._parts], last)


def _kind(part: Stepper | LastUnits) -> int:
    if isinstance(part, NGramStepper):
        return part.bucket()
    return part.kind() if isinstance(part, CacheStepper | LastUnits) else 0


def _logs(shares: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.minimum(np.log(shares), 0.0)


def bucket_of(parts: list[Ints | None], dimensions: list[tuple[int, int]], size: int) -> Ints:
    """One bucket for each unit from those of the components that choose the weights."""
    result = np.zeros(size, dtype=np.int64)
    for index, bins in dimensions:
        own = parts[index]
        result = result * bins + (0 if own is None else np.minimum(own, bins - 1))
    return result


def kinds_of(parts: Sequence[Ints | None], dimensions: list[tuple[int, int]], size: int) -> Ints:
    """The kinds of each unit's history for a gate: one row for each way to sort them."""
    rows = [(parts[index], bins) for index, bins in dimensions]
    return np.array([np.zeros(size, np.int64) if own is None else np.minimum(own, bins - 1) for own, bins in rows])
