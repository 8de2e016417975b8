"""The columns of a Parquet table."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from bitmeter._util.files import as_utf8
from bitmeter.errors import BitmeterError, FileFormatError

__all__ = ["parquet_columns"]

#: The most bytes that the columns may take, unpacked.
_MOST = 1 << 33


def parquet_columns(
    path: Path, wrong: Callable[[Path, str], FileFormatError], column_of: Callable[[list[Any]], Any]
) -> tuple[dict[str, Any], str]:
    """Each column, and the type of the numbers in it; `wrong` makes the error for a file that cannot be read."""
    try:
        with as_utf8(path) as utf8:
            file = pq.ParquetFile(utf8)
        size = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
        if size > _MOST:
            raise wrong(path, f"its columns take {size:,} bytes")
        names = list(file.schema_arrow.names)
        if len(set(names)) != len(names):
            raise wrong(path, "two of its columns have one name")
        columns: dict[str, Any] = {}
        kinds: set[str] = set()
        for name in names:
            column = file.read(columns=[name]).column(name)
            column.validate(full=True)
            kind = column.type
            if pa.types.is_floating(kind):
                kinds.add({"halffloat": "float16", "float": "float32", "double": "float64"}.get(str(kind), str(kind)))
            number = pa.types.is_floating(kind) or pa.types.is_integer(kind)
            columns[name] = column.to_numpy() if number and not column.null_count else column_of(column.to_pylist())
    except (pa.ArrowException, OSError, ValueError, OverflowError, LookupError, RuntimeError) as error:
        if isinstance(error, BitmeterError):
            raise
        raise wrong(path, str(error).partition("\n")[0][:200]) from error
    return columns, "/".join(sorted(kinds)) or "float64"
