"""The index of a corpus for the substrings of other texts: built within an allowance of memory, saved, opened."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.arrays import Ints
from bitmeter._util.check import integer
from bitmeter._util.files import as_path, label, replacing, unread
from bitmeter._util.leftovers import temporary_folder
from bitmeter._util.progress import Progress, Step, as_progress
from bitmeter.errors import EmptyError, FileFormatError, InputError
from bitmeter.models.ngram.estimate.memory import Allowance
from bitmeter.text.corpus.corpus import JOINED, Corpus
from bitmeter.text.corpus.encoding import encode

__all__ = ["SEPARATOR", "OverlapIndex", "as_index", "is_index"]

#: Stands behind each document; no UTF-8 text has it, and it matches nothing.
SEPARATOR = b"\xff"
#: The most bytes of a match: a document that is divided between parts is seen so far beyond each of them.
_LONGEST = 1 << 20
#: Bytes of memory for each byte of a part: the text, its suffix array, and what sorting needs.
_PER_BYTE = 8
_MOST_PART = (1 << 31) - (1 << 21)


class OverlapIndex:
    """A corpus in which substrings of other texts are found: its bytes and their suffix array, in one mapped file.

    Attributes
    ----------
    name
        What the corpus is called.
    documents
        How many documents it has.
    bytes
        How many bytes they have.
    path
        The file; None if it is temporary.

    Examples
    --------
    >>> index = OverlapIndex.build(Corpus.from_documents(["the cat sat on the mat", "a dog"]))
    >>> index.lengths(b"a cat sat down")[:10].tolist()
    [2, 9, 8, 7, 6, 5, 4, 3, 2, 3]
    >>> index.place(4), index.place(24)
    (('documents:1', 4), ('documents:2', 1))
    """

    def __init__(self, core: _core.OverlapIndex, path: Path | None, name: str) -> None:
        self._core = core
        self.path = path
        self._ends: Ints = core.ends.astype(np.int64)
        self._sources, self._firsts, self._numbered, self.name = _described(core.metadata, name, core.documents)
        self.documents: int = core.documents
        self.bytes: int = len(core.text) - core.documents

    @classmethod
    def build(
        cls,
        corpus: Any,
        path: Any = None,
        *,
        docs: str | None = None,
        field: str | None = None,
        memory: Any = None,
        temp: Any = None,
        force: bool = False,
        progress: Progress | None = None,
    ) -> OverlapIndex:
        """Index a corpus; without a path in a temporary file.

        Parameters
        ----------
        corpus
            As for `Corpus`; bytes are the text itself.
        path
            The file to write, about five bytes for each byte of the corpus.
        docs, field
            As for `Corpus`. No match crosses the end of a document.
        memory
            How much memory may be used: 4G, 500M, or a share of what is free; 75 % by default. A corpus that
            does not fit is sorted in parts, which changes the time that a search takes, and no figure.
        temp
            The folder of a temporary index.
        force
            Replace an existing file.
        progress
            Called now and then.

        Examples
        --------
        >>> OverlapIndex.build(b"to be or not to be").bytes
        18
        """
        return cls._build(corpus, path, docs, field, Allowance.of(memory, temp), force, as_progress(progress))

    @classmethod
    def _build(
        cls,
        corpus: Any,
        path: Any,
        docs: str | None,
        field: str | None,
        allowance: Allowance,
        force: bool,  # noqa: FBT001
        report: Progress,
        part_bytes: int | None = None,
        longest: int = _LONGEST,
    ) -> OverlapIndex:
        text = Corpus.of(corpus, docs=docs, field=field)
        part = min(_MOST_PART, allowance.memory // _PER_BYTE) if part_bytes is None else part_bytes
        if path is not None:
            with replacing(path, force=force) as draft:
                _write(draft, text, part, longest, report)
            return cls.open(path)
        with temporary_folder(allowance.folder) as folder:
            file = Path(folder) / "index"
            try:
                _write(file, text, part, longest, report)
            except OSError as error:
                raise allowance.full(error, None) from error
            return cls(_opened(file, text.name), None, text.name)

    @classmethod
    def open(cls, path: Any) -> OverlapIndex:
        """An index in a file, all of which is held against its checksum."""
        file = as_path(path)
        return cls(_opened(file, str(file)), file, str(file))

    def lengths(self, text: Any, *, threads: int = 1) -> NDArray[np.uint32]:
        """The length of the longest match that starts at each byte of one document, in bytes.

        Parameters
        ----------
        text
            A string, or bytes. Matches longer than 1 MiB have that length. The byte 0xFF matches nothing.
        threads
            How many to use; 0 for all of the machine's. The figures are the same.
        """
        data = encode(text) if isinstance(text, str) else text
        if not isinstance(data, bytes | bytearray | memoryview):
            message = f"text is of the type {type(text).__name__}; it must be a string or bytes"
            raise InputError(message)
        return self._lengths(np.frombuffer(data, dtype=np.uint8), -1, integer(threads, "threads", low=0, high=1024))

    def _lengths(
        self, text: NDArray[np.uint8], own: int, threads: int, watch: Callable[[int], object] | None = None
    ) -> NDArray[np.uint32]:
        """The same for documents with separators between them; `own`: where they begin in the corpus itself, or -1."""
        out = np.empty(len(text), dtype=np.uint32)
        step = 1 << 18  # now and then the interpreter looks for signals
        for first in range(0, len(text), step):
            last = min(len(text), first + step)
            out[first:last] = self._core.lengths(text, first, last, own, threads)
            if watch is not None:
                watch(last - first)
        return out

    def _first(self, text: NDArray[np.uint8], places: Ints, sizes: Ints, own: int) -> Ints:
        """The first place in the corpus of each match."""
        parts = [
            self._core.first(text, places[at : at + 4096], sizes[at : at + 4096], own)
            for at in range(0, len(places), 4096)
        ]
        found = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
        if (found < 0).any():
            message = f"{self.name}: the index does not find again what it found; build it again"
            raise FileFormatError(message, value=self.name)
        return found

    def place(self, position: int) -> tuple[str, int]:
        """The document in which a byte of the index stands, and its offset there."""
        at = integer(position, "position", low=0, high=len(self._core.text) - 1)
        document = int(np.searchsorted(self._ends, at))
        return self.document_name(document), at - self._start(document)

    def _start(self, document: int) -> int:
        return int(self._ends[document - 1]) + 1 if document else 0

    def document_name(self, document: int) -> str:
        """What a document is called: its source, and its number there if it has several."""
        document = integer(document, "document", low=0, high=self.documents - 1)
        source = int(np.searchsorted(self._firsts, document, side="right")) - 1
        name = self._sources[source]
        return f"{name}:{document - int(self._firsts[source]) + 1}" if self._numbered else name

    def __repr__(self) -> str:
        return f"<OverlapIndex {self.name}, {self.documents:,} documents, {self.bytes:,} bytes>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.path is None:
            message = "a temporary index cannot be pickled; save it to a file: OverlapIndex.build(corpus, path)"
            raise InputError(message)
        return OverlapIndex.open, (str(self.path.absolute()),)


def is_index(path: Any) -> bool:
    """Whether a name is that of a file that begins like an index."""
    if not isinstance(path, str | os.PathLike) or not os.path.isfile(path):
        return False
    with open(path, "rb") as file:
        return file.read(len(_core.OVERLAP_MAGIC)) == _core.OVERLAP_MAGIC


def as_index(
    corpus: Any, docs: str | None, field: str | None, memory: Any, temp: Any, progress: Progress | None
) -> OverlapIndex:
    """An index as it is, or that of a file, or a temporary one of a corpus."""
    if isinstance(corpus, OverlapIndex) or is_index(corpus):
        if (docs, field) != (None, None):
            message = "the index of a corpus has its documents already; give docs and field where it is built"
            raise InputError(message)
        return corpus if isinstance(corpus, OverlapIndex) else OverlapIndex.open(corpus)
    return OverlapIndex.build(corpus, docs=docs, field=field, memory=memory, temp=temp, progress=progress)


def _opened(path: Path, name: str) -> _core.OverlapIndex:
    try:
        return _core.OverlapIndex.open(str(path))
    except FileFormatError as error:
        message = f"{name} is not an index of a corpus, or is damaged: {error}"
        raise FileFormatError(message, value=name) from error
    except OSError as error:
        message = f"{name} {unread(error)}"
        raise FileFormatError(message, value=name) from error


def _described(metadata: bytes, name: str, documents: int) -> tuple[list[str], Ints, bool, str]:
    """The sources, their first documents, whether documents are numbered, and the name: as far as they are sound."""
    try:
        found = json.loads(metadata)
        sources, firsts = found["sources"], np.array(found["firsts"], dtype=np.int64)
        numbered, title = found["numbered"], found["name"]
        sound = (
            all(isinstance(source, str) for source in [*sources, title])
            and isinstance(numbered, bool)
            and len(sources) == len(firsts) > 0
            and firsts[0] == 0
            and bool((np.diff(firsts) >= 0).all())
            and int(firsts[-1]) <= documents
        )
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError):
        sound = False
    if not sound:
        message = f"{name}: the names in the index are not sound; build it again"
        raise FileFormatError(message, value=name)
    return [label(source) for source in sources], firsts, numbered, label(title)


# ---- building --------------------------------------------------------------------------------------------------------


def _write(path: Path, corpus: Corpus, part_bytes: int, longest: int, report: Progress) -> None:
    with open(path, "w+b") as file:
        file.write(bytes(_core.OVERLAP_HEADER))
        ends = _write_text(file, corpus, report)
        if not len(ends):
            message = f"{corpus.name} holds no documents, so that nothing can be found in it"
            raise EmptyError(message)
        size = int(ends[-1]) + 1
        parts = list(_parts(ends, size, part_bytes, longest))
        about = json.dumps(_metadata(corpus)).encode()
        _pad(file)
        for section in (ends.astype("<u8").tobytes(), np.array(parts, dtype="<u8").tobytes(), about):
            file.write(section)
            _pad(file)
        for begin, _, stop in parts:
            report(Step(begin, size, stage="sorting"))
            file.flush()
            text = np.fromfile(path, dtype=np.uint8, count=stop - begin, offset=_core.OVERLAP_HEADER + begin)
            suffixes = _sorted(text)
            file.write(suffixes.data)
            _pad(file)
            file.write(np.minimum.reduceat(suffixes, np.arange(0, len(suffixes), _core.OVERLAP_ROW)).data)
            _pad(file)
        file.flush()
        header = _core.overlap_seal(str(path), size, len(ends), len(parts), longest, len(about))
        file.seek(0)
        file.write(header)
        report(Step(size, size, stage="sorting"))


def _write_text(file: BinaryIO, corpus: Corpus, report: Progress) -> Ints:
    """Write the documents, each with a separator behind it; where those stand."""
    found: list[Ints] = []
    done = read = 0
    for block in corpus.blocks():
        data = np.frombuffer(block.data, dtype=np.uint8)
        file.write((np.insert(data, block.ends, SEPARATOR[0]) if len(block.ends) else data).data)
        found.append(done + block.ends + np.arange(len(block.ends)))
        done += len(data) + len(block.ends)
        read += len(data)
        report(Step(read, corpus.total_bytes, stage="reading"))
    return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


def _pad(file: BinaryIO) -> None:
    file.write(bytes(-file.tell() % _core.OVERLAP_ALIGNMENT))


def _metadata(corpus: Corpus) -> dict[str, Any]:
    joined = corpus.docs in JOINED
    sources = [corpus.name] if joined else [label(source) for source in corpus.source_names]
    firsts = [0] if joined else corpus.first_documents().tolist()
    numbered = not joined and corpus.docs != "file"
    return {"name": corpus.name, "sources": sources, "firsts": firsts, "numbered": numbered}


def _parts(ends: Ints, size: int, part_bytes: int, longest: int) -> Iterator[tuple[int, int, int]]:
    """(begin, end, stop) of each part: whole documents, or a part of one with the bytes behind it."""
    begin = 0
    while begin < size:
        limit = begin + part_bytes
        whole = int(np.searchsorted(ends, limit))  # documents that end before the limit
        end = int(ends[whole - 1]) + 1 if whole else 0
        if end > begin:
            stop = end
        else:
            end = limit
            stop = min(int(ends[whole]) + 1, end + longest)
        yield begin, end, stop
        begin = end


def _sorted(text: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """The suffix array; an interrupt need not wait for it."""
    from pydivsufsort import divsufsort

    found: list[Any] = []

    def sort() -> None:
        try:
            found.append(divsufsort(text))
        except BaseException as error:
            found.append(error)

    worker = threading.Thread(target=sort, daemon=True)
    worker.start()
    while worker.is_alive():
        worker.join(0.05)
    if isinstance(found[0], BaseException):
        raise found[0]
    result: NDArray[np.uint32] = found[0].astype("<u4", copy=False) if found[0].itemsize != 4 else found[0].view("<u4")
    return result
