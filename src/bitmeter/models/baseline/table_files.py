"""Tables as files, so that they can travel in an archive: JSON, in which a double comes back to the last bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bitmeter.errors import BitmeterError, FileFormatError, ModelError
from bitmeter.text.units.base import Units
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.theory.conditional import Conditional
from bitmeter.theory.distributions import Distribution

__all__ = ["read_table", "write_table"]

SCHEMA = "bitmeter.table/1"


Table = Distribution | Conditional


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
    try:
        content = json.loads(path.read_bytes())
        if content["schema"] != SCHEMA:
            raise ValueError(content["schema"])
        rows = [Distribution(dict(zip(row["labels"], row["p"], strict=True))) for row in content["rows"]]
        table: Table = rows[0]
        if "contexts" in content:
            named = dict(zip(content["contexts"], rows, strict=True))
            table = Conditional(named, other=content["other"], start=content["start"])
        units, oov = content["units"], content["oov"]
        if units not in (Bytes.name, Characters.name) or oov not in ("none", "class"):
            raise ValueError((units, oov))
    except (BitmeterError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        message = f"{name} is damaged: the table inside is not sound ({error})"
        raise FileFormatError(message, value=name) from error
    return table, units, oov


def _row(table: Distribution) -> dict[str, Any]:
    return {"labels": list(table.labels), "p": [float(p) for p in table.probabilities]}
