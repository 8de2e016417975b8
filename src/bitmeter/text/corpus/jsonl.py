"""JSON lines: one document per row, the string in one field.

A long row is not parsed as it is, since that would take several times its bytes. Its long strings are left out, what
is left is parsed, and the text is decoded in parts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, overload

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Ints
from bitmeter._util.check import shown
from bitmeter.errors import RecordError
from bitmeter.text.corpus.encoding import encode
from bitmeter.text.corpus.labels import Collector
from bitmeter.text.corpus.readers import END_HERE, NO_ENDS, Block, joined, text_of

__all__ = ["jsonl_blocks", "jsonl_rows"]

#: Rows from so many bytes on are long, and so are strings in them.
_LONG_ROW, _LONG_STRING = 1 << 20, 1 << 12
#: What a long row may hold beside long strings: parsed, lists of lists take 25 times their bytes.
_MOST_BESIDE = 8 << 20
#: How many bytes of text are decoded at once.
_PART = 1 << 20

_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+("?)', re.DOTALL)
#: Whole escapes, of which those of a surrogate pair belong together, and other bytes.
_PIECES = re.compile(
    rb"(?:[^\\]{1,4096}+|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u.{4}|\\.){1,256}+", re.DOTALL
)


#: What follows the name of a field.
_COLON = re.compile(rb"[ \t\r]*:")


class _LeftOut(NamedTuple):
    """Where the content of a long string is in its row."""

    start: int
    stop: int


def jsonl_blocks(blocks: Iterable[bytes], field: str, path: str, labels: Collector | None = None) -> Iterator[Block]:
    """One document per row of JSON: the string in `field`. Blank lines are not rows."""
    number = 0
    for data in _whole_lines(blocks):
        found = _scanned(data, field, path, number, labels)
        if found is None:  # the parser says what is wrong, or reads a long row in parts
            lines = data.split(b"\n")
            yield from _parsed(lines if lines[-1] else lines[:-1], field, path, number, labels)
        elif len(found.ends):
            yield found
        number += data.count(b"\n")


def _parsed(lines: list[bytes], field: str, path: str, number: int, labels: Collector | None) -> Iterator[Block]:
    """The documents of some lines, before which so many came."""
    texts: list[bytes] = []
    for line in lines:
        number += 1
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")  # a byte order mark is not JSON
        if not line or line.isspace():
            continue
        if len(line) < _LONG_ROW:
            row = _object(line, field, path, number)
            texts.append(text_of(row, field, path, number, "line"))
            if labels is not None:
                labels.add_row(row, path, number, "line")
            continue
        if texts:
            yield joined(texts)
            texts = []
        yield from _long_row(line, field, path, number, labels)
    if texts:
        yield joined(texts)


def _scanned(data: bytes, field: str, path: str, number: int, labels: Collector | None) -> Block | None:
    """The documents of whole lines, found by the core; None if a line is long, or not certain to be a row."""
    is_long = len(data) >= _LONG_ROW and np.diff(_core.line_ends(data), prepend=0, append=len(data)).max() >= _LONG_ROW
    if is_long or (labels is not None and labels.texts):
        return None
    required, others = ((), ()) if labels is None else (labels.fields, (*labels.fields, *labels.optional))
    _, _, _, _, sound, texts, ends, _, _, values, stops = _core.scan_records(
        data, encode(field), None, [], list(map(encode, others))
    )
    if not sound.all():
        return None
    if labels is not None and others and len(sound):
        columns = _columns(values, stops, others)
        if not all(map(_is_short, (value for name in required for value in columns[name]))):
            return None
        labels.add_columns({name: _Values(written) for name, written in columns.items()}, path, number + 1)
    return Block(texts, ends)


def _columns(values: bytes, stops: Ints, names: tuple[str, ...]) -> dict[str, list[bytes]]:
    """What is written in each field of each row."""
    starts = np.concatenate((np.zeros(1, dtype=np.int64), stops[:-1])).tolist()
    cut = [values[start:stop] for start, stop in zip(starts, stops.tolist(), strict=True)]
    return {name: cut[place :: len(names)] for place, name in enumerate(names)}


def _is_short(value: bytes) -> bool:
    """Whether a value is there, and neither long nor a list or an object."""
    return 0 < len(value) <= _LONG_STRING and value[:1] not in (b"[", b"{")


class _Values(Sequence[Any]):
    """The values of a field; those of neighbours that are written alike are read once."""

    def __init__(self, written: list[bytes]) -> None:
        self._written = written

    def __len__(self) -> int:
        return len(self._written)

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[Any]: ...
    def __getitem__(self, at: int | slice) -> Any:
        return _Values(self._written[at]) if isinstance(at, slice) else _value(self._written[at])

    def __iter__(self) -> Iterator[Any]:
        last, value = b"", None
        for written in self._written:
            if written != last:
                last, value = written, _value(written)
            yield value


def _value(written: bytes) -> Any:
    """What is written, or None; plain strings and numbers without the parser, which takes ten times as long."""
    if written[:1] == b'"' and b"\\" not in written:
        return written[1:-1].decode()
    if written.isdigit():
        return int(written)
    return json.loads(written.decode()) if written else None


def _whole_lines(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Blocks that end with a newline, but for the last; a line longer than a block is joined once, at its end."""
    begun: list[bytes] = []
    for block in blocks:
        cut = block.rfind(b"\n") + 1
        if not cut:
            begun.append(block)
            continue
        yield b"".join((*begun, block[:cut]))
        begun = [block[cut:]]
    if any(begun):
        yield b"".join(begun)


def jsonl_rows(blocks: Iterable[bytes], path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each row as it is, with the number of its line; one that would take much memory is refused."""
    number = 0
    for lines in _lines(blocks):
        for line in lines:
            number += 1
            if number == 1:
                line = line.removeprefix(b"\xef\xbb\xbf")
            if not line or line.isspace():
                continue
            if len(line) > _MOST_BESIDE:
                message = f"{path}, line {number} has {len(line):,} bytes, and an item at most {_MOST_BESIDE:,}"
                raise RecordError(message, path=path, line=number)
            yield number, _object(line, "", path, number)


def _lines(blocks: Iterable[bytes]) -> Iterator[list[bytes]]:
    """Lists of whole lines; a line longer than a block is joined once, at its end."""
    begun: list[bytes] = []
    for block in blocks:
        lines = block.split(b"\n")
        begun.append(lines[0])
        if len(lines) > 1:
            lines[0] = b"".join(begun)
            begun = [lines.pop()]
            yield lines
    if any(begun):
        lines = [b"".join(begun)]
        begun = []
        yield lines


def _not_json(path: str, number: int, why: object) -> RecordError:
    message = f"{path}, line {number} is not JSON: {why}. Each line must be one JSON object"
    return RecordError(message, path=path, line=number)


def _object(
    line: bytes, field: str, path: str, number: int, number_of: Callable[[str], Any] | None = None
) -> dict[str, Any]:
    try:
        row = json.loads(line.decode("utf-8", "surrogateescape"), parse_float=number_of)
    except (ValueError, RecursionError) as error:
        raise _not_json(path, number, error) from error
    if not isinstance(row, dict):
        message = f"{path}, line {number} holds {shown(row)}; it must be a JSON object with the field {field!r}"
        raise RecordError(message, path=path, line=number)
    return row


def _long_row(line: bytes, field: str, path: str, number: int, labels: Collector | None) -> Iterator[Block]:
    """The text of a long row, in parts."""
    mark = b"0.5"  # a number stands for a string that is left out: unlike a string, it can be written in no other way
    while mark in line:
        mark += b"0"
    spans: list[tuple[int, int]] = []
    rest, done = bytearray(), 0
    for found in _STRING.finditer(line):
        if not found[1]:
            raise _not_json(path, number, "it ends within a string")
        length = found.end() - found.start()
        is_name = length >= _LONG_STRING and _COLON.match(line, found.end()) is not None
        # A character is at most twelve bytes: two escapes. A longer name is not that of the field.
        if length < _LONG_STRING or (is_name and length <= 12 * len(field) + 2):
            continue
        rest += line[done : found.start()] + (b'""' if is_name else b"%be%d" % (mark, len(spans)))
        spans.append((found.start() + 1, found.end() - 1))
        done = found.end()
        _check_beside(len(rest), line, path, number)
    _check_beside(len(rest) + len(line) - done, line, path, number)
    left_out = mark.decode() + "e"

    def number_of(literal: str) -> Any:
        return _LeftOut(*spans[int(literal[len(left_out) :])]) if literal.startswith(left_out) else float(literal)

    row = _object(bytes(rest + line[done:]), field, path, number, number_of)
    if labels is not None:
        long = {name: row[name] for name in labels.texts if isinstance(row.get(name), _LeftOut)}
        texts = {name: b"".join(_decoded(line, where, path, number)) for name, where in long.items()}
        labels.add_row({**row, **texts}, path, number, "line")
    value = row.get(field)
    if not isinstance(value, _LeftOut):
        yield joined([text_of(row, field, path, number, "line")])
        return
    for part in _decoded(line, value, path, number):
        yield Block(part, NO_ENDS)
    yield Block(b"", END_HERE)


def _check_beside(size: int, line: bytes, path: str, number: int) -> None:
    if size > _MOST_BESIDE:
        message = (
            f"{path}, line {number} has {len(line):,} bytes, of which more than {_MOST_BESIDE:,} are not in long "
            "strings; parsed, they would take many times as much memory; leave fields out that are not the text"
        )
        raise RecordError(message, path=path, line=number)


def _decoded(line: bytes, where: _LeftOut, path: str, number: int) -> Iterator[bytes]:
    """The bytes of a string's content, in parts."""
    start, stop = where
    parts: list[bytes] = []
    size = 0
    while start < stop:
        found = _PIECES.match(line, start, stop)
        assert found is not None, "a string is escapes and other bytes"
        end = found.end()
        while end < stop and end > start + 4 and line[end] & 0xC0 == 0x80:
            end -= 1  # characters stay whole, because encoding what is not one is slow
        try:
            parts.append(encode(json.loads('"' + line[start:end].decode("utf-8", "surrogateescape") + '"')))
        except ValueError as error:
            raise _not_json(path, number, error) from error
        start, size = end, size + len(parts[-1])
        if size >= _PART:
            yield b"".join(parts)
            parts, size = [], 0
    yield b"".join(parts)
