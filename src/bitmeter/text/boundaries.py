"""Document boundaries: ends as units of their own, units that need whole documents, and lines as sentences."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.arrays import Bools, Ints
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import Split, Units

__all__ = ["Whole", "insert_ends", "sentences_of", "with_ends"]


def sentences_of(source: Any, *, docs: str | None = None, field: str | None = None) -> Corpus:
    r"""A corpus whose documents are sentences: the lines of a text, or the rows of a source that holds rows.

    Parameters
    ----------
    source
        Whatever can be a corpus; see `Corpus.of`. A `Corpus` keeps its own documents.
    docs
        What one sentence is, if not a line or a row; see `Corpus`.
    field
        The field or column of the rows that holds the text.

    Examples
    --------
    >>> [document.data for document in sentences_of(b"to be\nor not\n")]
    [b'to be\n', b'or not\n']
    """
    if docs is not None or isinstance(source, Corpus):
        return Corpus.of(source, docs=docs, field=field)
    if not isinstance(source, bytes | bytearray | memoryview):
        found = Corpus(source, field=field)
        if found.docs == "record":
            return found
    return Corpus.of(source, docs="line", field=field)


def insert_ends(
    ids: NDArray[Any], bounds: Ints, blank: Bools, finished: int, end: int, *, keep_blank: bool, shown: bool = False
) -> tuple[Ints, Ints, Ints]:
    """Add the end of each finished document to its ids.

    Parameters
    ----------
    ids, bounds
        The units, and where documents begin and end among them; see `Split`.
    blank
        Which units are documents without a word; see `Units.blank`. Such a document is its end alone.
    finished
        How many of the documents end here; the one after them, if any, continues in the next block.
    end
        The id of an end.
    keep_blank
        Leave a document without a word as it is.
    shown
        The end is a unit of the text, such as a newline: a document whose last unit it is needs no other.

    Returns
    -------
    ids, bounds
        With the ends.
    inserted
        The indices into the old ids before which an end was inserted.

    Examples
    --------
    >>> ids, bounds, inserted = insert_ends(
    ...     np.array([7, 8, -2]), np.array([0, 2, 3]), np.array([False, False, True]), 2, 99, keep_blank=False
    ... )
    >>> ids.tolist(), bounds.tolist(), inserted.tolist()
    ([7, 8, 99, 99], [0, 3, 4], [2])
    """
    ids = ids.astype(np.int64)  # the id of an end may not fit the type of the units' ids
    ids = ids if keep_blank else np.where(blank, end, ids)
    needed = np.ones(finished, dtype=np.bool_)
    sizes = np.diff(bounds)[:finished]
    single = np.flatnonzero(sizes == 1)
    needed[single] = ~blank[bounds[single]]
    if shown:
        some = np.flatnonzero(sizes > 0)
        needed[some] &= ids[bounds[1:][some] - 1] != end
    inserted = bounds[1 : finished + 1][needed]
    grown = bounds.copy()
    grown[1 : finished + 1] += np.cumsum(needed)
    grown[finished + 1 :] += int(needed.sum())
    return np.insert(ids, inserted, end), grown, inserted


def with_ends(
    split: Split, blank: Bools, finished: int, end: int, *, keep_blank: bool, shown: bool = False
) -> tuple[Split, Bools]:
    """The same units with the end of each finished document, and which of them are blank; see `insert_ends`.

    An end has no bytes.
    """
    ids, bounds, inserted = insert_ends(
        split.ids, split.bounds, blank, finished, end, keep_blank=keep_blank, shown=shown
    )
    cuts = np.insert(split.cuts, inserted, split.cuts[inserted])
    return Split(ids, cuts, bounds), np.insert(blank & keep_blank, inserted, values=False)


class Whole(Units):
    """The same units, but a document is split only when all of it is there."""

    def __init__(self, units: Units) -> None:
        self.inner, self.name, self.fingerprint, self.joins = units, units.name, units.fingerprint, units.joins

    @property
    def vocabulary_size(self) -> int | None:
        """As the units'."""
        return self.inner.vocabulary_size

    @property
    def token_bytes(self) -> tuple[bytes | None, ...] | None:
        """As the units'."""
        return self.inner.token_bytes

    def join(self, ids: Any) -> bytes:
        """As the units'."""
        return self.inner.join(ids)

    def blank(self, split: Split) -> Bools:
        """As the units'."""
        return self.inner.blank(split)

    def _split(self, data: bytes, ends: Ints) -> Split:
        return self.inner._split(data, ends)

    def _cut(self, data: bytes) -> int:
        return 0
