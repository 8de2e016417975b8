"""A mixture going through a text unit by unit: each component says what it expects, and is told what came.

What coding needs, and what the whole prediction at each place of a text is taken from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.errors import ModelError
from bitmeter.models.baseline.tables import KrichevskyTrofimov, TableModel, Uniform
from bitmeter.models.mixture.weights import mixed
from bitmeter.models.ngram.files import sound
from bitmeter.models.ngram.model import NGram
from bitmeter.models.ngram.units import END
from bitmeter.models.registry import Predictor

if TYPE_CHECKING:
    from bitmeter.models.mixture.model import MixtureModel

__all__ = ["MixtureSteps", "context_buckets", "sentence_of"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: How sure an n-gram model is of a history: log10 of its back-off, in bins.
_BACKOFFS = np.array([-1.2, -0.8, -0.55, -0.35, -0.2, -0.1])
#: How many buckets `context_buckets` can give for an order.
HISTORY_BINS = len(_BACKOFFS) + 1
_NOTHING = np.zeros(0, dtype=np.int64)
_ONE, _ONE_BOUNDS = np.zeros(1, dtype=np.int64), np.array([0, 1], dtype=np.int64)


class Part(Protocol):
    """One component in the middle of a document; its outcomes and ids are its own, but a cache's the mixture's."""

    def begin(self) -> None:
        """A new document."""

    def predict(self) -> Floats:
        """ln p of each of its outcomes."""

    def bucket(self) -> int:
        """The kind of its history."""

    def take(self, number: int) -> None:
        """The id of the unit that came, as the component has it."""


class MixtureSteps:
    """All components of a mixture, one unit after the other."""

    def __init__(self, mixture: MixtureModel, parts: list[Part]) -> None:
        self._mixture, self._parts = mixture, parts

    def begin(self) -> None:
        """A new document."""
        for part in self._parts:
            part.begin()

    def predict(self) -> Floats:
        """ln p of each outcome of the mixture."""
        weights = self._weights()
        total = np.zeros(len(self._mixture.outcome_names))
        rows: list[Floats] = []
        for weight, place, part in zip(weights, range(len(weights)), self._parts, strict=True):
            if isinstance(part, CachePart):
                total += weight * part.shares()
                continue
            rows.append(self._mixture.spread(place, part.predict()))
            total += weight * np.exp(rows[-1])
        lost = np.flatnonzero(total == 0.0)
        if any(np.isfinite(row[lost]).any() for row in rows):  # too small for a probability, but not for its logarithm
            total[lost] = 1.0
            found = _logs(total)
            other = [
                weight for weight, part in zip(weights, self._parts, strict=True) if not isinstance(part, CachePart)
            ]
            found[lost] = mixed(np.array([row[lost] for row in rows]), np.array(other)[:, None])
            return found
        return _logs(total)

    def _weights(self) -> Floats:
        """Those of the kind of history where the text stands."""
        mixture, bucket = self._mixture, 0
        for place, bins in mixture.dimensions if mixture.bucketed else ():
            bucket = bucket * bins + min(self._parts[place].bucket(), bins - 1)
        return mixture.weighted.at(np.array([bucket]))[:, 0]

    def take(self, number: int) -> None:
        """The id of the unit that came."""
        ids = np.array([number], dtype=np.int64)
        for place, part in enumerate(self._parts):
            part.take(number if isinstance(part, CachePart) else int(self._mixture.own_ids(place, ids)[0]))


def _logs(shares: Floats) -> Floats:
    with np.errstate(divide="ignore"):
        return np.minimum(np.log(shares), 0.0)


def context_buckets(model: NGram, numbers: Ints, bounds: Ints, before: Ints) -> Ints:
    """The kind of the history of each unit, by its numbers in the model: how much is known, and how surely."""
    with sound(model.name):
        lengths, backoffs = _core.ngram_contexts(model._form, numbers, np.ascontiguousarray(bounds), before)
    return np.asarray(lengths * HISTORY_BINS + np.digitize(backoffs, _BACKOFFS), dtype=np.int64)


def sentence_of(model: NGram, numbers: Ints) -> Ints:
    """What of a history belongs to the sentence that is open."""
    if not model.end_is_unit:
        return numbers
    ends = np.flatnonzero(numbers == END)
    return numbers[ends[-1] + 1 :] if len(ends) else numbers


class GramPart:
    """An n-gram model, of which the last words are enough."""

    def __init__(self, model: NGram, history: Ints = _NOTHING) -> None:
        self._model = model
        self._before = model.numbered(history).tolist()

    def begin(self) -> None:
        self._before = []

    def _history(self) -> Ints:
        return sentence_of(self._model, np.array(self._before, dtype=np.int64))

    def predict(self) -> Floats:
        return self._model.predict_numbers(self._history())

    def bucket(self) -> int:
        return int(context_buckets(self._model, _ONE, _ONE_BOUNDS, self._history())[0])

    def take(self, number: int) -> None:
        self._before.append(int(self._model.numbered(np.array([number], dtype=np.int64))[0]))
        del self._before[: -self._model.order]


class CachePart:
    """A cache, which goes on over documents."""

    def __init__(self, cache: _core.HistoryCache, mixture: MixtureModel) -> None:
        self._cache, self._mixture = cache, mixture

    def begin(self) -> None:
        pass

    def predict(self) -> Floats:
        return _logs(self.shares())

    def shares(self) -> Floats:
        """The probabilities themselves, most of them 0."""
        return self._cache.predict()

    def bucket(self) -> int:
        return self._cache.bucket()

    def take(self, number: int) -> None:
        self._cache.follow(self._mixture.places(np.array([number], dtype=np.int64)))


class _WithoutKinds:
    """A component that has one kind of history."""

    def bucket(self) -> int:
        return 0


class UniversalPart(_WithoutKinds):
    """The universal model, which learns on over documents."""

    def __init__(self, core: _core.Universal) -> None:
        self._core = core

    def begin(self) -> None:
        self._core.begin()

    def predict(self) -> Floats:
        return self._core.predict()

    def take(self, number: int) -> None:
        self._core.learn(bytes([number]))


class CountsPart(_WithoutKinds):
    """Bytes by their counts, which go on over documents."""

    def __init__(self, counts: Ints) -> None:
        self._counts = counts

    def begin(self) -> None:
        pass

    def predict(self) -> Floats:
        return np.asarray(np.log((self._counts + 0.5) / (self._counts.sum() + 128.0)))

    def take(self, number: int) -> None:
        self._counts[number] += 1


class HistoryPart(_WithoutKinds):
    """Any predictor, asked with all of the document, or as much of it as it looks at."""

    def __init__(self, model: Any, history: Ints = _NOTHING) -> None:
        if not isinstance(model, Predictor):
            message = (
                f"{model.name} rates what it is shown but does not predict what comes next, so no mixture with it does"
            )
            raise ModelError(message)
        self._model = model
        self._reach = 0 if isinstance(model, Uniform) else 1 if isinstance(model, TableModel) else None
        self._ids = np.zeros(max(64, 2 * len(history)), dtype=np.int64)
        self._ids[: len(history)] = history
        self._size = len(history)

    def begin(self) -> None:
        self._size = 0

    def predict(self) -> Floats:
        first = 0 if self._reach is None else max(0, self._size - self._reach)
        return np.asarray(self._model.predict(self._ids[first : self._size].copy()))

    def take(self, number: int) -> None:
        if self._size == len(self._ids):
            self._ids = np.concatenate((self._ids, np.zeros_like(self._ids)))
        self._ids[self._size] = number
        self._size += 1


class StepperPart(_WithoutKinds):
    """A model with a stepper of its own, at the beginning of its only document."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._stepper = model.stepper()

    def begin(self) -> None:
        self._stepper = self._model.stepper()

    def predict(self) -> Floats:
        return np.asarray(self._stepper.predict(), dtype=np.float64)

    def take(self, number: int) -> None:
        self._stepper.take(number)


def fresh_part(model: Any) -> Part:
    """A component that is no cache, before the first document."""
    from bitmeter.models.universal.model import Universal

    if isinstance(model, NGram):
        return GramPart(model)
    if isinstance(model, Universal):
        return UniversalPart(model.core())
    if isinstance(model, KrichevskyTrofimov):
        return CountsPart(np.zeros(256, dtype=np.int64))
    return StepperPart(model) if hasattr(model, "stepper") else HistoryPart(model)
