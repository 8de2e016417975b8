"""A trace: the offsets and the cost of every scored unit."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.check import integer
from bitmeter._util.files import as_path
from bitmeter._util.frames import Column, Tabular
from bitmeter._util.optional import require
from bitmeter._util.rendering import InNotebooks
from bitmeter.errors import RangeError
from bitmeter.measure.signature import Signature
from bitmeter.measure.trace.columns import ALTERNATIVES, Alternatives, Columns, MemoryColumns
from bitmeter.models.outcomes import Details
from bitmeter.text.units.base import Units

_LN2 = math.log(2.0)


@dataclass(frozen=True, slots=True)
class TracedUnit:
    """One unit of a trace."""

    doc: int
    start: int
    end: int
    unit: bytes
    logprob: float
    #: If asked for: the entropy of the prediction in nats, the rank of the unit in it, and the most likely outcomes.
    entropy: float | None = None
    rank: int | None = None
    alternatives: Alternatives = ()

    @property
    def bits(self) -> float:
        """Its cost in bits; inf if it had probability zero."""
        return -self.logprob / _LN2 + 0.0

    @property
    def text(self) -> str:
        """The unit as text; bytes that are not UTF-8 are shown in hexadecimal."""
        return self.unit.decode("utf-8", "backslashreplace")

    def __str__(self) -> str:
        return f"{self.bits:8.3f} bits  {self.text!r}  (document {self.doc}, bytes {self.start}–{self.end})"


class Trace(Tabular, InNotebooks):
    """Parallel arrays with one entry per unit, in the order of the text.

    Attributes
    ----------
    doc, start, end
        The index of the document, and the offsets of the unit's bytes in it. The units of a document leave no gap, so
        that costs can be regrouped exactly.
    id, logprob
        The unit's id and its ln p (nats; −inf if it had probability zero).
    entropy, rank
        If asked for: the entropy of the prediction (nats) and the rank of the unit in it (1 = the most likely).
    signature
        The conventions of the score to which it belongs.

    Examples
    --------
    >>> import bitmeter as bm
    >>> trace = bm.score("kt", b"to be or not to be").trace
    >>> len(trace), trace.units[:3], trace.doc[:3].tolist()
    (18, [b't', b'o', b' '], [0, 0, 0])
    >>> print(trace[3])
       8.033 bits  'b'  (document 0, bytes 3–4)
    """

    def __init__(self, columns: Columns, signature: Signature) -> None:
        self._columns = columns
        self.signature = signature

    def __len__(self) -> int:
        return self._columns.length

    @property
    def doc(self) -> NDArray[np.int64]:
        """The index of each unit's document."""
        return np.asarray(self._columns.get("doc"))

    @property
    def start(self) -> NDArray[np.int64]:
        """The offset of each unit's first byte in its document."""
        return np.asarray(self._columns.get("start"))

    @property
    def end(self) -> NDArray[np.int64]:
        """The offset after each unit's last byte in its document."""
        return np.asarray(self._columns.get("end"))

    @property
    def id(self) -> NDArray[np.int64]:
        """The id of each unit among the model's units."""
        return np.asarray(self._columns.get("id"))

    @property
    def logprob(self) -> NDArray[np.float64]:
        """ln p of each unit."""
        return np.asarray(self._columns.get("logprob"))

    @property
    def entropy(self) -> NDArray[np.float64]:
        """The entropy of each prediction, in nats, if the model gave it."""
        return np.asarray(self._columns.get("entropy"))

    @property
    def rank(self) -> NDArray[np.int64]:
        """The rank of each unit in its prediction, if the model gave it."""
        return np.asarray(self._columns.get("rank"))

    @property
    def details(self) -> Details | None:
        """Entropy, rank and most likely outcomes of all predictions; None if the model was not asked for them."""
        return self._columns.details()

    @property
    def text(self) -> tuple[bytes, NDArray[np.int64]]:
        """The bytes of all units, and the offsets at which units begin in them, one more than there are units.

        Examples
        --------
        >>> import bitmeter as bm
        >>> data, cuts = bm.score("kt", b"abc").trace.text
        >>> data, cuts.tolist()
        (b'abc', [0, 1, 2, 3])
        """
        return self._columns.text()

    def alternatives(self, index: int) -> Alternatives:
        """The most likely outcomes in place of a unit with ln p of each, if the model was asked for them."""
        return self._columns.alternatives(integer(index, "index", low=0, high=len(self) - 1))

    @property
    def bits(self) -> NDArray[np.float64]:
        """The cost of each unit in bits."""
        return np.asarray(-self.logprob / _LN2 + 0.0)

    @property
    def units(self) -> list[bytes]:
        """The bytes of each unit."""
        data, cuts = self._columns.text()
        return [data[cuts[i] : cuts[i + 1]] for i in range(len(self))]

    @property
    def detailed(self) -> bool:
        """Whether units have an entropy, a rank and alternatives."""
        return self._columns.has(ALTERNATIVES)

    def unit(self, index: int) -> TracedUnit:
        """One unit."""
        index = integer(index, "index", low=0, high=len(self) - 1)
        data, cuts = self._columns.text()
        detailed = self._columns.has(ALTERNATIVES)
        return TracedUnit(
            int(self.doc[index]),
            int(self.start[index]),
            int(self.end[index]),
            bytes(data[cuts[index] : cuts[index + 1]]),
            float(self.logprob[index]),
            float(self.entropy[index]) if detailed else None,
            int(self.rank[index]) if detailed else None,
            self._columns.alternatives(index) if detailed else (),
        )

    def top(self, n: int = 10) -> list[TracedUnit]:
        """The n units of the highest cost, in descending order; of equals the earlier first.

        Examples
        --------
        >>> import bitmeter as bm
        >>> [unit.text for unit in bm.score("kt", b"aaaaab").trace.top(2)]
        ['b', 'a']
        """
        n = integer(n, "n", low=0)
        costs = self.logprob
        chosen = np.argpartition(costs, n - 1)[:n] if 0 < n < len(costs) else np.arange(len(costs) if n else 0)
        if 0 < n < len(costs):  # argpartition picks any of those that tie with the last: choose the earliest
            limit = costs[chosen].max()
            chosen = np.concatenate([np.flatnonzero(costs < limit), np.flatnonzero(costs == limit)])[:n]
        order = chosen[np.lexsort((chosen, costs[chosen]))]
        return [self.unit(int(index)) for index in order]

    @overload
    def __getitem__(self, key: int) -> TracedUnit: ...
    @overload
    def __getitem__(self, key: slice) -> Trace: ...
    def __getitem__(self, key: int | slice) -> TracedUnit | Trace:
        if isinstance(key, slice):
            first, last, step = key.indices(len(self))
            if step != 1:
                message = "a trace is sliced without a step, so that its units stay contiguous"
                raise RangeError(message, value=key)
            return Trace(self._columns.part(first, max(first, last)), self.signature)
        given = integer(key, "key")
        index = given + (len(self) if given < 0 else 0)
        if not 0 <= index < len(self):
            message = f"unit {key} is outside of this trace of {len(self)} units"
            raise RangeError(message, value=key)
        return self.unit(index)

    def __iter__(self) -> Iterator[TracedUnit]:
        if self._columns.has(ALTERNATIVES):
            yield from (self.unit(index) for index in range(len(self)))
            return
        data, cuts = self._columns.text()
        step = 1 << 16  # Python's numbers are large: convert a part at a time
        for first in range(0, len(self), step):
            part = slice(first, first + step)
            offsets = cuts[first : first + step + 1].tolist()
            units = (data[a:b] for a, b in pairwise(offsets))
            columns = (self.doc[part].tolist(), self.start[part].tolist(), self.end[part].tolist())
            yield from map(TracedUnit, *columns, units, self.logprob[part].tolist())

    def document(self, index: int) -> Trace:
        """The units of one document, by its index from 0."""
        wanted = integer(index, "index", low=0, high=2**62)
        first, last = np.searchsorted(self.doc, [wanted, wanted + 1])
        return self[int(first) : int(last)]

    def group(self, by: str | Units | int) -> Trace:
        """The same costs summed over larger units of the same bytes.

        Parameters
        ----------
        by
            "char", "grapheme", "word", "unicode-word", "sentence", "document", a Units, or a number of bytes.

        Returns
        -------
        Trace
            One entry per group. A unit that crosses a border belongs to the group in which it starts, so that the sum
            is preserved exactly; a group without a unit of its own costs nothing. White space belongs to the word or
            sentence after it, as in `word_surprisals`; at the end of a document, to the last of it, and so does the end
            of the document.

        Examples
        --------
        >>> import bitmeter as bm
        >>> for word in bm.score("uniform", b"to be or not").trace.group("word"):
        ...     print(repr(word.text), word.bits)
        'to' 16.0
        ' be' 24.0
        ' or' 24.0
        ' not' 32.0
        """
        from bitmeter.text.units.regroup import regroup, within_documents

        data, cuts = self._columns.text()
        firsts = np.flatnonzero(np.diff(self.doc, prepend=-1))  # where each document begins, in units
        ends = np.append(cuts[firsts[1:]], len(data)) if len(firsts) else np.zeros(0, dtype=np.int64)
        grouping, document = within_documents(regroup(cuts, data, by, ends), cuts, np.append(firsts, len(self)))
        shift = (self.start[firsts] - cuts[firsts])[document]
        arrays: dict[str, NDArray[Any]] = {
            "doc": self.doc[firsts][document],
            "start": grouping.cuts[:-1] + shift,
            "end": grouping.cuts[1:] + shift,
            "id": np.arange(len(grouping), dtype=np.int64),
            "logprob": grouping.sums(self.logprob),
        }
        name = by.name if isinstance(by, Units) else by
        return Trace(
            MemoryColumns(arrays, data, grouping.cuts), self.signature.but(units=f"{self.signature.units} by {name}")
        )

    def save(self, path: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write as Parquet, with the signature in the file's metadata.

        Parameters
        ----------
        path
            The file.
        force
            Overwrite an existing file.
        """
        require("pyarrow", "A trace on disk")
        from bitmeter.measure.trace.files import TraceWriter

        with TraceWriter(path, force=force) as writer:
            data, cuts = self._columns.text()
            details = self._columns.details()
            writer.write(self.doc, self.start, self.end, self.id, self.logprob, data, cuts, details=details)
            writer.finish(self.signature)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Trace:
        """Open a saved trace; its columns are read when they are needed."""
        require("pyarrow", "A trace on disk")
        from bitmeter.measure.trace.files import open_trace

        columns, signature = open_trace(as_path(path))
        return cls(columns, signature)

    def to_columns(self) -> dict[str, Column]:
        """One row per unit, for `to_pandas`, `to_polars` and `to_arrow`: offsets, costs, and the unit as text.

        Examples
        --------
        >>> import bitmeter as bm
        >>> columns = bm.score("uniform", b"to be").trace.group("word").to_columns()
        >>> columns["unit"], columns["bits"].tolist()
        (['to', ' be'], [16.0, 24.0])
        """
        columns: dict[str, Column] = {
            "doc": self.doc, "start": self.start, "end": self.end, "id": self.id,
            "unit": [unit.decode("utf-8", "backslashreplace") for unit in self.units],
            "logprob": self.logprob, "bits": self.bits,
        }  # fmt: skip
        if self._columns.has(ALTERNATIVES):
            columns |= {"entropy": self.entropy, "rank": self.rank}
        return columns

    def _metadata(self) -> dict[str, str]:
        return {"signature": str(self.signature)}

    def __repr__(self) -> str:
        return f"Trace({len(self):,} units, {self.signature.short})"
