"""Records in batches: each as it is in its file, and its text.

What cannot be scored is set aside with its place and the reason, and the rest goes on. Only a file that cannot be read
at all, or ends in the middle of its compressed data, is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter.errors import FileFormatError, InputError
from bitmeter.text.formats import COMPRESSIONS, kind_of

__all__ = ["BATCH_BYTES", "BATCH_ROWS", "LONGEST", "Bad", "Fields", "Gathered", "Rows", "Slices", "format_of", "taken"]

#: When a batch is full: bytes of records, and records.
BATCH_BYTES, BATCH_ROWS = 4 << 20, 1 << 14
#: Longer records are set aside, since memory holds a record whole.
LONGEST = 1 << 28


@dataclass(frozen=True, slots=True)
class Bad:
    """A record that cannot be scored.

    Attributes
    ----------
    row
        Its index in the file, from 0, among all records.
    place
        Where it is, for people: "line 3", "row 7".
    reason
        What is wrong with it.
    raw
        What it holds; cut, if it is very long.
    """

    row: int
    place: str
    reason: str
    raw: bytes


class Slices(Sequence[bytes]):
    """Parts of one string of bytes, none of which is an object before it is asked for.

    Parameters
    ----------
    data
        The bytes.
    starts, stops
        Where each part begins and ends.

    Examples
    --------
    >>> parts = Slices(b"to be", np.array([0, 3]), np.array([2, 5]))
    >>> list(parts), parts.chosen([1]), parts.size
    ([b'to', b'be'], [b'be'], 4)
    """

    def __init__(self, data: bytes, starts: Ints, stops: Ints) -> None:
        self._data, self._starts, self._stops = data, starts, stops

    def __len__(self) -> int:
        return len(self._starts)

    @overload
    def __getitem__(self, at: int) -> bytes: ...
    @overload
    def __getitem__(self, at: slice) -> list[bytes]: ...
    def __getitem__(self, at: int | slice) -> bytes | list[bytes]:
        if isinstance(at, slice):
            return self.chosen(range(len(self))[at])
        return self._data[self._starts[at] : self._stops[at]]

    def __iter__(self) -> Iterator[bytes]:
        return iter(self.chosen(slice(None)))

    def chosen(self, which: Any) -> list[bytes]:
        """Some of the parts, by an index of arrays."""
        data = self._data
        return [data[a:b] for a, b in zip(self._starts[which].tolist(), self._stops[which].tolist(), strict=True)]

    @property
    def size(self) -> int:
        """Bytes of all parts."""
        return int((self._stops - self._starts).sum())

    def joined(self) -> tuple[bytes, Ints]:
        """All parts, and where each ends."""
        starts, stops = self._starts, self._stops
        if not len(starts):
            return b"", stops
        if not (starts[1:] == stops[:-1]).all():
            return b"".join(self), np.cumsum(stops - starts)
        return self._data[starts[0] : stops[-1]], stops - starts[0]


@dataclass(slots=True)
class Rows:
    """Some records in the order of the file.

    Attributes
    ----------
    first
        The index of the first record in the file.
    raw
        Each record as bytes; or an Arrow record batch.
    good
        Which records have a text, as indices into `raw`.
    texts
        Their texts.
    languages
        Their languages, if a field names them.
    bad
        The others.
    carried
        What comes before them and is no record, such as the head of a WET file.
    """

    first: int
    raw: Any
    good: Sequence[int] | Ints = field(default_factory=list)
    texts: Sequence[bytes] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    bad: list[Bad] = field(default_factory=list)
    carried: bytes = b""

    def __len__(self) -> int:
        return len(self.raw) if isinstance(self.raw, Sequence) else int(self.raw.num_rows)

    @property
    def size(self) -> int:
        """Bytes of the records; of Arrow's, in memory."""
        if isinstance(self.raw, Slices):
            return self.raw.size
        return sum(map(len, self.raw)) if isinstance(self.raw, Sequence) else int(self.raw.nbytes)

    def lines(self, chosen: Sequence[int]) -> list[bytes]:
        """Some of the records, by their index, as they were."""
        return self.raw.chosen(chosen) if isinstance(self.raw, Slices) else [self.raw[at] for at in chosen]

    def joined(self) -> tuple[bytes, Ints]:
        """All texts, and where each ends."""
        if isinstance(self.texts, Slices):
            return self.texts.joined()
        sizes = np.fromiter(map(len, self.texts), dtype=np.int64, count=len(self.texts))
        return b"".join(self.texts), np.cumsum(sizes)


class Gathered:
    """Records that come one by one, in batches.

    Examples
    --------
    >>> records = Gathered()
    >>> records.add(b"a b", b"a b", "line 1")
    >>> records.add(b"c", None, "line 2", "the line has too many bytes")
    >>> [(rows.first, rows.texts, rows.bad[0].place) for rows in records.taken()], records.full
    ([(0, [b'a b'], 'line 2')], False)
    """

    def __init__(self) -> None:
        self._first = self._size = 0
        self._clear()

    def _clear(self) -> None:
        self._raw: list[bytes] = []
        self._good: list[int] = []
        self._texts: list[bytes] = []
        self._bad: list[Bad] = []
        self._carried: list[bytes] = []

    def add(self, raw: bytes, text: bytes | None, place: str, reason: str = "") -> None:
        """Add a record; one without a text for this reason."""
        if text is None:
            self._bad.append(Bad(self._first + len(self._raw), place, reason, raw))
        else:
            self._good.append(len(self._raw))
            self._texts.append(text)
        self._raw.append(raw)
        self._size += len(raw)

    def carry(self, raw: bytes) -> None:
        """Add what is no record."""
        self._carried.append(raw)

    @property
    def full(self) -> bool:
        """Whether there are enough for a batch."""
        return self._size >= BATCH_BYTES or len(self._raw) >= BATCH_ROWS

    def taken(self) -> Iterator[Rows]:
        """What was added since the last time; nothing if that is nothing."""
        if self._raw or self._carried:
            rows = Rows(self._first, self._raw, self._good, self._texts, bad=self._bad, carried=b"".join(self._carried))
            self._first += len(self._raw)
            self._size = 0
            self._clear()
            yield rows


@dataclass(frozen=True, slots=True)
class Fields:
    """Which fields of a record are read, and which are to be added.

    Attributes
    ----------
    text
        The field of the text.
    language
        The field of the language; empty for none.
    docs
        What a document of a text file is: "line" or "blank".
    added
        Fields that must not be there yet.
    """

    text: str = "text"
    language: str = ""
    docs: str = "line"
    added: tuple[str, ...] = ()


def format_of(path: str) -> str:
    """What a file holds, by its name: "text", "jsonl", "parquet" or "wet".

    Examples
    --------
    >>> format_of("a.jsonl.zst"), format_of("CC-MAIN.warc.wet.gz")
    ('jsonl', 'wet')
    """
    stem = path.lower()
    for suffix in COMPRESSIONS:
        stem = stem.removesuffix(suffix)
    kind = "wet" if stem.endswith(".wet") else kind_of(path)
    if kind in ("csv", "tsv"):
        message = (
            f"{path} holds rows of {kind.upper()}, which filter does not write; give jsonl, parquet, wet or text. With "
            f"duckdb: COPY (FROM '{path}') TO 'rows.parquet'"
        )
        raise InputError(message, value=path)
    return kind


def taken(name: str, path: str, place: str) -> FileFormatError:
    """The error for a record that has a field which is to be added."""
    message = (
        f"{path}, {place} has a field {name!r} already, which would be added a second time; add it under another name: "
        "--prefix bm_"
    )
    return FileFormatError(message, value=name)
