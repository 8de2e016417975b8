"""Resolves what a caller names (a path, a pattern, a folder, an address, a list, an object) to the sources to read."""

from __future__ import annotations

import glob
import io
import os
import stat
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePath
from typing import Any

from bitmeter._util.asking import ask
from bitmeter._util.check import shown
from bitmeter._util.files import label
from bitmeter._util.optional import require
from bitmeter._util.secrets import without_secrets
from bitmeter.errors import (
    InputError,
    InputTypeError,
    MissingPackageError,
    MissingSourceError,
    RecordError,
    SourceError,
)
from bitmeter.text.corpus.delimited import SEPARATORS, delimited_blocks
from bitmeter.text.corpus.jsonl import jsonl_blocks
from bitmeter.text.corpus.labels import Collector
from bitmeter.text.corpus.parquet import parquet_blocks
from bitmeter.text.corpus.readers import (
    Block,
    dataset_blocks,
    file_blocks,
    text_blocks,
)
from bitmeter.text.formats import COMPRESSIONS, is_url, kind_of

__all__ = [
    "Records",
    "Resolved",
    "Source",
    "block_source",
    "dataset_source",
    "is_dataset",
    "memory_source",
    "read_dataset",
    "resolve",
]


@dataclass(frozen=True, slots=True)
class Source:
    """Something that can be read from its beginning: a file, an address, a stream, a dataset, bytes in memory."""

    name: str
    #: "text", or "record" where each row is a document.
    kind: str
    #: From (docs, field, block size, collector of another field) to the parts.
    read: Callable[[str, str, int, Collector | None], Iterator[Block]]
    #: How many bytes will come, where that is known without reading.
    size: int | None = None
    #: A stream that cannot be read again.
    once: bool = False
    #: The suffix of a compressed file, which is unpacked as it is read.
    packed: str = ""
    #: Of a file: its name as the system has it, and its format, "text", "jsonl" or "parquet".
    path: str = ""
    format: str = ""
    #: Of a part of a file: how many of its bytes that is.
    share: int = 0


@dataclass(slots=True)
class Resolved:
    """The sources that a caller named, and notes for the user."""

    sources: list[Source] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def resolve(what: Any) -> Resolved:
    """Find all sources that `what` names, in a fixed order.

    A pattern or a folder gives its files in ascending order of their names; a list keeps its own order.
    """
    found = Resolved()
    _resolve(what, found)
    found.notes.extend(_unpacked(found.sources))
    return found


def _unpacked(sources: list[Source]) -> list[str]:
    """That files are measured as what they unpack to, and how many bytes they have themselves."""
    packed = [source for source in sources if source.packed]
    if not packed:
        return []
    sizes = [_file_size(source.name) for source in packed]
    total = "" if None in sizes else f": {sum(size or 0 for size in sizes):,} bytes in the file"
    if len(packed) == 1:
        return [f"{label(os.path.basename(packed[0].name))} was unpacked{total}"]
    return [f"{len(packed):,} files were unpacked{total and total + 's'}"]


def _resolve(what: Any, found: Resolved) -> None:
    if isinstance(what, os.PathLike):
        what = os.fspath(what)
        if isinstance(what, bytes):
            what = os.fsdecode(what)
    if isinstance(what, str):
        _resolve_name(what, found)
    elif isinstance(what, list | tuple):
        if not what:
            message = "the list of sources is empty; name at least one file"
            raise InputError(message)
        for item in what:
            _resolve(item, found)
    elif is_dataset(what):
        found.sources.append(dataset_source(what))
    elif callable(getattr(what, "read", None)):
        found.sources.append(_stream_source(what))
    else:
        message = (
            f"the source is {shown(what)}; it must be a path, a pattern, a folder, an address, '-' for standard input, "
            "an open file, a dataset, or a list of those. For text in memory use Corpus.from_text or from_documents"
        )
        raise InputTypeError(message, value=what)


def _resolve_name(name: str, found: Resolved) -> None:
    if name == "-":
        found.sources.append(_stream_source(sys.stdin.buffer, "stdin"))
    elif is_url(name):
        _resolve_address(name, found)
    elif os.path.isdir(name):
        files, hidden = _files_below(name)
        _add_folder(name, files, hidden, found)
    elif os.path.exists(name):
        found.sources.append(_file_source(name))
    elif glob.has_magic(name) and "\0" not in name and len(name) < 4096:
        files = sorted(path for path in glob.glob(name, recursive=True) if os.path.isfile(path))
        if not files:
            message = f"the pattern {shown(name)} matches no file"
            raise MissingSourceError(message, path=name)
        found.sources.extend(map(_file_source, files))
    elif (file := ask("the file of a test set", name)) is not None:
        found.sources.append(replace(_file_source(str(file)), name=name))
    else:
        raise _missing(name)


def _missing(name: str) -> MissingSourceError:
    message = f"there is no file {shown(name)}"
    if not name:
        message = "the path is empty"
    if not name or any(char.isspace() for char in name) or not (os.sep in name or PurePath(name).suffix):
        message += ". If it is the text itself, pipe it in and name it - (in Python: Corpus.from_text)"
    return MissingSourceError(message, path=name)


def _files_below(folder: str) -> tuple[list[str], int]:
    """All files of a folder and the folders in it, sorted; and how many hidden ones were left out."""
    files: list[str] = []
    hidden = 0
    for place, folders, names in os.walk(folder):
        hidden += sum(name.startswith(".") for name in [*folders, *names])
        folders[:] = [name for name in folders if not name.startswith(".")]
        files.extend(os.path.join(place, name) for name in names if not name.startswith("."))
    return sorted(files), hidden


def _add_folder(folder: str, files: list[str], hidden: int, found: Resolved) -> None:
    if not files:
        extra = f", only {hidden} hidden ones, which are skipped" if hidden else ""
        message = f"the folder {folder} holds no files{extra}"
        raise MissingSourceError(message, path=folder)
    if hidden:
        s = "s" * (hidden > 1)
        found.notes.append(f"{label(folder)}: {hidden} hidden file{s} or folder{s} skipped")
    found.sources.extend(map(_file_source, files))


def _resolve_address(address: str, found: Resolved) -> None:
    fsspec = require("fsspec", "Reading from an address")
    try:
        files, path = fsspec.core.url_to_fs(address)
        if glob.has_magic(path):
            names = sorted(files.glob(path))
            if not names:
                message = f"the pattern {without_secrets(address)} matches no file"
                raise MissingSourceError(message, path=without_secrets(address))
            found.sources.extend(_file_source(files.unstrip_protocol(name)) for name in names)
        elif not address.startswith(("http://", "https://")) and files.isdir(path):
            inside = sorted(files.find(path))
            below = [name for name in inside if not _hidden(name[len(path) :])]
            addresses = [files.unstrip_protocol(name) for name in below]
            _add_folder(without_secrets(address), addresses, len(inside) - len(below), found)
        else:
            found.sources.append(_file_source(address))
    except ImportError as error:
        message = f"{without_secrets(address)} cannot be read: {error}"
        raise MissingPackageError(message, value=without_secrets(address)) from error
    except (OSError, ValueError) as error:
        if isinstance(error, SourceError):
            raise
        message = without_secrets(f"{address} cannot be read: {error}")
        raise SourceError(message, path=without_secrets(address)) from error


def _hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


# ---- sources ---------------------------------------------------------------------------------------------------------


def _file_source(path: str) -> Source:
    kind, name = kind_of(path), without_secrets(path)
    if kind == "parquet":
        if PurePath(path).suffix.lower() in COMPRESSIONS:
            message = f"{name} is a compressed parquet file, which cannot be read in part; unpack it first"
            raise SourceError(message, path=name)
        return Source(name, "record", partial(_read_parquet, path), path=path, format="parquet")
    suffix = PurePath(path).suffix.lower()
    packed = suffix if suffix in COMPRESSIONS else ""
    if kind == "jsonl":
        return Source(name, "record", partial(_read_jsonl, path, name), packed=packed, path=path, format="jsonl")
    if kind in SEPARATORS:
        return Source(name, "record", partial(_read_delimited, path, name, SEPARATORS[kind]), packed=packed)
    size = None if packed else _file_size(path)
    return Source(name, "text", partial(_read_text, path), size, packed=packed, path=path, format="text")


# Functions of the module, so that a source can be pickled.


def _read_parquet(path: str, docs: str, field: str, size: int, labels: Collector | None) -> Iterator[Block]:
    return parquet_blocks(path, field, size, labels)


def _read_jsonl(path: str, name: str, docs: str, field: str, size: int, labels: Collector | None) -> Iterator[Block]:
    return jsonl_blocks(file_blocks(path, size), field, name, labels)


def _read_delimited(
    path: str, name: str, separator: str, docs: str, field: str, size: int, labels: Collector | None
) -> Iterator[Block]:
    return delimited_blocks(file_blocks(path, size), separator, field, name, size, labels)


def _read_text(path: str, docs: str, field: str, size: int, labels: Collector | None) -> Iterator[Block]:
    return text_blocks(file_blocks(path, size), docs)


def _read_memory(data: bytes, docs: str, field: str, size: int, labels: Collector | None) -> Iterator[Block]:
    return text_blocks((data[i : i + size] for i in range(0, len(data), size)), docs)


def _read_block(block: Block, docs: str, field: str, size: int, labels: Collector | None) -> Iterator[Block]:
    return iter([block])


class Records:
    """Records in memory, as a dataset whose columns are not known."""

    column_names = None

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def __iter__(self) -> Iterator[Any]:
        return iter(self._rows)


def read_dataset(
    dataset: Any, name: str, docs: str, field: str, size: int, labels: Collector | None
) -> Iterator[Block]:
    """The rows of a `datasets` object."""
    columns = dataset.column_names
    for wanted in (field, *(labels.fields if labels is not None else ())):
        if columns is not None and wanted not in columns:
            listed = ", ".join(map(repr, columns))
            message = f"{name} has no column {wanted!r}; it has {listed}. Choose with --field (field=), --cluster …"
            raise RecordError(message, path=name)
    return dataset_blocks(dataset, field, name, size, labels)


def _file_size(path: str) -> int | None:
    """The length of a local file; unknown for remote and special ones."""
    if is_url(path):
        return None
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size if stat.S_ISREG(found.st_mode) else None


def _stream_source(stream: Any, name: str | None = None) -> Source:
    """An open binary file. A seekable one is read again from its current position."""
    called = name or str(getattr(stream, "name", type(stream).__name__))
    if isinstance(stream, io.TextIOBase):
        message = f"{called} is open in text mode, which hides its bytes; open it with mode 'rb'"
        raise InputTypeError(message)
    start: int | None = None
    try:
        start = stream.tell() if stream.seekable() else None
    except (AttributeError, OSError, ValueError):
        start = None

    def blocks(size: int) -> Iterator[bytes]:
        if start is not None:
            stream.seek(start)
        while True:
            block = stream.read(size)
            if not isinstance(block, bytes):
                message = f"{called} gave {shown(block)}; it must give bytes: open it with mode 'rb'"
                raise InputTypeError(message)
            if not block:
                return
            yield block

    read = _Stream(called, lambda docs, size: text_blocks(blocks(size), docs))
    return Source(called, "text", read, once=start is None)


class _Stream:
    """How a stream is read; it cannot be sent to another process."""

    def __init__(self, name: str, read: Callable[[str, int], Iterator[Block]]) -> None:
        self._name, self._read = name, read

    def __call__(self, docs: str, field: str, size: int, labels: Collector | None) -> Iterator[Block]:
        return self._read(docs, size)

    def __deepcopy__(self, memo: dict[int, Any]) -> _Stream:
        return self

    def __reduce__(self) -> str | tuple[Any, ...]:
        message = f"{self._name} is a stream of this process, and cannot be pickled; save it to a file first"
        raise SourceError(message, path=self._name)


def is_dataset(what: Any) -> bool:
    """Whether something iterates over rows and knows its columns, as the objects of `datasets` do."""
    return not isinstance(what, type) and hasattr(what, "column_names") and hasattr(what, "__iter__")


def dataset_source(dataset: Any) -> Source:
    """A `datasets` object."""
    if isinstance(dataset, dict):
        splits = ", ".join(map(repr, dataset))
        first = next(iter(dataset), "train")
        message = f"this is a set of datasets, one per split: {splits}; choose one, as in dataset[{first!r}]"
        raise InputTypeError(message)
    name = str(getattr(getattr(dataset, "info", None), "dataset_name", None) or "dataset")
    return Source(name, "record", partial(read_dataset, dataset, name))


def memory_source(data: bytes, name: str) -> Source:
    """Bytes in memory."""
    return Source(name, "text", partial(_read_memory, data), len(data))


def block_source(block: Block, name: str) -> Source:
    """Documents in memory."""
    return Source(name, "record", partial(_read_block, block), len(block.data))
