"""The value of another field of each record, such as its source: records of one value belong together."""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import Any

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter._util.check import shown
from bitmeter.errors import RecordError

__all__ = ["Labels"]

#: A longer string is a text, and no name.
_LONGEST = 1 << 12


class Labels:
    """Collects the value of a field, record by record, in the order of the corpus.

    Examples
    --------
    >>> labels = Labels("source")
    >>> for row in ({"source": "web"}, {"source": "news"}, {"source": "web"}):
    ...     labels.add_row(row, "a.jsonl", 1, "line")
    >>> labels.numbers.tolist()
    [0, 1, 0]
    """

    def __init__(self, field: str) -> None:
        self.field = field
        self._known: dict[Any, int] = {}
        self._numbers = array("q")

    def clear(self) -> None:
        """Begin again, as the corpus is read again."""
        self._known.clear()
        self._numbers = array("q")

    def add_row(self, row: Any, path: str, number: int, place: str) -> None:
        """Add the value of a record that maps fields to values."""
        try:
            value = row[self.field]
        except (KeyError, IndexError, TypeError):
            names = ", ".join(map(repr, row)) if isinstance(row, dict) else shown(row)
            message = (
                f"{path}, {place} {number} has no field {self.field!r} to cluster by; it has {names or 'none'}. "
                "Choose one with cluster=… (--cluster)"
            )
            raise RecordError(message, path=path, line=number) from None
        self.add(value, path, number, place)

    def add_all(self, values: Iterable[Any], path: str, first: int) -> None:
        """Add the values of successive rows."""
        for number, value in enumerate(values, first):
            self.add(value, path, number, "row")

    def add(self, value: Any, path: str, number: int, place: str) -> None:
        """Add one value: a string, a number, a truth value or nothing."""
        if not isinstance(value, str | int | float | bool | None) or (isinstance(value, str) and len(value) > _LONGEST):
            message = (
                f"{path}, {place} {number}: {self.field!r} is {shown(value)}; records are clustered by a short string "
                "or a number. Choose another field with cluster=… (--cluster)"
            )
            raise RecordError(message, path=path, line=number)
        self._numbers.append(self._known.setdefault((type(value).__name__, value), len(self._known)))

    @property
    def numbers(self) -> Ints:
        """For each record the number of its value, counted in the order of first appearance."""
        return np.array(self._numbers, dtype=np.int64)
