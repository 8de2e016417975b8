"""The sums of each group of documents, such as the domains of a text: exact, so that groups add up to the whole."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ints
from bitmeter.errors import InputError, RecordError
from bitmeter.measure.aggregates import DocumentSums
from bitmeter.measure.exact import Parts, exact_parts, rounded
from bitmeter.measure.sums import Counted
from bitmeter.text.corpus.corpus import Corpus

__all__ = ["BY_SOURCE", "SCHEMA", "GroupSums", "GroupTotals"]

SCHEMA = "bitmeter.groups/1"
#: The values of `group` that are not the name of a field.
BY_SOURCE = ("file", "folder")
#: The most groups; more are not domains but documents.
_MOST = 100_000
_MOST_CODES = 1 << 31


@dataclass(frozen=True, eq=False)
class GroupSums:
    """Sums and counts of each group, in the order in which they first come in the text.

    Attributes
    ----------
    kind
        By what documents are grouped: "field.domain", "file" or "folder"; two of them, with a comma, for domains
        within sources.
    names
        The value of the field, or the path; with its source before it, if there are two levels.
    exact
        The cost of each in nats, as numbers whose exact sum it is.
    bytes, chars, words, tokens, documents
        Counts; over all groups they are those of the text.
    rows
        The group of each row of `Score.by_document`; None where a row holds documents of several groups.
    sources
        The source of each group, if there are two levels; else empty.
    """

    kind: str
    names: tuple[str, ...]
    exact: tuple[Parts, ...]
    bytes: Ints
    chars: Ints
    words: Ints
    tokens: Ints
    documents: Ints
    rows: Ints | None = None
    sources: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.names)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, GroupSums):
            return NotImplemented
        names = [f.name for f in fields(self) if f.name != "exact"]
        same = all(np.array_equal(getattr(self, name), getattr(other, name)) for name in names)
        return same and self.exact == other.exact

    def __hash__(self) -> int:
        return hash((self.kind, self.names, self.exact))

    @property
    def nats(self) -> Floats:
        """The cost of each, rounded once."""
        return np.array([rounded(parts) for parts in self.exact])

    def to_dict(self) -> dict[str, Any]:
        """All of it, ready for JSON; infinity is the string "inf"."""
        counts = {name: getattr(self, name).tolist() for name in ("bytes", "chars", "words", "tokens", "documents")}
        return {
            "schema": SCHEMA,
            "kind": self.kind,
            "names": list(self.names),
            "exact": [[value if np.isfinite(value) else "inf" for value in parts] for parts in self.exact],
            **counts,
            **({} if self.rows is None else {"rows": self.rows.tolist()}),
            **({"sources": list(self.sources)} if self.sources else {}),
        }


class GroupTotals:
    """Running sums of groups over a text that arrives in batches.

    Parameters
    ----------
    wanted
        The keyword `group`.
    corpus
        What is read. It is not read yet.
    """

    def __init__(self, wanted: str, corpus: Corpus) -> None:
        self._wanted, self._corpus = wanted, corpus
        levels = wanted.split(",")
        if len(levels) > 2 or len(set(levels)) < len(levels) or not all(levels):
            message = (
                f"group is {wanted!r:.60}; it must be one field, or that of sources and that of their domains with a "
                "comma between them, such as source,domain (--group)"
            )
            raise InputError(message, value=wanted)
        self._levels = dict(zip(("source", "group")[-len(levels) :], levels, strict=True))
        for purpose, level in self._levels.items():
            self._begin(level, purpose)
        self._logs: list[_core.ExactSums] = []
        self._counts = np.zeros((0, 6), dtype=np.int64)  # bytes, chars, words, tokens, documents, impossible
        self._folders: dict[str, int] = {}
        #: Of two levels: the number of each pair, in the order of the text.
        self._pairs: dict[tuple[int, int], int] = {}

    def _begin(self, level: str, purpose: str) -> None:
        corpus = self._corpus
        if level in BY_SOURCE:
            if corpus.docs.startswith("joined"):
                message = "all files are joined to one document, so they are no groups; leave docs out (--docs)"
                raise InputError(message, value=level)
        elif not corpus.holds_rows:
            message = (
                f"{corpus.name} is plain text, which has no field {level!r:.60}; group by 'file' or 'folder' (--group)"
            )
            raise InputError(message, value=level)
        else:
            corpus.label_by(level, purpose)

    def add(self, counted: Counted, first: int, counts: Ints) -> None:
        """Add a batch whose first document has this number; `counts` has the characters and words of ended ones."""
        batch, bounds, logs = counted.batch, counted.scored.split.bounds, counted.scored.logprobs
        size = len(bounds) - 1
        if not size:
            return
        numbers = self._numbers(first, size)
        self._grow(int(numbers.max()) + 1)
        # Sums are exact, so neighbours of one group may be added at once, in whatever order.
        edges = np.concatenate([[0], np.flatnonzero(np.diff(numbers)) + 1, [size]])
        for begin, end in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
            self._logs[int(numbers[begin])].add(logs, bounds[[begin, end]])
        of_unit, ended = np.repeat(numbers, np.diff(bounds)), len(batch.ends)
        sizes = np.diff(np.concatenate([[0], batch.ends, [len(batch.data)]]))[:size]
        np.add.at(self._counts[:, 0], numbers, sizes)
        np.add.at(self._counts, (numbers[:ended, None], np.array([[1, 2]])), counts[:ended, 1:])
        np.add.at(self._counts[:, 3], of_unit, ~(counted.skipped | counted.scored.blank))
        np.add.at(self._counts[:, 4], numbers[:ended], 1)
        np.add.at(self._counts[:, 5], of_unit, np.isneginf(logs))

    def _grow(self, size: int) -> None:
        if size > _MOST:
            message = (
                f"{self._corpus.name} has more than {_MOST:,} values of {self._wanted}; group by a field with fewer "
                "values (--group), or read costs by document from the saved run"
            )
            raise RecordError(message, path=self._corpus.name)
        more = size - len(self._logs)
        if more > 0:
            self._logs += [_core.ExactSums(1) for _ in range(more)]
            self._counts = np.concatenate([self._counts, np.zeros((more, 6), dtype=np.int64)])

    def _numbers(self, first: int, size: int) -> Ints:
        """The groups of successive documents."""
        found = [self._of_level(level, purpose, first, size) for purpose, level in self._levels.items()]
        if len(found) == 1:
            return found[0]
        codes = found[0] * _MOST_CODES + found[1]
        first_of, inverse = np.unique(codes, return_index=True, return_inverse=True)[1:]
        numbers = np.empty(len(first_of), dtype=np.int64)
        for k in np.argsort(first_of).tolist():  # in the order in which they come
            pair = int(found[0][first_of[k]]), int(found[1][first_of[k]])
            numbers[k] = self._pairs.setdefault(pair, len(self._pairs))
        return np.asarray(numbers[inverse.reshape(-1)])

    def _of_level(self, level: str, purpose: str, first: int, size: int) -> Ints:
        if level not in BY_SOURCE:
            found = self._corpus.labels_from(first, size, purpose)
            if len(found) != size:
                message = f"{self._corpus.name} has no field {level!r:.60} to group by; choose another (--group)"
                raise RecordError(message, path=self._corpus.name)
            return found
        begun = self._corpus.first_documents()
        source = np.searchsorted(begun, np.arange(first, first + size), side="right") - 1
        return source if level == "file" else self._of_folder()[source]

    def _of_folder(self) -> Ints:
        folders = [os.path.dirname(name) or "." for name in self._corpus.source_names]
        return np.array([self._folders.setdefault(folder, len(self._folders)) for folder in folders], dtype=np.int64)

    def _level_names(self, level: str, purpose: str) -> tuple[str, ...]:
        if level == "file":
            return self._corpus.source_names
        return tuple(self._folders) if level == "folder" else self._corpus.label_names(purpose)

    def _names(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The name of each group, and of its source if there are two levels."""
        found = [self._level_names(level, purpose) for purpose, level in self._levels.items()]
        if len(found) == 1:
            return found[0], ()
        names = [f"{found[0][source]}/{found[1][domain]}" for source, domain in self._pairs]
        times = Counter(names)  # "a/b" with "c", and "a" with "b/c"
        shown = tuple(
            name if times[name] == 1 else f"{name} ({source}, {domain})"
            for name, (source, domain) in zip(names, self._pairs, strict=True)
        )
        return shown, tuple(found[0][source] for source, _ in self._pairs)

    def finish(self, documents: DocumentSums) -> GroupSums:
        """The sums of groups, with the rows of the sums by document that belong to each."""
        names, sources = self._names()
        self._grow(len(names))
        exact = tuple(
            (np.inf,) if impossible else exact_parts((-logs.parts()).tolist())
            for logs, impossible in zip(self._logs, self._counts[:, 5].tolist(), strict=True)
        )
        total = int(documents.documents.sum())
        numbers = self._numbers(0, total) if total else np.zeros(0, dtype=np.int64)
        rows: Ints | None = numbers
        if documents.sizes is not None:
            ends = np.cumsum(documents.documents)
            same = np.diff(np.concatenate([[0], np.cumsum(np.diff(numbers, prepend=numbers[0]) != 0)]))
            last, begin = numbers[ends - 1], ends - documents.documents
            changes = np.add.reduceat(same, begin) - same[begin]
            rows = None if changes.any() else last
        table = np.ascontiguousarray(self._counts[:, :5].T)
        some = np.flatnonzero(self._counts[:, 4] > 0)
        if len(some) < len(names):  # a file without a document is no group
            renumbered = np.cumsum(self._counts[:, 4] > 0) - 1
            rows = None if rows is None else renumbered[rows]
            table = np.ascontiguousarray(table[:, some])
            names, exact = tuple(names[k] for k in some), tuple(exact[k] for k in some)
            sources = tuple(sources[k] for k in some) if sources else ()
        kind = ",".join(level if level in BY_SOURCE else f"field.{level}" for level in self._levels.values())
        size, chars, words, tokens, number = table
        return GroupSums(kind, names, exact, size, chars, words, tokens, number, rows, sources)
