"""lighteval: the details that `--save-details` writes, one row per document, as Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bitmeter._util.files import as_utf8
from bitmeter._util.optional import require
from bitmeter.hosts.logs.items import Item, Log, LogFile

__all__ = ["NAME", "is_details", "read_details", "read_rows"]

NAME = "lighteval"
#: The columns that are read; the others may be anything.
_COLUMNS = ["doc", "model_response"]
#: The most that the columns may take when unpacked: a few bytes of Parquet may stand for gigabytes.
_MOST = 1 << 30


def is_details(path: Path) -> bool:
    """Whether a Parquet file has the columns of details."""
    parquet = require("pyarrow.parquet", "Reading the details of lighteval")
    arrow = require("pyarrow", "Reading the details of lighteval")
    try:
        with as_utf8(path) as name:
            return set(_COLUMNS) <= set(parquet.read_schema(name).names)
    except (arrow.ArrowException, OSError):
        return False


def read_details(path: Path) -> Log:
    """The texts of a file of details."""
    parquet = require("pyarrow.parquet", "Reading the details of lighteval")
    arrow = require("pyarrow", "Reading the details of lighteval")
    nothing = LogFile(None, str(path), NAME)
    try:
        with as_utf8(path) as name:
            file = parquet.ParquetFile(name)
            if not set(_COLUMNS) <= set(file.schema_arrow.names):
                nothing.fail(f"it has no columns {' and '.join(_COLUMNS)}")
            size = sum(
                file.metadata.row_group(group).column(column).total_uncompressed_size
                for group in range(file.metadata.num_row_groups)
                for column in range(file.metadata.num_columns)
            )
            if size > _MOST:
                nothing.fail(f"it would unpack to {size:,} bytes")
            rows: list[Any] = file.read(columns=_COLUMNS).to_pylist()
    except (arrow.ArrowException, OSError) as error:
        nothing.fail(str(error))
    return read_rows([LogFile(row, f"{path.name}:{number}", NAME) for number, row in enumerate(rows, 1)])


def read_rows(rows: list[LogFile]) -> Log:
    """The right answer of each document, given its query, in the order of their ids: batches are sorted by length."""
    items = []
    for row in sorted(rows, key=_id):
        choices = list(row.at("doc", "choices").each())
        logs = list(row.at("model_response", "logprobs").each())
        if not logs:
            row.fail("it has no log-probabilities; only tasks that score choices have them")
        if len(choices) != len(logs):
            row.fail(f"it has {len(choices)} choices and {len(logs)} log-probabilities")
        gold = row.at("doc", "gold_index")
        number = gold.at(0).integer() if isinstance(gold.value, list) else gold.integer()
        if not 0 <= number < len(choices):
            row.fail(f"{gold.name} is {number}, and there are {len(choices)} choices")
        context = row.at("model_response", "input", optional=True)
        query = context if isinstance(context.value, str) else row.at("doc", "query")
        items.append(Item(choices[number].text().encode(), logs[number].logprob(), context=query.text().encode()))
    return Log(NAME, "answer", items)


def _id(row: LogFile) -> int:
    """The number of a document; 0 where it has none, so that those keep their order."""
    found = row.at("doc", "id", optional=True).value
    return int(found) if isinstance(found, str) and found.isascii() and found.isdigit() and len(found) < 12 else 0
