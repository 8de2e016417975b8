"""Whole predictions and likeliest units of a table: whether they sum to one, and say what the units cost."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter.errors import FileFormatError
from bitmeter.measure.audit.result import AuditCheck, Finding, Status
from bitmeter.measure.audit.subject import within
from bitmeter.measure.audit.sums import SUM_TOLERANCE
from bitmeter.measure.audit.tables.columns import TableColumns
from bitmeter.measure.audit.tables.tiling import RawText, Tiling

__all__ = ["check_rows"]

_LN2 = math.log(2.0)
#: How far a unit's log-probability may lie from its entry in the row: tables are often float32 or less.
_TOLERANCE = 1e-3
#: How much a whole prediction may lack to one, such as for tokens that are never predicted.
_MOST_MISSING = 0.01


def check_rows(columns: TableColumns, tiling: Tiling, text: RawText) -> tuple[list[AuditCheck], list[Finding]]:
    """Sums of rows, or of the likeliest units, which can only be refuted."""
    if columns.rows is not None:
        return _whole(columns, tiling, text)
    if columns.top is not None:
        return _top(columns, tiling, text)
    why = "a table of single log-probabilities does not hold what else was predicted; add whole rows (row, logits)"
    return [AuditCheck("sums", "impossible", why), AuditCheck("agreement", "impossible", why)], []


def _whole(columns: TableColumns, tiling: Tiling, text: RawText) -> tuple[list[AuditCheck], list[Finding]]:
    name = columns.names["row"]
    form = "logits" if "logit" in name.lower() else ""
    index, sums, own = [], [], []
    for unit, row in _rows(columns.rows, name):
        if not form:
            form = "probabilities" if row.min() >= 0.0 and row.max() <= 1.0 + 1e-6 else "log-probabilities"
        if form == "probabilities":
            with np.errstate(divide="ignore", invalid="ignore"):
                row = np.log(row)
        total = _log_sum(row)
        if form == "logits":
            row, total = row - total, 0.0
        index.append(unit)
        sums.append(total)
        entry = -1 if columns.ids is None else int(columns.ids[unit])
        own.append(row[entry] if 0 <= entry < len(row) else math.nan)
    if not index:
        return [AuditCheck("sums", "impossible", f"every entry of {name} is empty")], []
    columns.assumptions.append(f"{name} holds {form}" + (", divided by their sum" if form == "logits" else ""))
    checks, findings = [], []
    totals = np.exp(np.array(sums))
    above = float(np.max(totals - 1.0))
    held = above <= SUM_TOLERANCE
    said = f"{len(index):,} of {len(columns.logprobs):,} rows"
    every = len(index) == int(tiling.counts.sum()) or len(index) == len(columns.logprobs)
    below = float(np.max(1.0 - totals))
    text_of = f"rows sum to one {within(max(above, below, 0.0), '')}, in {said}"
    if below > SUM_TOLERANCE:
        text_of = (
            f"rows sum to {1.0 - below:.4g} to {1.0 + above:.4g}, in {said}: less than one, which makes the figure "
            "higher, never lower, unless rows are cut to the likeliest units"
        )
    if form == "logits":
        text_of = f"logits are divided by their sum here, in {said}"
    # Rows that are cut say nothing of the rest.
    status: Status = "failed" if not held else "passed" if every and below <= _MOST_MISSING else "partial"
    checks.append(
        AuditCheck(
            "sums",
            status,
            text_of if held else f"rows sum to up to {1.0 + above:.4g}, in {said}",
            float(np.max(np.abs(totals - 1.0))),
            SUM_TOLERANCE,
        )
    )
    if not held:
        at = int(np.argmax(totals))
        bits = float(np.sum(np.maximum(np.array(sums), 0.0))) / _LN2
        findings.append(
            _place("sums", f"a row sums to {totals[at]:.4g}, so it is no distribution", index[at], tiling, text, bits)
        )
    more, wrong = _agreement(columns, tiling, text, np.array(index), np.array(own))
    return [*checks, *more], [*findings, *wrong]


def _agreement(
    columns: TableColumns, tiling: Tiling, text: RawText, index: Ints, own: Floats
) -> tuple[list[AuditCheck], list[Finding]]:
    known = ~np.isnan(own)
    if not known.any():
        why = "the table does not say which entry of a row its unit is; add ids"
        return [AuditCheck("agreement", "impossible", why)], []
    costs = columns.logprobs[index]
    with np.errstate(invalid="ignore"):
        apart = np.where(own == costs, 0.0, np.abs(own - costs))
    apart = np.where(known, np.where(np.isnan(apart), math.inf, apart), 0.0)
    worst = float(apart.max())
    summary = f"a unit costs what its row says, {within(worst)}"
    if worst > _TOLERANCE:
        summary = f"a unit costs up to {worst:.4g} nats more or less than its row says"
    check = AuditCheck("agreement", "passed" if worst <= _TOLERANCE else "failed", summary, worst, _TOLERANCE)
    if worst <= _TOLERANCE:
        return [check], []
    at = int(np.argmax(apart))
    bits = float(np.sum((costs - own)[known])) / _LN2
    said = f"a unit costs {-costs[at] / _LN2:.4g} bits, and its row says {-own[at] / _LN2:.4g}"
    return [check], [_place("agreement", said, int(index[at]), tiling, text, bits)]


def _top(columns: TableColumns, tiling: Tiling, text: RawText) -> tuple[list[AuditCheck], list[Finding]]:
    """Of the likeliest units only so much is known: they must not sum to more than one, and leave none out.

    A unit costs what its entry says. One without an entry is not likelier than the last that has one, and adds to them.
    """
    name = columns.names["top"]
    assert columns.top is not None
    worst, at, number = 0.0, -1, 0
    index, bounds, own = [], [], []
    for unit, value in enumerate(columns.top):
        row = _likeliest(value, name, unit)
        if row is None or not len(row):
            continue
        number += 1
        cost, entry = float(columns.logprobs[unit]), _entry(value, columns, unit)
        listed = entry is not None or bool(np.min(np.abs(row - cost)) <= _TOLERANCE)
        total = math.exp(min(_log_sum(row), 700.0))
        if not listed and total <= 1.0 + SUM_TOLERANCE and math.isfinite(cost):
            total += math.exp(min(cost, 0.0))
        if total > worst:
            worst, at = total, unit
        index.append(unit)
        own.append(math.nan if entry is None else entry)
        bounds.append(math.inf if listed else float(row.min()))
    held = worst <= 1.0 + SUM_TOLERANCE
    said = f"the likeliest units of {number:,} predictions sum to at most {worst:.4g}; the rest is not in the table"
    checks = [
        AuditCheck("sums", "partial" if held else "failed", said, max(0.0, worst - 1.0), SUM_TOLERANCE),
    ]
    agreement, findings = _top_agreement(columns, tiling, text, np.array(index, np.int64), np.array(own), bounds)
    checks.append(agreement)
    if not held:
        said = f"the likeliest units, with the unit itself, sum to {worst:.4g}, so it is no distribution"
        findings.insert(0, _place("sums", said, at, tiling, text, None))
    return checks, findings


def _top_agreement(
    columns: TableColumns, tiling: Tiling, text: RawText, index: Ints, own: Floats, bounds: list[float]
) -> tuple[AuditCheck, list[Finding]]:
    """Units against their entries among the likeliest, and those without one against the least of these."""
    if not len(index):
        return AuditCheck("agreement", "impossible", "whole predictions are not in the table"), []
    costs = columns.logprobs[index]
    known = ~np.isnan(own)
    (check, *_), wrong = _agreement(columns, tiling, text, index, own)
    if wrong:
        return check, wrong
    above = np.where(known, -math.inf, costs - np.array(bounds))
    if (above > _TOLERANCE).any():
        at = int(np.argmax(above))
        said = (
            f"a unit costs {-costs[at] / _LN2:.4g} bits, less than the last of the likeliest units "
            f"({-bounds[at] / _LN2:.4g}), and is none of them"
        )
        # At least so much is missing: it cannot have cost less than the last that is listed.
        bits = float(np.sum(above[above > 0.0])) / _LN2
        summary = f"{int((above > _TOLERANCE).sum()):,} units are likelier than the likeliest, and none of them"
        check = AuditCheck("agreement", "failed", summary, float(above.max()), _TOLERANCE)
        return check, [_place("agreement", said, int(index[at]), tiling, text, bits)]
    if known.all() and len(index) == len(columns.logprobs):
        return check, []
    among = f"{int(known.sum()):,} of {len(columns.logprobs):,} units are found by their ids among the likeliest"
    said = f"{among}, and cost what these say; no other is likelier than these"
    return AuditCheck("agreement", "partial", said), []


def _entry(value: object, columns: TableColumns, unit: int) -> float | None:
    """What the likeliest units say of the unit itself, if it is among them by its id."""
    if columns.ids is None:
        return None
    wanted = int(columns.ids[unit])
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list):
        pairs = [(item.get("id", item.get("token_id")), item) for item in value if isinstance(item, dict)]
    else:
        return None
    for key, item in pairs:
        if str(key) == str(wanted):
            found = item.get("logprob") if isinstance(item, dict) else item
            return float(found) if isinstance(found, int | float) else None
    return None


def _likeliest(value: object, name: str, unit: int) -> Floats | None:
    """The log-probabilities in a list, a mapping from units, or a list of objects with `logprob`."""
    if value is None:
        return None
    if isinstance(value, np.ndarray):
        return np.asarray(value, dtype=np.float64)
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        found = [item.get("logprob") if isinstance(item, dict) else item for item in value]
        if all(isinstance(item, int | float) for item in found):
            return np.array(found, dtype=np.float64)
    message = f"{name} of row {unit + 1} is {value!r:.60}; it must be a list of log-probabilities"
    raise FileFormatError(message, value=name)


def _rows(column: object, name: str) -> Iterator[tuple[int, Floats]]:
    """Each row that is there; all must be of one length."""
    size = None
    if not isinstance(column, list | np.ndarray):
        return
    for unit, value in enumerate(column):
        if value is None:
            continue
        try:
            row = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError) as error:
            message = f"{name} of row {unit + 1} is {value!r:.60}; it must be a list of numbers"
            raise FileFormatError(message, value=name) from error
        size = len(row) if size is None and row.ndim == 1 else size
        if row.ndim != 1 or len(row) != size or not size:
            message = f"{name} of row {unit + 1} has the shape {row.shape}; rows must be lists of one length"
            raise FileFormatError(message, value=name)
        yield unit, row


def _log_sum(row: Floats) -> float:
    if np.isnan(row).any():
        return math.inf
    top = float(row.max())
    return top if math.isinf(top) else top + math.log(math.fsum(np.exp(row - top).tolist()))


def _place(check: str, said: str, unit: int, tiling: Tiling, text: RawText, bits: float | None) -> Finding:
    start, end = int(tiling.start[unit]), int(tiling.end[unit])
    known = bits is not None and math.isfinite(bits)
    return Finding(
        check,
        said,
        byte=start,
        document=text.document(start),
        unit=text.shown(start, end),
        bits=bits if known else None,
        bits_per_byte=bits / len(text.data) if known and bits is not None and text.data else None,
    )
