"""Overlap as programs read it: all figures as JSON, and one row per document."""

from __future__ import annotations

from typing import Any

from bitmeter._version import __version__
from bitmeter.measure.overlap.result import Overlap
from bitmeter.reports.formats.table import Column, Table, columns_of
from bitmeter.reports.records.paper import narrowed

__all__ = ["overlap_document", "overlap_paper", "overlap_records"]

_COLUMNS = (
    Column("document"), *columns_of("bytes units covered", "integer"), Column("coverage", "number"),
    Column("longest", "integer"), *columns_of("source text corpus unit"), Column("length", "integer"),
    *columns_of("schema version"),
)  # fmt: skip


def overlap_document(found: Overlap) -> dict[str, Any]:
    """All figures, the matches and sources, and the figures of each document."""
    own = found.to_dict()
    return {"schema": own.pop("schema"), "version": __version__, **own}


def overlap_records(found: Overlap) -> Table:
    """One row per document of the text.

    Examples
    --------
    >>> import bitmeter as bm
    >>> text = bm.Corpus.from_documents(["to be or", "x"])
    >>> table = overlap_records(bm.overlap(text, b"to be or not to be", length=5))
    >>> [column.name for column in table.columns][:5], [row[4] for row in table.rows]
    (['document', 'bytes', 'units', 'covered', 'coverage'], [1.0, 0.0])
    """
    schema = "bitmeter.overlap-row/1"
    shared = [found.text, found.corpus or None, found.unit, found.length, schema, __version__]
    rows = [[*row.values(), *shared] for row in found.rows()]
    return Table(schema, _COLUMNS, rows, {"covered": found.covered, "coverage": found.coverage})


def overlap_paper(found: Overlap) -> Table:
    """What each document shares with the corpus, for a paper."""
    titles = {"document": "document", "units": found.unit, "covered": "covered", "coverage": "share",
              "longest": "longest (bytes)", "source": "from"}  # fmt: skip
    where = "itself" if not found.corpus else found.corpus
    said = (
        f"Parts of {found.text} that stand in {where}, in matches of at least {found.length:,} {found.unit}: "
        f"{100.0 * found.coverage:.2f} % of {found.units:,}.",
        f"Measured by bitmeter {__version__}.",
    )
    return narrowed(overlap_records(found), titles, said)
