"""What another package wrote, as a model of ours.

Only this module looks for attributes: a plug-in writes a `PlainModel` and perhaps more, and its attributes decide what
it can do.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter.errors import ModelError
from bitmeter.models.machine import Machine, machine_of
from bitmeter.models.openvocab.plain import OpenWords
from bitmeter.models.outcomes import BYTE_NAMES, Details, Outcomes
from bitmeter.models.protocols import Compressor, Meter, Model, NGramLike, Options, PlainModel, Predictor, Traits
from bitmeter.models.session import End, HistoryStepper, PredictingSession, Stepper, UnitSession
from bitmeter.text.units.base import BLANK, Units
from bitmeter.text.units.plain import Bytes

__all__ = ["PlainCompressor", "PlainPredictor", "PlainScorer", "adapted"]


def adapted(found: Any) -> Model | Compressor | None:
    """A model of an object that has what a `PlainModel` or a compressor needs; None for anything else."""
    if isinstance(found, Model | Compressor):
        return found
    if isinstance(found, type):
        return None
    if all(hasattr(found, name) for name in ("name", "fingerprint", "meter")) and not hasattr(found, "logprobs"):
        return PlainCompressor(found)
    if not isinstance(found, PlainModel):
        return None
    units: object = found.units
    if not isinstance(units, Units):
        message = f"{found.name} has units {units!r:.60}, which are not bitmeter.Units; inherit from that class"
        raise ModelError(message, value=found.name)
    if not callable(getattr(found, "predict", None)):
        return PlainScorer(found)
    spelling = getattr(found, "spelling", None)
    return PlainPredictor(found) if spelling is None else _open_words(PlainPredictor(found), spelling)


def _open_words(model: PlainPredictor, spelling: object) -> Model:
    if not isinstance(spelling, NGramLike):
        message = (
            f"{model.name} has the spelling {spelling!r:.60}; it must be an n-gram model of words fitted on the text "
            "that the model was trained on: bm.NGram(order=1, unk_word=True).fit(text)"
        )
        raise ModelError(message, value=model.name)
    return OpenWords(model, spelling)


class PlainScorer(Model):
    """A plug-in that scores what it is shown."""

    name: str
    units: Units

    def __init__(self, plain: Any) -> None:
        self.plain = plain
        self.name, self.units = str(plain.name), plain.units

    @property
    def fingerprint(self) -> str:
        """As the plug-in says."""
        return str(self.plain.fingerprint)

    @property
    def traits(self) -> Traits:
        """As the plug-in says; without `stream`, it is given whole documents."""
        found = getattr(self.plain, "traits", None)
        if isinstance(found, Traits):
            return found
        end = getattr(self.plain, "end_id", None)
        return Traits(
            vocabulary=256 if isinstance(self.units, Bytes) else None,
            end=None if end is None else End(int(end)),
            whole_documents=not callable(getattr(self.plain, "stream", None)),
            precision=str(getattr(self.plain, "precision", "float64")),
            caveats=tuple(getattr(self.plain, "caveats", ())),
        )

    @property
    def machine(self) -> Machine:
        """How a plug-in computes is not known; the processor and numpy are the least that it depends on."""
        return machine_of("numpy")

    def open(self, options: Options = Options()) -> UnitSession:  # noqa: B008
        """Begin a text."""
        return PlainSession(self)

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """As the plug-in says."""
        found: Floats = self.plain.logprobs(ids, bounds)
        return found

    def begin(self) -> Callable[[Ids, Ints, bool], Floats]:
        """A function that scores the next documents, of which the first may go on from the call before."""
        stream = getattr(self.plain, "stream", None)
        if callable(stream):
            found: Callable[[Ids, Ints, bool], Floats] = stream().logprobs
            return found
        return lambda ids, bounds, continues: self.plain.logprobs(ids, bounds)


class PlainPredictor(PlainScorer, Predictor):
    """A plug-in that also predicts."""

    @property
    def outcomes(self) -> Outcomes:
        """The ids themselves, unless the plug-in says otherwise; named by it, by the bytes, or by the tokenizer."""
        if "_outcomes" not in self.__dict__:
            own = getattr(self.plain, "outcomes", None)
            self._outcomes = own if isinstance(own, Outcomes) else self._found()
        return self._outcomes

    def _found(self) -> Outcomes:
        size = len(self.predict(np.zeros(0, dtype=np.int64)))
        names = getattr(self.plain, "outcome_names", None)
        if names is None and isinstance(self.units, Bytes) and size == 256:
            names = BYTE_NAMES
        if names is None and self.units.token_bytes is not None:
            # A network often has a few more ids than its tokenizer has tokens.
            names = tuple(name or b"" for name in self.units.token_bytes)
            names += (b"",) * (size - len(names))
        if names is None and self.units.joins:
            names = tuple(self.units.join([unit]) for unit in range(size))
        if names is not None and len(names) != size:
            message = f"{self.name} predicts {size:,} outcomes and names {len(names):,} of them"
            raise ModelError(message)
        return Outcomes(size, names=None if names is None else lambda: tuple(names))

    def predict(self, history: Ids) -> Floats:
        """As the plug-in says, in float64."""
        row = np.asarray(self.plain.predict(history))
        if row.ndim != 1 or row.size == 0:
            message = f"{self.name} predicts an array of shape {row.shape}; it must be one row of ln p"
            raise ModelError(message)
        return row.astype(np.float64)

    def stepper(self) -> Stepper:
        """By the whole history of the document."""
        return HistoryStepper(self.predict)

    def open(self, options: Options = Options()) -> UnitSession:  # noqa: B008
        """Begin a text."""
        return PlainPredictingSession(self)


class PlainSession(UnitSession):
    """Scores a text by a plug-in."""

    def __init__(self, model: PlainScorer) -> None:
        self._model, self._score = model, model.begin()

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """As the plug-in says."""
        return self._score(ids, bounds, continues)

    def details(self, ids: Ids, bounds: Ints, continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        """Not available: it does not predict."""
        message = f"{self._model.name} does not expose its next-unit distribution; leave alternatives out"
        raise ModelError(message)


class PlainPredictingSession(PredictingSession):
    """Scores a text by a plug-in that predicts; keeps the units of the open document."""

    def __init__(self, model: PlainPredictor) -> None:
        self._model, self._score = model, model.begin()
        self._history: list[Ids] = []

    @property
    def outcomes(self) -> Outcomes:
        """Those of the model."""
        return self._model.outcomes

    def stepper(self) -> Stepper:
        """Goes on from the open document."""
        history = np.concatenate(self._history) if self._history else None
        return HistoryStepper(self._model.predict, history=history)

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """As the plug-in says."""
        last = np.asarray(ids[bounds[-2] :] if len(bounds) > 1 else ids, dtype=np.int64)
        self._history = [*self._history, last] if continues and len(bounds) <= 2 else [last]
        return self._score(ids, bounds, continues)

    def details(self, ids: Ids, bounds: Ints, continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        """By one prediction after the other; alternatives need names."""
        if alternatives and not self.outcomes.named:
            message = (
                f"{self._model.name} does not name its {len(self.outcomes):,} outcomes (outcome_names), so there are "
                "no alternatives to show; ask for 0 of them"
            )
            raise ModelError(message)
        index = self.outcomes.index(ids)
        strange = ((index < 0) | (index >= len(self.outcomes))) & (np.asarray(ids) != BLANK)
        if strange.any():
            message = (
                f"{self._model.name} predicts {len(self.outcomes):,} outcomes, and the unit id "
                f"{int(ids[np.argmax(strange)])} is not among them, so it has no rank; leave alternatives out"
            )
            raise ModelError(message)
        return super().details(ids, bounds, continues, alternatives)


class PlainCompressor(Compressor):
    """A compressor that another package wrote."""

    name: str
    fingerprint: str
    overhead: str

    def __init__(self, plain: Any) -> None:
        self.plain = plain
        self.name, self.fingerprint = str(plain.name), str(plain.fingerprint)
        self.overhead = str(getattr(plain, "overhead", ""))

    def meter(self) -> Meter:
        """Begin a file."""
        found: Meter = self.plain.meter()
        return found
