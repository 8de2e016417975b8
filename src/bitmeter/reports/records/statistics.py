"""Statistics of documents (`score --at`) as programs read them."""

from __future__ import annotations

from typing import Any

from bitmeter._version import __version__
from bitmeter.measure.membership.statistics import TextStatistics
from bitmeter.reports.formats.table import Column, Table, columns_of

__all__ = ["statistics_document", "statistics_paper", "statistics_records"]

_COLUMNS = (
    *columns_of("document statistic"), *columns_of("value quantile", "number"), Column("share", "number"),
    *columns_of("model text schema version"),
)  # fmt: skip


def statistics_document(found: TextStatistics) -> dict[str, Any]:
    """All of it, with the version that measured it."""
    own = found.to_dict()
    return {"schema": own.pop("schema"), "version": __version__, **own}


def statistics_records(found: TextStatistics) -> Table:
    """One row per document and statistic; the quantile is its place in the null, where one was given.

    Examples
    --------
    >>> import bitmeter as bm
    >>> found = bm.text_statistics("kt", bm.Corpus.from_documents(["abab" * 9, "abcd" * 9]), at="zlib")
    >>> [row[1:4:2] for row in statistics_records(found).rows]
    [['zlib', None], ['zlib', None]]
    """
    schema = "bitmeter.statistics-row/1"
    rows = []
    for one in found.statistics:
        quantiles = one.quantiles.tolist() or [None] * len(one.values)
        rows += [
            [name, one.name, value, quantile, found.share, found.model, found.text, schema, __version__]
            for name, value, quantile in zip(found.documents, one.values.tolist(), quantiles, strict=True)
        ]
    return Table(schema, _COLUMNS, rows)


def statistics_paper(found: TextStatistics) -> Table:
    """The mean of each statistic over documents, with its interval."""
    columns = (Column("statistic"), Column("documents", "integer"), *columns_of("mean low high", "number"))
    rows = [[one.name, len(one.values), one.mean.estimate, one.mean.low, one.mean.high] for one in found.statistics]
    said = f"Statistics of the documents of {found.text} under {found.model}: means with their intervals; no verdict."
    return Table("bitmeter.paper/1", columns, rows, caption=(said, f"Measured by bitmeter {__version__}."))
