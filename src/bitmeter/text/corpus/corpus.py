"""The text that is measured: bytes, where its documents end, and a hash of both."""

from __future__ import annotations

import copy
import hashlib
import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter._util.check import choice, integer, items, shown
from bitmeter._util.files import label
from bitmeter._util.secrets import without_secrets
from bitmeter.errors import InputError, InputTypeError, SourceError
from bitmeter.text.corpus.cuts import cut_source
from bitmeter.text.corpus.encoding import encode
from bitmeter.text.corpus.labels import Candidates, Collector, Collectors, Contexts, Labels
from bitmeter.text.corpus.readers import END_HERE, NO_ENDS, Block
from bitmeter.text.corpus.sources import Records, Resolved, Source, block_source, memory_source, read_dataset, resolve

__all__ = ["DOCS", "JOINED", "Block", "Corpus", "Document"]

#: All files or records as one document, and the separator between two of them, which counts as text.
JOINED = {"joined": b"", "joined-line": b"\n", "joined-blank": b"\n\n"}
#: What a document can be.
DOCS = ("file", "line", "blank", "record", *JOINED)

BLOCK_SIZE = 1 << 20


@dataclass(frozen=True, slots=True)
class Document:
    """One document.

    Attributes
    ----------
    data
        Its bytes, as they are in the source.
    name
        The source, and which document of it this is, counted from one: "test.txt:3".
    """

    data: bytes
    name: str


class Corpus:
    r"""A text to be measured: documents of bytes, read in blocks, so that it may be larger than memory.

    Documents joined together are the bytes of the source: a line keeps the newline that ends it, and blank lines
    belong to the document before them. Byte order marks, carriage returns and bytes that are not UTF-8 stay as they
    are. From rows (jsonl, csv, parquet, datasets) the text of one field is taken, decoded as its format says.

    Parameters
    ----------
    source
        A path, a pattern such as ``"texts/*.txt"``, a folder (all files in it and below, sorted, hidden ones skipped),
        an address such as ``"s3://bucket/text.txt"`` (through fsspec), ``"-"`` for standard input, an open binary file,
        a `datasets` object, or a list of those. The suffix determines the format: .gz, .zst, .xz and .bz2
        are decompressed; .jsonl (.ndjson), .csv, .tsv and .parquet (.pq) hold rows; all others are
        text.
    docs
        What one document is: "file" (the default for text), "line", "blank" (paragraphs between blank lines), or
        "record" (one row; the default for sources that hold rows). Files never share a document, unless all files and
        rows are joined to one: "joined" (nothing is put between two), "joined-line" (a newline is), "joined-blank" (two
        are). What is put between counts as text. An empty file is one empty document, but holds no line and no
        paragraph.
    field
        The field or column of the rows that holds the text; "text" by default.

    Attributes
    ----------
    name
        What to call it in a report.
    docs
        What one document is; "mixed" if texts and rows come together.
    total_bytes
        The size in bytes; None where it is not known before reading.
    notes
        Notes for the user, such as how many hidden files were skipped.

    Examples
    --------
    >>> corpus = Corpus.from_text("one line\nand another\n", docs="line")
    >>> [document.data for document in corpus]
    [b'one line\n', b'and another\n']
    >>> corpus.fingerprint()[:16], corpus.total_bytes
    ('26b607bd8ff0ce61', 21)
    """

    def __init__(self, source: Any, *, docs: str | None = None, field: str | None = None) -> None:
        self._set(resolve(source), docs, field)
        if len(self._sources) > 1 and isinstance(source, str | os.PathLike):
            self.name = f"{label(without_secrets(os.fspath(source)))} ({len(self._sources):,} files)"

    def _set(self, found: Resolved, docs: Any, field: Any) -> None:
        if docs is not None:
            choice(docs, "docs", DOCS)
        if field is not None and not isinstance(field, str):
            message = f"field is {shown(field)}; it must be the name of a field"
            raise InputTypeError(message, value=field)
        _check_docs(found.sources, docs, field)
        self._separator = JOINED.get(docs) if docs is not None else None
        kinds = {docs or ("record" if source.kind == "record" else "file") for source in found.sources}
        sizes = [source.size for source in found.sources]
        self._sources = tuple(found.sources)
        self._docs = None if docs in JOINED else docs
        self._field = field or "text"
        self._spent = False
        self._digests: tuple[str, str] | None = None
        #: The fields that are collected beside the text, by what they are for.
        self._labels: dict[str, Labels] = {}
        self._candidates: Candidates | None = None
        self._contexts: Contexts | None = None
        self._begun: list[int] = []
        #: Which sources begin a file, if files were cut; None if all do.
        self._files: list[int] | None = None
        #: The corpus that this one was made from by normalising it, document by document.
        self.origin: Corpus | None = None
        self.docs = kinds.pop() if len(kinds) == 1 else "mixed"
        self.notes = tuple(found.notes)
        self.name = _name_of(found.sources)
        self.total_bytes = None if None in sizes else sum(size for size in sizes if size is not None)
        self._count_separators()

    def _count_separators(self) -> None:
        """Separators between documents count as text; their number is known where each file is one document."""
        if not self._separator or self.total_bytes is None:
            return
        known = self._docs in (None, "file") and all(source.kind == "text" for source in self._sources)
        self.total_bytes = self.total_bytes + len(self._separator) * (len(self._sources) - 1) if known else None

    @classmethod
    def from_text(cls, text: str | bytes, *, docs: str = "file", name: str = "text") -> Corpus:
        r"""A corpus from text in memory.

        Parameters
        ----------
        text
            Bytes, or a string, which is encoded as UTF-8.
        docs
            "file" (all of it is one document), "line" or "blank".
        name
            What to call it.

        Examples
        --------
        >>> [document.data for document in Corpus.from_text("a\nb\n\nc", docs="blank")]
        [b'a\nb\n\n', b'c']
        """
        return cls._made(Resolved([memory_source(_bytes_of(text, "text"), str(name))]), docs)

    @classmethod
    def from_documents(cls, documents: Iterable[str | bytes | Document], *, name: str = "documents") -> Corpus:
        """A corpus from documents in memory, each a string, bytes or a `Document`.

        Examples
        --------
        >>> Corpus.from_documents(["one", b"", "two"]).total_bytes
        6
        """
        if isinstance(documents, str | bytes | bytearray | memoryview) or not isinstance(documents, Iterable):
            message = f"documents is {shown(documents)}; it must be several documents. For one, use Corpus.from_text"
            raise InputTypeError(message, value=documents)
        texts = [
            item.data if isinstance(item, Document) else _bytes_of(item, f"documents[{place}]")
            for place, item in enumerate(items(documents, "documents", "several documents"))
        ]
        ends = np.cumsum(np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)))
        block = Block(b"".join(texts), ends)
        return cls._made(Resolved([block_source(block, str(name))]), None)

    @classmethod
    def from_records(cls, records: Iterable[Any], *, field: str = "text", name: str = "records") -> Corpus:
        """A corpus from records in memory, each of which maps fields to values.

        Parameters
        ----------
        records
            Dictionaries, or other mappings.
        field
            The field that holds the text; others are found by `cluster`, `group` and `given` of `score`.
        name
            What to call it.

        Examples
        --------
        >>> Corpus.from_records([{"text": "one", "source": "web"}]).holds_rows
        True
        """
        rows = list(items(records, "records", "several records"))
        wrong = next((row for row in rows if not isinstance(row, Mapping)), None)
        if wrong is not None:
            message = f"records holds {shown(wrong)}; each must be a mapping from fields to values"
            raise InputTypeError(message, value=wrong)
        source = Source(str(name), "record", partial(read_dataset, Records(rows), str(name)))
        corpus = cls.__new__(cls)
        corpus._set(Resolved([source]), None, field)
        return corpus

    @classmethod
    def of(cls, what: Any, *, docs: str | None = None, field: str | None = None) -> Corpus:
        """Whatever can be a corpus: a corpus itself, bytes (the text itself), or a source (a string is a path).

        Examples
        --------
        >>> Corpus.of(b"the text itself").total_bytes
        15
        """
        if isinstance(what, Corpus):
            if isinstance(docs, str) and docs in JOINED and field is None and what._separator is None:
                return what._joined(docs)
            if (docs, field) != (None, None):
                message = "a Corpus knows its documents already; give docs and field where it is made"
                raise InputError(message)
            return what
        if isinstance(what, bytes | bytearray | memoryview):
            return cls._made(Resolved([memory_source(bytes(what), "text")]), "file" if docs is None else docs, field)
        return cls(what, docs=docs, field=field)

    @classmethod
    def _made(cls, found: Resolved, docs: str | None, field: str | None = None) -> Corpus:
        corpus = cls.__new__(cls)
        corpus._set(found, docs, field)
        return corpus

    def _joined(self, docs: str) -> Corpus:
        """The same text with its documents joined to one."""
        other = copy.copy(self)
        other._separator, other.docs, other._digests = JOINED[docs], docs, None
        other._count_separators()
        return other

    def in_parts(self, size: int) -> Corpus:
        """The same text, with large files as several sources of about `size` bytes, each with whole documents.

        What cannot be cut (compressed files, paragraphs) stays whole.
        """
        assert self.origin is None, "cut it before it is normalised"
        other = copy.copy(self)
        parts = [cut_source(source, self._docs or "file", size) for source in self._sources]
        other._sources = tuple(part for found in parts for part in found)
        other._files = np.cumsum([0, *map(len, parts[:-1])]).tolist()
        return other

    @property
    def sources(self) -> tuple[Source, ...]:
        """Where it is read from, in order."""
        return self._sources if self.origin is None else self.origin.sources

    def part(self, start: int, stop: int) -> Corpus:
        """The text of some of the sources alone."""
        other = copy.copy(self)
        other._sources, other._files = self._sources[start:stop], None
        other._labels, other._candidates, other._contexts, other._digests = {}, None, None, None
        return other

    def begun(self) -> list[int]:
        """For each source whose reading has begun, the number of documents before it."""
        return self.origin.begun() if self.origin is not None else self._begun[:-1]

    def blocks(self, size: int = BLOCK_SIZE) -> Iterator[Block]:
        """All bytes in order, at most `size` in a block, with the ends of the documents.

        A corpus can be read any number of times, unless it is a stream such as standard input. The hash is
        computed on the way; if a second pass reads other bytes than the first, that is an error.

        Examples
        --------
        >>> corpus = Corpus.from_documents(["abc", "defgh"])
        >>> [(block.data, block.ends.tolist()) for block in corpus.blocks(size=4)]
        [(b'abcd', [3]), (b'efgh', [4])]
        """
        return self._hashed(_merged(self._read(size), integer(size, "size", low=1)))

    def _read(self, size: int) -> Iterator[Block]:
        blocks = (block for _, blocks in self._opened(size) for block in blocks)
        yield from blocks if self._separator is None else _joined_blocks(blocks, self._separator)

    def _opened(self, size: int) -> Iterator[tuple[Source, Iterator[Block]]]:
        size = integer(size, "size", low=1)
        if self._spent:
            message = f"{self.name} was read already, and a stream can be read only once; save it to a file first"
            raise SourceError(message, path=self.name)
        self._spent = any(source.once for source in self._sources)
        collected: list[Collector] = [*self._labels.values()]
        collected += [other for other in (self._candidates, self._contexts) if other is not None]
        collectors = Collectors(collected) if collected else None
        if collectors is not None:
            collectors.clear()
        self._begun = [0]
        for source in self._sources:
            blocks = source.read(self._docs or "file", self._field, size, collectors)
            self._begun.append(self._begun[-1])
            yield source, self._counted(blocks)

    def _counted(self, blocks: Iterator[Block]) -> Iterator[Block]:
        for block in blocks:
            self._begun[-1] += len(block.ends)
            yield block

    @property
    def holds_rows(self) -> bool:
        """Whether all sources hold rows, which have fields."""
        return (
            all(source.kind == "record" for source in self._sources) if self.origin is None else self.origin.holds_rows
        )

    def label_by(self, field: Any, purpose: str = "cluster") -> None:
        """As rows are read, collect the value of another of their fields, to "cluster" or "group" by (and "source")."""
        if not isinstance(field, str):
            message = f"field is {shown(field)}; it must be the name of a field"
            raise InputTypeError(message, value=field)
        if self.origin is not None:
            self.origin.label_by(field, purpose)
        else:
            self._labels[purpose] = Labels(field, purpose)

    def label_by_any(self, fewest: int) -> None:
        """As rows are read, find the field by which neighbours belong together, with at least so many values."""
        if self.origin is not None:
            self.origin.label_by_any(fewest)
        else:
            self._candidates = Candidates(integer(fewest, "fewest", low=2))

    @property
    def label_field(self) -> str:
        """The field whose values `labels` gives; "" if there is none."""
        if self.origin is not None:
            return self.origin.label_field
        found = self._labels.get("cluster", self._candidates)
        return "" if found is None else found.field

    def labels(self, purpose: str = "cluster") -> Ints | None:
        """For each document that was read, the number of the value of its field; None if none was to be collected."""
        if self.origin is not None:
            return self.origin.labels(purpose)
        found = self._labels.get(purpose, self._candidates if purpose == "cluster" else None)
        return None if found is None or not found.field else found.numbers

    def label_hashes(self) -> Ints:
        """For each number that `labels` gives, a hash of the value, the same in every corpus."""
        if self.origin is not None:
            return self.origin.label_hashes()
        found = self._labels.get("cluster", self._candidates)
        return np.zeros(0, dtype=np.int64) if found is None else found.hashes

    def labels_from(self, first: int, count: int, purpose: str) -> Ints:
        """The same for so many documents from one on, as far as they were read."""
        if self.origin is not None:
            return self.origin.labels_from(first, count, purpose)
        return self._labels[purpose].between(first, first + count)

    def label_names(self, purpose: str) -> tuple[str, ...]:
        """The values that were read, in the order of their numbers."""
        return self.origin.label_names(purpose) if self.origin is not None else self._labels[purpose].names

    @property
    def source_names(self) -> tuple[str, ...]:
        """The name of each source."""
        return tuple(source.name for source in self._sources) if self.origin is None else self.origin.source_names

    def condition_on(self, field: str) -> None:
        """As rows are read, collect the text of another of their fields, which stands before the text."""
        self._contexts = Contexts(field)

    def take_contexts(self, count: int) -> list[bytes]:
        """The contexts of the next documents of those that were read."""
        assert self._contexts is not None, "condition_on comes first"
        return self._contexts.take(count)

    def first_documents(self) -> Ints:
        """For each file or other source that was read, the number of documents before it."""
        if self.origin is not None:
            return self.origin.first_documents()
        begun = np.array(self._begun[:-1], dtype=np.int64)
        return begun if self._files is None else begun[self._files[: len(begun)]]

    def _hashed(self, blocks: Iterator[Block]) -> Iterator[Block]:
        text, boundaries = hashlib.sha256(), hashlib.sha256()
        offset = 0
        for block in blocks:
            text.update(block.data)
            boundaries.update((block.ends + offset).astype("<i8").tobytes())
            offset += len(block.data)
            yield block
        found = (text.hexdigest(), boundaries.hexdigest())
        if self._digests not in (None, found):
            message = f"{self.name} has changed since it was read before; measure a text that is not being written to"
            raise SourceError(message, path=self.name)
        self._digests = found

    def documents(self) -> Iterator[Document]:
        r"""Each document whole; memory must hold the longest one.

        Examples
        --------
        >>> [document.name for document in Corpus.from_text("a\nb\n", docs="line")]
        ['text:1', 'text:2']
        """
        if self._separator is not None:
            yield Document(b"".join(block.data for block in self._read(BLOCK_SIZE)), self.name)
            return
        for source, blocks in self._opened(BLOCK_SIZE):
            numbered = source.kind == "record" or self._docs not in (None, "file")
            begun: list[bytes] = []
            number = 0
            for data, ends in blocks:
                start = 0
                for end in ends.tolist():
                    begun.append(data[start:end])
                    number += 1
                    yield Document(b"".join(begun), f"{source.name}:{number}" if numbered else source.name)
                    begun, start = [], end
                begun.append(data[start:])

    __iter__ = documents

    def fingerprint(self) -> str:
        """SHA-256 of all bytes, in hexadecimal digits: independent of documents and block sizes.

        Free once the corpus has been read to its end; before that, it reads the corpus.
        """
        return self._digest()[0]

    def boundaries(self) -> str:
        """SHA-256 of where the documents end, each as eight bytes, little-endian; in hexadecimal digits."""
        return self._digest()[1]

    def _digest(self) -> tuple[str, str]:
        if self._digests is None:
            for _ in self.blocks():
                pass
        assert self._digests is not None
        return self._digests

    def __repr__(self) -> str:
        size = "" if self.total_bytes is None else f", {self.total_bytes:,} bytes"
        return f"<Corpus {self.name}, docs={self.docs!r}{size}>"


def _bytes_of(text: Any, name: str) -> bytes:
    if isinstance(text, str):
        return encode(text)
    if isinstance(text, bytes | bytearray | memoryview):
        return bytes(text)
    message = f"{name} is {shown(text)}; it must be text: a string or bytes"
    raise InputTypeError(message, value=text)


def _name_of(sources: list[Source]) -> str:
    first = label(sources[0].name)
    return first if len(sources) == 1 else f"{first} and {len(sources) - 1} more"


def _check_docs(sources: list[Source], docs: str | None, field: str | None) -> None:
    plain, rows = (next((s.name for s in sources if s.kind == kind), None) for kind in ("text", "record"))
    if plain is not None and rows is not None and docs not in (None, *JOINED):
        message = (
            f"{plain} is plain text and {rows} holds rows, each of which is a document; docs {docs!r} can be the "
            f"boundaries of one of them only. Make rows of the lines: jq -cR '{{\"{field or 'text'}\": .}}' "
            f"{shlex.quote(plain)} > lines.jsonl"
        )
        raise InputError(message, value=docs)
    for source in sources:
        if source.kind == "record" and docs not in (None, "record", *JOINED):
            message = (
                f"{source.name} holds rows, each of which is a document; docs {docs!r} would measure the syntax around "
                "them. Leave --docs (docs=) out, or say record, or joined for all of them as one"
            )
            raise InputError(message, value=docs)
        if source.kind == "text" and docs == "record":
            message = (
                f"{source.name} is plain text, which has no records; choose --docs (docs=) file, line or blank. "
                "Rows come from .jsonl, .csv, .tsv and .parquet files"
            )
            raise InputError(message, value=docs)
    if field is not None and all(source.kind == "text" for source in sources):
        rows = "rows (jsonl, csv, parquet, datasets)"
        message = f"--field (field=) {field!r} is for {rows}; {sources[0].name} is plain text"
        raise InputError(message, value=field)


def _joined_blocks(blocks: Iterator[Block], separator: bytes) -> Iterator[Block]:
    """All documents as one, with the separator before each but the first."""
    between = False  # whether a document has ended, so that what comes next belongs to another
    for data, ends in blocks:
        if not separator:
            yield Block(data, NO_ENDS)
            continue
        parts: list[bytes] = []
        start = 0
        for end in ends.tolist():
            parts += [separator, data[start:end]] if between else [data[start:end]]
            between, start = True, end
        if start < len(data):
            parts += [separator, data[start:]] if between else [data[start:]]
            between = False
        yield Block(b"".join(parts), NO_ENDS)
    yield Block(b"", END_HERE)


def _merged(blocks: Iterator[Block], size: int) -> Iterator[Block]:
    """Merge small parts and cut large ones; bytes and ends keep their order."""
    parts: list[bytes] = []
    ends: list[Ints] = []
    length = count = 0
    for whole in blocks:
        for data, places in _cut(whole, size):
            if length and (length + len(data) > size or count > size):
                yield _block(parts, ends)
                parts, ends, length, count = [], [], 0, 0
            parts.append(data)
            ends.append(places + length)
            length += len(data)
            count += len(places)
    if length or count:
        yield _block(parts, ends)


def _cut(block: Block, size: int) -> Iterator[Block]:
    """Parts of at most `size` bytes; an end between two parts belongs to the first."""
    data, ends = block
    if len(data) <= size:
        yield block
        return
    done = 0
    for start in range(0, len(data), size):
        piece = data[start : start + size]
        until = int(np.searchsorted(ends, start + len(piece), side="right"))
        yield Block(piece, ends[done:until] - start)
        done = until


def _block(parts: list[bytes], ends: list[Ints]) -> Block:
    return Block(parts[0] if len(parts) == 1 else b"".join(parts), np.concatenate(ends))
