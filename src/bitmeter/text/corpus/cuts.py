"""Large files in parts that begin and end with a document, so that several processes can read one file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, pairwise

from bitmeter.text.corpus.frames import Place, line_places, read_frames
from bitmeter.text.corpus.jsonl import jsonl_blocks
from bitmeter.text.corpus.labels import Collector
from bitmeter.text.corpus.parquet import group_sizes, parquet_blocks
from bitmeter.text.corpus.readers import Block, open_binary, reading, text_blocks
from bitmeter.text.corpus.sources import Source
from bitmeter.text.formats import is_url

__all__ = ["cut_source", "file_size"]

_READ = 1 << 16


def file_size(source: Source) -> int:
    """The bytes of a file, or of a part of one, as they are on the disk; 0 for what is no file here."""
    if source.share:
        return source.share
    if not source.path or is_url(source.path):
        return 0
    with reading(source.path):
        return os.stat(source.path).st_size


def cut_source(source: Source, docs: str, size: int) -> list[Source]:
    """A source in parts of about `size` bytes; whole, if it is small or cannot be cut.

    Files of lines and JSON lines are cut at newlines, Parquet between row groups. Of compressed files only those of
    several zstd frames can be cut.

    Parameters
    ----------
    source
        What is cut.
    docs
        What one document of a text is; only lines can be found without reading all that is before.
    size
        Bytes of the file.
    """
    whole = file_size(source)
    if whole < 2 * size or source.packed not in ("", ".zst"):
        return [source]
    if source.format == "parquet":
        sizes = group_sizes(source.path)
        return [
            replace(source, read=partial(_read_groups, source.path, start, stop), share=sum(sizes[start:stop]))
            for start, stop in _grouped(sizes, size)
        ]
    if source.packed:
        return _cut_frames(source, docs, size, whole)
    if source.format == "jsonl" or (source.format == "text" and docs == "line"):
        read = partial(_read_rows, source.name) if source.format == "jsonl" else _read_lines
        return [
            replace(
                source, read=partial(read, source.path, start, stop), share=stop - start,
                size=None if source.size is None else stop - start,
            )
            for start, stop in pairwise(_places(source.path, whole, size))
        ]  # fmt: skip
    return [source]


def _cut_frames(source: Source, docs: str, size: int, whole: int) -> list[Source]:
    """A .zst file in parts that begin and end with a line, wherever frames do."""
    if source.format != "jsonl" and (source.format != "text" or docs != "line"):
        return [source]
    places = line_places(source.path, size)
    if len(places) == 1:
        return [source]
    read = partial(_read_packed_rows, source.name) if source.format == "jsonl" else _read_packed_lines
    ends = [*(place.frame for place in places[1:]), whole]
    return [
        replace(source, read=partial(read, source.path, start, stop), share=end - start.frame)
        for start, stop, end in zip(places, [*places[1:], None], ends, strict=True)
    ]


def _grouped(sizes: list[int], size: int) -> list[tuple[int, int]]:
    """Neighbouring row groups joined until they have about so many bytes.

    Examples
    --------
    >>> _grouped([5, 5, 30, 5], 10)
    [(0, 2), (2, 3), (3, 4)]
    """
    found: list[tuple[int, int]] = []
    start = held = 0
    for number, one in enumerate(sizes):
        held += one
        if held >= size:
            found.append((start, number + 1))
            start, held = number + 1, 0
    return [*found, (start, len(sizes))] if start < len(sizes) or not found else found


def _places(path: str, whole: int, size: int) -> list[int]:
    """Where parts begin: after the first newline from each multiple of the size on."""
    places = [0]
    with reading(path), open(path, "rb") as file:
        for wanted in range(size, whole, size):
            if wanted <= places[-1]:
                continue
            file.seek(wanted - 1)
            at = wanted - 1
            while block := file.read(_READ):
                found = block.find(b"\n")
                if found >= 0:
                    at += found + 1
                    break
                at += len(block)
            if at >= whole:
                break  # there are no more newlines
            places.append(at)
    return [*places, whole]


def _range(path: str, start: int, stop: int, size: int) -> Iterator[bytes]:
    with reading(path):
        file = open_binary(path)
    with file:
        file.seek(start)
        while start < stop:
            with reading(path):
                block = file.read(min(size, stop - start))
            if not block:
                return
            start += len(block)
            yield block


# Functions of the module, so that a source can be pickled.


def _read_lines(
    path: str, start: int, stop: int, docs: str, field: str, size: int, labels: Collector | None
) -> Iterator[Block]:
    return text_blocks(_range(path, start, stop, size), docs)


def _read_rows(
    name: str, path: str, start: int, stop: int, docs: str, field: str, size: int, labels: Collector | None
) -> Iterator[Block]:
    # A byte order mark is allowed in the first line of a file alone; a blank line is no row.
    before = [b"\n"] if start else []
    return jsonl_blocks(chain(before, _range(path, start, stop, size)), field, name, labels)


def _read_packed_lines(
    path: str, start: Place, stop: Place | None, docs: str, field: str, size: int, labels: Collector | None
) -> Iterator[Block]:
    return text_blocks(read_frames(path, start, stop, size), docs)


def _read_packed_rows(
    name: str, path: str, start: Place, stop: Place | None, docs: str, field: str, size: int, labels: Collector | None
) -> Iterator[Block]:
    before = [b"\n"] if start.frame else []
    return jsonl_blocks(chain(before, read_frames(path, start, stop, size)), field, name, labels)


def _read_groups(
    path: str, start: int, stop: int, docs: str, field: str, size: int, labels: Collector | None
) -> Iterator[Block]:
    return parquet_blocks(path, field, size, labels, (start, stop))
