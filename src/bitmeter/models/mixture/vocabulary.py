"""The outcomes of a mixture: those of its models, or all words that any of them knows."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.errors import ModelError
from bitmeter.models.mixture.cache import Cache
from bitmeter.models.ngram.model import NGram
from bitmeter.text.units.base import BLANK, Units
from bitmeter.text.units.plain import Bytes
from bitmeter.text.units.words import Words

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
_UNKNOWN, _BEGIN, _FIRST = 0, 1, 3


class Vocabulary:
    """Outcomes that all components share: each has its own id, and the mixture the same."""

    def __init__(self, units: Units, names: tuple[bytes, ...], size: int, first: Any) -> None:
        self.units, self.names, self.size = units, names, size
        self._first = first

    @property
    def unigram(self) -> Floats:
        """ln p of each outcome by the first model after an unknown word, or at the beginning."""
        unknown = np.array([-1] if isinstance(self._first, NGram) else [], dtype=np.int64)
        return np.asarray(self._first.predict(unknown))

    def places(self, ids: NDArray[Any]) -> Ints:
        """Where an id stands among the outcomes."""
        if isinstance(self.units, Bytes):
            return np.asarray(ids, dtype=np.int64)
        numbers = np.asarray(ids, dtype=np.int64)
        return np.where((numbers > _BEGIN) & (numbers < len(self.names)), numbers, _UNKNOWN)

    @property
    def outcome_ids(self) -> Ints:
        """The id of each outcome; -1 for what is no unit."""
        ids = np.arange(len(self.names) or self.size, dtype=np.int64)
        if isinstance(self.units, Words):
            ids[[_UNKNOWN, _BEGIN]] = -1
        return ids

    def unknown(self, ids: NDArray[Any]) -> NDArray[np.bool_]:
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

    A model shares its `<unk>` equally among the words that only others know and all that nobody knows.
    """

    def __init__(self, components: tuple[Any, ...]) -> None:
        models = [model for model in components if not isinstance(model, Cache)]
        names = dict.fromkeys(name for model in models for name in model.outcome_names[_FIRST:])
        every = (*models[0].outcome_names[:_FIRST], *names)
        super().__init__(_UnionWords(every), every, len(every) - 1, models[0])
        numbers = {name: i for i, name in enumerate(every) if i >= _FIRST}
        self._maps: list[Ints] = []
        self._logs: list[Floats] = []
        for model in components:
            own = np.zeros(len(every), dtype=np.int64)
            own[1:_FIRST] = np.arange(1, _FIRST)
            if not isinstance(model, Cache):
                listed = model.outcome_names[_FIRST:]
                own[[numbers[name] for name in listed]] = np.arange(_FIRST, _FIRST + len(listed))
            missing = int(np.count_nonzero(own == _UNKNOWN))  # <unk> itself among them
            self._maps.append(own)
            self._logs.append(np.where(own == _UNKNOWN, -np.log(missing), 0.0))

    @property
    def unigram(self) -> Floats:
        """ln p of each word by the first model after an unknown one."""
        return self.spread(self._place, np.asarray(self._first.predict(np.array([-1], dtype=np.int64))))

    @property
    def _place(self) -> int:
        return next(i for i, own in enumerate(self._maps) if (own[_FIRST:] != _UNKNOWN).any())

    def own_ids(self, component: int, ids: Ints) -> Ints:
        """The component's number of each word, that of `<unk>` where it has none."""
        return np.asarray(self._maps[component][self.places(ids)])

    def shares(self, component: int, ids: Ints) -> Floats:
        """ln of the share of `<unk>` that a word has which the component does not know."""
        return np.asarray(self._logs[component][self.places(ids)])

    def spread(self, component: int, logs: Floats) -> Floats:
        """The component's prediction over all words."""
        return np.asarray(logs[self._maps[component]] + self._logs[component])


class UnitVocabulary(Vocabulary):
    """All bytes, characters or tokens that any of several models knows, by their ids; an unknown one where it can come.

    An n-gram model has its own places for them, and shares its `<unk>` equally among those that only others know and
    all that nobody knows.
    """

    def __init__(self, components: tuple[Any, ...]) -> None:
        models = [model for model in components if not isinstance(model, Cache)]
        units = models[0].units
        ends = all(getattr(model, "predicts_end", False) for model in models)
        names: dict[int, bytes] = {}
        for model in models:
            if isinstance(model, NGram):
                names |= dict(
                    zip(model.outcome_ids[_FIRST - 1 :].tolist(), model.outcome_names[_FIRST - 1 :], strict=True)
                )
            else:
                names |= {byte: bytes([byte]) for byte in range(256)}
        if not ends:  # the end of a document is then no outcome, unless it is a unit as well
            for end in {model.end_id for model in models if isinstance(model, NGram) and not model.end_is_unit}:
                del names[end]
        self._ids = np.array(sorted(names), dtype=np.int64)
        self._open = int(any(isinstance(model, NGram) and model.oov_ways for model in models))
        every = (b"<unk>",) * self._open + tuple(names[number] for number in self._ids.tolist())
        super().__init__(units, every, len(every), models[0])
        self._end = next((m.end_id for m in models if isinstance(m, NGram) and not m.end_is_unit), -1) if ends else -1
        self._maps: list[Ints] = []
        self._logs: list[Floats] = []
        for model in components:
            own = model.places(self._ids) if isinstance(model, NGram) else self._ids
            own = np.concatenate((np.zeros(self._open, dtype=np.int64), own))
            shared = own == _UNKNOWN if isinstance(model, NGram) else np.zeros(len(own), dtype=np.bool_)
            self._maps.append(own)
            self._logs.append(np.where(shared, -np.log(max(1, int(shared.sum()))), 0.0))
        self._place = next(place for place, model in enumerate(components) if not isinstance(model, Cache))

    @property
    def outcome_ids(self) -> Ints:
        """The id of each outcome; -1 for what is no unit."""
        ids = np.where(self._ids == self._end, -1, self._ids)
        return np.concatenate((np.full(self._open, -1, dtype=np.int64), ids))

    @property
    def unigram(self) -> Floats:
        """ln p of each outcome by the first model after an unknown one."""
        unknown = np.array([-1] if isinstance(self._first, NGram) else [], dtype=np.int64)
        return self.spread(self._place, np.asarray(self._first.predict(unknown)))

    def places(self, ids: NDArray[Any]) -> Ints:
        """Where an id stands among the outcomes."""
        numbers = np.asarray(ids, dtype=np.int64)
        at = np.minimum(np.searchsorted(self._ids, numbers), len(self._ids) - 1)
        return np.where(self._ids[at] == numbers, at + self._open, _UNKNOWN)

    def unknown(self, ids: NDArray[Any]) -> NDArray[np.bool_]:
        """Which units no component knows."""
        if not self._open:
            return np.zeros(len(ids), dtype=np.bool_)
        return np.asarray((self.places(ids) == _UNKNOWN) & (np.asarray(ids) != BLANK))

    def shares(self, component: int, ids: Ints) -> Floats | float:
        """ln of the share of `<unk>` that a unit has which the component does not know."""
        return np.asarray(self._logs[component][self.places(ids)]) if self._open else 0.0

    def spread(self, component: int, logs: Floats) -> Floats:
        """The component's prediction over all outcomes."""
        return np.asarray(logs[self._maps[component]] + self._logs[component])


class _UnionWords(Words):
    """Words numbered by a mixture; no word of a text is `<s>`, `</s>` or the class `<unk>`."""

    def __init__(self, names: tuple[bytes, ...]) -> None:
        from bitmeter.text.formats import SEPARATORS

        self.separators = SEPARATORS["kenlm"]
        listed = [b"\n0", b"\n1", b"\n2", *names[_FIRST:]]
        ends = np.cumsum(np.fromiter(map(len, listed), dtype=np.int64, count=len(listed)))
        joined = b"".join(listed)
        self._table = _core.WordTable()
        self._table.add(joined, np.concatenate(([0], ends[:-1])).astype(np.int64), ends)
        self.name = "words"
        digest = hashlib.sha256(ends.tobytes() + joined).hexdigest()[:16]
        self.fingerprint = f"words/1@union-{digest}"


def vocabulary_of(components: tuple[Any, ...]) -> Vocabulary:
    """What the components can agree on, or an error that says why they cannot be mixed."""
    models = [model for model in components if not isinstance(model, Cache)]
    first = models[0]
    if all(isinstance(model, NGram) and isinstance(model.units, Words) for model in models):
        same = all(model.outcome_names == first.outcome_names for model in models[1:])
        if same:
            return Vocabulary(first.units, first.outcome_names, first.size, first)
        return UnionVocabulary(components)
    other = next((model for model in models if model.units != first.units), None)
    if other is not None:
        message = (
            f"{first.name} predicts {first.units.name} and {other.name} {other.units.name}; only models of the same "
            "units can be mixed, since their probabilities are of the same outcomes"
        )
        raise ModelError(message)
    ngrams = [model for model in models if isinstance(model, NGram)]
    if len(ngrams) == len(models) or (ngrams and isinstance(first.units, Bytes)):
        return UnitVocabulary(components)
    if isinstance(first.units, Bytes):
        return Vocabulary(first.units, tuple(bytes([b]) for b in range(256)), 256, first)
    if len(models) < len(components):
        message = (
            f"{first.name} predicts {first.units.name}; a cache can be mixed with n-gram models and models of bytes"
        )
        raise ModelError(message)
    return Vocabulary(first.units, (), getattr(first, "size", 0), first)
