"""The interface of all units: a text split into ids with byte spans that partition it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bitmeter import _core
from bitmeter._util.arrays import Bools, Ints
from bitmeter._util.check import shown
from bitmeter.errors import InputTypeError, RangeError, ShapeError, UndefinedError

__all__ = ["BLANK", "UNKNOWN", "Split", "Units", "as_bytes", "document_ends"]

#: The id of a unit that is not in the vocabulary.
UNKNOWN = -1
#: The id of a document without a word or token, such as white space alone. It is one unit, so that no byte is lost.
BLANK = -2


@dataclass(frozen=True, slots=True)
class Split:
    """A block of text as units.

    Attributes
    ----------
    ids
        One integer per unit.
    cuts
        Byte offsets, one more than units: unit i is ``data[cuts[i]:cuts[i + 1]]``. The first is 0, the last
        ``len(data)``.
    bounds
        Offsets into `ids`, one more than documents: document j is ``ids[bounds[j]:bounds[j + 1]]``.
    lossy
        How many bytes are in documents that cannot be restored from the ids, as with a tokenizer that lower-cases.
    """

    ids: NDArray[Any]
    cuts: Ints
    bounds: Ints
    lossy: int = 0

    def __len__(self) -> int:
        return len(self.ids)

    def pieces(self, data: bytes) -> list[bytes]:
        """The bytes of each unit; joined, they are `data`."""
        return [data[start:stop] for start, stop in pairwise(self.cuts.tolist())]


class Units(ABC):
    """A way to split bytes into units. Two that have the same `fingerprint` split alike, and are equal.

    A subclass writes `_split` and `_cut`, and sets `name` and `fingerprint`. What it can do beyond that it declares by
    overriding the members below.

    Attributes
    ----------
    name
        For people and signatures: "bytes", "chars", "words", "tokenizer:gpt2.json".
    fingerprint
        Changes with anything that changes the split or the ids.
    joins
        Whether `join` restores the bytes from the ids. False for words, whose ids leave out white space.
    longest
        The most bytes that one unit may have, so that memory is bounded; None for no limit.

    Examples
    --------
    >>> import bitmeter as bm
    >>> words = bm.units_of("words")
    >>> isinstance(words, bm.Units), words.joins, words.split(b"to be").cuts.tolist()
    (True, False, [0, 3, 5])
    """

    name: str
    fingerprint: str
    joins: bool = False
    longest: int | None = None

    def split(self, data: bytes, ends: ArrayLike | None = None) -> Split:
        """Split a block of text.

        Parameters
        ----------
        data
            The bytes.
        ends
            Offsets at which documents end, ascending; no unit crosses one. What follows the last end is one more
            document. Without ends, all of it is one document.
        """
        data = as_bytes(data)
        return self._split(data, document_ends(data, ends))

    def cut(self, data: bytes) -> int:
        """How many bytes of an unfinished document can be split already, whatever follows; 0 if none can.

        `data` must begin where the document or one of its units begins.
        """
        return self._cut(as_bytes(data))

    def join(self, ids: Iterable[int]) -> bytes:
        """The bytes that the ids stand for.

        Raises
        ------
        UndefinedError
            If these units do not join; see `joins`.
        """
        message = (
            f"{self.name} cannot be joined: their ids do not determine the bytes between and within them; "
            "use units that can, such as bytes or a tokenizer"
        )
        raise UndefinedError(message)

    @property
    def vocabulary_size(self) -> int | None:
        """How many ids there are; None if their number is not fixed."""
        return None

    @property
    def token_bytes(self) -> tuple[bytes | None, ...] | None:
        """For a tokenizer, the bytes of each id (None for an id without bytes of its own); None for other units."""
        return None

    @property
    def encoder(self) -> _core.TextEncoder | None:
        """For a tokenizer that the core splits by, its compiled form, so that a model can score bytes in one pass."""
        return None

    @property
    def piece_words(self) -> tuple[_core.PieceEncoder, _core.PieceWords] | None:
        """For pieces that are the words of a model, what splits a text into them and numbers them in one pass."""
        return None

    def blank(self, split: Split) -> Bools:
        """Which units are documents without a word or token: they cost nothing and count for nothing."""
        return np.asarray(split.ids == BLANK)

    @abstractmethod
    def _split(self, data: bytes, ends: Ints) -> Split: ...

    @abstractmethod
    def _cut(self, data: bytes) -> int: ...

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Units) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"<Units {self.name}>"


def as_bytes(data: object) -> bytes:
    """Bytes, or a typed error."""
    if isinstance(data, bytes):
        return data
    if isinstance(data, bytearray | memoryview):
        return bytes(data)
    hint = "; encode it first, as in text.encode()" if isinstance(data, str) else ""
    message = f"data is {shown(data)}; it must be bytes{hint}"
    raise InputTypeError(message, value=data)


def document_ends(data: bytes, ends: ArrayLike | None) -> Ints:
    """The end of every document of a block, with that of a trailing unfinished one."""
    data = as_bytes(data)
    if ends is None:
        return np.array([len(data)], dtype=np.int64)
    try:
        offsets = np.asarray(ends)
    except (TypeError, ValueError):
        offsets = np.array([None])
    if offsets.ndim != 1 or (offsets.size and offsets.dtype.kind not in "iu"):
        message = f"ends is {shown(ends)}; it must be a list of integers"
        raise (ShapeError if offsets.dtype.kind in "iu" else InputTypeError)(message)
    offsets = offsets.astype(np.int64)
    if offsets.size and (offsets[0] < 0 or offsets[-1] > len(data) or (np.diff(offsets) < 0).any()):
        message = f"ends is {shown(ends)}; it must ascend within 0..{len(data)}, the length of the data"
        raise RangeError(message)
    if (offsets[-1] if offsets.size else 0) < len(data):
        offsets = np.append(offsets, np.int64(len(data)))
    return offsets
