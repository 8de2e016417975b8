"""What a filter did as programs read it: all of it as JSON, and one row per outcome."""

from __future__ import annotations

import math
from typing import Any

from bitmeter._version import __version__
from bitmeter.filter.summary import FilterSummary
from bitmeter.filter.tally import Share
from bitmeter.reports.formats.table import Column, Table, columns_of

__all__ = ["filter_document", "filter_paper", "filter_records"]

_LN2 = math.log(2.0)
_FIGURES = "bits nats bits_per_byte bits_per_token perplexity_per_byte perplexity_per_token"
_COLUMNS = (
    Column("outcome"), *columns_of("documents bytes tokens impossible", "integer"),
    *columns_of("share_of_documents share_of_bytes", "number"), *columns_of(_FIGURES, "number"),
    *columns_of("model by"), Column("dry_run", "flag"), *columns_of("short signature schema version"),
)  # fmt: skip


def _quotients(share: Share) -> dict[str, float | None]:
    """What the documents of an outcome that are possible cost; nothing per byte where some are impossible."""
    nats = share.total_nats
    found: dict[str, float | None] = {"bits": nats / _LN2, "nats": nats}
    bits = {
        unit: math.inf if share.impossible else nats / count / _LN2 if count else None
        for unit, count in (("byte", share.bytes), ("token", share.tokens))
    }
    found |= {f"bits_per_{unit}": value for unit, value in bits.items()}
    for unit, value in bits.items():
        found[f"perplexity_per_{unit}"] = None if value is None or 1024.0 <= value < math.inf else float(2.0**value)
    return found


def filter_document(summary: FilterSummary) -> dict[str, Any]:
    """Everything: counts and costs by outcome, the rule with its limits, the histogram, files, the signature."""
    own = summary.to_json()
    for name, share in summary.tally.shares.items():
        own["outcomes"][name] |= _quotients(share)
    return {"schema": own.pop("schema"), "version": __version__, **own, "short": summary.signature.short}


def filter_records(summary: FilterSummary) -> Table:
    """One row per outcome: kept, dropped, head, middle, tail, unscored."""
    schema, signature = "bitmeter.filter-row/1", summary.signature
    rows = [
        [
            name, share.documents, share.bytes, share.tokens, share.impossible,
            share.documents / summary.documents if summary.documents else None,
            share.bytes / summary.bytes if summary.bytes else None, *_quotients(share).values(),
            summary.model, summary.by, summary.dry, signature.short, str(signature), schema, __version__,
        ]
        for name, share in summary.tally.shares.items()
    ]  # fmt: skip
    return Table(schema, _COLUMNS, rows, {"short": signature.short, "signature": str(signature), "rule": summary.rule})


def filter_paper(summary: FilterSummary) -> Table:
    """The outcomes for a paper, with the rule in the caption."""
    columns = (
        Column("outcome"), Column("documents", "integer"), Column("share (%)", "number", 1), Column("bytes", "integer"),
        Column("bits/byte", "number"),
    )  # fmt: skip
    rows = [[row[0], row[1], None if row[5] is None else 100 * row[5], row[2], row[9]]
            for row in filter_records(summary).rows]  # fmt: skip
    said = f"Documents by outcome under {summary.model}, by {summary.by.replace('_', ' ')}."
    measured = f"Measured by bitmeter {__version__}; signature: {summary.signature.short}."
    return Table("bitmeter.paper/1", columns, rows, caption=(said, measured))
