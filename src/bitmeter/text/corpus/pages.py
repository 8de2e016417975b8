"""The headers of the pages of a Parquet column: how large each is, before anything is unpacked.

A header is a struct in Thrift's compact protocol; of its fields, the sizes, the number of values and their encoding are
read, and all others are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any, NamedTuple

from bitmeter.errors import DamagedSourceError

__all__ = ["OF_ENTRIES", "PLAIN", "Page", "column_pages"]

#: The encodings in which values are written out: as they are, or all lengths first.
PLAIN = (0, 6)
#: Those of rows that name an entry of a dictionary.
OF_ENTRIES = (2, 8)
#: The longest header that Arrow reads.
_LONGEST_HEADER = 16 << 20
_FIRST_READ = 1 << 10
_DEEPEST = 16
#: The kind of page that holds a dictionary.
_DICTIONARY = 2
#: Types of the compact protocol.
_TRUE, _FALSE, _BYTE, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = 1, 2, 3, 7, 8, 9, 10, 11, 12
_INTEGERS = (4, 5, 6)
#: The fields of a header that hold the struct of a kind of page, and of those the fields of values and encoding.
_KINDS = {5: (1, 2), 7: (1, 2), 8: (1, 4)}


class Page(NamedTuple):
    """A page.

    Attributes
    ----------
    size
        Its bytes, unpacked.
    packed
        Its bytes in the file.
    values
        How many values it says that it holds.
    encoding
        How they are encoded.
    is_dictionary
        Whether it is the dictionary, whose values are not rows.
    """

    size: int
    packed: int
    values: int
    encoding: int
    is_dictionary: bool


def column_pages(file: IO[bytes], group: Any, field: str, path: str) -> Iterator[Page]:
    """The pages of one column in a row group, by their headers."""
    columns = (group.column(i) for i in range(group.num_columns))
    column = next((found for found in columns if found.path_in_schema.split(".")[0] == field), None)
    if column is None:
        message = f"{path} is not a sound parquet file: a row group lacks the column {field!r} of its schema"
        raise DamagedSourceError(message, path=path)
    if column.num_values == 0:
        return
    start = column.data_page_offset
    if column.has_dictionary_page and column.dictionary_page_offset is not None:
        start = min(start, column.dictionary_page_offset)
    end = start + column.total_compressed_size
    while start < end:
        header = _Header(file, start, path)
        found = header.struct(0)
        size, packed = found.get(2), found.get(3)
        if not isinstance(size, int) or not isinstance(packed, int) or size < 0 or packed < 0:
            raise _unsound(path)
        values, encoding = 0, -1
        for kind, (values_field, encoding_field) in _KINDS.items():
            inner = found.get(kind)
            if isinstance(inner, dict):
                values, encoding = inner.get(values_field, 0), inner.get(encoding_field, -1)
        yield Page(size, packed, values, encoding, found.get(1) == _DICTIONARY)
        start += header.at + packed


def _unsound(path: str) -> DamagedSourceError:
    message = f"{path} is not a sound parquet file: the header of a page cannot be read"
    return DamagedSourceError(message, path=path)


class _Header:
    """The struct that begins at an offset of a file."""

    def __init__(self, file: IO[bytes], start: int, path: str) -> None:
        self._file, self._start, self._path = file, start, path
        self._data = b""
        self.at = 0

    def _need(self, size: int) -> None:
        """So many bytes more are in memory."""
        wanted = self.at + size
        if wanted <= len(self._data):
            return
        if size < 0 or wanted > _LONGEST_HEADER:
            raise _unsound(self._path)
        self._file.seek(self._start)
        self._data = self._file.read(max(_FIRST_READ, 2 * wanted))
        if wanted > len(self._data):
            raise _unsound(self._path)

    def _byte(self) -> int:
        self._need(1)
        self.at += 1
        return self._data[self.at - 1]

    def _varint(self) -> int:
        value = 0
        for shift in range(0, 70, 7):
            byte = self._byte()
            value |= (byte & 127) << shift
            if byte < 128:
                return value
        raise _unsound(self._path)

    def _integer(self) -> int:
        value = self._varint()
        return value >> 1 ^ -(value & 1)

    def _skip(self, size: int) -> None:
        self._need(size)
        self.at += size

    def struct(self, depth: int) -> dict[int, Any]:
        """The integers and structs of a struct, by the numbers of their fields."""
        if depth > _DEEPEST:
            raise _unsound(self._path)
        found: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._integer()
            found[number] = self._value(head & 15, depth)
        return found

    def _value(self, kind: int, depth: int) -> Any:
        if kind in (_TRUE, _FALSE):
            return kind == _TRUE
        if kind in _INTEGERS:
            return self._integer()
        if kind == _STRUCT:
            return self.struct(depth + 1)
        self._pass_over(kind, depth)
        return None

    def _pass_over(self, kind: int, depth: int) -> None:
        """Skip a value that says nothing of sizes."""
        if kind in (_BYTE, _DOUBLE):
            self._skip(1 if kind == _BYTE else 8)
        elif kind == _BINARY:
            self._skip(self._varint())
        elif kind in (_LIST, _SET):
            head = self._byte()
            count = self._varint() if head >> 4 == 15 else head >> 4
            self._elements(count, (head & 15,), depth)
        elif kind == _MAP:
            count = self._varint()
            kinds = self._byte() if count else 0
            self._elements(count, (kinds >> 4, kinds & 15), depth)
        else:
            raise _unsound(self._path)

    def _elements(self, count: int, kinds: tuple[int, ...], depth: int) -> None:
        if depth > _DEEPEST or count > _LONGEST_HEADER:
            raise _unsound(self._path)
        for _ in range(count):
            for kind in kinds:
                if kind in (_TRUE, _FALSE):  # in a list, a byte each
                    self._skip(1)
                else:
                    self._value(kind, depth + 1)
