"""Tables as files, so that they can travel in an archive: JSON, in which a double comes back to the last bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bitmeter.errors import BitmeterError, FileFormatError
from bitmeter.models.baseline.tables import TableModel
from bitmeter.text.units.plain import Bytes, Characters
from bitmeter.theory.conditional import Conditional
from bitmeter.theory.distributions import Distribution

__all__ = ["read_table", "write_table"]

SCHEMA = "bitmeter.table/1"


def write_table(model: TableModel, path: Path) -> bool:
    """Write a table of bytes or characters; False where it has labels that JSON cannot hold, and nothing is written."""
    table, about = model.table, {}
    rows = [table] if isinstance(table, Distribution) else [table[context] for context in table.contexts]
    labels = [label for row in rows for label in row.labels]
    if isinstance(table, Conditional):
        about = {"contexts": list(table.contexts), "other": table.other, "start": table.start}
        labels += [*table.contexts, table.other, table.start]
    plain = all(label is None or (isinstance(label, str | int) and not isinstance(label, bool)) for label in labels)
    if not plain or not isinstance(model.units, Bytes | Characters):
        return False
    content = {"schema": SCHEMA, "units": model.units.name, "oov": model._oov, "rows": list(map(_row, rows)), **about}
    path.write_text(json.dumps(content), encoding="ascii")
    return True


def read_table(path: Path, name: str) -> TableModel:
    """What `write_table` wrote; nothing in it is trusted."""
    try:
        content = json.loads(path.read_bytes())
        if content["schema"] != SCHEMA:
            raise ValueError(content["schema"])
        rows = [Distribution(dict(zip(row["labels"], row["p"], strict=True))) for row in content["rows"]]
        table: Distribution | Conditional = rows[0]
        if "contexts" in content:
            named = dict(zip(content["contexts"], rows, strict=True))
            table = Conditional(named, other=content["other"], start=content["start"])
        return TableModel(table, content["units"], content["oov"])
    except (BitmeterError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        message = f"{name} is damaged: the table inside is not sound ({error})"
        raise FileFormatError(message, value=name) from error


def _row(table: Distribution) -> dict[str, Any]:
    return {"labels": list(table.labels), "p": [float(p) for p in table.probabilities]}
