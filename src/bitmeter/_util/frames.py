"""Results as tables of pandas, polars and Arrow: one method gives the columns, the packages are imported when asked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from bitmeter._util.lazy import np
from bitmeter._util.optional import require

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Column", "Tabular"]

#: A column: an array, or a list of texts. What is missing is NaN in an array of reals, and None in a list.
Column: TypeAlias = "NDArray[Any] | Sequence[str | None]"


class Tabular:
    """A result with rows.

    A subclass gives `to_columns`, and metadata if there is some.
    """

    __slots__ = ()

    @abstractmethod
    def to_columns(self) -> dict[str, Column]:
        """The columns by name, all of one length."""

    def _metadata(self) -> Mapping[str, str]:
        """What goes with a table as a whole."""
        return {}

    def to_pandas(self) -> Any:
        """A DataFrame of pandas; its `attrs` hold the signature, where there is one."""
        pandas = require("pandas", "A DataFrame")
        frame = pandas.DataFrame(self.to_columns())
        frame.attrs |= dict(self._metadata())
        return frame

    def to_polars(self) -> Any:
        """A DataFrame of polars; what is missing is null."""
        polars = require("polars", "A DataFrame of polars")
        return polars.DataFrame(self.to_columns(), nan_to_null=True)

    def to_arrow(self) -> Any:
        """A Table of Arrow, with the signature in its metadata; what is missing is null."""
        arrow = require("pyarrow", "A table of Arrow")
        columns = {
            name: arrow.array(column, from_pandas=True)
            if isinstance(column, np.ndarray)
            else arrow.array(column, arrow.string())
            for name, column in self.to_columns().items()
        }
        return arrow.table(columns, metadata=dict(self._metadata()))
