"""Reads one source in parts: bytes, and where documents end in them. Nothing is decoded, normalised or dropped."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import PurePath
from typing import IO, Any, NamedTuple

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Ints
from bitmeter._util.check import shown, shown_json
from bitmeter._util.files import unread
from bitmeter._util.optional import require
from bitmeter._util.secrets import without_secrets
from bitmeter.errors import BitmeterError, DamagedSourceError, MissingSourceError, RecordError, SourceError
from bitmeter.text.corpus.encoding import encode
from bitmeter.text.corpus.labels import Collector
from bitmeter.text.corpus.zstd import ZstdReader
from bitmeter.text.formats import is_url

__all__ = [
    "REMOVE",
    "Block",
    "dataset_blocks",
    "encode",
    "file_blocks",
    "joined",
    "open_binary",
    "reading",
    "text_blocks",
    "text_of",
]


NO_ENDS: Ints = np.empty(0, dtype=np.int64)
END_HERE: Ints = np.zeros(1, dtype=np.int64)


class Block(NamedTuple):
    """A part of a text.

    Attributes
    ----------
    data
        The bytes.
    ends
        Where documents end inside of `data`, ascending, each in 0..len(data); the same offset twice is an empty
        document. What follows the last end continues in the next block; the last block closes the last document.
    """

    data: bytes
    ends: Ints


# ---- opening ---------------------------------------------------------------------------------------------------------


@contextmanager
def reading(path: str) -> Iterator[None]:
    """Turn what can go wrong while reading a file into errors that name it and say what to do."""
    path = without_secrets(path)
    try:
        yield
    except BitmeterError:
        raise
    except FileNotFoundError as error:
        message = f"{path} does not exist"
        raise MissingSourceError(message, path=path) from error
    except EOFError as error:
        message = f"{path} is truncated: it ends within its compressed data. Fetch or compress it again"
        raise DamagedSourceError(message, path=path) from error
    except (zlib.error, lzma.LZMAError, gzip.BadGzipFile) as error:
        raise _damaged(path, error) from error
    except OSError as error:
        if error.errno is not None:
            message = f"{path} {without_secrets(unread(error))}"
            raise SourceError(message, path=path) from error
        raise _damaged(path, error) from error  # bz2 and pyarrow raise this for broken data


def _damaged(path: str, error: Exception) -> DamagedSourceError:
    suffix = PurePath(path).suffix
    message = (
        f"{path} is not a sound {suffix} file: {without_secrets(str(error))}. Fetch or compress it again; "
        f"if it is not compressed at all, remove {suffix} from its name"
    )
    return DamagedSourceError(message, path=path)


def open_binary(path: str) -> IO[bytes]:
    """Open a local file or a remote address, still compressed."""
    if not is_url(path):
        return open(path, "rb")
    fsspec = require("fsspec", "Reading from an address")
    opened: IO[bytes] = fsspec.open(path, "rb").open()
    return opened


def _decompressed(file: IO[bytes], path: str) -> Any:
    suffix = PurePath(path).suffix.lower()
    if suffix == ".gz":
        return gzip.GzipFile(fileobj=file)
    if suffix == ".bz2":
        return bz2.BZ2File(file)
    if suffix == ".xz":
        return lzma.LZMAFile(file)
    if suffix == ".zst":
        return io.BufferedReader(ZstdReader(file))
    return file


def file_blocks(path: str, size: int) -> Iterator[bytes]:
    """The bytes of a file, decompressed by its suffix, in blocks."""
    with reading(path):
        file = open_binary(path)
    with file:
        with reading(path):
            unpacked = _decompressed(file, path)
        while True:
            with reading(path):
                block: bytes = unpacked.read(size)
            if not block:
                return
            yield block


# ---- text ------------------------------------------------------------------------------------------------------------


def text_blocks(blocks: Iterable[bytes], docs: str) -> Iterator[Block]:
    """Plain text, one document per file, line or paragraph ("blank")."""
    if docs == "file":
        for block in blocks:
            yield Block(block, NO_ENDS)
        yield Block(b"", END_HERE)
    elif docs == "line":
        closed = True
        for block in blocks:
            yield Block(block, _core.line_ends(block))
            closed = block.endswith(b"\n")
        if not closed:
            yield Block(b"", END_HERE)
    else:
        yield from _paragraphs(blocks)


def _paragraphs(blocks: Iterable[bytes]) -> Iterator[Block]:
    """Hold back the beginning of a line that may open a paragraph: at most 64 kB."""
    finder = _core.Paragraphs()
    held, start = b"", 0
    for block in blocks:
        ends = finder.feed(block) - start
        data = held + block
        decided = finder.decided - start
        yield Block(data[:decided], ends)
        held, start = data[decided:], start + decided
    if start + len(held) > 0:
        yield Block(held, np.array([len(held)], dtype=np.int64))


# ---- records ---------------------------------------------------------------------------------------------------------


def joined(texts: list[bytes]) -> Block:
    """Documents as one block."""
    return Block(b"".join(texts), np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))))


#: What to do with rows whose text is null; a command that has an option for it names that instead.
REMOVE = "Remove such rows"


def text_of(row: Any, field: str, path: str, number: int, place: str) -> bytes:
    """The text of a row, or an error that lists what the row has."""
    try:
        value = row[field]
    except (KeyError, IndexError, TypeError):
        names = ", ".join(map(repr, row)) if isinstance(row, dict) else shown(row)
        message = (
            f"{path}, {place} {number} has no field {field!r}; it has {names or 'none'}. Choose one with --field "
            "(field=)"
        )
        raise RecordError(message, path=path, line=number) from None
    if isinstance(value, str):
        return encode(value)
    if isinstance(value, bytes):
        return value
    remedy = f"{REMOVE}, or choose" if value is None else "Choose"
    message = (
        f"{path}, {place} {number}: {field!r} is {shown_json(value)}; it must be text. {remedy} another with --field "
        "(field=)"
    )
    raise RecordError(message, path=path, line=number)


def dataset_blocks(dataset: Any, field: str, name: str, size: int, labels: Collector | None = None) -> Iterator[Block]:
    """One document per row of a `datasets` object, or of anything that iterates over dicts and knows its columns."""
    texts: list[bytes] = []
    length = 0
    for number, row in enumerate(dataset, 1):
        texts.append(text_of(row, field, name, number, "row"))
        if labels is not None:
            labels.add_row(row, name, number, "row")
        length += len(texts[-1])
        if length >= size or len(texts) >= size:
            yield joined(texts)
            texts, length = [], 0
    if texts:
        yield joined(texts)
