"""Records in batches: each as it is in its file, and its text; those of JSON lines and of text files.

What cannot be scored is set aside with its place and the reason, and the rest goes on. Only a file that cannot be read
at all, or ends in the middle of its compressed data, is an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter._util.check import shown
from bitmeter.errors import FileFormatError, InputError
from bitmeter.text.corpus.readers import encode, file_blocks, text_blocks
from bitmeter.text.formats import COMPRESSIONS, kind_of

__all__ = ["Bad", "Fields", "Rows", "format_of", "jsonl_rows", "text_rows"]

#: When a batch is full: bytes of records, and records.
BATCH_BYTES, BATCH_ROWS = 4 << 20, 1 << 14
#: Longer records are set aside, since memory holds a record whole.
LONGEST = 1 << 28
_READ = 1 << 20


@dataclass(frozen=True, slots=True)
class Bad:
    """A record that cannot be scored.

    Attributes
    ----------
    row
        Its index in the file, from 0, among all records.
    place
        Where it is, for people: "line 3", "row 7".
    reason
        What is wrong with it.
    raw
        What it holds; cut, if it is very long.
    """

    row: int
    place: str
    reason: str
    raw: bytes


@dataclass(slots=True)
class Rows:
    """Some records in the order of the file.

    Attributes
    ----------
    first
        The index of the first record in the file.
    raw
        Each record as bytes; or an Arrow record batch.
    good
        Which records have a text, as indices into `raw`.
    texts
        Their texts.
    languages
        Their languages, if a field names them.
    bad
        The others.
    carried
        What comes before them and is no record, such as the head of a WET file.
    """

    first: int
    raw: Any
    good: list[int] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    bad: list[Bad] = field(default_factory=list)
    carried: bytes = b""

    def __len__(self) -> int:
        return len(self.raw) if isinstance(self.raw, list) else int(self.raw.num_rows)

    def joined(self) -> tuple[bytes, Ints]:
        """All texts, and where each ends."""
        sizes = np.fromiter(map(len, self.texts), dtype=np.int64, count=len(self.texts))
        return b"".join(self.texts), np.cumsum(sizes)


@dataclass(frozen=True, slots=True)
class Fields:
    """Which fields of a record are read, and which are to be added.

    Attributes
    ----------
    text
        The field of the text.
    language
        The field of the language; empty for none.
    docs
        What a document of a text file is: "line" or "blank".
    added
        Fields that must not be there yet.
    """

    text: str = "text"
    language: str = ""
    docs: str = "line"
    added: tuple[str, ...] = ()


def format_of(path: str) -> str:
    """What a file holds, by its name: "text", "jsonl", "parquet" or "wet".

    Examples
    --------
    >>> format_of("a.jsonl.zst"), format_of("CC-MAIN.warc.wet.gz")
    ('jsonl', 'wet')
    """
    stem = path.lower()
    for suffix in COMPRESSIONS:
        stem = stem.removesuffix(suffix)
    kind = "wet" if stem.endswith(".wet") else kind_of(path)
    if kind in ("csv", "tsv"):
        message = (
            f"{path} holds rows of {kind.upper()}, which filter does not write; give jsonl, parquet, wet or text. With "
            f"duckdb: COPY (FROM '{path}') TO 'rows.parquet'"
        )
        raise InputError(message, value=path)
    return kind


# ---- JSON lines ------------------------------------------------------------------------------------------------------


def jsonl_rows(path: str, fields: Fields) -> Iterator[Rows]:
    """One record per line of JSON; blank lines are none."""
    rows = Rows(0, [])
    size, done = 0, 0
    for number, line, whole in _lines(file_blocks(path, _READ)):
        if number == 1:
            line = line.removeprefix(b"\xef\xbb\xbf")
        if whole and (not line or line.isspace()):
            continue
        at = len(rows.raw)
        if whole:
            _add_row(rows, line, f"line {number}", fields, path)
        else:
            _set_aside(rows, f"line {number}", f"the record has more than {LONGEST:,} bytes", line)
        rows.raw.append(line)
        size += len(line)
        if size >= BATCH_BYTES or at + 1 >= BATCH_ROWS:
            yield rows
            done += len(rows.raw)
            rows, size = Rows(done, []), 0
    if rows.raw:
        yield rows


def _lines(blocks: Iterable[bytes]) -> Iterator[tuple[int, bytes, bool]]:
    """Each line with its number; of one that is too long only the beginning, and that it is not whole."""
    held: list[bytes] = []
    number, size = 1, 0
    for block in blocks:
        lines = block.split(b"\n")
        for part in lines[:-1]:
            if held:
                size += len(part)
                held.append(part[: max(0, LONGEST + len(part) - size)])
                part = b"".join(held)
                yield number, part, size <= LONGEST
                held, size = [], 0
            else:
                yield number, part, len(part) <= LONGEST
            number += 1
        if lines[-1]:
            if size <= LONGEST:
                held.append(lines[-1])
            size += len(lines[-1])
    if held:
        yield number, b"".join(held), size <= LONGEST


#: Without the checks of `json.loads`, which cost as much as parsing a short record.
_parsed = json.JSONDecoder().raw_decode


def _value(line: bytes) -> Any:
    text = line.decode("utf-8", "surrogateescape")
    if text.startswith("{"):
        row, end = _parsed(text)
        if end == len(text):
            return row
    return json.loads(text)


def _add_row(rows: Rows, line: bytes, place: str, fields: Fields, path: str) -> None:
    try:
        row = _value(line)
    except (ValueError, RecursionError) as error:
        _set_aside(rows, place, f"not JSON: {error}", line)
        return
    if not isinstance(row, dict):
        _set_aside(rows, place, f"{shown(row)} is not a JSON object", line)
        return
    text = row.get(fields.text)
    if not isinstance(text, str):
        _set_aside(rows, place, _no_text(fields.text, row, present=fields.text in row), line)
        return
    if fields.language:
        language = row.get(fields.language)
        if not isinstance(language, str):
            _set_aside(rows, place, _no_text(fields.language, row, present=fields.language in row), line)
            return
        rows.languages.append(language)
    for name in fields.added:
        if name in row:
            raise taken(name, path, place)
    rows.good.append(len(rows.raw))
    rows.texts.append(encode(text))


def taken(name: str, path: str, place: str) -> FileFormatError:
    """The error for a record that has a field which is to be added."""
    message = (
        f"{path}, {place} has a field {name!r} already, which would be added a second time; add it under another name: "
        "--prefix bm_"
    )
    return FileFormatError(message, value=name)


def _no_text(name: str, row: dict[str, Any], *, present: bool) -> str:
    if present:
        return f"the field {name!r} is {'null' if row[name] is None else shown(row[name])}; it must be text"
    return f"there is no field {name!r}; it has {', '.join(map(repr, list(row)[:8])) or 'none'} (--field)"


def _set_aside(rows: Rows, place: str, reason: str, raw: bytes) -> None:
    rows.bad.append(Bad(rows.first + len(rows.raw), place, reason, raw))


# ---- text ------------------------------------------------------------------------------------------------------------


def text_rows(path: str, fields: Fields) -> Iterator[Rows]:
    """Lines or paragraphs, each with the newlines that end it."""
    rows = Rows(0, [])
    size, done = 0, 0
    for number, document, whole in _documents(path, fields.docs):
        at = len(rows.raw)
        if whole:
            rows.good.append(at)
            rows.texts.append(document)
        else:
            what = "line" if fields.docs == "line" else "paragraph"
            _set_aside(rows, f"{what} {number}", f"the {what} has more than {LONGEST:,} bytes", document)
        rows.raw.append(document)
        size += len(document)
        if size >= BATCH_BYTES or at + 1 >= BATCH_ROWS:
            yield rows
            done += len(rows.raw)
            rows, size = Rows(done, []), 0
    if rows.raw:
        yield rows


def _documents(path: str, docs: str) -> Iterator[tuple[int, bytes, bool]]:
    held: list[bytes] = []
    size, number = 0, 1
    for block in text_blocks(file_blocks(path, _READ), docs):
        start = 0
        for end in block.ends.tolist():
            part = block.data[start:end]
            size += len(part)
            yield number, b"".join((*held, part)) if held else part, size <= LONGEST
            held, size, start, number = [], 0, end, number + 1
        if start < len(block.data):
            part = block.data[start:]
            if size <= LONGEST:
                held.append(part)
            size += len(part)
