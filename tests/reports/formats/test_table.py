"""Columns."""

from __future__ import annotations

from bitmeter.reports.formats.table import Column, Table, columns_of


def test_columns_of_one_kind() -> None:
    assert columns_of("a b", "integer") == (Column("a", "integer"), Column("b", "integer"))
    assert Table("x/1", columns_of("a"), []).caption == ()
