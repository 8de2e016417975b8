"""Figures of each document, written as documents end."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from bitmeter.measure.documents.ended import DocumentBatch
from bitmeter.reports.formats.table import columns_of

__all__ = ["COLUMNS", "SCHEMA", "document_rows"]

SCHEMA = "bitmeter.documents/1"
#: One row per document. A perplexity that a double cannot hold, and any figure of an empty document, is not there.
COLUMNS = (
    *columns_of("doc line", "integer"), *columns_of("id path"), *columns_of("bytes chars words tokens oov", "integer"),
    *columns_of("bits nats bits_per_byte bits_per_char bits_per_word bits_per_token", "number"),
    *columns_of("perplexity_per_byte perplexity_per_char perplexity_per_word perplexity_per_token", "number"),
)  # fmt: skip
_LN2 = math.log(2.0)


def document_rows(batch: DocumentBatch, origin: Callable[[int], tuple[str, int, Any]]) -> Iterator[list[Any]]:
    """The rows of a batch.

    Parameters
    ----------
    batch
        Documents that ended.
    origin
        From the number of a document to its path, its line there, and its id.
    """
    per = [_per(batch.nats, count, hidden=batch.closed and k < 2) for k, count in enumerate(batch[2:6])]
    powers = [[None if x is None or 1024.0 <= x < math.inf else 2.0**x for x in column] for column in per]
    counts = [column.tolist() for column in batch[2:7]]
    for k, nats in enumerate(batch.nats.tolist()):
        path, line, name = origin(batch.first + k)
        shown = None if name is None else name if isinstance(name, str) else str(name)
        yield [
            batch.first + k, line, shown, path, *(column[k] for column in counts), nats / _LN2, nats,
            *(column[k] for column in per), *(column[k] for column in powers),
        ]  # fmt: skip


def _per(nats: Any, count: Any, *, hidden: bool) -> list[float | None]:
    """Bits per unit; None where there is none."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = (nats / count / _LN2).tolist()
    return [None if hidden or not n else x for x, n in zip(found, count.tolist(), strict=True)]
