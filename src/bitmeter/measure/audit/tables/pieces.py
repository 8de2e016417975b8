"""Units of a table as bytes, laid over the raw text.

Programs write the text of a token in several ways: as it is, with ▁ for a space and <0xE4> for a byte, or in the
alphabet of byte-level tokenizers. The way by which the units join to the text is the one that was meant.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter.errors import FileFormatError
from bitmeter.text.units.tokenizers import BYTE_OF, META

__all__ = ["Laid", "lay", "piece_ways", "tokenizer_bytes"]

#: What stands for no text unless the text holds it at that place.
_SPECIAL = re.compile(rb"<\|[^|]*\|>|</?s>|<(?:pad|unk|bos|eos|mask)>|\[(?:CLS|SEP|PAD|MASK|UNK|BOS|EOS)\]")
_BYTE_TOKEN = re.compile("<0x([0-9A-Fa-f]{2})>")
_REPLACEMENT = "\ufffd".encode()
#: The most bytes that a run of replacement characters may stand for.
_FAR = 64


@dataclass
class Laid:
    """Units laid over the text.

    Attributes
    ----------
    start, end
        The bytes of each unit; a unit without bytes ends where it starts.
    special
        Units that stand for no text, such as BOS.
    led
        Units whose leading space is not in the text, because the tokenizer puts one before each document.
    extra, missing
        Units with a leading space that the text does not have there, and units before which the text has a space that
        no unit does.
    replaced
        Units written as U+FFFD, whose bytes are not known one by one.
    broken
        The first unit that does not fit the text, and the offset where it should; None if all fit.
    """

    start: Ints
    end: Ints
    special: list[int] = field(default_factory=list)
    led: list[int] = field(default_factory=list)
    extra: list[int] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    replaced: list[int] = field(default_factory=list)
    broken: tuple[int, int] | None = None

    @property
    def faults(self) -> int:
        """How far from a partition it is; for choosing among ways to read the units."""
        return (1 << 40 if self.broken else 0) + len(self.extra) + len(self.missing) + len(self.replaced)


def piece_ways(pieces: Sequence[Any], name: str) -> dict[str, Callable[[], list[bytes]]]:
    """The ways to read units as bytes that are possible, each with a name."""
    if all(isinstance(piece, bytes) for piece in pieces):
        return {"bytes": lambda: [bytes(piece) for piece in pieces]}
    if all(isinstance(piece, list) for piece in pieces):
        return {"lists of bytes": lambda: [_of_list(piece, i, name) for i, piece in enumerate(pieces)]}
    wrong = next((i for i, piece in enumerate(pieces) if not isinstance(piece, str)), None)
    if wrong is not None:
        message = f"{name}: the unit of row {wrong + 1} is {pieces[wrong]!r:.40}; it must be text or bytes"
        raise FileFormatError(message, value=name)
    return {
        "text": lambda: [piece.encode("utf-8", "surrogatepass") for piece in pieces],
        "SentencePiece's form (▁, <0x0A>)": lambda: [_of_sentencepiece(piece) for piece in pieces],
        "the byte-level alphabet (Ġ)": lambda: [_of_byte_level(piece) for piece in pieces],
    }


def _of_list(piece: list[Any], row: int, name: str) -> bytes:
    try:
        return bytes(piece)
    except (TypeError, ValueError) as error:
        message = f"{name}: the unit of row {row + 1} is {piece!r:.40}; it must be a list of bytes"
        raise FileFormatError(message, value=name) from error


def _of_sentencepiece(piece: str) -> bytes:
    byte = _BYTE_TOKEN.fullmatch(piece)
    return bytes.fromhex(byte[1]) if byte else piece.replace(META, " ").encode("utf-8", "surrogatepass")


def _of_byte_level(piece: str) -> bytes:
    if _SPECIAL.fullmatch(piece.encode("utf-8", "surrogatepass")):
        return piece.encode()
    return b"".join(BYTE_OF.get(letter, letter.encode("utf-8", "surrogatepass")) for letter in piece)


def tokenizer_bytes(ids: Ints, tokens: Sequence[bytes | None], name: str) -> list[bytes]:
    """The bytes of each id; none for one that stands for no text."""
    wrong = (ids < 0) | (ids >= len(tokens))
    if wrong.any():
        at = int(np.argmax(wrong))
        message = f"the id of row {at + 1} is {ids[at]}, and {name} has {len(tokens):,} ids; give the right tokenizer"
        raise FileFormatError(message, value=int(ids[at]))
    return [tokens[i] or b"" for i in ids.tolist()]


def lay(units: list[bytes], data: bytes, starts: Ints, first_unit: Ints | None) -> Laid:
    """Lay units over a text.

    Parameters
    ----------
    units
        The bytes of each, in order.
    data
        The text.
    starts
        Where documents begin.
    first_unit
        The index of the first unit of each document; None if the table does not say.
    """
    lengths = np.fromiter(map(len, units), dtype=np.int64, count=len(units))
    if int(lengths.sum()) == len(data) and b"".join(units) == data and not any(not unit for unit in units):
        ends = np.cumsum(lengths)
        return Laid(ends - lengths, ends)
    return _Laying(units, data, starts, first_unit).run()


class _Laying:
    """Goes through units that do not simply join to the text."""

    def __init__(self, units: list[bytes], data: bytes, starts: Ints, first_unit: Ints | None) -> None:
        self._units, self._data, self._starts = units, data, set(starts.tolist())
        self._jumps = {} if first_unit is None else dict(zip(first_unit.tolist(), starts.tolist(), strict=True))
        size = len(units)
        self._laid = Laid(np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64))

    def run(self) -> Laid:
        """Each unit where the last ended, if it is there; what differs by a space or a replacement is named."""
        at, index, laid, size = 0, 0, self._laid, len(self._units)
        while index < size:
            at = max(at, self._jumps.get(index, at))
            unit = self._units[index]
            if unit == _REPLACEMENT * (len(unit) // 3) and unit and not self._data.startswith(unit, at):
                index, at = self._replaced(index, at)
                continue
            length = self._length(index, unit, at)
            if length is None:
                laid.broken = (index, at)
                laid.start[index:], laid.end[index:] = at, at
                return laid
            laid.start[index], laid.end[index] = at, at + length
            at, index = at + length, index + 1
        return laid

    def _length(self, index: int, unit: bytes, at: int) -> int | None:
        """How many bytes of the text a unit is; None if it is not there."""
        data, laid = self._data, self._laid
        if unit and data.startswith(unit, at):
            return len(unit)
        if not unit or _SPECIAL.fullmatch(unit):
            laid.special.append(index)
            return 0
        if unit[:1] == b" " and data.startswith(unit[1:], at):
            (laid.led if at in self._starts else laid.extra).append(index)
            return len(unit) - 1
        if data.startswith(b" " + unit, at):
            laid.missing.append(index)
            return len(unit) + 1
        return None

    def _replaced(self, index: int, at: int) -> tuple[int, int]:
        """A run of replacement characters: together they are what lies before the next unit that is in the text."""
        units, laid = self._units, self._laid
        last = index
        while last < len(units) and units[last] and units[last] == _REPLACEMENT * (len(units[last]) // 3):
            last += 1
        following = next((unit for unit in units[last : last + 8] if unit and not _SPECIAL.fullmatch(unit)), b"")
        least = at + (last - index)
        found = self._data.find(following, least, at + _FAR + len(following)) if following else len(self._data)
        if found < 0 or found > at + _FAR:
            laid.broken = (index, at)
            laid.start[index:], laid.end[index:] = at, at
            return len(units), at
        for i in range(index, last):
            laid.replaced.append(i)
            laid.start[i], laid.end[i] = at, at + 1 if i + 1 < last else found
            at = int(laid.end[i])
        return last, found
