"""A text going past a mixture: each component scores it, and the history chooses the weights."""

from __future__ import annotations

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter.errors import ModelError
from bitmeter.models.mixture.cache import Cache
from bitmeter.models.mixture.steps import CacheStepper, MixtureStepper, MixtureView, bucket_of
from bitmeter.models.mixture.vocabulary import Vocabulary
from bitmeter.models.mixture.weights import mixed
from bitmeter.models.ngram.session import NGramSession
from bitmeter.models.outcomes import Outcomes
from bitmeter.models.protocols import Model, NGramLike
from bitmeter.models.session import PredictingSession, Stepper, UnitSession

__all__ = ["MixtureSession", "dimensions"]

#: How many bins of a cache of the second and of a higher order count.
_BINS_SECOND, _BINS_HIGHER = 8, 4


class ModelFollower:
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


class CacheFollower:
    """A cache in the middle of a text; it goes on over documents."""

    def __init__(self, cache: _core.HistoryCache, vocabulary: Vocabulary) -> None:
        self._cache, self._vocabulary = cache, vocabulary
        self.buckets: Ints | None = None

    def logprobs(self, ids: Ints, bounds: Ints, *, continues: bool) -> Floats:
        """ln p of each unit, each remembered after it was predicted."""
        logs, self.buckets = self._cache.follow(self._vocabulary.entries(ids))
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


class MixtureSession(PredictingSession):
    """All components in the middle of a text."""

    def __init__(self, mixture: MixtureView, components: tuple[Model | Cache, ...], outcomes: Outcomes) -> None:
        self._mixture, self._outcomes = mixture, outcomes
        vocabulary = mixture.vocabulary
        self._followers: list[ModelFollower | CacheFollower] = [
            CacheFollower(part.begin(vocabulary.unigram), vocabulary)
            if isinstance(part, Cache)
            else ModelFollower(part, vocabulary, index)
            for index, part in enumerate(components)
        ]

    @property
    def outcomes(self) -> Outcomes:
        """Those of the mixture."""
        return self._outcomes

    def stepper(self) -> MixtureStepper:
        """All components go on from here."""
        return MixtureStepper(self._mixture, [each.stepper() for each in self._followers])

    def components(self, ids: Ids, bounds: Ints, *, continues: bool) -> tuple[Floats, Ints | None]:
        """ln p of each unit by each component, and the bucket of its history."""
        numbers = np.ascontiguousarray(ids, dtype=np.int64)
        edges = np.ascontiguousarray(bounds, dtype=np.int64)
        logs = np.array([each.logprobs(numbers, edges, continues=continues) for each in self._followers])
        if not self._mixture.bucketed:
            return logs, None
        return logs, bucket_of([each.buckets for each in self._followers], self._mixture.dimensions, len(numbers))

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """ln p of each unit: the weighted mean."""
        logs, buckets = self.components(ids, bounds, continues=continues)
        return self._mixture.without_unknown(ids, mixed(logs, self._mixture.weighted.at(buckets)))
