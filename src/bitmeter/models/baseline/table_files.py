"""Tables as files for archives: JSON, which restores every double exactly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bitmeter._util.fields import Fields, read_fields
from bitmeter._util.files import read_whole
from bitmeter.errors import InputError, ModelError
from bitmeter.text.units.base import Units
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.theory.conditional import Conditional
from bitmeter.theory.distributions import Distribution

__all__ = ["read_table", "write_table"]

SCHEMA = "bitmeter.table/1"


Table = Distribution | Conditional
Label = str | int | None


def write_table(table: Table, units: Units, oov: str, path: Path, name: str) -> None:
    """Write a table of bytes or characters; an error where it has labels that JSON cannot hold."""
    about: dict[str, Any] = {}
    rows = [table] if isinstance(table, Distribution) else [table[context] for context in table.contexts]
    labels = [label for row in rows for label in row.labels]
    if isinstance(table, Conditional):
        about = {"contexts": list(table.contexts), "other": table.other, "start": table.start}
        labels += [*table.contexts, table.other, table.start]
    plain = all(label is None or (isinstance(label, str | int) and not isinstance(label, bool)) for label in labels)
    if not plain or not isinstance(units, Bytes | Characters):
        message = (
            f"{name} has no file that could travel along: its labels are neither bytes nor characters; give it "
            "to whoever decodes (leave embed out: --embed)"
        )
        raise ModelError(message)
    content = {"schema": SCHEMA, "units": units.name, "oov": oov, "rows": list(map(_row, rows)), **about}
    path.write_text(json.dumps(content), encoding="ascii")


def read_table(path: Path, name: str) -> tuple[Table, str, str]:
    """The table, units and treatment of unknown units that `write_table` wrote; nothing in it is trusted."""
    fields = read_fields(
        read_whole(path), name, f"{name} is damaged: the table inside is not sound", "Fetch or make it again"
    )
    fields.text("schema", (SCHEMA,))
    units, oov = fields.text("units", (Bytes.name, Characters.name)), fields.text("oov", ("none", "class"))
    rows = [_read_row(row, units) for row in fields.list_of_fields("rows")]
    try:
        if "contexts" not in fields:
            if len(rows) != 1:
                fields.fail(f"it has {len(rows)} rows without contexts")
            return rows[0], units, oov
        contexts = _labels(fields, "contexts", units)
        other, start = (_label(fields, which, fields.value(which), units) for which in ("other", "start"))
        if len(contexts) != len(rows) or len(set(contexts)) != len(rows):
            fields.fail(f"it has {len(rows)} rows for {len(set(contexts))} different contexts")
        return Conditional(dict(zip(contexts, rows, strict=True)), other=other, start=start), units, oov
    except InputError as error:
        fields.fail(str(error))


def _read_row(fields: Fields, units: str) -> Distribution:
    labels, masses = _labels(fields, "labels", units), fields.reals("p", 0.0, 1.0)
    if len(labels) != len(masses) or len(set(labels)) != len(labels):
        fields.fail(f"a row has {len(masses)} probabilities for {len(set(labels))} different labels")
    try:
        return Distribution(dict(zip(labels, masses.tolist(), strict=True)))
    except InputError as error:
        fields.fail(str(error))


def _labels(fields: Fields, name: str, units: str) -> list[Label]:
    value = fields.value(name)
    if not isinstance(value, list):
        fields.wrong(name, "a list of labels")
    return [_label(fields, name, label, units) for label in value]


def _label(fields: Fields, name: str, label: Any, units: str) -> Label:
    """A byte, a text, or None for a context that is not there; nothing else stands for a unit."""
    if isinstance(label, int) and not isinstance(label, bool):
        if units != Bytes.name or not 0 <= label < 256:
            fields.fail(f"{name} holds {label!r:.40}, which is not a unit of {units}")
        return label
    if label is not None and not isinstance(label, str):
        fields.wrong(name, "made of texts and bytes")
    return label


def _row(table: Distribution) -> dict[str, Any]:
    return {"labels": list(table.labels), "p": [float(p) for p in table.probabilities]}
