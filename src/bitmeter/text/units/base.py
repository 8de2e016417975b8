"""What a text is split into: ids with byte spans, so that the units put together again are the bytes."""

from __future__ import annotations

import functools
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.check import choice, items, shown
from bitmeter.errors import ChoiceError, InputError, InputTypeError, RangeError, ShapeError
from bitmeter.text.corpus.readers import encode
from bitmeter.text.formats import SEPARATORS

__all__ = ["BLANK", "UNKNOWN", "Bytes", "Characters", "Numbered", "Split", "Units", "Words"]

#: The id of a unit that the vocabulary does not hold.
UNKNOWN = -1
#: The id of a document of white space alone, where units are words: it is one unit, but holds no word.
BLANK = -2


@dataclass(frozen=True, slots=True)
class Split:
    """A stretch of text as units.

    Attributes
    ----------
    ids
        One integer a unit.
    cuts
        Byte offsets, one more than units: unit i is ``data[cuts[i]:cuts[i + 1]]``. The first is 0, the last
        ``len(data)``.
    bounds
        Offsets into `ids`, one more than documents: document j is ``ids[bounds[j]:bounds[j + 1]]``.
    lossy
        How many bytes are in documents that the ids alone would not give back, as with a tokenizer that lower-cases.
    """

    ids: NDArray[Any]
    cuts: NDArray[np.int64]
    bounds: NDArray[np.int64]
    lossy: int = 0

    def __len__(self) -> int:
        return len(self.ids)

    def pieces(self, data: bytes) -> list[bytes]:
        """The bytes of each unit; joined, they are `data`."""
        places = self.cuts.tolist()
        return [data[start:stop] for start, stop in pairwise(places)]


class Units(ABC):
    """A way to split bytes into units. Two that have the same `fingerprint` split alike, and are equal.

    Attributes
    ----------
    name
        For people and signatures: "bytes", "chars", "words", "tokenizer:gpt2.json".
    fingerprint
        Changes with anything that changes the split or the ids.
    """

    name: str
    fingerprint: str

    def split(self, data: bytes, ends: Any = None) -> Split:
        """Split a block of text.

        Parameters
        ----------
        data
            The bytes.
        ends
            Where documents end in it, ascending; units never cross such a place. What follows the last end is one more
            document. Without ends, all of it is one document.
        """
        data = _data(data)
        return self._split(data, document_ends(data, ends))

    def cut(self, data: bytes) -> int:
        """How many bytes of an unfinished document can be split already, whatever follows; 0 if none can.

        `data` must begin where the document or one of its units begins.
        """
        return self._cut(_data(data))

    @abstractmethod
    def _split(self, data: bytes, ends: NDArray[np.int64]) -> Split: ...

    @abstractmethod
    def _cut(self, data: bytes) -> int: ...

    @staticmethod
    def of(what: Any) -> Units:
        """Units by name, or units themselves.

        Names are "bytes", "chars", "graphemes", "words" (with a habit: "words:lmplz", "words:srilm"), "unicode-words",
        "sentences", "tokenizer:FILE" and "sentencepiece:FILE".

        Examples
        --------
        >>> Units.of("words:srilm").name
        'words:srilm'
        """
        return units_of(what)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Units) and self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __repr__(self) -> str:
        return f"<Units {self.name}>"


def _data(data: Any) -> bytes:
    if isinstance(data, bytes):
        return data
    if isinstance(data, bytearray | memoryview):
        return bytes(data)
    hint = "; encode it first, as in text.encode()" if isinstance(data, str) else ""
    message = f"data is {shown(data)}; it must be bytes{hint}"
    raise InputTypeError(message, value=data)


def document_ends(data: bytes, ends: Any) -> NDArray[np.int64]:
    """The end of every document of a block, with that of a trailing unfinished one."""
    data = _data(data)
    if ends is None:
        return np.array([len(data)], dtype=np.int64)
    try:
        places = np.asarray(ends)
    except (TypeError, ValueError):
        places = np.array([None])
    if places.ndim != 1 or (places.size and places.dtype.kind not in "iu"):
        message = f"ends is {shown(ends)}; it must be a list of whole numbers"
        raise (ShapeError if places.dtype.kind in "iu" else InputTypeError)(message)
    places = places.astype(np.int64)
    if places.size and (places[0] < 0 or places[-1] > len(data) or (np.diff(places) < 0).any()):
        message = f"ends is {shown(ends)}; it must ascend within 0..{len(data)}, the length of the data"
        raise RangeError(message)
    if (places[-1] if places.size else 0) < len(data):
        places = np.append(places, np.int64(len(data)))
    return places


def units_of(what: Any) -> Units:
    """See `Units.of`."""
    if isinstance(what, Units):
        return what
    own: dict[str, Callable[[], Units]] = {"bytes": Bytes, "chars": Characters, "words": Words}
    if isinstance(what, str) and what in own:
        return own[what]()
    from bitmeter.text.units import tokenizers, unicode

    simple: dict[str, Callable[[], Units]] = {
        "bytes": Bytes, "chars": Characters, "graphemes": unicode.Graphemes, "words": Words,
        "unicode-words": unicode.UnicodeWords, "sentences": unicode.Sentences,
    }  # fmt: skip
    if isinstance(what, str):
        kind, _, rest = what.partition(":")
        if what in simple:
            return simple[what]()
        if kind == "words":
            return Words(rest)
        if kind == "tokenizer" and rest:
            return tokenizers.Tokenizer(rest)
        if kind == "sentencepiece" and rest:
            return tokenizers.SentencePiece(rest)
    names = [*simple, "tokenizer:FILE", "sentencepiece:FILE"]
    message = f"units is {shown(what)}; it must be one of {', '.join(map(repr, names))}"
    raise ChoiceError(message, value=what)


def _counting(size: int) -> NDArray[np.int64]:
    """0, 1, 2, … as many as asked; not to be written to, because blocks share it."""
    if size > 1 << 21:
        return np.arange(size, dtype=np.int64)
    return _long_counting(1 << max(0, size - 1).bit_length())[:size]


@functools.lru_cache(maxsize=1)
def _long_counting(size: int) -> NDArray[np.int64]:
    numbers = np.arange(size, dtype=np.int64)
    numbers.setflags(write=False)
    return numbers


class Bytes(Units):
    """Each byte is a unit, and its own id.

    Examples
    --------
    >>> Bytes().split(b"hi").ids.tolist()
    [104, 105]
    """

    name = "bytes"
    fingerprint = "bytes/1"

    def _split(self, data: bytes, ends: NDArray[np.int64]) -> Split:
        return Split(np.frombuffer(data, dtype=np.uint8), _counting(len(data) + 1), np.concatenate(([0], ends)))

    def _cut(self, data: bytes) -> int:
        return len(data)

    def join(self, ids: Any) -> bytes:
        """The bytes from the ids alone.

        Examples
        --------
        >>> Bytes().join([104, 105])
        b'hi'
        """
        return _whole_numbers(ids, 256).astype(np.uint8).tobytes()


class Characters(Units):
    r"""Each code point of UTF-8 is a unit, and its own id; so is each byte b that belongs to none, with 0x110000 + b.

    Overlong forms, surrogates and characters that end too early are such bytes, each by itself, as in Python's
    "surrogateescape". A byte order mark is the character U+FEFF.

    Examples
    --------
    >>> Characters().split("né".encode() + b"\xff").ids.tolist()
    [110, 233, 1114367]
    """

    name = "chars"
    fingerprint = "chars/1"

    #: The id of the invalid byte 0.
    INVALID: ClassVar[int] = 0x110000

    def _split(self, data: bytes, ends: NDArray[np.int64]) -> Split:
        return Split(*_core.split_chars(data, ends))

    def _cut(self, data: bytes) -> int:
        return int(_core.chars_cut(data))

    def join(self, ids: Any) -> bytes:
        r"""The bytes from the ids alone.

        Examples
        --------
        >>> Characters().join([110, 233, 1114367])
        b'n\xc3\xa9\xff'
        """
        found = _whole_numbers(ids, self.INVALID + 256)
        # Invalid bytes travel as lone surrogates; their own code points cannot come from a split.
        points = np.where(found >= self.INVALID, found - self.INVALID + 0xDC00, found).astype("<u4")
        text = points.tobytes().decode("utf-32-le", "surrogatepass")
        return encode(text)


def _whole_numbers(ids: Any, limit: int) -> NDArray[np.int64]:
    found = np.asarray(list(items(ids, "ids", "a sequence of whole numbers")))
    if found.size == 0:
        return np.empty(0, dtype=np.int64)
    if found.ndim != 1 or found.dtype.kind not in "iu":
        message = f"ids is {shown(ids)}; it must be a sequence of whole numbers"
        raise InputTypeError(message)
    if found.min() < 0 or found.max() >= limit:
        message = f"ids holds {found.min() if found.min() < 0 else found.max()}; each must be in 0..{limit - 1}"
        raise RangeError(message)
    return found.astype(np.int64)


class Numbered(Units):
    """Units whose ids are the places of their bytes in a vocabulary (`UNKNOWN` if not there), or else a hash of them.

    The hash has 63 bits and is the same in every call and on every machine, so that blocks and files can be split apart
    from each other. Among ten million different words, the chance that any two share a hash is below 1 in 100,000.
    """

    def _number(self, kind: str, detail: str, vocabulary: Iterable[str | bytes] | None) -> None:
        self._table, digest = _table_of(vocabulary)
        self.name = kind + detail
        self.fingerprint = f"{kind}/1{detail}{digest}"

    @property
    def vocabulary_size(self) -> int | None:
        """How many words the vocabulary has; None without one."""
        return None if self._table is None else len(self._table)

    def _ids(self, data: bytes, starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
        find = _core.hash_spans if self._table is None else self._table.find
        return find(data, np.ascontiguousarray(starts), np.ascontiguousarray(stops))


def _table_of(vocabulary: Iterable[str | bytes] | None) -> tuple[_core.WordTable | None, str]:
    if vocabulary is None:
        return None, ""
    if isinstance(vocabulary, str | bytes):
        message = f"vocabulary is {shown(vocabulary)}; it must be a list of words"
        raise InputTypeError(message, value=vocabulary)
    words = []
    for place, word in enumerate(items(vocabulary, "vocabulary", "a list of words")):
        if not isinstance(word, str | bytes):
            message = f"vocabulary[{place}] is {shown(word)}; it must be a string or bytes"
            raise InputTypeError(message, index=place, value=word)
        words.append(encode(word) if isinstance(word, str) else word)
    ends = np.cumsum(np.fromiter(map(len, words), dtype=np.int64, count=len(words)))
    starts = np.concatenate(([0], ends[:-1])).astype(np.int64)[: len(words)]
    joined = b"".join(words)
    table = _core.WordTable()
    numbers = table.add(joined, starts, ends)
    wrong = numbers != np.arange(len(words))
    if wrong.any():
        place = int(np.argmax(wrong))
        message = f"vocabulary[{place}] is {words[place]!r}, which came before; each word may come once"
        raise InputError(message, index=place, value=words[place])
    digest = hashlib.sha256(ends.astype("<i8").tobytes() + joined).hexdigest()
    return table, f"@{digest}"


class Words(Numbered):
    r"""Runs of bytes between separators, each with the separators that follow it.

    White space before the first word of a document belongs to that word's unit; a document of white space alone is one
    unit with the id `BLANK` (-2). The id of a word comes from its own bytes, without white space: its place in the
    vocabulary (-1 if not there), or a 63-bit hash of it where there is no vocabulary.

    Parameters
    ----------
    separators
        Whose white space: "ascii" or "kenlm" (tab, newline, vertical tab, form feed, carriage return, space; what
        KenLM's query does), "lmplz" (KenLM's estimator: also the zero byte, but neither vertical tab nor form feed),
        "srilm".
    vocabulary
        Words, numbered from zero in this order.

    Examples
    --------
    >>> words = Words(vocabulary=["to", "be", "or", "not"])
    >>> split = words.split(b"to be or not to see\n")
    >>> split.ids.tolist(), split.cuts.tolist()
    ([0, 1, 2, 3, 0, -1], [0, 3, 6, 9, 13, 16, 20])
    """

    def __init__(self, separators: str = "ascii", vocabulary: Iterable[str | bytes] | None = None) -> None:
        self.separators = SEPARATORS[choice(separators, "separators", SEPARATORS)]
        same_as_default = self.separators == SEPARATORS["ascii"]
        self._number("words", "" if same_as_default else f":{separators}", vocabulary)

    def _split(self, data: bytes, ends: NDArray[np.int64]) -> Split:
        return Split(*_core.split_words(data, ends, self.separators, self._table))

    def _cut(self, data: bytes) -> int:
        return int(_core.words_cut(data, self.separators))

    def own(self, data: bytes, split: Split) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        r"""Where each word itself begins and ends, without the white space around it.

        Examples
        --------
        >>> text = b" to  be\n"
        >>> starts, stops = Words().own(text, Words().split(text))
        >>> [text[a:b] for a, b in zip(starts, stops)]
        [b'to', b'be']
        """
        data = _data(data)
        if not isinstance(split, Split) or split.cuts[-1] != len(data):
            message = f"split is {shown(split)}; it must be the split of this data"
            raise InputTypeError(message)
        return _core.trim(data, split.cuts, self.separators)
