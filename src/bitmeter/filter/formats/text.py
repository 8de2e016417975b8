"""Text files: lines or paragraphs."""

from __future__ import annotations

from collections.abc import Iterator

from bitmeter.filter import records
from bitmeter.filter.records import Fields, Gathered, Rows
from bitmeter.text.corpus.readers import file_blocks, text_blocks

__all__ = ["text_rows"]

_READ = 1 << 20


def text_rows(path: str, fields: Fields) -> Iterator[Rows]:
    """Lines or paragraphs, each with the newlines that end it."""
    what = "line" if fields.docs == "line" else "paragraph"
    reason = f"the {what} has more than {records.LONGEST:,} bytes"
    gathered = Gathered()
    for number, document, whole in _documents(path, fields.docs):
        gathered.add(document, document if whole else None, f"{what} {number}", reason)
        if gathered.full:
            yield from gathered.taken()
    yield from gathered.taken()


def _documents(path: str, docs: str) -> Iterator[tuple[int, bytes, bool]]:
    held: list[bytes] = []
    size, number = 0, 1
    for block in text_blocks(file_blocks(path, _READ), docs):
        start = 0
        for end in block.ends.tolist():
            part = block.data[start:end]
            size += len(part)
            yield number, b"".join((*held, part)) if held else part, size <= records.LONGEST
            held, size, start, number = [], 0, end, number + 1
        if start < len(block.data):
            part = block.data[start:]
            if size <= records.LONGEST:
                held.append(part)
            size += len(part)
