"""A text going past a mixture: each component follows it, and what it holds of the history chooses the weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.models.cache import Cache
from bitmeter.models.mixture_weights import mixed
from bitmeter.models.ngram_files import sound

if TYPE_CHECKING:
    from bitmeter.models.mixture import MixtureModel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_NOTHING = np.zeros(0, dtype=np.int64)

#: No n-gram model looks back farther.
_FARTHEST = 16
#: How sure an n-gram model is of a history: log10 of its back-off, in bins.
_BACKOFFS = np.array([-1.2, -0.8, -0.55, -0.35, -0.2, -0.1])
#: How many bins of a cache of the second and of a higher order count.
_BINS_SECOND, _BINS_HIGHER = 8, 4


class Follower:
    """One component in the middle of a text."""

    def __init__(self, mixture: MixtureModel, place: int) -> None:
        self._mixture, self._place = mixture, place
        self._model = mixture.components[place]
        self._cache = self._model.begin(mixture.unigram) if isinstance(self._model, Cache) else None
        self._stream = self._model.stream() if self._cache is None and hasattr(self._model, "stream") else None
        self._ngram = hasattr(self._model, "_fitted")
        self._read: list[Ints] = []  # of the document that is open; of an n-gram model, its last words
        self.buckets: Ints | None = None

    def logprobs(self, ids: Ints, bounds: Ints, *, continues: bool) -> Floats:
        """ln p of each unit; `ids` are those of the mixture."""
        mixture = self._mixture
        if self._cache is not None:
            logs, self.buckets = self._cache.follow(mixture.places(ids))
            return np.asarray(logs)
        before = self._history(continues=continues) if self._ngram else _NOTHING
        self._remember(ids, bounds, before, continues=continues)
        own = mixture.own_ids(self._place, ids)
        if self._ngram:
            own_before = mixture.own_ids(self._place, before)
            with sound(self._model.name):
                lengths, backoffs = _core.ngram_contexts(self._model._fitted, own, bounds, own_before)
            self.buckets = _history_bucket(lengths, backoffs)
        if self._stream is not None:
            logs = self._stream.logprobs(own, bounds, continues=continues)
        else:
            logs = self._model.logprobs(own, bounds)
        return np.asarray(logs) + mixture.shares(self._place, ids)

    def _history(self, *, continues: bool) -> Ints:
        return np.concatenate(self._read) if continues and self._read else _NOTHING

    def _remember(self, ids: Ints, bounds: Ints, before: Ints, *, continues: bool) -> None:
        last = ids[bounds[-2] :] if len(bounds) > 1 else ids
        goes_on = continues and len(bounds) <= 2
        if self._ngram:
            self._read = [np.concatenate((before, last) if goes_on else (last,))[-_FARTHEST:]]
        else:
            self._read = [*self._read, last] if goes_on else [last]

    def predict(self, *, continues: bool) -> tuple[Floats, int]:
        """ln p of each outcome of the mixture, and the bucket of the history."""
        mixture = self._mixture
        if self._cache is not None:
            with np.errstate(divide="ignore"):
                return np.log(self._cache.predict()), self._cache.bucket()
        history = mixture.own_ids(self._place, self._history(continues=continues))
        bucket = 0
        if self._ngram:
            one = np.array([0, 1], dtype=np.int64)
            with sound(self._model.name):
                lengths, backoffs = _core.ngram_contexts(self._model._fitted, _NOTHING_BUT_ONE, one, history)
            bucket = int(_history_bucket(lengths, backoffs)[0])
        return mixture.spread(self._place, self._model.predict(history)), bucket


_NOTHING_BUT_ONE = np.zeros(1, dtype=np.int64)
#: How many buckets `_history_bucket` can give for an order.
HISTORY_BINS = len(_BACKOFFS) + 1


def _history_bucket(lengths: Ints, backoffs: Floats) -> Ints:
    return np.asarray(lengths * HISTORY_BINS + np.digitize(backoffs, _BACKOFFS), dtype=np.int64)


def dimensions(components: tuple[Any, ...]) -> list[tuple[int, int]]:
    """Which components choose the weights, and into how many bins each goes.

    The first n-gram model, the first cache of the second order and the first of a higher one; where there is none of
    these caches, the first of order one.
    """
    found: list[tuple[int, int]] = []
    ngrams = [i for i, model in enumerate(components) if hasattr(model, "_fitted")]
    if ngrams:
        found.append((ngrams[0], (components[ngrams[0]].order + 1) * HISTORY_BINS))
    caches = [(i, model) for i, model in enumerate(components) if isinstance(model, Cache)]
    second = [(i, _BINS_SECOND) for i, model in caches if model.order == 2][:1]
    higher = [(i, _BINS_HIGHER) for i, model in caches if model.order > 2][:1]
    first = [(i, _BINS_SECOND) for i, model in caches if model.order == 1][:1]
    return found + (second + higher or first)


class MixtureStream:
    """All components in the middle of a text."""

    def __init__(self, mixture: MixtureModel) -> None:
        self._mixture = mixture
        self._followers = [Follower(mixture, i) for i in range(len(mixture.components))]

    def components(self, ids: NDArray[Any], bounds: Ints, *, continues: bool) -> tuple[Floats, Ints | None]:
        """ln p of each unit by each component, and the bucket of its history."""
        numbers = np.ascontiguousarray(ids, dtype=np.int64)
        places = np.ascontiguousarray(bounds, dtype=np.int64)
        logs = np.array([each.logprobs(numbers, places, continues=continues) for each in self._followers])
        return logs, self._buckets(len(numbers))

    def _buckets(self, size: int) -> Ints | None:
        if not self._mixture.bucketed:
            return None
        result = np.zeros(size, dtype=np.int64)
        for place, bins in self._mixture.dimensions:
            own = self._followers[place].buckets
            result = result * bins + (0 if own is None else np.minimum(own, bins - 1))
        return result

    def logprobs(self, ids: NDArray[Any], bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """As `Streaming.stream().logprobs`."""
        logs, buckets = self.components(ids, bounds, continues=continues)
        result = mixed(logs, self._mixture.weighted.at(buckets))
        return self._mixture.without_unknown(ids, result)

    def predict(self, continues: bool = True) -> Floats:  # noqa: FBT001
        """ln p of each outcome next; with `continues` false, as the first of a document."""
        found = [each.predict(continues=continues) for each in self._followers]
        bucket = 0
        for place, bins in self._mixture.dimensions if self._mixture.bucketed else ():
            bucket = bucket * bins + min(found[place][1], bins - 1)
        weights = self._mixture.weighted.at(np.array([bucket]))
        return mixed(np.array([logs for logs, _ in found]), weights)
