"""The columns of a trace and the text that they describe: in memory, or behind an interface that loads them late."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bitmeter.errors import ChoiceError, FileFormatError
from bitmeter.models.outcomes import Details

#: The columns that every trace has, and those that it may have.
COLUMNS = ("doc", "start", "end", "id", "logprob")
OPTIONAL_COLUMNS = ("entropy", "rank")
ALTERNATIVES = "alternatives"

#: Outcomes and ln p of each, the most likely first.
Alternatives: TypeAlias = tuple[tuple[bytes, float], ...]


class Columns(ABC):
    """Parallel arrays, one entry per unit, and the bytes of the units."""

    @property
    @abstractmethod
    def length(self) -> int:
        """The number of units."""

    @abstractmethod
    def has(self, name: str) -> bool:
        """Whether there is such a column."""

    @abstractmethod
    def get(self, name: str) -> NDArray[Any]:
        """A column; a ChoiceError if there is none of this name."""

    @abstractmethod
    def text(self) -> tuple[bytes, NDArray[np.int64]]:
        """The text and the offsets in it: unit i is text[cuts[i]:cuts[i+1]]."""

    @abstractmethod
    def alternatives(self, index: int) -> Alternatives:
        """The most likely outcomes in place of a unit."""

    @abstractmethod
    def details(self) -> Details | None:
        """The details of all predictions, if the model gave them."""

    @abstractmethod
    def part(self, first: int, last: int) -> Columns:
        """The units from `first` up to but not including `last`."""


class MemoryColumns(Columns):
    """Columns in memory."""

    def __init__(
        self, arrays: Mapping[str, NDArray[Any]], data: bytes, cuts: NDArray[np.int64], details: Details | None = None
    ) -> None:
        own = {} if details is None else {"entropy": details.entropy, "rank": details.rank}
        self._arrays = {**arrays, **own}
        self._data, self._cuts, self._details = data, cuts, details

    @property
    def length(self) -> int:
        """The number of units."""
        return len(self._arrays["logprob"])

    def has(self, name: str) -> bool:
        """Whether there is such a column."""
        return self._details is not None if name == ALTERNATIVES else name in self._arrays

    def get(self, name: str) -> NDArray[Any]:
        """A column; a ChoiceError if there is none of this name."""
        if name not in self._arrays:
            raise missing_column(name)
        return self._arrays[name]

    def text(self) -> tuple[bytes, NDArray[np.int64]]:
        """The text and the offsets of the units in it."""
        return self._data, self._cuts

    def alternatives(self, index: int) -> Alternatives:
        """The most likely outcomes in place of a unit."""
        details = self._details
        if details is None:
            raise missing_column(ALTERNATIVES)
        pairs = zip(details.top[index].tolist(), details.top_logprobs[index].tolist(), strict=True)
        return tuple((details.names[outcome], logprob) for outcome, logprob in pairs)

    def details(self) -> Details | None:
        """The details of all predictions, if the model gave them."""
        return self._details

    def part(self, first: int, last: int) -> Columns:
        """The units from `first` up to but not including `last`."""
        cuts = self._cuts[first : last + 1]
        base = int(cuts[0]) if len(cuts) else 0
        arrays = {name: array[first:last] for name, array in self._arrays.items()}
        details = None if self._details is None else self._details.part(first, last)
        return MemoryColumns(arrays, self._data[base : int(cuts[-1]) if len(cuts) else base], cuts - base, details)


def missing_column(name: str) -> ChoiceError:
    """The error for a column that a trace does not have."""
    message = f"this trace has no {name}: the model was not asked for it, or cannot give it"
    return ChoiceError(message, value=name)


def read_error(path: Path, reason: str) -> FileFormatError:
    """The error for a file that is not a trace."""
    message = f"{path} is not a trace that this bitmeter can read: {reason}. `bitmeter score … --trace FILE` writes one"
    return FileFormatError(message, value=str(path))


#: A log-probability may be above zero, and an entropy below it, by so much through rounding.
_ROUNDING = 1e-9


def wrong_values(name: str, values: NDArray[Any]) -> str:
    """What makes no sense in a column of a file; "" if nothing does."""
    bad = {
        "doc": lambda: (values < 0) | (np.diff(values, prepend=values[:1]) < 0),
        "start": lambda: values < 0,
        "end": lambda: values < 0,
        "logprob": lambda: ~(values <= _ROUNDING),  # NaN as well
        "entropy": lambda: ~((values >= -_ROUNDING) & (values < np.inf)),
        "rank": lambda: values < 1,
    }.get(name)
    if bad is None or not bad().any():
        return ""
    index = int(np.argmax(bad()))
    return f"the {name} of unit {index} is {values[index]}"


def wrong_offsets(
    doc: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64], cuts: NDArray[np.int64]
) -> str:
    """Where offsets are not those of the units' bytes, or leave a gap within a document; "" if nowhere."""
    bad = end - start != np.diff(cuts)
    bad[1:] |= (doc[1:] == doc[:-1]) & (start[1:] != end[:-1])
    if not bad.any():
        return ""
    index = int(np.argmax(bad))
    return f"unit {index} lies at bytes {start[index]} to {end[index]}, which does not fit its text or its neighbour"
