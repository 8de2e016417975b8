"""Records of Parquet files: all columns, a few pages of text at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from bitmeter._util.optional import require
from bitmeter.errors import FileFormatError
from bitmeter.filter.formats.arrow import column_texts
from bitmeter.filter.records import BATCH_BYTES, BATCH_ROWS, Bad, Fields, Rows, Slices, taken
from bitmeter.text.corpus.parquet import parquet_batches

__all__ = ["parquet_rows", "with_columns"]


def parquet_rows(path: str, fields: Fields) -> Iterator[Rows]:
    """The rows of a file; those whose text is null are set aside."""
    pa = require("pyarrow", "Reading Parquet")
    done = 0
    others = (fields.language,) if fields.language else ()
    for batch in parquet_batches(path, fields.text, others, BATCH_BYTES, BATCH_ROWS):
        for name in fields.added:
            if name in batch.schema.names:
                raise taken(name, path, f"row {done + 1}")
        data, ends, has_text = column_texts(batch.column(fields.text), pa)
        present = has_text
        languages: list[str | None] = []
        if fields.language:
            column = batch.column(fields.language).cast(pa.string())
            present = has_text & ~column.is_null().to_numpy(zero_copy_only=False)
            languages = column.to_pylist()
        good = np.flatnonzero(present)
        starts = ends - np.diff(ends, prepend=np.int64(0))
        rows = Rows(done, batch, good, Slices(data, starts[good], ends[good]))
        rows.languages = [name for at, name in enumerate(languages) if present[at] and name is not None]
        for at in np.flatnonzero(~present).tolist():
            raw = json.dumps(batch.slice(at, 1).to_pylist()[0], default=str).encode()
            missing = fields.language if has_text[at] else fields.text
            rows.bad.append(Bad(done + at, f"row {done + at + 1}", f"the column {missing!r} is null", raw))
        yield rows
        done += batch.num_rows


def with_columns(batch: Any, columns: dict[str, list[Any]]) -> Any:
    """The batch with columns added: figures, whole numbers or strings, with None for what there is not."""
    pa = require("pyarrow", "Writing Parquet")
    for name, values in columns.items():
        if name in batch.schema.names:
            message = f"there is a column {name!r} already; add it under another name: --prefix bm_"
            raise FileFormatError(message, value=name)
        first = next((value for value in values if value is not None), 0.0)
        kind = pa.string() if isinstance(first, str) else pa.int64() if isinstance(first, int) else pa.float64()
        batch = batch.append_column(name, pa.array(values, type=kind))
    return batch


def chosen_rows(batch: Any, rows: Any) -> Any:
    """Some rows of a batch, in their order."""
    pa = require("pyarrow", "Writing Parquet")
    return batch.take(pa.array(np.asarray(rows, dtype=np.int64)))
