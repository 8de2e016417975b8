"""A text going past an n-gram model: how its words are numbered, and the few of them that are remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.models.details import Details, details_of_rows, joined_details
from bitmeter.models.ngram_files import sound
from bitmeter.models.ngram_units import END, sentences_within
from bitmeter.text.units import SEPARATORS, Words

if TYPE_CHECKING:
    from bitmeter.models.ngram import NGram

Floats = NDArray[np.float64]
Bounds = NDArray[np.int64]
_NOTHING = np.zeros(0, dtype=np.int64)
_CHUNK = 64


class ModelWords(Words):
    """Words numbered by a model; no word of a text is `<s>`, `</s>` or the class `<unk>`."""

    def __init__(self, model: _core.NgramModel) -> None:
        self.separators = SEPARATORS["kenlm"]
        self._table = model.table()
        self.name = "words"
        self.fingerprint = f"words/1@ngram-{model.fingerprint():016x}"


class NGramStream:
    """Remembers the last order − 1 words of a document."""

    def __init__(self, model: NGram) -> None:
        self._model = model
        self._before = _NOTHING

    def logprobs(self, ids: NDArray[Any], bounds: Bounds, continues: bool) -> Floats:  # noqa: FBT001
        """As `Streaming.stream().logprobs`."""
        model = self._model
        numbers = model.numbered(ids)
        before = self._before if continues else _NOTHING
        if model.end_is_unit:
            bounds = sentences_within(numbers, bounds) if len(numbers) else bounds
            before = before if len(before) and before[-1] != END else _NOTHING
        with sound(model.name):
            logs = model._fitted.logprobs(
                numbers, np.ascontiguousarray(bounds), before, model._oov == "class", model.threads
            )
        last = numbers[bounds[-2] :] if len(bounds) > 1 else numbers
        self._before = np.concatenate((before, last) if len(bounds) == 2 else (last,))[-max(1, model.order - 1) :]
        return logs

    def details(self, ids: NDArray[Any], bounds: Bounds, continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        """The whole prediction at each place."""
        model = self._model
        names = model.outcome_names
        numbers = model.places(ids)
        before = self._before
        if model.end_is_unit:
            bounds = sentences_within(numbers, bounds)
            before = before if len(before) and before[-1] != END else _NOTHING
        histories = [
            np.concatenate((before, numbers[:place])) if continues and first == 0 else numbers[first:place]
            for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
            for place in range(first, last)
        ]
        parts = []
        for i in range(0, max(1, len(numbers)), _CHUNK):
            rows = [model.predict_numbers(history[-model.order :]) for history in histories[i : i + _CHUNK]]
            table = np.array(rows).reshape(len(rows), len(names))
            parts.append(details_of_rows(table, numbers[i : i + _CHUNK], alternatives, names))
        return joined_details(parts)
