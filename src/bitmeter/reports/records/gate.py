"""Checks and sweeps as programs read them."""

from __future__ import annotations

from typing import Any

from bitmeter._version import __version__
from bitmeter.measure.gate.check import Check
from bitmeter.measure.gate.sweep import Sweep
from bitmeter.reports.formats.cells import json_value
from bitmeter.reports.formats.table import Column, Table, columns_of
from bitmeter.reports.records.machine import comparison_document, comparison_records, divergence_document
from bitmeter.reports.records.paper import comparison_paper

__all__ = ["check_document", "check_paper", "check_records", "sweep_document", "sweep_paper", "sweep_records"]

_LIMITS = (
    *columns_of("figure unit"), *columns_of("value low high most", "number"), Column("verdict"),
    Column("more", "integer"), *columns_of("noun reason base new text allow"),
    *columns_of("passed strict", "flag"), Column("confidence", "number"),
    *columns_of("short signature schema version"),
)  # fmt: skip


def check_document(check: Check) -> dict[str, Any]:
    """A check: the verdict, each figure against its limit, and the comparison with all figures of both."""
    own = check.to_dict()
    found = {"schema": own.pop("schema"), "version": __version__, **own}
    found["comparison"] = comparison_document(check.comparison)
    if check.divergence is not None:
        found["divergence"] = divergence_document(check.divergence)
    return found


def check_records(check: Check) -> Table:
    """One row per figure that was held against a limit."""
    schema, both = "bitmeter.check-row/1", (check.base, check.new)
    shared = [
        check.base.model, check.new.model, check.base.text, check.allow, check.passed, check.strict,
        check.comparison.confidence, " ".join(one.signature.short for one in both),
        " ".join(str(one.signature) for one in both), schema, __version__,
    ]  # fmt: skip
    rows = [
        [
            one.name,
            one.unit,
            *(None if value is None else float(value) for value in (one.value, one.low, one.high, one.most)),
            one.verdict,
            one.more,
            one.noun,
            one.reason,
            *shared,
        ]
        for one in check.limits
    ]
    return Table(schema, _LIMITS, rows, {"verdict": check.verdict, "passed": check.passed})


def check_paper(check: Check) -> Table:
    """The figures with their limits for a paper; the conventions are in the caption."""
    columns = (Column("figure"), *(Column(name, "number", 5) for name in ("value", "low", "high", "limit")),
               Column("verdict"))  # fmt: skip
    rows = [
        [f"{one.name} ({one.unit})", float(one.value), one.low, one.high, float(one.most), one.verdict]
        for one in check.limits
    ]
    said = f"{check.new.model} checked against {check.base.model}: {check.verdict}."
    return Table("bitmeter.paper/1", columns, rows, caption=(said, *comparison_paper(check.comparison).caption))


_SWEPT = (
    Column("size_bytes", "integer"), Column("kl_bits_per_token", "number"), Column("same_top_rate", "number"),
    Column("bytes_per_cpu_second", "number", 0), Column("pareto", "flag"),
)  # fmt: skip


def sweep_document(sweep: Sweep) -> dict[str, Any]:
    """A sweep: all that a comparison holds, and size, divergence and speed of each model."""
    own, compared = sweep.to_dict(), comparison_document(sweep.comparison)
    names = ("name", "size", "kl", "same_top", "bytes_per_cpu_second", "pareto")
    rows = [
        {**row, **{name: mine[name] for name in names}}
        for row, mine in zip(compared.pop("rows"), own["rows"], strict=True)
    ]
    found = {**compared, "schema": own["schema"], "rows": rows, "notes": own["notes"]}
    return json_value(found)  # type: ignore[no-any-return]


def sweep_records(sweep: Sweep) -> Table:
    """One row per model, the first of which the others are compared with."""
    schema, compared = "bitmeter.sweep-row/1", comparison_records(sweep.comparison)
    *columns, short, signature, named, version = compared.columns
    rows = []
    for row, (*cells, its_short, its_signature, _, its_version) in zip(sweep.rows, compared.rows, strict=True):
        kl = None if row.kl is None else float(row.kl)
        own = [row.size, kl, row.same_top, row.speed, row.best]
        rows.append([row.name, *cells, *own, its_short, its_signature, schema, its_version])
    whole = (Column("name"), *columns, *_SWEPT, short, signature, named, version)
    return Table(schema, whole, rows, {**compared.about, "notes": list(sweep.notes)})


def sweep_paper(sweep: Sweep) -> Table:
    """Size, bits, difference and divergence of each model for a paper."""
    compared = comparison_paper(sweep.comparison)
    model, *figures = compared.columns
    columns = (model, Column("size (bytes)", "integer"), *figures, Column("KL", "number"),
               Column("same top (%)", "number", 2))  # fmt: skip
    rows = [
        [cells[0], row.size, *cells[1:], None if row.kl is None else float(row.kl),
         None if row.same_top is None else 100.0 * row.same_top]
        for row, cells in zip(sweep.rows, compared.rows, strict=True)
    ]  # fmt: skip
    said = "KL: divergence of the predictions from those of the first model, in bits per token."
    return Table("bitmeter.paper/1", columns, rows, caption=(*compared.caption[:1], said, *compared.caption[1:]))
