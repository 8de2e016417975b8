"""Where the columns of a Parquet file are, by its footer.

pyarrow's own accessors (`metadata.row_group(i).column(j)`) end the process where the statistics of a column contradict
its schema, and pass on what is not UTF-8; a file must not be able to do so. Only what tells where pages are is read.
Time and memory are proportional to the bytes of the footer.
"""

from __future__ import annotations

import os
from typing import IO, NamedTuple

from bitmeter.text.corpus.thrift import BINARY, I32, I64, LIST, STRUCT, Compact, ThriftError

__all__ = ["Chunk", "Footer", "read_footer"]

_MAGIC = b"PAR1"
#: How deep a schema may be nested, for Arrow too; versions without such a limit run out of stack.
_DEEPEST_SCHEMA = 100
#: How many bytes describe a column in a row group at least; Arrow makes about 700 bytes of each, however short.
_SHORTEST_CHUNK = 16
#: The fields of ColumnMetaData: values, bytes in the file, offsets of the first page and of the dictionary.
_VALUES, _PACKED, _DATA, _DICTIONARY = 5, 7, 9, 11


class Chunk(NamedTuple):
    """The pages of a column in one row group.

    Attributes
    ----------
    values
        How many values they hold.
    start
        The offset of the first page in the file.
    end
        Where they end.
    """

    values: int
    start: int
    end: int


class Footer(NamedTuple):
    """What the footer says of the columns that were asked for.

    Attributes
    ----------
    columns
        How many columns without parts the file has.
    chunks
        For each column asked for, for each row group, its chunks: a column that has parts has several.
    """

    columns: int
    chunks: dict[str, list[list[Chunk]]]


def read_footer(file: IO[bytes], names: list[str]) -> Footer:
    """Find columns of a file by the dots of their paths, as Arrow does: "a" is "a" and "a.b"."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(size - 8, 0))
    tail = file.read(8)
    length = int.from_bytes(tail[:4], "little")
    if tail[4:] != _MAGIC or length > size - 12:
        found = "encrypted" if tail[4:] == b"PARE" else "cut short, or of another format"
        message = f"it does not end with the length of a footer and {_MAGIC.decode()}; it is {found}"
        raise ThriftError(message)
    reader = Compact(file, size - 8 - length, length)
    leaves: list[list[int]] | None = None
    groups: list[dict[int, Chunk]] | None = None
    columns = 0
    for number, kind in reader.fields():
        if (number, kind) == (2, LIST):
            _check_first(leaves, "schema")
            columns, leaves = _leaves(reader, [name.encode("utf-8", "surrogatepass") for name in names])
        elif (number, kind) == (4, LIST):
            _check_first(groups, "list of row groups")
            if leaves is None:
                message = "its row groups come before its schema"
                raise ThriftError(message)
            wanted = {leaf for found in leaves for leaf in found}
            groups = [_row_group(reader, wanted, columns, size) for _ in reader.elements(STRUCT)]
        else:
            reader.skip(kind)
    if leaves is None or groups is None:
        message = "its footer lacks the schema or the row groups"
        raise ThriftError(message)
    chunks = {
        name: [[group[leaf] for leaf in found] for group in groups] for name, found in zip(names, leaves, strict=True)
    }
    return Footer(columns, chunks)


def _check_first(found: object, what: str) -> None:
    """Of a field that is there twice, readers may take either."""
    if found is not None:
        message = f"a {what} is there twice"
        raise ThriftError(message)


# ---- the schema ------------------------------------------------------------------------------------------------------


def _leaves(reader: Compact, names: list[bytes]) -> tuple[int, list[list[int]]]:
    """How many columns without parts there are, and the positions of those that belong to each name.

    The schema is a tree: each node is followed by its children.
    """
    count, found = 0, [list[int]() for _ in names]
    longest = max(map(len, names), default=0) + 1  # what follows decides nothing, and many nodes may repeat it
    parents: list[tuple[bytes, int]] = []  # the path of each open node, and how many children are still to come
    for place in reader.elements(STRUCT):
        path, children, is_leaf = _element(reader)
        while parents and not parents[-1][1]:
            parents.pop()
        if bool(parents) != bool(place) or len(parents) > _DEEPEST_SCHEMA:
            what = f"is nested more than {_DEEPEST_SCHEMA} deep" if parents else "has nodes without a parent"
            message = f"its schema {what}"
            raise ThriftError(message)
        if parents:
            above, left = parents[-1]
            parents[-1] = above, left - 1
            path = above + b"." + path if len(parents) > 1 else path  # the root's name is in no path
        if is_leaf:
            for name, leaves in zip(names, found, strict=True):
                if path == name or path.startswith(name + b"."):
                    leaves.append(count)
            count += 1
        parents.append((path[:longest], children))
    if any(left for _, left in parents):
        message = "its schema lacks nodes"
        raise ThriftError(message)
    return count, found


def _element(reader: Compact) -> tuple[bytes, int, bool]:
    """The name of a node, the number of its children, and whether it is a column."""
    name, children, typed = b"", 0, False
    for number, kind in reader.fields():
        if (number, kind) == (1, I32):
            typed = True
            reader.skip(kind)
        elif (number, kind) == (4, BINARY):
            name = reader.binary()
        elif (number, kind) == (5, I32):
            children = reader.integer()
        else:
            reader.skip(kind)
    if children < 0:
        message = f"a node of its schema has {children} children"
        raise ThriftError(message)
    return name, children, typed and not children


# ---- the row groups --------------------------------------------------------------------------------------------------


def _row_group(reader: Compact, wanted: set[int], columns: int, size: int) -> dict[int, Chunk]:
    """The chunks of some columns, by the positions of these in the schema."""
    found: dict[int, Chunk] = {}
    count: int | None = None
    for number, kind in reader.fields():
        if (number, kind) != (1, LIST):
            reader.skip(kind)
            continue
        _check_first(count, "list of columns")
        count = 0
        for leaf in reader.elements(STRUCT):
            begin = reader.at
            if leaf in wanted:
                found[leaf] = _chunk(reader, size)
            else:
                reader.skip(STRUCT)
                if reader.at - begin < _SHORTEST_CHUNK:
                    message = f"a row group describes a column in {reader.at - begin} bytes, which are too few"
                    raise ThriftError(message)
            count += 1
    if count != columns:
        message = f"a row group has {count or 0:,} columns, and its schema has {columns:,}"
        raise ThriftError(message)
    return found


def _chunk(reader: Compact, size: int) -> Chunk:
    found: dict[int, int] | None = None
    for number, kind in reader.fields():
        if (number, kind) == (3, STRUCT):
            _check_first(found, "description of a column")
            found = _numbers(reader)
        else:
            reader.skip(kind)
    if found is None or not {_VALUES, _PACKED, _DATA} <= found.keys():
        message = "a row group does not say where its columns are; columns that are encrypted cannot be read"
        raise ThriftError(message)
    start, dictionary = found[_DATA], found.get(_DICTIONARY, 0)
    if 0 < dictionary < start:  # some writers write 0 for none
        start = dictionary
    end = start + found[_PACKED]
    if not 0 <= start <= end <= size:
        message = f"a column is said to be at the bytes {start:,} to {end:,} of {size:,}"
        raise ThriftError(message)
    return Chunk(found[_VALUES], start, end)


def _numbers(reader: Compact) -> dict[int, int]:
    """The fields of a struct that are numbers of 64 bits."""
    found: dict[int, int] = {}
    for number, kind in reader.fields():
        if kind == I64:
            _check_first(found.get(number), "number of a column")
            found[number] = reader.integer()
        else:
            reader.skip(kind)
    return found
