"""A trace: for each scored unit where it is in the text and what it cost."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.check import integer
from bitmeter._util.files import as_path
from bitmeter.errors import ChoiceError, FileFormatError, RangeError
from bitmeter.measure.signature import Signature
from bitmeter.models.outcomes import Details
from bitmeter.text.formats import SEPARATORS
from bitmeter.text.units.base import Units

#: The columns that every trace has, and those that it may have.
COLUMNS = ("doc", "start", "end", "id", "logprob")
OPTIONAL_COLUMNS = ("entropy", "rank")
ALTERNATIVES = "alternatives"
_SHORT = {"char": "chars", "grapheme": "graphemes", "unicode-word": "unicode-words"}
_LN2 = math.log(2.0)


@dataclass(frozen=True, slots=True)
class TracedUnit:
    """One unit of a trace."""

    doc: int
    start: int
    end: int
    unit: bytes
    logprob: float
    #: Where asked for: the entropy of the prediction in nats, the rank of the truth in it, and what was likelier.
    entropy: float | None = None
    rank: int | None = None
    alternatives: tuple[tuple[bytes, float], ...] = ()

    @property
    def bits(self) -> float:
        """What it cost; inf where it was impossible."""
        return -self.logprob / _LN2 + 0.0

    @property
    def text(self) -> str:
        """The unit as text; bytes that are not UTF-8 as their hexadecimal digits."""
        return self.unit.decode("utf-8", "backslashreplace")

    def __str__(self) -> str:
        return f"{self.bits:8.3f} bits  {self.text!r}  (document {self.doc}, bytes {self.start}–{self.end})"


class Trace:
    """Aligned arrays, one entry a unit, in the order of the text.

    Attributes
    ----------
    doc, start, end
        The document's number and the unit's bytes in it. The units of a document follow each other without a gap, so
        that costs can be regrouped exactly.
    id, logprob
        The unit's number and ln p of it (nats; −inf where it was impossible).
    entropy, rank
        Where asked for: the entropy of the prediction (nats) and the rank of the truth in it (1 = the most likely).
    signature
        The conventions of the score that it belongs to.

    Examples
    --------
    >>> import bitmeter as bm
    >>> trace = bm.score("kt", b"to be or not to be").trace
    >>> len(trace), trace.units[:3], trace.doc[:3].tolist()
    (18, [b't', b'o', b' '], [0, 0, 0])
    >>> print(trace[3])
       8.033 bits  'b'  (document 0, bytes 3–4)
    """

    def __init__(self, columns: _Columns, signature: Signature) -> None:
        self._columns = columns
        self.signature = signature

    def __len__(self) -> int:
        return self._columns.length

    @property
    def doc(self) -> NDArray[np.int64]:
        """The number of each unit's document."""
        return np.asarray(self._columns.get("doc"))

    @property
    def start(self) -> NDArray[np.int64]:
        """The first byte of each unit in its document."""
        return np.asarray(self._columns.get("start"))

    @property
    def end(self) -> NDArray[np.int64]:
        """The byte behind each unit in its document."""
        return np.asarray(self._columns.get("end"))

    @property
    def id(self) -> NDArray[np.int64]:
        """The number of each unit among the model's units."""
        return np.asarray(self._columns.get("id"))

    @property
    def logprob(self) -> NDArray[np.float64]:
        """ln p of each unit."""
        return np.asarray(self._columns.get("logprob"))

    @property
    def entropy(self) -> NDArray[np.float64]:
        """The entropy of each prediction, in nats, where the model gave it."""
        return np.asarray(self._columns.get("entropy"))

    @property
    def rank(self) -> NDArray[np.int64]:
        """The rank of each unit in its prediction, where the model gave it."""
        return np.asarray(self._columns.get("rank"))

    def alternatives(self, place: int) -> tuple[tuple[bytes, float], ...]:
        """The likeliest outcomes in a unit's place with ln p of each, where the model was asked for them."""
        return self._columns.alternatives(integer(place, "place", low=0, high=len(self) - 1))

    @property
    def bits(self) -> NDArray[np.float64]:
        """What each unit cost, in bits."""
        return np.asarray(-self.logprob / _LN2 + 0.0)

    @property
    def units(self) -> list[bytes]:
        """The bytes of each unit."""
        data, cuts = self._columns.text()
        return [data[cuts[i] : cuts[i + 1]] for i in range(len(self))]

    def unit(self, place: int) -> TracedUnit:
        """One unit, by its place."""
        place = integer(place, "place", low=0, high=len(self) - 1)
        data, cuts = self._columns.text()
        told = self._columns.has(ALTERNATIVES)
        return TracedUnit(
            int(self.doc[place]),
            int(self.start[place]),
            int(self.end[place]),
            bytes(data[cuts[place] : cuts[place + 1]]),
            float(self.logprob[place]),
            float(self.entropy[place]) if told else None,
            int(self.rank[place]) if told else None,
            self._columns.alternatives(place) if told else (),
        )

    def top(self, n: int = 10) -> list[TracedUnit]:
        """The n units that cost most, the costliest first; of equals the earlier first.

        Examples
        --------
        >>> import bitmeter as bm
        >>> [unit.text for unit in bm.score("kt", b"aaaaab").trace.top(2)]
        ['b', 'a']
        """
        n = integer(n, "n", low=0)
        costs = self.logprob
        chosen = np.argpartition(costs, n - 1)[:n] if 0 < n < len(costs) else np.arange(len(costs) if n else 0)
        if 0 < n < len(costs):  # argpartition picks any of those that tie with the last: take the earliest
            limit = costs[chosen].max()
            chosen = np.concatenate([np.flatnonzero(costs < limit), np.flatnonzero(costs == limit)])[:n]
        order = chosen[np.lexsort((chosen, costs[chosen]))]
        return [self.unit(int(place)) for place in order]

    @overload
    def __getitem__(self, key: int) -> TracedUnit: ...
    @overload
    def __getitem__(self, key: slice) -> Trace: ...
    def __getitem__(self, key: int | slice) -> TracedUnit | Trace:
        if isinstance(key, slice):
            first, last, step = key.indices(len(self))
            if step != 1:
                message = "a trace is sliced without a step, so that its units still follow each other"
                raise RangeError(message, value=key)
            return Trace(self._columns.part(first, max(first, last)), self.signature)
        number = integer(key, "key")
        place = number + (len(self) if number < 0 else 0)
        if not 0 <= place < len(self):
            message = f"unit {key} is outside of this trace of {len(self)} units"
            raise RangeError(message, value=key)
        return self.unit(place)

    def __iter__(self) -> Iterator[TracedUnit]:
        if self._columns.has(ALTERNATIVES):
            yield from (self.unit(place) for place in range(len(self)))
            return
        data, cuts = self._columns.text()
        step = 1 << 16  # numbers of Python are large: not all at once
        for first in range(0, len(self), step):
            part = slice(first, first + step)
            places = cuts[first : first + step + 1].tolist()
            units = (data[a:b] for a, b in pairwise(places))
            columns = (self.doc[part].tolist(), self.start[part].tolist(), self.end[part].tolist())
            yield from map(TracedUnit, *columns, units, self.logprob[part].tolist())

    def document(self, number: int) -> Trace:
        """The units of one document, by its number, counted from 0."""
        wanted = integer(number, "number", low=0, high=2**62)
        first, last = np.searchsorted(self.doc, [wanted, wanted + 1])
        return self[int(first) : int(last)]

    def group(self, by: str | Units | int) -> Trace:
        """The same costs summed over coarser stretches of the same bytes.

        Parameters
        ----------
        by
            "char", "grapheme", "word", "unicode-word", "sentence", "document", a Units, or a number of bytes.

        Returns
        -------
        Trace
            One entry a group. A unit that straddles a border belongs to the group in which it starts, so that the sum
            is kept exactly; a group without a unit of its own costs nothing. Words go by where a unit's own letters
            start, behind the space with which many tokens begin.

        Examples
        --------
        >>> import bitmeter as bm
        >>> for word in bm.score("uniform", b"to be or not").trace.group("word"):
        ...     print(word.text, word.bits)
        to  24.0
        be  24.0
        or  24.0
        not 24.0
        """
        from bitmeter.text.units.regroup import Grouping, group_of, regroup

        data, cuts = self._columns.text()
        firsts = np.flatnonzero(np.diff(self.doc, prepend=-1))  # where each document begins, in units
        ends = np.append(cuts[firsts[1:]], len(data)) if len(firsts) else np.zeros(0, dtype=np.int64)
        grouping = regroup(cuts, data, _SHORT.get(by, by) if isinstance(by, str) else by, ends)
        if by == "word":  # a token such as " word" belongs to the word, not to the space that it begins with
            grouping = Grouping(group_of(_past_spaces(data, cuts), grouping.cuts), grouping.cuts)
        places = np.searchsorted(ends, grouping.cuts[:-1], side="right")
        shift = (self.start[firsts] - cuts[firsts])[places]
        arrays: dict[str, NDArray[Any]] = {
            "doc": self.doc[firsts][places],
            "start": grouping.cuts[:-1] + shift,
            "end": grouping.cuts[1:] + shift,
            "id": np.arange(len(grouping), dtype=np.int64),
            "logprob": grouping.sums(self.logprob),
        }
        name = by.name if isinstance(by, Units) else by
        return Trace(
            _Columns(arrays, data, grouping.cuts), self.signature.but(units=f"{self.signature.units} by {name}")
        )

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write as Parquet, with the signature in the file's metadata.

        Parameters
        ----------
        path
            Where to.
        force
            Overwrite what is there.
        """
        from bitmeter.measure.trace.files import TraceWriter

        with TraceWriter(path, force=force) as writer:
            data, cuts = self._columns.text()
            told = self._columns.details()
            writer.write(self.doc, self.start, self.end, self.id, self.logprob, data, cuts, details=told)
            writer.finish(self.signature)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trace:
        """Open a saved trace; its columns are read when they are asked for."""
        from bitmeter.measure.trace.files import open_trace

        columns, signature = open_trace(as_path(path))
        return cls(columns, signature)

    def __repr__(self) -> str:
        return f"Trace({len(self):,} units, {self.signature.short})"


def _past_spaces(data: bytes, cuts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each unit's own letters begin, behind white space; a unit of white space alone begins where it does."""
    starts, stops = _core.trim(data, cuts, SEPARATORS["ascii"])
    own = np.where(stops > starts, starts, cuts[:-1])
    own[:1] = 0
    return np.append(own, cuts[-1])


class _Columns:
    """The arrays of a trace in memory, and the text that they speak of."""

    def __init__(
        self, arrays: dict[str, NDArray[Any]], data: bytes, cuts: NDArray[np.int64], details: Details | None = None
    ) -> None:
        self._arrays, self._data, self._cuts, self._details = arrays, data, cuts, details
        self.length = len(arrays["logprob"])
        if details is not None:
            self._arrays = {**arrays, "entropy": details.entropy, "rank": details.rank}

    def details(self) -> Details | None:
        return self._details

    def alternatives(self, place: int) -> tuple[tuple[bytes, float], ...]:
        told = self._details
        if told is None:
            raise missing_column(ALTERNATIVES)
        pairs = zip(told.top[place].tolist(), told.top_logprobs[place].tolist(), strict=True)
        return tuple((told.names[number], logprob) for number, logprob in pairs)

    def has(self, name: str) -> bool:
        return self._details is not None if name == ALTERNATIVES else name in self._arrays

    def get(self, name: str) -> Any:
        if name not in self._arrays:
            raise missing_column(name)
        return self._arrays[name]

    def text(self) -> tuple[bytes, NDArray[np.int64]]:
        return self._data, self._cuts

    def part(self, first: int, last: int) -> _Columns:
        cuts = self._cuts[first : last + 1]
        base = int(cuts[0]) if len(cuts) else 0
        arrays = {name: array[first:last] for name, array in self._arrays.items()}
        told = None if self._details is None else self._details.part(first, last)
        return _Columns(arrays, self._data[base : int(cuts[-1]) if len(cuts) else base], cuts - base, told)


def missing_column(name: str) -> ChoiceError:
    """The error for a column that this trace has not."""
    message = f"this trace has no {name}: the model was not asked for it, or cannot give it"
    return ChoiceError(message, value=name)


def read_error(path: Path, reason: str) -> FileFormatError:
    """The error for a file that is not a trace."""
    message = f"{path} is not a trace that this bitmeter can read: {reason}. `bitmeter score … --trace FILE` writes one"
    return FileFormatError(message, value=str(path))
