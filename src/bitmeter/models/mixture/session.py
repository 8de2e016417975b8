"""Sessions of mixtures: each component scores the text, and the history chooses the weights."""

from __future__ import annotations

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter.errors import ModelError
from bitmeter.models.mixture.cache import Cache
from bitmeter.models.mixture.last import LAST_KINDS, LastUnits
from bitmeter.models.mixture.steps import CacheStepper, MixtureStepper, MixtureView, bucket_of, kinds_of
from bitmeter.models.mixture.vocabulary import Vocabulary
from bitmeter.models.mixture.weights import mixed
from bitmeter.models.ngram.session import NGramSession
from bitmeter.models.outcomes import Outcomes
from bitmeter.models.protocols import Model, NGramLike
from bitmeter.models.session import PredictingSession, Stepper, UnitSession

__all__ = ["MixtureSession", "dimensions", "gate_dimensions", "last_units"]

#: In place of a component: the unit before, whatever predicted it.
LAST = -1
#: How many bins of a cache of the second and of a higher order count.
_BINS_SECOND, _BINS_HIGHER = 8, 4


class ModelPart:
    """One component that is a model, in the middle of a text; ids are those of the mixture."""

    def __init__(self, model: Model, vocabulary: Vocabulary, index: int) -> None:
        session = model.open()
        if not isinstance(session, UnitSession):
            message = f"{model.name} needs the bytes of a text, not only its units, so it cannot be mixed"
            raise ModelError(message)
        self._name, self._session = model.name, session
        self._vocabulary, self._index = vocabulary, index
        self.buckets: Ints | None = None

    def logprobs(self, ids: Ints, bounds: Ints, *, continues: bool) -> Floats:
        """ln p of each unit."""
        own = self._vocabulary.own_ids(self._index, ids)
        if isinstance(self._session, NGramSession):
            self.buckets = self._session.buckets(own, bounds, continues)
        logs = self._session.logprobs(own, bounds, continues)
        return np.asarray(logs) + self._vocabulary.shares(self._index, ids)

    def stepper(self) -> Stepper:
        """Goes on from here."""
        if not isinstance(self._session, PredictingSession):
            message = (
                f"{self._name} does not expose the distribution of the next unit, so neither does a mixture with it"
            )
            raise ModelError(message)
        return self._session.stepper()


class CachePart:
    """A cache in the middle of a text; it goes on over documents."""

    def __init__(self, cache: _core.HistoryCache, vocabulary: Vocabulary, *, kinds: bool) -> None:
        self._cache, self._vocabulary, self._kinds = cache, vocabulary, kinds
        self.buckets: Ints | None = None

    def logprobs(self, ids: Ints, bounds: Ints, *, continues: bool) -> Floats:
        """ln p of each unit, each remembered after it was predicted."""
        logs, self.buckets = self._cache.follow(self._vocabulary.entries(ids), self._kinds)
        return np.asarray(logs)

    def stepper(self) -> Stepper:
        """Goes on from here."""
        return CacheStepper(self._cache.copy(), self._vocabulary)


def dimensions(components: tuple[Model | Cache, ...]) -> list[tuple[int, int]]:
    """Which components choose the weights, and into how many bins each sorts histories.

    The first n-gram model, the first cache of the second order and the first of a higher one; where there is none of
    these caches, the first of order one.
    """
    found = [(i, model.history_buckets) for i, model in enumerate(components) if isinstance(model, NGramLike)][:1]
    caches = [(i, model) for i, model in enumerate(components) if isinstance(model, Cache)]
    second = [(i, _BINS_SECOND) for i, model in caches if model.order == 2][:1]
    higher = [(i, _BINS_HIGHER) for i, model in caches if model.order > 2][:1]
    first = [(i, _BINS_SECOND) for i, model in caches if model.order == 1][:1]
    return found + (second + higher or first)


def gate_dimensions(components: tuple[Model | Cache, ...]) -> list[tuple[int, int]]:
    """The same for a gate: the first n-gram model, the caches, and last the unit before, which is of no component.

    Of the caches of order one, which say little about a history, only the first.
    """
    found = [(i, model.history_buckets) for i, model in enumerate(components) if isinstance(model, NGramLike)][:1]
    caches = [(i, model) for i, model in enumerate(components) if isinstance(model, Cache)]
    higher = [(i, model.kinds) for i, model in caches if model.order > 1]
    first = [(i, model.kinds) for i, model in caches if model.order == 1][:1]
    return [*found, *higher, *first, (LAST, LAST_KINDS)]


def last_units(mixture: MixtureView) -> LastUnits | None:
    """Where there is a gate: what it knows of the unit before."""
    if not mixture.gated:
        return None
    end = mixture.traits.end
    vocabulary = mixture.vocabulary
    return LastUnits(vocabulary, vocabulary.unigram, end.id if end is not None and not end.is_unit else None)


class MixtureSession(PredictingSession):
    """All components in the middle of a text."""

    def __init__(self, mixture: MixtureView, components: tuple[Model | Cache, ...], outcomes: Outcomes) -> None:
        self._mixture, self._outcomes = mixture, outcomes
        vocabulary = mixture.vocabulary
        caches = any(isinstance(part, Cache) for part in components)
        unigram = vocabulary.unigram if caches else np.zeros(0)
        self._parts: list[ModelPart | CachePart] = [
            CachePart(part.begin(unigram), vocabulary, kinds=mixture.gated)
            if isinstance(part, Cache)
            else ModelPart(part, vocabulary, index)
            for index, part in enumerate(components)
        ]
        self._last = last_units(mixture)

    @property
    def outcomes(self) -> Outcomes:
        """Those of the mixture."""
        return self._outcomes

    def stepper(self) -> MixtureStepper:
        """All components go on from here."""
        last = None if self._last is None else self._last.copy()
        return MixtureStepper(self._mixture, [each.stepper() for each in self._parts], last)

    def components(self, ids: Ids, bounds: Ints, *, continues: bool) -> tuple[Floats, Ints | None]:
        """ln p of each unit by each component, and the bucket of its history; for a gate its kinds, one row each."""
        numbers = np.ascontiguousarray(ids, dtype=np.int64)
        edges = np.ascontiguousarray(bounds, dtype=np.int64)
        logs = np.array([each.logprobs(numbers, edges, continues=continues) for each in self._parts])
        kinds = [each.buckets for each in self._parts]
        if self._last is not None:
            kinds.append(self._last.follow(numbers, edges, continues=continues))
            return logs, kinds_of(kinds, self._mixture.dimensions, len(numbers))
        if not self._mixture.bucketed:
            return logs, None
        return logs, bucket_of(kinds, self._mixture.dimensions, len(numbers))

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """ln p of each unit: the weighted mean."""
        logs, buckets = self.components(ids, bounds, continues=continues)
        return self._mixture.without_unknown(ids, mixed(logs, self._mixture.weighted.at(buckets)))
