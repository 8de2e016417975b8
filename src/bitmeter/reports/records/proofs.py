"""Scores that were proved by a file (`score --prove`) as programs read them."""

from __future__ import annotations

from collections.abc import Sequence

from bitmeter._version import __version__
from bitmeter.coding.prove import Proof
from bitmeter.reports.formats.table import Column, Table, columns_of

__all__ = ["proof_paper", "proof_records"]

_COLUMNS = (
    *columns_of("model text"), *columns_of("bytes units", "integer"), *columns_of("bits quantised_bits", "number"),
    Column("file_bits", "integer"), *columns_of("difference_bits bound_bits", "number"), Column("holds", "flag"),
    *columns_of("short signature schema version"),
)  # fmt: skip


def proof_records(found: Sequence[Proof]) -> Table:
    """One row per proof.

    Examples
    --------
    >>> import bitmeter as bm
    >>> table = proof_records([bm.prove("kt", b"to be or not to be")])
    >>> [(row[0], row[9]) for row in table.rows]
    [('kt', True)]
    """
    schema = "bitmeter.proof/1"
    rows = [
        [one.score.model, one.score.text, one.score.bytes, one.units, one.score.bits, one.quantised_bits, one.file_bits,
         one.difference, one.bound, one.holds, one.score.signature.short, str(one.score.signature), schema,
         __version__]
        for one in found
    ]  # fmt: skip
    return Table(schema, _COLUMNS, rows)


def proof_paper(found: Sequence[Proof]) -> Table:
    """Bits of the scores and of the files, for a paper."""
    columns = (
        *columns_of("model text"), Column("bits", "number", 1), Column("bits in the file", "integer"),
        Column("difference", "number", 1), Column("proved"),
    )  # fmt: skip
    rows = [
        [one.score.model, one.score.text, one.score.bits, one.file_bits, one.difference, "yes" if one.holds else "no"]
        for one in found
    ]
    said = "Bits of the score, and of the file from which the text was decoded."
    signed = ", ".join(dict.fromkeys(one.score.signature.short for one in found))
    return Table("bitmeter.paper/1", columns, rows, caption=(said, f"Measured by bitmeter {__version__}; {signed}."))
