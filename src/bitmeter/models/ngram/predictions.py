"""An n-gram model as a model: what its units are, what it predicts, and what unknown words cost."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.check import choice, shown
from bitmeter.errors import InputTypeError, ModelError
from bitmeter.models.ngram.files import sound
from bitmeter.models.ngram.forms import CoreModel
from bitmeter.models.ngram.session import ModelWords, NGramStream
from bitmeter.models.ngram.units import BEGIN, END, UNKNOWN, Numbering, UnitPlan
from bitmeter.models.openvocab.characters import SpelledCharacters
from bitmeter.models.openvocab.words import SpelledStream
from bitmeter.text.units.base import BLANK, Units

if TYPE_CHECKING:
    from bitmeter.models.ngram.model import NGram

__all__ = ["NGramPredictions"]

Floats = NDArray[np.float64]
Bounds = NDArray[np.int64]


class NGramPredictions:
    """What makes an `NGram` a model that streams and predicts."""

    predicts_end = True
    name: str
    smoothing: str
    threads: int
    _plan: UnitPlan
    _oov: str
    _model: CoreModel | None
    #: Of a compact model, once something needs it; copies share it.
    _expanded: list[_core.NgramModel]
    _units: Units | None
    _numbering: Numbering | None
    #: Where the file of its tokenizer may lie.
    _folder: Path | None
    _spelling: _core.Spelling | None

    @property
    def _form(self) -> CoreModel:
        """The model in the form that it has."""
        if self._model is None:
            message = "this NGram knows no text yet; call fit(text), or NGram.load(path)"
            raise ModelError(message)
        return self._model

    @property
    def _fitted(self) -> _core.NgramModel:
        """The model in the fast form, which is made in memory where it has the other."""
        if isinstance(self._form, _core.NgramModel):
            return self._form
        if not self._expanded:
            with sound(self.name):
                self._expanded.append(self._form.expanded(self.threads))
        return self._expanded[0]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many n-grams there are of each order."""
        return tuple(self._form.counts)

    @property
    def size(self) -> int:
        """How many outcomes a prediction has: the units, `</s>`, and `<unk>` where something can be unknown."""
        return self._form.words - 1 - self._plan.closed

    @property
    def is_distribution(self) -> bool:
        """Whether what it gives are probabilities; stupid back-off gives scores that do not sum to one."""
        return not self.smoothing.startswith("stupid-backoff")

    @property
    def units(self) -> Units:
        """Words, numbered by the model; or the bytes, characters or tokens that it was trained on."""
        if self._units is None and self._plan.kind != "words":
            self._units = self._plan.units(self._folder)
        if self._units is None:
            with sound(self.name):
                self._units = ModelWords(self._form)
        return self._units

    @property
    def of_words(self) -> bool:
        """Whether its units are words, so that unknown ones can be spelled."""
        return self._plan.kind == "words"

    @property
    def end_id(self) -> int:
        """The id that stands for the end of a sentence."""
        return self._plan.end_id

    @property
    def end_is_unit(self) -> bool:
        """Whether a unit of the text is the end of a sentence: the newline of a line."""
        return self._plan.newline_ends

    @property
    def outcome_ids(self) -> NDArray[np.int64]:
        """The id of each outcome of a prediction; -1 for what is no unit."""
        if self._plan.kind != "words":
            return self._numbers().ids.copy()
        ids = np.arange(self._form.words, dtype=np.int64)
        ids[[UNKNOWN, BEGIN]] = -1
        return ids

    @property
    def fingerprint(self) -> str:
        """A checksum of all that can change a probability."""
        spelled = f"-{self.spelling.fingerprint():016x}" if self._oov == "spelled" and self.of_words else ""
        return f"ngram-{self._form.fingerprint():016x}-{self._oov}{spelled}"

    @property
    def oov_ways(self) -> tuple[str, ...]:
        """What unknown words can cost: their class, or that and their spelling where the model has learnt it."""
        if self._plan.closed:
            return ()
        spells = self._plan.kind == "characters" or (self._model is not None and self._model.has_section)
        return ("class", "spelled") if spells else ("class",)

    @property
    def spelling(self) -> _core.Spelling:
        """What the bytes of unknown words cost, and the white space around words."""
        if self._spelling is None:
            if not self._form.has_section:
                message = (
                    f"{self.name} has not learnt how words are spelled, so unknown words cannot be; have it learn from "
                    "a text: bitmeter convert MODEL new.bmn --spelling TEXT (in Python model.fit_spelling(TEXT)), or "
                    "train a model: bitmeter train TEXT -o new.bmn"
                )
                raise ModelError(message)
            with sound(self.name):
                self._spelling = _core.Spelling(self._form)
        return self._spelling

    @property
    def outcome_names(self) -> tuple[bytes, ...]:
        """The bytes of each outcome of a prediction."""
        with sound(self.name):
            names = [self._form.word(i) for i in range(self._form.words)]
        if self._plan.newline_ends:
            names[END] = b"\n"
        if self._plan.kind == "tokens":
            join = self.units.join
            names[END + 1 :] = [join([i]) for i in self._numbers().ids[END + 1 :].tolist()]
        return tuple(names)

    def logprobs(self, ids: NDArray[Any], bounds: Bounds) -> Floats:
        """ln p of each word given those before it in its sentence."""
        return self.stream().logprobs(ids, bounds, continues=False)

    def predict(self, history: NDArray[Any]) -> Floats:
        """ln p of every unit after this history of one sentence; the probabilities sum to one (if `is_distribution`).

        The first three are `<unk>` (any unknown unit), `<s>` (impossible) and `</s>`; `places` says which entry is that
        of an id.
        """
        ids = np.asarray(history)
        if ids.ndim != 1 or (ids.size and ids.dtype.kind not in "iu"):
            message = (
                f"history is {shown(history)}; it must be a row of ids, such as model.units.split(b'to be').ids, or "
                "[model.number('to'), model.number('be')]"
            )
            raise InputTypeError(message, value=history)
        numbers = self.numbered(ids)
        if self.end_is_unit:
            ends = np.flatnonzero(numbers == END)
            numbers = numbers[ends[-1] + 1 :] if len(ends) else numbers
        return self.predict_numbers(numbers)

    def predict_numbers(self, numbers: NDArray[np.int64]) -> Floats:
        """As `predict`, of units by their numbers in the model."""
        with sound(self.name):
            return self._form.predict(np.ascontiguousarray(numbers))

    def numbered(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """Units by their numbers in the model; a word that it does not know keeps the id that no word has."""
        if self._plan.kind == "words":
            return np.ascontiguousarray(ids, dtype=np.int64)
        return self._numbers().numbers(ids)

    def _numbers(self) -> Numbering:
        if self._numbering is None:
            with sound(self.name):
                self._numbering = Numbering(self._plan, self._form)
        return self._numbering

    def places(self, ids: NDArray[Any]) -> NDArray[np.int64]:
        """Where each id stands in what `predict` gives: its own place, or that of `<unk>`."""
        numbers = self.numbered(ids)
        known = (numbers > BEGIN) & (numbers < self._form.words)
        return np.where(known, numbers, UNKNOWN)

    def unknown(self, ids: NDArray[Any]) -> NDArray[np.bool_]:
        """Which units the model does not know."""
        return np.asarray((self.numbered(ids) <= BEGIN) & (np.asarray(ids) != BLANK))

    def with_oov(self, way: str) -> Self:
        """The same model with another cost for unknown units.

        "none": they are impossible. "class": their class `<unk>`. "spelled": `<unk>`, and then the bytes of a word or
        which character it is, so that the model is a distribution over byte strings; of words, white space is paid
        for too and newlines end sentences.
        """
        other = copy.copy(self)
        other._oov = choice(way, "oov", ("none",) if self._plan.closed else ("none", "class", "spelled"))
        if way == "spelled" and self.of_words:
            other._spelling = self.spelling
        return other

    def stream(self) -> NGramStream | SpelledStream | SpelledCharacters:
        """Remembers the last order − 1 words."""
        if self._oov == "spelled" and not self.of_words:
            model = cast("NGram", self.with_oov("class"))
            return SpelledCharacters(NGramStream(model), model)
        if self._oov == "spelled":
            return SpelledStream(NGramStream(cast("NGram", self.with_oov("class"))), self.spelling, self._form.words)
        return NGramStream(cast("NGram", self))
