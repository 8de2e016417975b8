"""Records of Parquet files: all columns, a few pages of text at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from bitmeter._util.optional import require
from bitmeter.errors import FileFormatError
from bitmeter.filter.records import BATCH_BYTES, BATCH_ROWS, Bad, Fields, Rows, taken
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
        rows = Rows(done, batch)
        texts = _bytes(batch.column(fields.text), pa)
        languages = batch.column(fields.language).cast(pa.string()).to_pylist() if fields.language else None
        for at, text in enumerate(texts):
            missing = fields.text if text is None else fields.language if languages and languages[at] is None else None
            if text is None or missing is not None:
                raw = json.dumps(batch.slice(at, 1).to_pylist()[0], default=str).encode()
                rows.bad.append(Bad(done + at, f"row {done + at + 1}", f"the column {missing!r} is null", raw))
                continue
            rows.good.append(at)
            rows.texts.append(text)
            if languages is not None:
                rows.languages.append(languages[at])
        yield rows
        done += batch.num_rows


def _bytes(column: Any, pa: Any) -> list[bytes | None]:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    found: list[bytes | None] = column.cast(pa.large_binary()).to_pylist()
    return found


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
