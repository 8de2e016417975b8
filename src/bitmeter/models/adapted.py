"""What another package wrote, as a model of ours.

Only this module looks for attributes. A plug-in writes a `PlainModel` or a compressor, and these decide what it can do:
`predict`, `stream`, `traits`, `outcomes`, `outcome_names`, `spelling`; of a compressor, `overhead`. Of a class that
inherits from ours, only what it must have is looked for.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Self

import numpy as np

from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter._util.check import choice
from bitmeter.errors import BitmeterError, ModelError
from bitmeter.models.machine import Machine, machine_of
from bitmeter.models.openvocab.plain import OpenWords
from bitmeter.models.outcomes import BYTE_NAMES, Details, Outcomes
from bitmeter.models.protocols import (
    Compressor,
    Meter,
    Model,
    NGramLike,
    OpenVocabulary,
    Options,
    PlainModel,
    Predictor,
    Traits,
)
from bitmeter.models.session import HistoryStepper, PredictingSession, Stepper, UnitSession, Watch
from bitmeter.text.units.base import BLANK, UNKNOWN, Units
from bitmeter.text.units.plain import Bytes

__all__ = ["PlainCompressor", "PlainPredictor", "PlainScorer", "adapted"]

_UNK = b"<unk>"


def adapted(found: Any) -> Model | Compressor | None:
    """A model of an object that is one, or has what a `PlainModel` or a compressor needs; None for anything else."""
    if isinstance(found, Model | Compressor):
        _check_members(found)
        return found
    if isinstance(found, type):
        return None
    if all(hasattr(found, name) for name in ("name", "fingerprint", "meter")) and not hasattr(found, "logprobs"):
        return PlainCompressor(found)
    if not isinstance(found, PlainModel):
        return None
    units: object = found.units
    if not isinstance(units, Units):
        raise _not_units(str(found.name), units)
    # Units with a vocabulary, such as words, give UNKNOWN for what is not in it.
    meets_unknown = units.vocabulary_size is not None and not units.joins
    if not callable(getattr(found, "predict", None)):
        scorer = OpenScorer(found) if meets_unknown else PlainScorer(found)
        scorer.declared()
        return scorer
    spelling = getattr(found, "spelling", None)
    predictor = OpenPredictor(found) if meets_unknown and spelling is None else PlainPredictor(found)
    predictor.declared()
    return predictor if spelling is None else _open_words(predictor, spelling)


def _check_members(model: Model | Compressor) -> None:
    """Say what a class of another package that inherits from ours lacks; only names are looked up, nothing computed."""
    needed = ("name", "fingerprint") if isinstance(model, Compressor) else ("name", "units", "fingerprint")
    found = {name: inspect.getattr_static(model, name, None) for name in needed}
    kind = type(model).__name__
    missing = [name for name, value in found.items() if value is None]
    if missing:
        message = f"the model {kind} has no {' and no '.join(missing)}; set {', '.join(f'self.{n}' for n in missing)}"
        raise ModelError(message, value=kind)
    if "units" in found and not isinstance(found["units"], Units) and not hasattr(type(found["units"]), "__get__"):
        raise _not_units(kind, found["units"])
    if isinstance(model, Model) and not isinstance(model, OpenVocabulary) and model.traits.oov:
        raise _not_open(model.name, model.traits.oov)


def _not_units(name: str, units: object) -> ModelError:
    message = f"{name} has units {units!r:.60}, which are not bitmeter.Units; inherit from that class"
    return ModelError(message, value=name)


def _not_open(name: str, ways: tuple[str, ...]) -> ModelError:
    message = (
        f"{name} says that unknown units can be {' or '.join(map(repr, ways))} (traits.oov), but is not a "
        "bitmeter.OpenVocabulary, so its scores would be taken for what they are not; inherit from that class, give it "
        "a `spelling`, or leave oov out of its traits"
    )
    return ModelError(message, value=name)


def _open_words(model: PlainPredictor, spelling: object) -> Model:
    if not isinstance(spelling, NGramLike):
        message = (
            f"{model.name} has the spelling {spelling!r:.60}; it must be an n-gram model of words fitted on the text "
            "that the model was trained on: bm.NGram(order=1, unk_word=True).fit(text)"
        )
        raise ModelError(message, value=model.name)
    return OpenWords(model, spelling)


@contextmanager
def plugin_errors(name: str, call: str) -> Iterator[None]:
    """Turn whatever a plug-in raises into an error that names the plug-in."""
    try:
        yield
    except BitmeterError:
        raise
    except Exception as error:
        message = f"the plug-in {name} failed in {call}: {type(error).__name__}: {error}"
        raise ModelError(message, value=name) from error


class PlainScorer(Model):
    """A plug-in that scores what it is shown.

    It is never shown a negative id. A document without a unit (`BLANK`) costs nothing. A unit that is not in the
    vocabulary (`UNKNOWN`) is impossible, unless the plug-in names an outcome `<unk>`, whose id it is then shown.
    """

    name: str
    units: Units

    def __init__(self, plain: Any) -> None:
        self.plain = plain
        self.name, self.units = str(plain.name), plain.units

    @property
    def fingerprint(self) -> str:
        """As the plug-in says."""
        return str(self.plain.fingerprint)

    def declared(self) -> Traits:
        """What the plug-in says of itself; an error if that cannot be."""
        found = getattr(self.plain, "traits", None)
        if found is None:
            return Traits(vocabulary=256 if isinstance(self.units, Bytes) else None)
        if not isinstance(found, Traits):
            message = f"{self.name} has the traits {found!r:.60}; they must be a bitmeter.Traits"
            raise ModelError(message, value=self.name)
        if found.oov and getattr(self.plain, "spelling", None) is None:
            raise _not_open(self.name, found.oov)
        return found

    @property
    def traits(self) -> Traits:
        """As the plug-in says; without `stream` it cannot go on with a document, so it is given whole ones."""
        whole = not callable(getattr(self.plain, "stream", None))
        found = self.declared()
        return replace(found, whole_documents=whole or found.whole_documents)

    @property
    def unknown_id(self) -> int | None:
        """What the plug-in is shown for a unit that is not in the vocabulary; None if it has nothing for that."""
        return None

    @property
    def machine(self) -> Machine:
        """How a plug-in computes is not known; the processor and numpy are the least that it depends on."""
        return machine_of("numpy")

    def open(self, options: Options = Options()) -> UnitSession:  # noqa: B008
        """Begin a text."""
        return PlainSession(self)

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """As the plug-in says."""
        return self._answered(self.plain.logprobs, ids, bounds)

    def scorer(self) -> Callable[[Ids, Ints, bool], Floats]:
        """A function that scores the next documents, of which the first may go on from the call before."""
        stream = getattr(self.plain, "stream", None)
        if not callable(stream):
            return lambda ids, bounds, continues: self.logprobs(ids, bounds)
        with plugin_errors(self.name, "stream"):
            logprobs = stream().logprobs
        return lambda ids, bounds, continues: self._answered(
            lambda shown, offsets: logprobs(shown, offsets, continues), ids, bounds
        )

    def shown(self, ids: Ids) -> Ids:
        """The ids that the plug-in is shown for these; negative for those of which it is shown nothing."""
        unknown = self.unknown_id
        # Bytes come as uint8, in which `ids * 31` wraps around.
        found = np.asarray(ids, dtype=np.int64)
        return found if unknown is None else np.where(found == UNKNOWN, unknown, found)

    def _answered(self, logprobs: Callable[[Ids, Ints], Floats], ids: Ids, bounds: Ints) -> Floats:
        shown = self.shown(ids)
        kept = np.asarray(shown >= 0)
        if kept.all():
            # Copies: a plug-in may write into what it is given, and give the same array again in the next call.
            with plugin_errors(self.name, "logprobs"):
                given = logprobs(shown.copy(), bounds.copy())
            return given.copy() if isinstance(given, np.ndarray) else given
        offsets = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
        with plugin_errors(self.name, "logprobs"):
            found = np.asarray(logprobs(shown[kept], offsets[bounds]))
        if found.shape != (offsets[-1],):
            message = f"{self.name} gave {found.shape} log-probabilities for {offsets[-1]} units"
            raise ModelError(message, value=self.name)
        logs = np.where(shown == BLANK, 0.0, -np.inf)
        logs[kept] = found
        return logs


class PlainPredictor(PlainScorer, Predictor):
    """A plug-in that also predicts."""

    @property
    def outcomes(self) -> Outcomes:
        """The ids themselves, unless the plug-in says otherwise; named by it, by the bytes, or by the tokenizer."""
        if "_outcomes" not in self.__dict__:
            own = getattr(self.plain, "outcomes", None)
            self._outcomes = own if isinstance(own, Outcomes) else self._outcomes_by_id()
        return self._outcomes

    def _outcomes_by_id(self) -> Outcomes:
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
        seen = self.shown(history)
        return self._row(seen[seen >= 0])

    def _row(self, history: Ids) -> Floats:
        with plugin_errors(self.name, "predict"):
            row = np.asarray(self.plain.predict(history))
        if row.ndim != 1 or row.size == 0:
            message = f"{self.name} predicts an array of shape {row.shape}; it must be one row of ln p"
            raise ModelError(message)
        return row.astype(np.float64)

    def stepper(self, history: Ids | None = None) -> Stepper:
        """By the history of the document, or as much of it as `traits.reach` says."""
        return PlainStepper(self._row, self.traits.reach, history, self.unknown_id)

    def open(self, options: Options = Options()) -> UnitSession:  # noqa: B008
        """Begin a text."""
        return PlainPredictingSession(self)


class PlainStepper(HistoryStepper):
    """Steps through a document by a plug-in, which is shown no negative id."""

    def __init__(
        self, predict: Callable[[Ints], Floats], reach: int | None, history: Ids | None, unknown_id: int | None
    ) -> None:
        super().__init__(predict, reach, history)
        self._unknown_id = unknown_id

    def take(self, unit: int) -> None:
        """Add a unit to the history; one that is not in the vocabulary as `<unk>`, if there is that."""
        if unit == UNKNOWN and self._unknown_id is not None:
            unit = self._unknown_id
        if unit >= 0:
            super().take(unit)


class _Open(PlainScorer, OpenVocabulary):
    """Meets units that are not in its vocabulary: impossible, or the class `<unk>` where it is an outcome."""

    _oov = "none"

    @property
    def traits(self) -> Traits:
        """As the plug-in says; with `<unk>` among its outcomes, unknown units can cost that."""
        return replace(super().traits, oov=() if self.unknown_id is None else ("class",))

    def unknown(self, ids: Ids) -> Bools:
        """Which units are not in the vocabulary."""
        return np.asarray(np.asarray(ids) == UNKNOWN)

    def with_oov(self, way: str) -> Self:
        """The same with another cost for unknown units."""
        other = copy.copy(self)
        other._oov = choice(way, "oov", ("none", *self.traits.oov))
        return other

    def _answered(self, logprobs: Callable[[Ids, Ints], Floats], ids: Ids, bounds: Ints) -> Floats:
        logs = super()._answered(logprobs, ids, bounds)
        unknown = self.unknown(ids)
        return np.where(unknown, -np.inf, logs) if self._oov == "none" and unknown.any() else logs


class OpenScorer(_Open):
    """A plug-in that scores units of a vocabulary, and names none of them: unknown ones are impossible."""


class OpenPredictor(_Open, PlainPredictor):
    """A plug-in that predicts units of a vocabulary."""

    @property
    def unknown_id(self) -> int | None:
        """The entry that is named `<unk>`."""
        if "_unknown_id" not in self.__dict__:
            self._unknown_id: int | None = None  # what finds the names predicts from no history, without this id
            named = self._named_outcomes().names
            self._unknown_id = named.index(_UNK) if _UNK in named else None
        return self._unknown_id

    def _named_outcomes(self) -> Outcomes:
        return super().outcomes

    @property
    def outcomes(self) -> Outcomes:
        """Those of the plug-in; a unit that is not in the vocabulary has the entry `<unk>`."""
        found, unknown = self._named_outcomes(), self.unknown_id
        if unknown is None:
            return found
        return Outcomes(
            len(found), lambda: found.ids, lambda: found.names,
            lambda ids: np.where(np.asarray(ids) == UNKNOWN, unknown, found.index(ids)),
        )  # fmt: skip


class PlainSession(UnitSession):
    """Scores a text by a plug-in."""

    def __init__(self, model: PlainScorer) -> None:
        self._model, self._score = model, model.scorer()

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """As the plug-in says."""
        return self._score(ids, bounds, continues)

    def details(
        self,
        ids: Ids,
        bounds: Ints,
        continues: bool,  # noqa: FBT001
        alternatives: int,
        watch: Watch | None = None,
    ) -> Details:
        """Not available: it does not predict."""
        message = f"{self._model.name} does not expose its next-unit distribution; leave alternatives out"
        raise ModelError(message)


class PlainPredictingSession(PredictingSession):
    """Scores a text by a plug-in that predicts; keeps the units of the open document."""

    def __init__(self, model: PlainPredictor) -> None:
        self._model, self._score = model, model.scorer()
        self._history: list[Ids] = []

    @property
    def outcomes(self) -> Outcomes:
        """Those of the model."""
        return self._model.outcomes

    def stepper(self) -> Stepper:
        """Goes on from the open document."""
        return self._model.stepper(np.concatenate(self._history) if self._history else None)

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """As the plug-in says."""
        last = self._model.shown(ids[bounds[-2] :] if len(bounds) > 1 else ids).astype(np.int64)
        last = last[last >= 0]
        self._history = [*self._history, last] if continues and len(bounds) <= 2 else [last]
        return self._score(ids, bounds, continues)

    def details(
        self,
        ids: Ids,
        bounds: Ints,
        continues: bool,  # noqa: FBT001
        alternatives: int,
        watch: Watch | None = None,
    ) -> Details:
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
            unit = int(ids[np.argmax(strange)])
            what = "a unit that is not in the vocabulary" if unit == UNKNOWN else f"the unit id {unit}"
            message = (
                f"{self._model.name} predicts {len(self.outcomes):,} outcomes, and {what} is not among them, so it has "
                "no rank; leave alternatives out"
            )
            raise ModelError(message)
        return super().details(ids, bounds, continues, alternatives, watch)


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
        with plugin_errors(self.name, "meter"):
            found: Meter = self.plain.meter()
        return PlainMeter(self.name, found)


class PlainMeter:
    """A compressor of another package at work."""

    def __init__(self, name: str, plain: Meter) -> None:
        self._name, self._plain = name, plain

    def feed(self, data: bytes) -> None:
        """Take the next bytes."""
        with plugin_errors(self._name, "feed"):
            self._plain.feed(data)

    def finish(self) -> int:
        """The bytes of the compressed file."""
        with plugin_errors(self._name, "finish"):
            size = self._plain.finish()
        if isinstance(size, bool) or not isinstance(size, int) or size < 0:
            message = f"{self._name} gave {size!r:.40} as the size of its file; it must be a number of bytes"
            raise ModelError(message, value=self._name)
        return size
