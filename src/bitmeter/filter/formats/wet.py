"""WET files of Common Crawl: WARC records whose content is the text of a page."""

from __future__ import annotations

from collections.abc import Iterator

from bitmeter.errors import DamagedSourceError
from bitmeter.filter.records import LONGEST, Gathered, Rows
from bitmeter.text.corpus.readers import file_blocks

__all__ = ["wet_rows"]

_LONGEST_HEAD = 1 << 16


class _Bytes:
    """What is left of a file, as much as is asked for at once."""

    def __init__(self, path: str) -> None:
        self._blocks, self._held = file_blocks(path, 1 << 20), bytearray()

    def peek(self, size: int) -> bytes:
        """The next bytes, fewer only at the end of the file."""
        while len(self._held) < size:
            block = next(self._blocks, None)
            if block is None:
                break
            self._held += block
        return bytes(self._held[:size])

    def take(self, size: int) -> bytes:
        """The same, which are then gone."""
        found = self.peek(size)
        del self._held[: len(found)]
        return found


def wet_rows(path: str) -> Iterator[Rows]:
    """One document per record of the type conversion; other records are carried over as they are."""
    source, number, gathered = _Bytes(path), 0, Gathered()
    while head := source.peek(_LONGEST_HEAD):
        if not head.strip(b"\r\n"):
            break
        number += 1
        end = head.find(b"\r\n\r\n")
        fields = _fields(head[:end]) if end > 0 and head.startswith(b"WARC/") else {}
        length = fields.get(b"content-length", b"")
        if not (length.isdigit() and len(length) < 16):
            message = f"{path}, record {number} does not begin as a WARC record with a Content-Length"
            raise DamagedSourceError(message, path=path)
        content = int(length)
        if content > LONGEST:
            _skip(source, end + 4 + content + 4)
            raw, text = head[: end + 4], None
        else:
            raw = source.take(end + 4 + content + 4)
            if len(raw) < end + 4 + content:
                message = f"{path} is truncated: record {number} ends before its {content:,} bytes do"
                raise DamagedSourceError(message, path=path)
            text = raw[end + 4 : end + 4 + content]
        if fields.get(b"warc-type", b"conversion") != b"conversion":
            gathered.carry(raw)
            continue
        gathered.add(raw, text, f"record {number}", f"the record has more than {LONGEST:,} bytes")
        if gathered.full:
            yield from gathered.taken()
    yield from gathered.taken()


def _fields(head: bytes) -> dict[bytes, bytes]:
    """The header of a record by lower-case names."""
    lines = (line.partition(b":") for line in head.split(b"\r\n")[1:])
    return {name.strip().lower(): value.strip() for name, _, value in lines}


def _skip(source: _Bytes, size: int) -> None:
    while size > 0 and (part := source.take(min(size, 1 << 20))):
        size -= len(part)
