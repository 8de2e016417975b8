"""Thrift's compact protocol, in which the headers and the footer of a Parquet file are written.

The bytes may be hostile: sizes, counts and depth are checked before they are believed, and the time is proportional to
the bytes that were read.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

__all__ = ["BINARY", "I32", "I64", "LIST", "STRUCT", "Compact", "ThriftError"]

#: Types of the compact protocol.
_TRUE, _FALSE, _BYTE, _I16, I32, I64, _DOUBLE, BINARY, LIST, _SET, _MAP, STRUCT = range(1, 13)
#: How many bytes a number has at most; the protocol ends it where a byte is below 128.
_LONGEST_NUMBER = 10
_DEEPEST = 16
_FIRST_READ = 1 << 10


class ThriftError(Exception):
    """Bytes that are not what they should be; the message says what was found."""


class Compact:
    """Reads a struct value by value, from an offset of a file that is read as far as needed.

    Parameters
    ----------
    file
        Where the struct is.
    start
        The offset of its first byte.
    most
        How many bytes it may have.
    """

    def __init__(self, file: IO[bytes], start: int, most: int) -> None:
        self._file, self._start, self._most = file, start, most
        self._data = b""
        #: How many bytes were read.
        self.at = 0

    def fields(self) -> Iterator[tuple[int, int]]:
        """The number and the type of each field of a struct; its value must be read or skipped before the next."""
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self.integer()
            yield number, head & 15

    def elements(self, kind: int) -> Iterator[int]:
        """The position of each element of a list of this type; its value must be read or skipped before the next."""
        count, found = self._list()
        if count and found != kind:
            message = f"a list holds values of type {found} instead of {kind}"
            raise ThriftError(message)
        yield from range(count)

    def integer(self) -> int:
        """A number of 16, 32 or 64 bits."""
        value = self._varint()
        if value >> 64:
            message = "a number has more than 64 bits"
            raise ThriftError(message)
        return value >> 1 ^ -(value & 1)

    def binary(self) -> bytes:
        """Bytes with their length before them."""
        size = self._varint()
        self._pass(size)
        return self._data[self.at - size : self.at]

    def skip(self, kind: int, depth: int = 0) -> None:
        """Pass over the value of a field, whatever it holds."""
        if _I16 <= kind <= I64:
            self._varint()
        elif kind == BINARY:
            self._pass(self._varint())
        elif kind in (_TRUE, _FALSE):  # the type is the value
            pass
        elif kind in (_BYTE, _DOUBLE):
            self._pass(1 if kind == _BYTE else 8)
        elif depth == _DEEPEST:
            message = f"values are nested more than {_DEEPEST} deep"
            raise ThriftError(message)
        elif kind == STRUCT:
            while head := self._byte():
                if not head >> 4:
                    self._varint()
                self.skip(head & 15, depth + 1)
        elif kind in (LIST, _SET):
            count, inner = self._list()
            self._skip_all(count, (inner,), depth)
        elif kind == _MAP:
            count = self._varint()
            kinds = self._byte() if count else 0
            self._skip_all(count, (kinds >> 4, kinds & 15), depth)
        else:
            message = f"a value is of type {kind}, which there is not"
            raise ThriftError(message)

    def _skip_all(self, count: int, kinds: tuple[int, ...], depth: int) -> None:
        for _ in range(count):  # each takes a byte at least, so that the bytes end before the count can
            for kind in kinds:
                if kind in (_TRUE, _FALSE):  # a byte each, unlike those of a struct
                    self._pass(1)
                else:
                    self.skip(kind, depth + 1)

    def _list(self) -> tuple[int, int]:
        """How many elements a list has, and of which type."""
        head = self._byte()
        return self._varint() if head >> 4 == 15 else head >> 4, head & 15

    def _varint(self) -> int:
        value = self._byte()
        if value < 128:
            return value
        value &= 127
        for shift in range(7, 7 * _LONGEST_NUMBER, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        message = f"a number has more than {_LONGEST_NUMBER} bytes"
        raise ThriftError(message)

    def _byte(self) -> int:
        if self.at == len(self._data):
            self._need(1)
        self.at += 1
        return self._data[self.at - 1]

    def _pass(self, size: int) -> None:
        if self.at + size > len(self._data):
            self._need(size)
        self.at += size

    def _need(self, size: int) -> None:
        """Read so many bytes more. What is read doubles, so that the sum of all reads is bounded."""
        wanted = self.at + size
        if wanted <= self._most:
            self._file.seek(self._start)
            self._data = self._file.read(min(self._most, max(_FIRST_READ, 2 * wanted)))
        if wanted > len(self._data):
            message = f"it goes on beyond its {max(self._most, 0):,} bytes or the end of the file"
            raise ThriftError(message)
