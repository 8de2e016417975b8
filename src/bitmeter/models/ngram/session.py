"""A text going past an n-gram model: how its words are numbered, and the few of them that are remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.models.ngram.files import sound
from bitmeter.models.ngram.units import END, sentences_within
from bitmeter.models.outcomes import Details, details_of_rows, joined_details
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.base import Split
from bitmeter.text.units.words import Words

if TYPE_CHECKING:
    from bitmeter.models.ngram.model import NGram

Floats = NDArray[np.float64]
Bounds = NDArray[np.int64]
_NOTHING = np.zeros(0, dtype=np.int64)
_CHUNK = 64


class ModelWords(Words):
    """Words numbered by a model; no word of a text is `<s>`, `</s>` or the class `<unk>`."""

    def __init__(self, model: _core.NgramModel | _core.CompactNgram) -> None:
        self.separators = SEPARATORS["kenlm"]
        self._model = model
        _core.ngram_number(model, b"")  # the compact form makes its index now, so that a damaged one is told here
        self.name = "words"
        self.fingerprint = f"words/1@ngram-{model.fingerprint():016x}"

    @property
    def vocabulary_size(self) -> int:
        """How many numbers there are, those of `<unk>`, `<s>` and `</s>` included."""
        return self._model.words

    def _split(self, data: bytes, ends: NDArray[np.int64]) -> Split:
        return Split(*_core.ngram_split(self._model, data, ends, self.separators))

    def _ids(self, data: bytes, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
        return _core.ngram_find(self._model, data, np.ascontiguousarray(starts), np.ascontiguousarray(stops))


class NGramStream:
    """Remembers the last order − 1 words of a document."""

    def __init__(self, model: NGram, oov: str | None = None) -> None:
        self._model = model
        self._class = (model._oov if oov is None else oov) == "class"
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
            logs = model._form.logprobs(numbers, np.ascontiguousarray(bounds), before, self._class, model.threads)
        self._remember(numbers, bounds, before)
        return logs

    def _remember(self, numbers: NDArray[np.int64], bounds: Bounds, before: NDArray[np.int64]) -> None:
        reach = max(1, self._model.order - 1)
        last = numbers[bounds[-2] :] if len(bounds) > 1 else numbers
        self._before = np.concatenate((before, last[-reach:]) if len(bounds) == 2 else (last[-reach:],))[-reach:]

    @property
    def rates_bytes(self) -> bool:
        """Whether `rate_bytes` works: for models of words."""
        return isinstance(self._model.units, ModelWords)

    def rate_bytes(
        self,
        data: bytes,
        ends: Bounds,
        finished: int,
        continues: bool,  # noqa: FBT001
        eos: str,
    ) -> tuple[Split, NDArray[np.bool_], Floats]:
        """See `ByteStream.rate_bytes`: the same units and figures as the way over `units.split` and `logprobs`."""
        model = self._model
        before = self._before if continues else _NOTHING
        with sound(model.name):
            ids, cuts, bounds, blank, logs = _core.ngram_rate(
                model._form,
                data,
                ends,
                finished,
                before,
                SEPARATORS["kenlm"],
                eos,
                self._class,
                model.threads,
            )
        self._remember(ids, bounds, before)
        return Split(ids, cuts, bounds), blank.view(np.bool_), logs

    def rate_spelled(
        self,
        spelling: _core.Spelling,
        data: bytes,
        ends: Bounds,
        finished: int,
        continues: bool,  # noqa: FBT001
        goes_on: bool,  # noqa: FBT001
        eos: str,
    ) -> tuple[Split, NDArray[np.bool_], Floats, bool | None]:
        """As `rate_bytes`, with unknown words spelled and white space paid for.

        The first document goes on from the call before if it `continues`, and so does its sentence if it `goes_on`.
        The last of what is given back is whether the text ends with a sentence; None if it has nothing of one.
        """
        model = self._model
        before = self._before if goes_on else _NOTHING
        with sound(model.name):
            ids, cuts, bounds, blank, logs, after, empty, ended = _core.ngram_rate_spelled(
                model._form, spelling, data, ends, finished, before, SEPARATORS["kenlm"], eos, continues, model.threads
            )
        if not empty:
            self._before = after
        return Split(ids, cuts, bounds), blank.view(np.bool_), logs, None if empty else ended

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
