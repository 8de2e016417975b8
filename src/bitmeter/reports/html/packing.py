"""The columns of traces as compressed typed arrays, within a budget of bytes; what was left out is said.

Each column is little-endian, compressed by zlib and written in base64. Bits are u16 = round(512 · bits), where 65535
stands for infinity and 65534 for more than fits, which a side list holds; under a tight budget they are
u8 = round(36 · log2(1 + bits)), where 255 stands for infinity. Entropy is u8 = round(16 · bits), rank
u8 = round(16 · log2 rank), and a probability among the alternatives u8 = round(12 · bits).
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.arrays import Floats, Ints
from bitmeter.models.outcomes import Details
from bitmeter.reports.tables import visible

__all__ = ["BUDGET", "PLANS", "Columns", "Plan", "pack", "packed_bytes", "packed_models"]

#: The most bytes of packed data in a page, but for what it cannot do without.
BUDGET = 7_500_000
#: Units with fewer bits have no alternatives under the third plan.
_SURPRISING = 3.0
_TOP = 50_000
_ENDLESS16, _LARGE16, _ENDLESS8 = 65535, 65534, 255
_LN2 = float(np.log(2.0))


@dataclass(frozen=True, slots=True)
class Plan:
    """What of each model is in a page."""

    #: How many alternatives a unit has, and which units have them: "all", "surprising", "top" or "none".
    alternatives: int
    which: str
    #: Whether entropy and rank are there for all units, or for those alone that have alternatives.
    detailed: bool = True
    #: Whether bits take two bytes.
    fine: bool = True


#: From all to the least; the first that fits is taken.
PLANS = (
    Plan(5, "all"),
    Plan(3, "all"),
    Plan(3, "surprising"),
    Plan(3, "top"),
    Plan(3, "top", fine=False),
    Plan(3, "top", detailed=False, fine=False),
    Plan(0, "none", detailed=False, fine=False),
)


@dataclass(frozen=True, slots=True)
class Columns:
    """What is packed of one model: the bytes and bits of its units, and the details of its predictions."""

    lengths: Ints
    bits: Floats
    details: Details | None


def packed_bytes(data: bytes) -> str:
    """Bytes, compressed, as base64."""
    return base64.b64encode(zlib.compress(data, 6)).decode("ascii")


def pack(values: NDArray[Any]) -> dict[str, str]:
    """A column with its type: u8, u16 or u32."""
    kind = {1: "u8", 2: "u16", 4: "u32"}[values.dtype.itemsize]
    return {"t": kind, "z": packed_bytes(np.ascontiguousarray(values, dtype=values.dtype.newbyteorder("<")).tobytes())}


def _lengths(lengths: Ints) -> dict[str, Any]:
    """Bytes of each unit; those of 255 or more are in a side list of [index, length]."""
    long = np.flatnonzero(lengths >= 255)
    found: dict[str, Any] = {"len": pack(np.minimum(lengths, 255).astype(np.uint8))}
    if len(long):
        found["long"] = [[int(k), int(lengths[k])] for k in long]
    return found


def _fine(bits: Floats) -> dict[str, Any]:
    endless = np.isinf(bits)
    scaled = np.round(np.where(endless, 0.0, bits) * 512.0)
    large = ~endless & (scaled >= _LARGE16)
    column = np.where(endless, _ENDLESS16, np.minimum(scaled, _LARGE16)).astype(np.uint16)
    side = {"over": [[int(k), round(float(bits[k]), 3)] for k in np.flatnonzero(large)]} if large.any() else {}
    return {"s": pack(column), **side}


def _coarse(bits: Floats) -> dict[str, Any]:
    endless = np.isinf(bits)
    scaled = np.round(36.0 * np.log2(1.0 + np.where(endless, 0.0, np.maximum(bits, 0.0))))
    return {"s": pack(np.where(endless, _ENDLESS8, np.minimum(scaled, 254)).astype(np.uint8))}


@dataclass
class _Model:
    """The packed columns of one model, each made once."""

    columns: Columns
    made: dict[object, Any] = field(default_factory=dict)

    def part(self, name: object, make: Any) -> Any:
        if name not in self.made:
            self.made[name] = make()
        return self.made[name]

    def chosen(self, which: str) -> Ints | None:
        """The indices of the units that have alternatives; None for all."""
        bits = self.columns.bits
        if which == "surprising":
            return np.flatnonzero(bits >= _SURPRISING)
        if which == "top" and len(bits) > _TOP:
            return np.sort(np.argpartition(-bits, _TOP)[:_TOP])
        return None

    def entry(self, plan: Plan) -> dict[str, Any]:
        columns, details = self.columns, self.columns.details
        found: dict[str, Any] = {"n": len(columns.bits)}
        if not (columns.lengths == 1).all():
            found |= self.part("len", lambda: _lengths(columns.lengths))
        found |= self.part(("s", plan.fine), lambda: _fine(columns.bits) if plan.fine else _coarse(columns.bits))
        if details is None or plan.which == "none":
            return found
        indices = self.part(("at", plan.which), lambda: self.chosen(plan.which))
        if plan.detailed or indices is None:
            found |= self.part(("hr", "all"), lambda: _entropy_and_rank(details))
        else:
            found |= self.part(("hr", plan.which), lambda: _entropy_and_rank(details.taken(indices)))
            found["few"] = 1
        if details.top.shape[1]:
            key = (plan.which, plan.alternatives)
            found |= self.part(key, lambda: _alternatives(details, indices, plan.alternatives))
        return found


def _entropy_and_rank(details: Details) -> dict[str, Any]:
    entropy = np.clip(np.round(16.0 / _LN2 * details.entropy), 0, 255).astype(np.uint8)
    rank = np.clip(np.round(16.0 * np.log2(np.maximum(details.rank, 1))), 0, 255).astype(np.uint8)
    return {"h": pack(entropy), "r": pack(rank)}


def _alternatives(details: Details, indices: Ints | None, most: int) -> dict[str, Any]:
    """Outcomes by their index in a list of those that occur, alternative by alternative."""
    chosen = details if indices is None else details.taken(indices)
    top, logs = chosen.top[:, :most], chosen.top_logprobs[:, :most]
    used, index = np.unique(top, return_inverse=True)
    kind = np.uint8 if len(used) <= 256 else np.uint16 if len(used) <= 65536 else np.uint32
    with np.errstate(invalid="ignore"):
        bits = np.where(np.isneginf(logs), 255.0, -logs / _LN2 * 12.0)
    found: dict[str, Any] = {
        "k": int(top.shape[1]),
        "ai": pack(index.reshape(top.shape).T.astype(kind)),
        "ap": pack(np.clip(np.round(bits), 0, 255).T.astype(np.uint8)),
        "vocab": [visible(details.names[k]) if details.names[k] else "" for k in used.tolist()],
    }
    if indices is not None:
        found["at"] = pack(np.diff(indices, prepend=0).astype(np.uint32))
    return found


def packed_models(columns: Sequence[Columns], budget: int = BUDGET) -> tuple[list[dict[str, Any]], Plan]:
    """The entries of all models under the first plan that fits a budget; the last plan is taken if none does.

    Examples
    --------
    >>> entries, plan = packed_models([Columns(np.array([1, 1]), np.array([1.5, 200.0]), None)])
    >>> entries[0]["n"], entries[0]["over"], plan == PLANS[0]
    (2, [[1, 200.0]], True)
    """
    models = [_Model(one) for one in columns]
    for plan in PLANS[:-1]:
        entries = [model.entry(plan) for model in models]
        if sum(map(_size, entries)) <= budget:
            return entries, plan
    return [model.entry(PLANS[-1]) for model in models], PLANS[-1]


def _size(value: Any) -> int:
    if isinstance(value, str):
        return len(value) + 4
    if isinstance(value, dict):
        return sum(_size(key) + _size(one) for key, one in value.items())
    return sum(map(_size, value)) if isinstance(value, list) else 8
