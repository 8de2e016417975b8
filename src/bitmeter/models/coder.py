"""Arithmetic coding by a model: a text becomes as many bits as −log2 of its probability, and back.

A coder takes the text in blocks and codes each as bytes; the state of the model carries on from block to block. A model
may have a coder of its own; any other predictor is asked unit by unit, by the same calls in the same order in both
directions, because the last bit of a probability decides what is decoded.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ints
from bitmeter.errors import BitmeterError, FileFormatError, ModelError
from bitmeter.models.outcomes import Outcomes
from bitmeter.models.session import Stepper
from bitmeter.text.units.base import Units
from bitmeter.text.units.plain import Bytes

__all__ = [
    "NORMALISED",
    "PRECISION",
    "CodeWatch",
    "Coder",
    "StepwiseCoder",
    "UnitCoder",
    "decode_errors",
    "impossible",
    "not_normalised",
]

#: Bits of the integers that represent probabilities.
PRECISION = 32
#: How far from one the probabilities of a prediction may sum.
NORMALISED = 1e-4
#: Called with the number of bytes coded so far in a block.
CodeWatch = Callable[[int], None]


class Coder(ABC):
    """Encodes or decodes one text; one object goes in one direction.

    Examples
    --------
    >>> import bitmeter as bm
    >>> there, back = bm.load("kt").coder(), bm.load("kt").coder()
    >>> coded, taken = there.encode(b"to be", True)
    >>> back.decode(coded, taken)
    b'to be'
    """

    #: Whether a block may be longer than what `encode` is given at once, because no unit ends in that: a long word, a
    #: document that is tokenised whole.
    long_blocks = True
    #: Whether it has `skip`, so that a block may be stored as it is where its code is longer.
    skips = False

    @property
    @abstractmethod
    def bits(self) -> float:
        """What was encoded so far, before it became whole bytes: −log2 of the quantised probabilities."""

    @abstractmethod
    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:  # noqa: FBT001
        """Code the next block: its coded bytes, and how many bytes of `data` they hold.

        What is left over begins the next call; with `final`, nothing is left.
        """

    @abstractmethod
    def decode(self, coded: bytes, size: int) -> bytes:
        """The `size` bytes of one block."""

    def skip(self, data: bytes) -> None:
        """Learn a block that is stored as it is, as `decode` would have."""
        raise NotImplementedError


@contextmanager
def decode_errors() -> Iterator[None]:
    """Turn the core's error for invalid coded bytes into a FileFormatError."""
    try:
        yield
    except _core.CodeError as error:
        raise FileFormatError(str(error)) from error


def impossible(name: str, unit: bytes, offset: int) -> ModelError:
    """The error for a unit to which the model gives no probability."""
    shown = unit.decode("utf-8", "backslashreplace")
    message = (
        f"{name} gives {shown!r:.40} at byte {offset} no probability, so it has no code word; use a model that "
        "gives everything a probability, such as kt"
    )
    return ModelError(message, index=offset, value=unit)


def not_normalised(name: str, total: float) -> ModelError:
    """The error for a model whose predictions do not sum to one."""
    message = (
        f"the probabilities that {name} predicts sum to {total:.9g}, not to 1: they are not a distribution, its score "
        "is not a code length, and no file can be as long as it says"
    )
    return ModelError(message, value=total)


class UnitCoder(Coder):
    """What coders of units share: splitting into whole units, and the offset in the text."""

    def __init__(self, name: str, units: Units, outcomes: Outcomes) -> None:
        self._name, self._units, self._outcomes = name, units, outcomes
        self.long_blocks = not isinstance(units, Bytes)
        self._done = 0

    def _split(self, data: bytes, *, final: bool) -> tuple[bytes, Ints, Ints]:
        whole = data if final else data[: self._units.cut(data)]
        split = self._units.split(whole)
        return whole, np.ascontiguousarray(split.ids, dtype=np.int64), split.cuts

    def _check_round(self, data: bytes, ids: Ints) -> None:
        """The ids alone must give the bytes back."""
        try:
            back: bytes | None = self._units.join(ids)
        except BitmeterError:
            back = None
        if back != data:
            message = f"the units of {self._name} ({self._units.name}) do not give the bytes of the text back"
            raise ModelError(message)

    def _impossible(self, whole: bytes, cuts: Ints, index: int) -> ModelError:
        return impossible(self._name, whole[cuts[index] : cuts[index + 1]], self._done + int(cuts[index]))


class StepwiseCoder(UnitCoder):
    """Units by one prediction after the other: any predictor, at the speed of its predictions."""

    def __init__(
        self, name: str, units: Units, outcomes: Outcomes, stepper: Stepper, watch: CodeWatch | None = None
    ) -> None:
        super().__init__(name, units, outcomes)
        self._stepper, self._watch = stepper, watch
        self._bits = 0.0

    @property
    def bits(self) -> float:
        """What was encoded so far, before it became whole bytes."""
        return self._bits

    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:  # noqa: FBT001
        """Code whole units; with `final`, all of them."""
        whole, ids, cuts = self._split(data, final=final)
        self._check_round(whole, ids)
        index, known = self._outcomes.index(ids), np.maximum(self._outcomes.ids, -1)
        core = _core.RowEncoder()
        for i, (unit, entry) in enumerate(zip(ids.tolist(), index.tolist(), strict=True)):
            row = self._predict()
            if not 0 <= entry < len(row) or not self._stands_for(int(known[entry]), unit, entry):
                raise self._impossible(whole, cuts, i)
            total, coded = core.put(row, entry)
            if not abs(total - 1.0) <= NORMALISED:
                raise not_normalised(self._name, total)
            if not coded:
                raise self._impossible(whole, cuts, i)
            self._put_rest(core, unit, entry)
            self._stepper.take(unit)
            self._report(i + 1, int(cuts[i + 1]))
        self._bits += core.bits
        self._done += len(whole)
        return core.finish(), len(whole)

    def decode(self, coded: bytes, size: int) -> bytes:
        """The `size` bytes of one block."""
        core = _core.RowDecoder(coded)
        known = np.maximum(self._outcomes.ids, -1)
        parts: list[bytes] = []
        done = 0
        with decode_errors():
            while done < size:
                entry = core.get(self._predict())
                unit = self._get_rest(core, int(known[entry]), entry)
                parts.append(self._bytes_of(unit))
                if not parts[-1]:
                    message = "the coded bytes lead to a unit without bytes"
                    raise FileFormatError(message)
                self._stepper.take(unit)
                done += len(parts[-1])
                self._report(len(parts), done)
            core.finish()
        return b"".join(parts)

    def _stands_for(self, known: int, unit: int, entry: int) -> bool:
        """Whether an entry of the prediction, whose unit is `known`, stands for this unit."""
        return known == unit

    def _put_rest(self, core: _core.RowEncoder, unit: int, entry: int) -> None:
        """Code which unit it is, where the entry stands for several."""

    def _get_rest(self, core: _core.RowDecoder, known: int, entry: int) -> int:
        """The unit of an entry."""
        return known

    def _predict(self) -> Floats:
        row = np.ascontiguousarray(self._stepper.predict(), dtype=np.float64)
        if row.shape != (len(self._outcomes),):
            message = f"{self._name} predicts {row.shape} values for {len(self._outcomes):,} outcomes"
            raise ModelError(message)
        return row

    def _bytes_of(self, unit: int) -> bytes:
        try:
            return self._units.join([unit])
        except (BitmeterError, UnicodeError) as error:
            message = f"the coded bytes lead to the unit {unit}, which does not exist"
            raise FileFormatError(message) from error

    def _report(self, units: int, done: int) -> None:
        if self._watch is not None and units % 256 == 0:
            self._watch(done)
