"""Tables as Parquet, row group by row group, with the schema and the signature among the metadata."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from bitmeter._util.optional import require
from bitmeter._version import __version__
from bitmeter.reports.formats.cells import encoded, json_value
from bitmeter.reports.formats.table import Column, Row

__all__ = ["ParquetTable"]

#: Rows of a row group.
_ROWS = 1 << 16


class ParquetTable:
    """Writes rows to a file; lists and mappings are JSON there."""

    def __init__(self, path: Path, schema: str, columns: Sequence[Column]) -> None:
        self._pa, pq = (require(module, "Writing Parquet") for module in ("pyarrow", "pyarrow.parquet"))
        pa = self._pa
        kinds = {
            "text": pa.string(), "integer": pa.int64(), "number": pa.float64(), "flag": pa.bool_(), "data": pa.string()
        }  # fmt: skip
        self._columns, self._schema = tuple(columns), schema
        self._fields = pa.schema([(column.name, kinds[column.kind]) for column in columns])
        self._writer = pq.ParquetWriter(str(path), self._fields, compression="zstd")

    def write(self, rows: Iterable[Row]) -> None:
        """Write more rows."""
        left = iter(rows)
        while part := list(islice(left, _ROWS)):
            columns = zip(*part, strict=True)
            arrays = [
                self._pa.array([_value(value, column) for value in values], type=field.type)
                for values, column, field in zip(columns, self._columns, self._fields, strict=True)
            ]
            self._writer.write_batch(self._pa.record_batch(arrays, schema=self._fields))

    def end(self, about: Mapping[str, Any]) -> None:
        """Write the metadata."""
        known = {"schema": self._schema, "version": __version__, **about}
        self._writer.add_key_value_metadata(
            {f"bitmeter.{name}": value if isinstance(value, str) else encoded(value)
             for name, value in known.items()}
        )  # fmt: skip

    def close(self) -> None:
        """Write the footer."""
        self._writer.close()


def _value(value: Any, column: Column) -> Any:
    if value is None:
        return None
    if column.kind == "data":
        return encoded(value)
    if column.kind == "text":
        return json_value(str(value))
    return float(value) if column.kind == "number" else value
