"""Changes to Parquet files: another type, order or content of a column, nulls, other metadata, other encodings.

Bytes of the footer are changed too, with its length repaired, and bytes of pages, which stay where they are.
"""

from __future__ import annotations

import io
import random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from engine import mutated_bytes

_TYPES = [
    pa.int8(), pa.int32(), pa.int64(), pa.uint64(), pa.float32(), pa.float64(), pa.string(), pa.large_string(),
    pa.binary(), pa.large_binary(), pa.bool_(), pa.dictionary(pa.int32(), pa.string()), pa.list_(pa.int64()), pa.null(),
]  # fmt: skip
_VALUES = [
    None,
    0,
    -1,
    1,
    2**62,
    -(2**62),
    1.5,
    -0.5,
    float("nan"),
    float("inf"),
    float("-inf"),
    1e308,
    "",
    "x",
    b"\xff",
    True,
]


def written(table: pa.Table, draw: random.Random | None = None) -> bytes:
    """A table as the bytes of a file."""
    out = io.BytesIO()
    keywords: dict[str, Any] = {"compression": "zstd"}
    if draw is not None:
        keywords = {
            "compression": draw.choice(["zstd", "none", "gzip", "snappy"]), "use_dictionary": draw.random() < 0.5,
            "row_group_size": draw.choice([1, 3, None]), "write_statistics": draw.random() < 0.5,
        }  # fmt: skip
    pq.write_table(table, out, **keywords)
    return out.getvalue()


def mutated_columns(draw: random.Random, data: bytes) -> bytes:
    """A sound file of another content, or another footer or page; what cannot be read is changed as bytes."""
    if draw.random() < 0.5:
        return draw.choice((_other_footer, _other_page))(draw, data)
    try:
        table = pq.ParquetFile(io.BytesIO(data)).read()
        return written(_changed(draw, table), draw)
    except (pa.ArrowException, OSError, ValueError, TypeError, OverflowError, LookupError):
        return mutated_bytes(draw, data, data)


def _other_footer(draw: random.Random, data: bytes) -> bytes:
    length = int.from_bytes(data[-8:-4], "little")
    body, footer = data[: -8 - length], data[-8 - length : -8]
    if not footer or not body:
        return mutated_bytes(draw, data, data)
    footer = mutated_bytes(draw, footer, footer)
    return body + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def _other_page(draw: random.Random, data: bytes) -> bytes:
    length = int.from_bytes(data[-8:-4], "little")
    pages = len(data) - 8 - length
    if pages < 5:
        return mutated_bytes(draw, data, data)
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 4))):
        at = draw.randrange(4, pages)
        changed[at] = draw.choice((changed[at] ^ 1 << draw.randrange(8), draw.randrange(256), 0, 0x7F, 0x80, 0xFF))
    return bytes(changed)


def _changed(draw: random.Random, table: pa.Table) -> pa.Table:
    way = draw.randrange(9)
    at = draw.randrange(max(1, table.num_columns))
    name, column = table.column_names[at], table.column(at)
    if way == 0:
        return table.drop_columns([name])
    if way == 1:
        return table.append_column(draw.choice([name, "x"]), column)
    if way == 2:
        return table.set_column(at, draw.choice(["", "x", name + name]), column)
    if way == 3:
        return table.set_column(at, name, column.cast(draw.choice(_TYPES), safe=False))
    if way == 4:
        kind = draw.choice(_TYPES)
        return table.set_column(at, name, pa.array([draw.choice([None, *_VALUES]) for _ in range(len(table))], kind))
    if way == 5:
        meta = dict(table.schema.metadata or {})
        key = draw.choice([*meta, b"x"])
        meta[key] = mutated_bytes(draw, meta.get(key, b"x"), b"bitmeter.trace/1")
        return table.replace_schema_metadata(meta)
    if way == 6:
        return table.slice(draw.randrange(len(table) + 1), draw.randrange(len(table) + 2))
    if way == 7:
        return pa.concat_tables([table, table.slice(0, draw.randrange(len(table) + 1))])
    values = column.to_pylist()
    if values:
        values[draw.randrange(len(values))] = draw.choice(_VALUES)
    return table.set_column(at, name, pa.array(values, column.type))
