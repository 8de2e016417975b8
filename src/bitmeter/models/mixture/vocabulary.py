"""The outcomes of a mixture: those of its models, or all words that any of them knows."""

from __future__ import annotations

import hashlib

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter.errors import ModelError
from bitmeter.models.mixture.cache import Cache
from bitmeter.models.outcomes import BYTE_NAMES
from bitmeter.models.protocols import Model, NGramLike, Predictor
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.base import BLANK, Units
from bitmeter.text.units.plain import Bytes
from bitmeter.text.units.words import Words

__all__ = ["UnionVocabulary", "UnitVocabulary", "Vocabulary", "vocabulary_of"]

Components = tuple[Model | Cache, ...]
_UNKNOWN, _BEGIN, _FIRST = 0, 1, 3


class Vocabulary:
    """Outcomes that all components share: each has its own id, and the mixture the same."""

    def __init__(self, units: Units, names: tuple[bytes, ...], size: int, first: Model) -> None:
        self.units, self.names, self.size = units, names, size
        self._first = first

    @property
    def unigram(self) -> Floats:
        """ln p of each outcome by the first model after an unknown word, or at the beginning."""
        return self._by_first()

    def _by_first(self) -> Floats:
        """The prediction of the first model after an unknown unit, or at the beginning."""
        if not isinstance(self._first, Predictor):
            message = (
                f"{self._first.name} does not expose the distribution of the next unit, so no cache or gate can use it"
            )
            raise ModelError(message)
        unknown = np.array([-1] if isinstance(self._first, NGramLike) else [], dtype=np.int64)
        return np.asarray(self._first.predict(unknown))

    def entries(self, ids: Ids) -> Ints:
        """The entry of each id among the outcomes."""
        if isinstance(self.units, Bytes):
            return np.asarray(ids, dtype=np.int64)
        numbers = np.asarray(ids, dtype=np.int64)
        return np.where((numbers > _BEGIN) & (numbers < len(self.names)), numbers, _UNKNOWN)

    @property
    def ids(self) -> Ints:
        """The id of each outcome; -1 for what is not a unit."""
        ids = np.arange(len(self.names) or self.size, dtype=np.int64)
        if isinstance(self.units, Words):
            ids[[_UNKNOWN, _BEGIN]] = -1
        return ids

    def unknown(self, ids: Ids) -> Bools:
        """Which units no component knows."""
        if not isinstance(self.units, Words):
            return np.zeros(len(ids), dtype=np.bool_)
        return np.asarray((np.asarray(ids) <= _BEGIN) & (np.asarray(ids) != BLANK))

    def own_ids(self, component: int, ids: Ints) -> Ints:
        """The component's id for each of the mixture's."""
        return ids

    def shares(self, component: int, ids: Ints) -> Floats | float:
        """ln of the share that an id has in the component's outcome for it."""
        return 0.0

    def spread(self, component: int, logs: Floats) -> Floats:
        """A component's prediction over the mixture's outcomes."""
        return logs


class UnionVocabulary(Vocabulary):
    """All words that any of several n-gram models knows.

    A model shares its `<unk>` equally among the words that only others know and all that no model knows.
    """

    def __init__(self, components: Components) -> None:
        models = [model for model in components if isinstance(model, NGramLike)]
        names = dict.fromkeys(name for model in models for name in model.outcomes.names[_FIRST:])
        every = (*models[0].outcomes.names[:_FIRST], *names)
        super().__init__(_UnionWords(every), every, len(every) - 1, models[0])
        numbers = {name: i for i, name in enumerate(every) if i >= _FIRST}
        self._maps: list[Ints] = []
        self._logs: list[Floats] = []
        for model in components:
            own = np.zeros(len(every), dtype=np.int64)
            own[1:_FIRST] = np.arange(1, _FIRST)
            if isinstance(model, NGramLike):
                listed = model.outcomes.names[_FIRST:]
                own[[numbers[name] for name in listed]] = np.arange(_FIRST, _FIRST + len(listed))
            missing = int(np.count_nonzero(own == _UNKNOWN))  # <unk> itself among them
            self._maps.append(own)
            self._logs.append(np.where(own == _UNKNOWN, -np.log(missing), 0.0))

    @property
    def unigram(self) -> Floats:
        """ln p of each word by the first model after an unknown one."""
        return self.spread(self._first_model, self._by_first())

    @property
    def _first_model(self) -> int:
        return next(i for i, own in enumerate(self._maps) if (own[_FIRST:] != _UNKNOWN).any())

    def own_ids(self, component: int, ids: Ints) -> Ints:
        """The component's id of each word; that of `<unk>` if it does not know it."""
        return np.asarray(self._maps[component][self.entries(ids)])

    def shares(self, component: int, ids: Ints) -> Floats:
        """ln of the share of `<unk>` that a word has which the component does not know."""
        return np.asarray(self._logs[component][self.entries(ids)])

    def spread(self, component: int, logs: Floats) -> Floats:
        """The component's prediction over all words."""
        return np.asarray(logs[self._maps[component]] + self._logs[component])


class UnitVocabulary(Vocabulary):
    """All bytes, characters or tokens that any of several models knows, by their ids; an unknown one where it can come.

    An n-gram model has its own entries for them, and shares its `<unk>` equally among those that only others know and
    all that no model knows.
    """

    def __init__(self, components: Components) -> None:
        models = [model for model in components if isinstance(model, Model)]
        ngrams = [model for model in models if isinstance(model, NGramLike)]
        units = models[0].units
        ends = all(model.traits.end is not None for model in models)
        names: dict[int, bytes] = {}
        for model in models:
            if isinstance(model, NGramLike):
                own = model.outcomes
                names |= dict(zip(own.ids[_FIRST - 1 :].tolist(), own.names[_FIRST - 1 :], strict=True))
            else:
                names |= dict(enumerate(BYTE_NAMES))
        if not ends:  # the end of a document is then no outcome, unless it is a unit as well
            for end in {model.end.id for model in ngrams if not model.end.is_unit}:
                del names[end]
        self._ids = np.array(sorted(names), dtype=np.int64)
        self._open = int(any(model.traits.oov for model in ngrams))
        every = (b"<unk>",) * self._open + tuple(names[number] for number in self._ids.tolist())
        super().__init__(units, every, len(every), models[0])
        self._end = next((m.end.id for m in ngrams if not m.end.is_unit), -1) if ends else -1
        self._maps: list[Ints] = []
        self._logs: list[Floats] = []
        for part in components:
            open_entries = np.zeros(self._open, dtype=np.int64)
            entries = part.outcomes.index(self._ids) if isinstance(part, NGramLike) else self._ids
            entries = np.concatenate((open_entries, entries))
            shared = entries == _UNKNOWN if isinstance(part, NGramLike) else np.zeros(len(entries), dtype=np.bool_)
            self._maps.append(entries)
            self._logs.append(np.where(shared, -np.log(max(1, int(shared.sum()))), 0.0))
        self._first_model = next(i for i, model in enumerate(components) if not isinstance(model, Cache))

    @property
    def ids(self) -> Ints:
        """The id of each outcome; -1 for what is not a unit."""
        ids = np.where(self._ids == self._end, -1, self._ids)
        return np.concatenate((np.full(self._open, -1, dtype=np.int64), ids))

    @property
    def unigram(self) -> Floats:
        """ln p of each outcome by the first model after an unknown one."""
        return self.spread(self._first_model, self._by_first())

    def entries(self, ids: Ids) -> Ints:
        """The entry of each id among the outcomes."""
        numbers = np.asarray(ids, dtype=np.int64)
        at = np.minimum(np.searchsorted(self._ids, numbers), len(self._ids) - 1)
        return np.where(self._ids[at] == numbers, at + self._open, _UNKNOWN)

    def unknown(self, ids: Ids) -> Bools:
        """Which units no component knows."""
        if not self._open:
            return np.zeros(len(ids), dtype=np.bool_)
        return np.asarray((self.entries(ids) == _UNKNOWN) & (np.asarray(ids) != BLANK))

    def shares(self, component: int, ids: Ints) -> Floats | float:
        """ln of the share of `<unk>` that a unit has which the component does not know."""
        return np.asarray(self._logs[component][self.entries(ids)]) if self._open else 0.0

    def spread(self, component: int, logs: Floats) -> Floats:
        """The component's prediction over all outcomes."""
        return np.asarray(logs[self._maps[component]] + self._logs[component])


class _UnionWords(Words):
    """Words with the ids of a mixture; no word of a text is `<s>`, `</s>` or the class `<unk>`."""

    def __init__(self, names: tuple[bytes, ...]) -> None:
        self.separators = SEPARATORS["kenlm"]
        listed = [b"\n0", b"\n1", b"\n2", *names[_FIRST:]]
        ends = np.cumsum(np.fromiter(map(len, listed), dtype=np.int64, count=len(listed)))
        joined = b"".join(listed)
        self._table = _core.WordTable()
        self._table.add(joined, np.concatenate(([0], ends[:-1])).astype(np.int64), ends)
        self.name = "words"
        digest = hashlib.sha256(ends.tobytes() + joined).hexdigest()[:16]
        self.fingerprint = f"words/1@union-{digest}"


def vocabulary_of(components: Components) -> Vocabulary:
    """What the components can agree on, or an error that says why they cannot be mixed."""
    models = [model for model in components if isinstance(model, Model)]
    ngrams = [model for model in models if isinstance(model, NGramLike)]
    first = models[0]
    if len(ngrams) == len(models) and all(model.of_words for model in ngrams):
        outcomes = ngrams[0].outcomes
        if all(model.outcomes.names == outcomes.names for model in ngrams[1:]):
            return Vocabulary(first.units, outcomes.names, first.traits.vocabulary or 0, first)
        return UnionVocabulary(components)
    other = next((model for model in models if model.units != first.units), None)
    if other is not None:
        message = (
            f"{first.name} predicts {first.units.name} and {other.name} {other.units.name}; only models of the same "
            "units can be mixed, since their probabilities are of the same outcomes"
        )
        raise ModelError(message)
    if len(ngrams) == len(models) or (ngrams and isinstance(first.units, Bytes)):
        return UnitVocabulary(components)
    if isinstance(first.units, Bytes):
        return Vocabulary(first.units, BYTE_NAMES, 256, first)
    if len(models) < len(components):
        message = (
            f"{first.name} predicts {first.units.name}; a cache can be mixed with n-gram models and models of bytes"
        )
        raise ModelError(message)
    return Vocabulary(first.units, (), first.traits.vocabulary or 0, first)
