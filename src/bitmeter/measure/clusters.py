"""Which documents belong together: lines of a file or an article, records of a source, sections of one long text."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np

from bitmeter._util.arrays import Ints
from bitmeter._util.check import shown
from bitmeter.errors import ChoiceError, InputError, InputTypeError, RecordError
from bitmeter.measure.aggregates import BlockSums, DocumentSums
from bitmeter.measure.interval.blocks import AlongText
from bitmeter.measure.interval.ratio import FEWEST
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.labels import hash_of
from bitmeter.text.sections import Sections, line_pattern

__all__ = ["CLUSTER", "Clustering", "changed_clusters", "check_cluster"]

#: The values of `cluster` that have a meaning of their own; others are a field of records or the pattern of a line.
CLUSTER = ("auto", "none", "file", "heading")
#: Sections of one text are clusters if they have at least so many blocks on average.
_LEAST_BLOCKS = 4
#: Bytes before the first heading that belong to what follows.
_FRONT = 64
#: Rows that stand for several records are of one cluster if no more than this share of them holds several.
_MOST_MIXED = 0.1


def check_cluster(value: object) -> str:
    """Check the type of the keyword `cluster`."""
    if not isinstance(value, str) or not value:
        message = (
            f"cluster is {shown(value)}; it must be one of {', '.join(map(repr, CLUSTER))}, the name of a field of the "
            "records, or a regular expression for the lines at which articles begin"
        )
        raise (ChoiceError if isinstance(value, str) else InputTypeError)(message, value=value)
    return value


class Clustering:
    """Finds the clusters of a corpus as it is read.

    Parameters
    ----------
    wanted
        The keyword `cluster`.
    corpus
        What is read. It is not read yet.
    """

    def __init__(self, wanted: str, corpus: Corpus) -> None:
        self._wanted, self._corpus = wanted, corpus
        self._is_parts = corpus.docs in ("line", "blank")
        self._sections: Sections | None = None
        self._has_labels = False
        self._kind = "heading"
        if wanted == "file" and not self._is_parts:
            message = (
                f"cluster='file' groups the lines or paragraphs of a file, and here one document is a {corpus.docs}; "
                "leave it out, or add docs='line' or 'blank' (--docs)"
            )
            raise InputError(message, value=wanted)
        if wanted in CLUSTER:
            if wanted in ("auto", "heading") and not corpus.holds_rows:
                self._sections = Sections()
            elif wanted == "auto":
                self._has_labels = True
                corpus.label_by_any(FEWEST)
        elif corpus.holds_rows:
            self._kind = f"field.{wanted}"
            self._has_labels = True
            corpus.label_by(wanted)
        else:
            self._sections = Sections(line_pattern(wanted))
            self._kind = f"regex.{hashlib.sha256(wanted.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"

    def add(self, data: bytes, documents: int) -> None:
        """The next bytes of the text; so many documents have ended before."""
        if self._sections is None:
            return
        if self._wanted == "auto" and not self._is_parts and documents >= FEWEST:
            self._sections = None  # there are documents enough
            return
        self._sections.add(data)

    def finish(self, documents: DocumentSums, blocks: BlockSums) -> tuple[DocumentSums, BlockSums, tuple[str, ...]]:
        """The sums with the clusters in which they lie, and notes."""
        labels = self._corpus.labels() if self._has_labels else None
        if labels is not None and self._wanted != "auto":
            return self._by_label(documents, blocks, labels)
        if labels is not None and len(labels) == int(documents.documents.sum()):
            self._kind = f"field.{self._corpus.label_field}"
            return *self._by_label(documents, blocks, labels)[:2], ()
        if self._sections is not None:
            self._sections.finish()
        starts, kind = self._rows(documents)
        if len(starts):
            numbers = _numbered(starts, len(documents))
            if numbers[-1] + 1 < len(documents):
                return replace(documents, clusters=numbers, kind=kind), blocks, ()
        if not self._is_parts and self._sections is not None and len(documents) < FEWEST:
            offsets = self._sections.headings(FEWEST if self._wanted == "auto" else 1)
            numbers = _numbered(offsets // blocks.size, len(blocks.nats))
            if len(offsets) and len(numbers) and _LEAST_BLOCKS * (numbers[-1] + 1) <= len(numbers):
                return documents, replace(blocks, clusters=numbers, kind=self._kind), ()
        missing = self._wanted not in ("auto", "none")
        return documents, blocks, (self._not_found(),) if missing else ()

    def _rows(self, documents: DocumentSums) -> tuple[Ints, str]:
        """The rows at which clusters of documents begin, and what they are."""
        nothing = np.zeros(0, dtype=np.int64), ""
        if self._wanted == "none":
            return nothing
        files = self._corpus.first_documents()
        if self._is_parts and (self._wanted == "file" or (self._wanted == "auto" and len(files) >= FEWEST)):
            ends = np.cumsum(documents.documents)
            return np.searchsorted(ends, files, side="right"), "file"
        is_whole = not self._is_parts and (self._wanted == "auto" or len(documents) < FEWEST)
        if self._sections is None or is_whole:
            return nothing
        ends = np.cumsum(documents.bytes)
        fewest = FEWEST if self._wanted == "auto" else 1
        offsets = self._sections.headings(fewest)
        if len(offsets):
            # A blank line or a title before the first heading is not a cluster of its own.
            offsets = offsets[1:] if offsets[0] <= _FRONT else offsets
            # A section does not go on in another file.
            others = np.searchsorted(np.cumsum(documents.documents), files[1:], side="right")
            return np.union1d(np.searchsorted(ends, offsets, side="right"), others), self._kind
        if self._wanted == "auto" and len(blanks := self._sections.blanks()) >= FEWEST:
            return np.searchsorted(ends, blanks, side="right"), "blanks"
        return nothing

    def _not_found(self) -> str:
        if self._wanted == "heading":
            return "no headings were found, so each document is a cluster of its own"
        if self._wanted == "file":
            return "each file is one document, so there is nothing to cluster"
        return f"by {self._wanted!r:.60} no two documents belong together, so each is a cluster of its own"

    def _by_label(
        self, documents: DocumentSums, blocks: BlockSums, labels: Ints
    ) -> tuple[DocumentSums, BlockSums, tuple[str, ...]]:
        ends = np.cumsum(documents.documents)
        if len(labels) != (int(ends[-1]) if len(ends) else 0):
            message = (
                f"{self._corpus.name} has no fields to cluster by, so cluster={self._wanted!r:.60} has no meaning; "
                "leave it out, or score rows (jsonl, csv, parquet, datasets) that are not joined to one document"
            )
            raise RecordError(message, path=self._corpus.name)
        if not len(labels):
            return documents, blocks, ()
        first, last = labels[ends - documents.documents], labels[ends - 1]
        if float(np.mean(first != last)) > _MOST_MIXED:
            note = (
                f"{self._wanted} changes within the groups of neighbours by which so many records are summed, so the "
                f"interval is not by {self._wanted}; sort the records by it"
            )
            return documents, blocks, (note,)
        kept, numbers = np.unique(first, return_inverse=True)
        hashes = self._corpus.label_hashes()
        found = replace(documents, clusters=numbers.reshape(-1).astype(np.int64), kind=self._kind, names=hashes[kept])
        without = int(np.count_nonzero(hashes[labels] == hash_of(None)))
        return found, blocks, (_unlabelled(without, len(labels), self._wanted),) if without else ()


def _unlabelled(without: int, of: int, field: str) -> str:
    """That some records are clustered by a value that they do not have."""
    if without == 1:
        return f"1 of {of:,} records has no {field}, and is a cluster of its own"
    return f"{without:,} of {of:,} records have no {field}, and count as one cluster"


def changed_clusters(method: str, parts: list[str]) -> str:
    """That the interval of a sum is by something else than those of its parts, if so; methods are of signatures.

    Examples
    --------
    >>> changed_clusters("serial-clusters(line) 0.95", ["serial-clusters(heading) 0.95", "serial-clusters(line) 0.95"])
    'the interval of the sum is by line, and not by heading, as in a part of it'
    """
    now, *others = (_clusters_of(found) for found in (method, *dict.fromkeys(parts)))
    others = [other for other in others if other not in ("", now)]
    return (
        f"the interval of the sum is by {now}, and not by {' or '.join(others)}, as in a part of it"
        if (now and others)
        else ""
    )


def _clusters_of(method: str) -> str:
    """What the observations of an interval are: "file", "field.source", "block of 64 bytes"; "" if there is none."""
    name, _, kind = method.partition(" ")[0].partition("(")
    kind = kind.removesuffix(")").removesuffix(",learning")
    return f"block of {kind} bytes" if name == AlongText.name else kind


def _numbered(starts: Ints, length: int) -> Ints:
    """For each of so many rows the number of the cluster that began last, counted from 0 without gaps."""
    begun = np.zeros(length, dtype=np.int64)
    if length:
        begun[np.clip(starts, 0, length - 1)] = 1
        begun[0] = 0
    return np.cumsum(begun)
