"""A table as programs read it: columns with names and kinds, rows of values, and what is true of all rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

__all__ = ["Column", "Kind", "Row", "Table", "columns_of"]

#: What the values of a column are. "data" is lists or mappings, as JSON has them.
Kind: TypeAlias = Literal["text", "integer", "number", "flag", "data"]
Row: TypeAlias = Sequence[Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One column.

    Attributes
    ----------
    name
        As programs read it: lower case, with the unit of a figure in it (`bits_per_byte`, `nats`).
    kind
        What its values are; each may also be None, where there is none.
    places
        The decimals of a number in Markdown, LaTeX and at the terminal. Other formats hold all digits.
    """

    name: str
    kind: Kind = "text"
    places: int = 4


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns.

    Attributes
    ----------
    schema
        The name and version of the format, such as "bitmeter.trace/1": docs/schemas describes it.
    columns
        The columns.
    rows
        The rows, one value per column; they may be an iterator, which is read once.
    about
        What is true of all rows, such as the signature: in JSON beside the rows, in Parquet among the metadata.
    caption
        What to write below the table in a paper, one sentence per entry.
    """

    schema: str
    columns: tuple[Column, ...]
    rows: Iterable[Row]
    about: Mapping[str, Any] = field(default_factory=dict)
    caption: tuple[str, ...] = ()


def columns_of(names: str, kind: Kind = "text", places: int = 4) -> tuple[Column, ...]:
    """Several columns of one kind, their names in one string.

    Examples
    --------
    >>> [column.name for column in columns_of("bits nats", "number")]
    ['bits', 'nats']
    """
    return tuple(Column(name, kind, places) for name in names.split())
