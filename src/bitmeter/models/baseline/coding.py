"""Coding by a table that does not change, in the core."""

from __future__ import annotations

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ints
from bitmeter.errors import BitmeterError
from bitmeter.models.coder import NORMALISED, UnitCoder, decode_errors, not_normalised
from bitmeter.models.outcomes import Outcomes
from bitmeter.text.units.base import Units
from bitmeter.text.units.plain import Bytes

__all__ = ["LARGEST_TABLE", "TableCoder"]

#: Tables up to so many entries are coded by their frequencies, all of them in memory at once.
LARGEST_TABLE = 1 << 24


class TableCoder(UnitCoder):
    """Units by rows of probabilities, one for each unit before.

    Parameters
    ----------
    name, units, outcomes
        Of the model.
    logs
        ln p of each outcome, one row per context.
    start
        The row of a document's first unit.
    """

    def __init__(self, name: str, units: Units, outcomes: Outcomes, logs: Floats, start: int) -> None:
        super().__init__(name, units, outcomes)
        sums = np.exp(logs).sum(axis=1)
        wrong = (np.abs(sums - 1.0) > NORMALISED) & (sums > 0)
        if wrong.any():
            raise not_normalised(name, float(sums[np.argmax(wrong)]))
        # Decoding needs one unit per outcome: an outcome that several units share keeps its frequency but has no unit,
        # so such units are refused when they come.
        self._ids = np.maximum(outcomes.ids, -1)
        self._widths = _widths(units, self._ids)
        self._core = _core.TableCoder(np.ascontiguousarray(logs, dtype=np.float64), start)

    @property
    def bits(self) -> float:
        """What was encoded so far, before it became whole bytes."""
        return self._core.bits

    def encode(self, data: bytes, final: bool) -> tuple[bytes, int]:  # noqa: FBT001
        """Code whole units; with `final`, all of them."""
        whole, ids, cuts = self._split(data, final=final)
        index = self._outcomes.index(ids)
        inside = np.clip(index, 0, len(self._ids) - 1)
        shared = (index != inside) | (self._ids[inside] != ids)
        coded, number = self._core.encode(np.ascontiguousarray(np.where(shared, -1, index)))
        if number < len(ids):
            raise self._impossible(whole, cuts, number)
        if not isinstance(self._units, Bytes):
            self._check_round(whole, ids)
        self._done += len(whole)
        return coded, len(whole)

    def decode(self, coded: bytes, size: int) -> bytes:
        """The `size` bytes of one block."""
        with decode_errors():
            return self._units.join(self._ids[self._core.decode(coded, size, self._widths)])


def _widths(units: Units, ids: Ints) -> Ints:
    """How many bytes each unit has; 0 where there is no unit."""
    if isinstance(units, Bytes):
        return np.asarray((ids >= 0) & (ids < 256), dtype=np.int64)
    return np.array([_width(units, unit) for unit in ids.tolist()], dtype=np.int64)


def _width(units: Units, unit: int) -> int:
    try:
        return len(units.join([unit]))
    except BitmeterError:
        return 0
