"""A text going past a mixture: each component follows it, and what it holds of the history chooses the weights."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter.models.baseline.tables import KrichevskyTrofimov
from bitmeter.models.mixture.cache import Cache
from bitmeter.models.mixture.steps import (
    HISTORY_BINS,
    CachePart,
    CountsPart,
    GramPart,
    HistoryPart,
    MixtureSteps,
    Part,
    UniversalPart,
    context_buckets,
    sentence_of,
)
from bitmeter.models.mixture.weights import mixed
from bitmeter.models.ngram.units import sentences_within
from bitmeter.models.outcomes import Details, details_of_rows, joined_details
from bitmeter.models.universal.model import UniversalStream

if TYPE_CHECKING:
    from bitmeter.models.mixture.model import MixtureModel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_NOTHING = np.zeros(0, dtype=np.int64)

#: No n-gram model looks back farther.
_FARTHEST = 16
#: How many bins of a cache of the second and of a higher order count.
_BINS_SECOND, _BINS_HIGHER = 8, 4
#: How many probabilities of whole predictions are held at once.
_AT_ONCE = 1 << 20


class Follower:
    """One component in the middle of a text."""

    def __init__(self, mixture: MixtureModel, place: int) -> None:
        self._mixture, self._place = mixture, place
        self._model = mixture.components[place]
        self._cache = self._model.begin(mixture.unigram) if isinstance(self._model, Cache) else None
        self._stream = self._model.stream() if self._cache is None and hasattr(self._model, "stream") else None
        self._ngram = hasattr(self._model, "_form")
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
            self.buckets = self._kinds(own, bounds, mixture.own_ids(self._place, before))
        if self._stream is not None:
            logs = self._stream.logprobs(own, bounds, continues=continues)
        else:
            logs = self._model.logprobs(own, bounds)
        return np.asarray(logs) + mixture.shares(self._place, ids)

    def _kinds(self, ids: Ints, bounds: Ints, before: Ints) -> Ints:
        """The kind of history of each unit, for an n-gram model."""
        model = self._model
        numbers = model.numbered(ids)
        if model.end_is_unit and len(numbers):
            bounds = sentences_within(numbers, bounds)
        return context_buckets(model, numbers, bounds, sentence_of(model, model.numbered(before)))

    def _history(self, *, continues: bool) -> Ints:
        return np.concatenate(self._read) if continues and self._read else _NOTHING

    def _remember(self, ids: Ints, bounds: Ints, before: Ints, *, continues: bool) -> None:
        last = ids[bounds[-2] :] if len(bounds) > 1 else ids
        goes_on = continues and len(bounds) <= 2
        if self._ngram:
            self._read = [np.concatenate((before, last) if goes_on else (last,))[-_FARTHEST:]]
        else:
            self._read = [*self._read, last] if goes_on else [last]

    def part(self, *, continues: bool, moves: bool) -> Part:
        """The component as it stands, to go on unit by unit; what it learned is copied only if it `moves`."""
        if self._cache is not None:
            return CachePart(self._cache.copy() if moves else self._cache, self._mixture)
        history = self._mixture.own_ids(self._place, self._history(continues=continues))
        if self._ngram:
            return GramPart(self._model, history)
        if isinstance(self._stream, UniversalStream):
            core = self._stream.core.copy() if moves or not continues else self._stream.core
            if not continues:
                core.begin()
            return UniversalPart(core)
        if isinstance(self._model, KrichevskyTrofimov) and self._stream is not None:
            return CountsPart(self._stream.counts.copy())
        return HistoryPart(self._model, history)


def dimensions(components: tuple[Any, ...]) -> list[tuple[int, int]]:
    """Which components choose the weights, and into how many bins each goes.

    The first n-gram model, the first cache of the second order and the first of a higher one; where there is none of
    these caches, the first of order one.
    """
    found: list[tuple[int, int]] = []
    ngrams = [i for i, model in enumerate(components) if hasattr(model, "_form")]
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
        return self._steps(continues=continues, moves=False).predict()

    def _steps(self, *, continues: bool, moves: bool) -> MixtureSteps:
        parts = [each.part(continues=continues, moves=moves) for each in self._followers]
        return MixtureSteps(self._mixture, parts)

    def details(self, ids: NDArray[Any], bounds: Ints, continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        """The whole prediction at each place; the stream does not move."""
        mixture, numbers = self._mixture, np.asarray(ids, dtype=np.int64)
        places, names = mixture.places(numbers), mixture.outcome_names
        steps = self._steps(continues=continues, moves=True)
        starts = set(bounds[1 if continues else 0 : -1].tolist())
        at_once = max(1, _AT_ONCE // len(names))
        parts = []
        for first in range(0, max(1, len(numbers)), at_once):
            here = slice(first, first + at_once)
            rows = np.empty((len(numbers[here]), len(names)))
            for i, number in enumerate(numbers[here].tolist()):
                if first + i in starts:
                    steps.begin()
                rows[i] = steps.predict()
                steps.take(number)
            parts.append(details_of_rows(rows, places[here], alternatives, names))
        return joined_details(parts)
