"""Any model as a coder: bytes to a number as long as −log2 of the text's probability, and back.

A coder is one text on its way in one direction. It takes the text in stretches and gives each as a row of bytes; what
the model has learnt goes on from stretch to stretch. A model that has a coder of its own offers it by a method
`coder()`; tables, counts and n-gram models have theirs in the core; every other predictor is asked unit by unit, by the
same calls in the same order in both directions, because the last bit of a probability decides what is decoded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.coding.stepwise import stepper_of
from bitmeter.coding.words import NORMALISED, SpelledCoder, not_normalised
from bitmeter.errors import BitmeterError, FileFormatError, ModelError
from bitmeter.models.baseline.tables import KrichevskyTrofimov, TableModel, Uniform
from bitmeter.models.causal.trained.model import Neural
from bitmeter.models.mixture.model import MixtureModel
from bitmeter.models.ngram.files import sound
from bitmeter.models.ngram.model import NGram
from bitmeter.models.openvocab.characters import CHARACTER_ROWS, ROW_SIZE
from bitmeter.models.registry import Model, Totalling
from bitmeter.text.units.base import Units
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.text.units.words import Words

__all__ = ["PRECISION", "Coder", "coder_of", "for_bytes"]

#: Bits of the whole numbers that stand for probabilities.
PRECISION = 32
#: Tables up to so many entries are coded by their frequencies, all of them at once in memory.
_LARGEST_TABLE = 1 << 24


#: Where an n-gram model has all unknown characters, and what it takes to tell which it is.
_UNKNOWN = 0
_EVERY_ROW, _EVERY_PLACE = (np.full(size, -np.log(float(size))) for size in (CHARACTER_ROWS, ROW_SIZE))


class Coder(Protocol):
    """A text on its way into coded bytes, or out of them; one object goes one way."""

    @property
    def bits(self) -> float:
        """What was encoded so far, before it became whole bytes: −log2 of the whole-number probabilities."""

    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:  # noqa: FBT001
        """Code the next stretch: its coded bytes, and how many bytes of `data` they hold.

        What is left over begins the next call; with `final`, nothing is left.
        """

    def decode(self, coded: bytes, size: int) -> bytes:
        """The `size` bytes of one stretch."""


def coder_of(model: Any, *, watch: Callable[[int], None] | None = None) -> Coder:
    """The fastest coder for a model; an error says why there is none.

    Parameters
    ----------
    model
        Anything that predicts.
    watch
        Called with the number of bytes coded so far in a stretch, where that takes long.
    """
    if isinstance(model, Totalling) and not isinstance(model, Model):
        message = f"{model.name} is a compressor with files of its own; use its program, or name a model that predicts"
        raise ModelError(message)
    if not getattr(model, "is_distribution", True):
        message = (
            f"{model.name} gives scores that do not sum to one: they are no distribution, so that no code is as long "
            "as they say and nothing can be decoded by it; train with another smoothing, such as modified-kneser-ney"
        )
        raise ModelError(message)
    if hasattr(model, "coder"):
        own: Coder = model.coder()
        return own
    if isinstance(model, KrichevskyTrofimov):
        return _Adaptive()
    if isinstance(model, NGram) and isinstance(model.units, Words):
        return _Worded(model)
    if isinstance(model, MixtureModel | Neural) and isinstance(model.units, Words):
        return SpelledCoder(model, watch)
    units = getattr(model, "units", None)
    if not isinstance(units, Units) or not units.joins:
        what = getattr(units, "name", "its units")
        message = (
            f"{getattr(model, 'name', model)} predicts {what}, from which the bytes of a text cannot be put together "
            "again: what stands between them, or how unknown ones are spelled, is not predicted"
        )
        raise ModelError(message)
    if isinstance(model, Uniform) and model.size <= _LARGEST_TABLE:
        return _Table(model, np.full((1, model.size), -np.log(float(model.size))), 0)
    if isinstance(model, TableModel) and model._logs.size <= _LARGEST_TABLE:
        return _Table(model, model._logs, model._start)
    return _Stepwise(model, watch)


def for_bytes(model: Any) -> Any:
    """The model as a distribution over byte strings: one of words or characters spells those that it does not know."""
    worded = isinstance(model, NGram | MixtureModel | Neural) and isinstance(model.units, Words)
    lettered = isinstance(model, NGram) and isinstance(model.units, Characters)
    return model.with_oov("spelled") if worded or lettered else model


def impossible(model: Model, unit: bytes, offset: int) -> ModelError:
    """What is said where the model gives a unit no probability."""
    shown = unit.decode("utf-8", "backslashreplace")
    message = (
        f"{model.name} holds {shown!r:.40} at byte {offset} impossible, so that no code has a word for it; use a model "
        "that gives everything a probability, such as kt"
    )
    return ModelError(message, index=offset, value=unit)


class _Adaptive:
    """Bytes by their counts so far, wholly in the core."""

    def __init__(self) -> None:
        self._core = _core.AdaptiveCoder()

    @property
    def bits(self) -> float:
        return self._core.bits

    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:  # noqa: FBT001
        return self._core.encode(data), len(data)

    def decode(self, coded: bytes, size: int) -> bytes:
        with decoding():
            return self._core.decode(coded, size)


class _Worded:
    """Words by an n-gram model, unknown ones and white space by its spelling, wholly in the core."""

    def __init__(self, model: NGram) -> None:
        self._name = model.name
        with sound(model.name):
            self._core = _core.NgramTextCoder(model._fitted, model.spelling)

    @property
    def bits(self) -> float:
        return self._core.bits

    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:  # noqa: FBT001
        with sound(self._name):
            try:
                return self._core.encode(data, final)
            except _core.CodeError as error:
                message = f"{self._name} cannot code this text: {error}; train it with another smoothing"
                raise ModelError(message) from error

    def decode(self, coded: bytes, size: int) -> bytes:
        with decoding(), sound(self._name):
            return self._core.decode(coded, size)


class _Splitting:
    """What coders of units share: whole units at a time, and where they are in the text."""

    def __init__(self, model: Any) -> None:
        self._model, self._units = model, model.units
        self._done = 0

    def _split(self, data: bytes, *, final: bool) -> tuple[bytes, NDArray[np.int64], NDArray[np.int64]]:
        whole = data if final else data[: self._units.cut(data)]
        split = self._units.split(whole)
        return whole, np.ascontiguousarray(split.ids, dtype=np.int64), split.cuts

    def _places(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray(self._model.places(ids)) if hasattr(self._model, "places") else ids

    def _check_round(self, data: bytes, ids: NDArray[np.int64]) -> None:
        """The ids alone must give the bytes back."""
        try:
            back = self._units.join(ids)
        except BitmeterError:
            back = None
        if back != data:
            message = f"the units of {self._model.name} ({self._units.name}) do not give the bytes of the text back"
            raise ModelError(message)


class _Table(_Splitting):
    """Units by a table that does not change, wholly in the core."""

    def __init__(self, model: Any, logs: NDArray[np.float64], start: int) -> None:
        super().__init__(model)
        sums = np.exp(logs).sum(axis=1)
        wrong = (np.abs(sums - 1.0) > NORMALISED) & (sums > 0)
        if wrong.any():
            raise not_normalised(model.name, float(sums[np.argmax(wrong)]))
        # Decoding needs one unit an outcome; all that a table lumps together has the same frequency as before, but
        # no unit, so that it is refused when it comes.
        self._ids = _ids_of(model, logs.shape[1])
        self._widths = _widths(self._units, self._ids)
        self._core = _core.TableCoder(np.ascontiguousarray(logs, dtype=np.float64), start)

    @property
    def bits(self) -> float:
        return self._core.bits

    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:  # noqa: FBT001
        whole, ids, cuts = self._split(data, final=final)
        places = self._places(ids)
        inside = np.clip(places, 0, len(self._ids) - 1)
        lumped = (places != inside) | (self._ids[inside] != ids)
        coded, number = self._core.encode(np.ascontiguousarray(np.where(lumped, -1, places)))
        if number < len(ids):
            raise impossible(self._model, whole[cuts[number] : cuts[number + 1]], self._done + int(cuts[number]))
        if not isinstance(self._units, Bytes):
            self._check_round(whole, ids)
        self._done += len(whole)
        return coded, len(whole)

    def decode(self, coded: bytes, size: int) -> bytes:
        with decoding():
            text: bytes = self._units.join(self._ids[self._core.decode(coded, size, self._widths)])
        return text


class _Stepwise(_Splitting):
    """Units by one prediction after the other: any model that predicts, at the speed of its predictions."""

    def __init__(self, model: Any, watch: Callable[[int], None] | None) -> None:
        super().__init__(model)
        self._stepper, self._watch = stepper_of(model), watch
        self._bits = 0.0
        self._ids: NDArray[np.int64] | None = None
        self._spells = isinstance(model, NGram) and isinstance(model.units, Characters) and model._oov == "spelled"

    @property
    def bits(self) -> float:
        return self._bits

    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:  # noqa: FBT001
        whole, ids, cuts = self._split(data, final=final)
        self._check_round(whole, ids)
        places = self._places(ids)
        core = _core.RowEncoder()
        for number, (unit, place) in enumerate(zip(ids.tolist(), places.tolist(), strict=True)):
            row = self._predict()
            known = self._outcomes(len(row))
            spelled = self._spells and place == _UNKNOWN
            if not 0 <= place < len(row) or (known[place] != unit and not spelled):
                raise impossible(self._model, whole[cuts[number] : cuts[number + 1]], self._done + int(cuts[number]))
            total, coded = core.put(row, place)
            if not abs(total - 1.0) <= NORMALISED:
                raise not_normalised(self._model.name, total)
            if not coded:
                raise impossible(self._model, whole[cuts[number] : cuts[number + 1]], self._done + int(cuts[number]))
            if spelled:
                core.put(_EVERY_ROW, unit // ROW_SIZE)
                core.put(_EVERY_PLACE, unit % ROW_SIZE)
            self._stepper.take(unit)
            self._tell(number, int(cuts[number + 1]))
        self._bits += core.bits
        self._done += len(whole)
        return core.finish(), len(whole)

    def decode(self, coded: bytes, size: int) -> bytes:
        core = _core.RowDecoder(coded)
        parts: list[bytes] = []
        done = 0
        with decoding():
            while done < size:
                row = self._predict()
                place = core.get(row)
                unit = int(self._outcomes(len(row))[place])
                if self._spells and place == _UNKNOWN:
                    unit = core.get(_EVERY_ROW) * ROW_SIZE + core.get(_EVERY_PLACE)
                self._stepper.take(unit)
                parts.append(_bytes_of(self._units, unit))
                if not parts[-1]:
                    message = "the coded bytes lead to a unit without bytes"
                    raise FileFormatError(message)
                done += len(parts[-1])
                self._tell(len(parts), done)
            core.finish()
        return b"".join(parts)

    def _predict(self) -> NDArray[np.float64]:
        row = self._stepper.predict()
        if not isinstance(row, np.ndarray) or row.ndim != 1 or row.size == 0:
            message = f"{self._model.name} predicts {type(row).__name__} of no use; it must be one row of ln p"
            raise ModelError(message)
        return np.ascontiguousarray(row, dtype=np.float64)

    def _outcomes(self, size: int) -> NDArray[np.int64]:
        if self._ids is None or len(self._ids) != size:
            self._ids = _ids_of(self._model, size)
            if len(self._ids) != size:
                message = f"{self._model.name} predicts {size} outcomes, but says the units of {len(self._ids)}"
                raise ModelError(message)
        return self._ids

    def _tell(self, number: int, done: int) -> None:
        if self._watch is not None and number % 256 == 0:
            self._watch(done)


class decoding:  # noqa: N801
    """Turns what a decoder says of bytes that nobody wrote into an error of ours."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, _core.CodeError):
            raise FileFormatError(str(error)) from error


def _ids_of(model: Any, size: int) -> NDArray[np.int64]:
    """The id of each outcome of a prediction: what the model says, or 0, 1, 2, …; negative where no unit has it."""
    if hasattr(model, "outcome_ids"):
        return np.maximum(np.asarray(model.outcome_ids, dtype=np.int64), -1)
    return np.arange(size, dtype=np.int64)


def _bytes_of(units: Any, unit: int) -> bytes:
    try:
        found: bytes = units.join([unit])
    except (BitmeterError, UnicodeError) as error:
        message = f"the coded bytes lead to the unit {unit}, which is none"
        raise FileFormatError(message) from error
    return found


def _widths(units: Any, ids: NDArray[np.int64]) -> NDArray[np.int64]:
    """How many bytes each unit has; 0 for none."""
    if isinstance(units, Bytes):
        return np.asarray((ids >= 0) & (ids < 256), dtype=np.int64)
    return np.array([_width(units, unit) for unit in ids.tolist()], dtype=np.int64)


def _width(units: Any, unit: int) -> int:
    try:
        return len(units.join([unit]))
    except BitmeterError:
        return 0
