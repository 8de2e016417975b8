"""JSON lines. The core finds the texts of sound records; a line that it doubts is parsed by Python, which says why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Ints
from bitmeter._util.check import shown
from bitmeter.filter import records
from bitmeter.filter.records import Bad, Fields, Rows, Slices, taken
from bitmeter.text.corpus.readers import encode, file_blocks

__all__ = ["jsonl_rows"]

_BOM = b"\xef\xbb\xbf"
_READ = records.BATCH_BYTES


def jsonl_rows(path: str, fields: Fields) -> Iterator[Rows]:
    """One record per line of JSON; blank lines are none."""
    done = lines = 0
    for data, whole in _whole_lines(file_blocks(path, _READ)):
        if lines == 0:
            data = data.removeprefix(_BOM)
        if not whole:
            reason = f"the record has more than {records.LONGEST:,} bytes"
            yield Rows(done, [data], bad=[Bad(done, f"line {lines + 1}", reason, data)])
            done, lines = done + 1, lines + 1
            continue
        scan = _scanned(data, fields)
        for first in range(0, len(scan), records.BATCH_ROWS):
            rows = _Part(scan, first, min(first + records.BATCH_ROWS, len(scan)), lines, done).rows(fields, path)
            yield rows
            done += len(rows)
        lines += scan.lines


def _whole_lines(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    """Blocks of whole lines; of a line that is too long only the beginning, and that it is not whole."""
    held: list[bytes] = []
    size = 0
    for block in blocks:
        end = block.find(b"\n") + 1 if held else 0
        if held and end and size + end - 1 > records.LONGEST:
            yield b"".join((*held, block[: end - 1]))[: records.LONGEST], False
            held, size, block = [], 0, block[end:]
        cut = block.rfind(b"\n") + 1
        if cut:
            yield b"".join((*held, block[:cut])) if held else block[:cut], True
            held, size, block = [], 0, block[cut:]
        if block:
            if size <= records.LONGEST:
                held.append(block)
            size += len(block)
    if held:
        whole = size <= records.LONGEST
        yield b"".join(held)[: None if whole else records.LONGEST], whole


class _Scan(NamedTuple):
    """The lines of a block that are not blank; texts and languages are those of the sound ones."""

    data: bytes
    lines: int
    starts: Ints
    stops: Ints
    numbers: Ints
    sound: Any
    texts: bytes
    text_ends: Ints
    languages: bytes
    language_ends: Ints

    def __len__(self) -> int:
        return len(self.starts)


def _scanned(data: bytes, fields: Fields) -> _Scan:
    language = encode(fields.language) if fields.language else None
    found = _core.scan_records(data, encode(fields.text), language, list(map(encode, fields.added)), [])
    return _Scan(data, *found[:9])


class _Part:
    """The records [first, last) of a block, as a batch; so many lines came before the block, and records before it."""

    def __init__(self, scan: _Scan, first: int, last: int, lines: int, done: int) -> None:
        self._scan, self._lines, self._done = scan, lines, done
        here = slice(first, last)
        self._raw = Slices(scan.data, scan.starts[here], scan.stops[here])
        self._numbers, self._sound = scan.numbers[here], scan.sound[here].view(np.bool_)
        before = int(np.count_nonzero(scan.sound[:first]))
        self._good = slice(before, before + int(np.count_nonzero(self._sound)))

    def _of_sound(self, data: bytes, ends: Ints) -> Slices:
        starts = np.concatenate((np.zeros(1, dtype=np.int64), ends[:-1]))
        return Slices(data, starts[self._good], ends[self._good])

    def rows(self, fields: Fields, path: str) -> Rows:
        """The batch; doubtful lines are parsed."""
        scan = self._scan
        good: Ints = np.flatnonzero(self._sound)
        rows = Rows(self._done, self._raw, good, self._of_sound(scan.texts, scan.text_ends))
        if fields.language:
            rows.languages = [name.decode() for name in self._of_sound(scan.languages, scan.language_ends)]
        doubtful = np.flatnonzero(~self._sound).tolist()
        if not doubtful:
            return rows
        parsed: dict[int, tuple[bytes, str]] = {}
        for at in doubtful:
            line, place = self._raw[at], f"line {self._lines + int(self._numbers[at]) + 1}"
            found = _parsed_row(line, place, fields, path)
            if isinstance(found, str):
                rows.bad.append(Bad(self._done + at, place, found, line))
            else:
                parsed[at] = found
        if parsed:
            known = dict(
                zip(good.tolist(), zip(rows.texts, rows.languages or [""] * len(good), strict=True), strict=True)
            )
            known |= parsed
            rows.good = sorted(known)
            rows.texts = [known[at][0] for at in rows.good]
            rows.languages = [known[at][1] for at in rows.good] if fields.language else []
        return rows


def _parsed_row(line: bytes, place: str, fields: Fields, path: str) -> tuple[bytes, str] | str:
    """The text and the language of a record, or what is wrong with it."""
    try:
        row = json.loads(line.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError) as error:
        return f"not JSON: {error}"
    if not isinstance(row, dict):
        return f"{shown(row)} is not a JSON object"
    for name in (fields.text, fields.language) if fields.language else (fields.text,):
        if not isinstance(row.get(name), str):
            return _no_text(name, row)
    for name in fields.added:
        if name in row:
            raise taken(name, path, place)
    return encode(row[fields.text]), row[fields.language] if fields.language else ""


def _no_text(name: str, row: dict[str, Any]) -> str:
    if name in row:
        return f"the field {name!r} is {'null' if row[name] is None else shown(row[name])}; it must be text"
    return f"there is no field {name!r}; it has {', '.join(map(repr, list(row)[:8])) or 'none'} (--field)"
