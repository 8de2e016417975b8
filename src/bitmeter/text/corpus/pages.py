"""The headers of the pages of a Parquet column: how large each is, before anything is unpacked.

A header is a struct in Thrift's compact protocol; of its fields, the sizes, the number of values and their encoding are
read, and all others are skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, NamedTuple

from bitmeter.text.corpus.footer import Chunk
from bitmeter.text.corpus.thrift import I32, STRUCT, Compact, ThriftError

__all__ = ["OF_ENTRIES", "PLAIN", "Page", "pages_of"]

#: The encodings in which values are written out: as they are, or all lengths first.
PLAIN = (0, 6)
#: Those of rows that name an entry of a dictionary.
OF_ENTRIES = (2, 8)
#: The longest header that Arrow reads.
_LONGEST_HEADER = 16 << 20
#: Old writers did not count the header of a dictionary, and Arrow reads so much more of their columns.
_PADDING = 100
#: The kind of page that holds a dictionary.
_DICTIONARY = 2
#: The fields of a header that hold its kind and sizes.
_KIND, _SIZE, _PACKED = 1, 2, 3
#: For each kind of page the field that holds its struct, and of that the fields of values and encoding.
_STRUCTS = {0: (5, 1, 2), _DICTIONARY: (7, 1, 2), 3: (8, 1, 4)}


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


def pages_of(file: IO[bytes], chunk: Chunk) -> Iterator[Page]:
    """The pages of a column in a row group, by their headers."""
    start = chunk.start
    while chunk.values > 0 and start < chunk.end:
        reader = Compact(file, start, _LONGEST_HEADER)
        page = _page(reader)
        start += reader.at + page.packed
        if start > chunk.end + _PADDING:
            message = f"a page of {page.packed:,} bytes goes on beyond the end of its column"
            raise ThriftError(message)
        yield page


def _page(reader: Compact) -> Page:
    own: dict[int, int] = {}
    structs: dict[int, dict[int, int]] = {}
    for number, kind in reader.fields():
        if kind == STRUCT:
            structs[number] = _numbers(reader)
        elif kind == I32:
            own[number] = reader.integer()
        else:
            reader.skip(kind)
    size, packed = own.get(_SIZE, -1), own.get(_PACKED, -1)
    if size < 0 or packed < 0:
        message = "the header of a page lacks its sizes"
        raise ThriftError(message)
    # A header may hold the structs of several kinds; Arrow reads that of its own.
    field, of_values, of_encoding = _STRUCTS.get(own.get(_KIND, -1), (-1, 0, 0))
    inner = structs.get(field, {})
    return Page(size, packed, inner.get(of_values, 0), inner.get(of_encoding, -1), own.get(_KIND) == _DICTIONARY)


def _numbers(reader: Compact) -> dict[int, int]:
    """The fields of a struct that are numbers of 32 bits."""
    found: dict[int, int] = {}
    for number, kind in reader.fields():
        if kind == I32:
            found[number] = reader.integer()
        else:
            reader.skip(kind)
    return found
