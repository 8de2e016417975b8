"""overlap(): how much of a text stands in a corpus, or twice in itself, and where it comes from."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.arrays import Ints
from bitmeter._util.asking import ask
from bitmeter._util.check import integer
from bitmeter._util.files import label
from bitmeter._util.jobs import Executor, PartsStep, Report, Task
from bitmeter._util.leftovers import temporary_folder
from bitmeter._util.progress import Progress, Step, as_progress
from bitmeter.errors import InputError
from bitmeter.measure.overlap.counting import Joined, Runs, covered, extending, join, runs_of
from bitmeter.measure.overlap.index import OverlapIndex, as_index, is_index
from bitmeter.measure.overlap.result import Overlap, OverlapMatch, OverlapSource
from bitmeter.models.ngram.estimate.memory import Allowance
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import Units
from bitmeter.text.units.named import units_of

__all__ = ["LENGTHS", "default_length", "overlap"]

#: How long a match must be by default: 50 bytes, as in the report on GPT-4; else 13 units, as the words of GPT-3's.
LENGTHS = {"bytes": 50, "chars": 50, "": 13}
#: Lengths at which the coverage is given as well.
_CURVE = {"bytes": (16, 32, 64, 128, 256, 512, 1024), "": (4, 8, 16, 32, 64, 128)}
#: Bytes of documents that are matched at once, as long as a document is not longer.
_BATCH = 1 << 22
_EXCERPT = 60


def default_length(unit: str) -> int:
    """How many units a match must hold by default.

    Examples
    --------
    >>> default_length("bytes"), default_length("words")
    (50, 13)
    """
    return LENGTHS.get(unit, LENGTHS[""])


def overlap(
    text: Any,
    corpus: Any = None,
    *,
    length: int | None = None,
    unit: str | Units = "bytes",
    docs: str | None = None,
    field: str | None = None,
    in_docs: str | None = None,
    in_field: str | None = None,
    top: int = 10,
    memory: Any = None,
    temp: Any = None,
    threads: int = 1,
    progress: Progress | None = None,
    workers: int | None = None,
    engine: str = "local",
    address: str | None = None,
) -> Overlap:
    r"""How much of a text stands in a corpus word for word: contamination. Without a corpus, in itself: duplication.

    A match is a string of bytes that stands in one document of the text and in one of the corpus. A unit is covered if
    it lies in a match that holds at least `length` whole units. Nothing is normalised: case and white space count.

    Parameters
    ----------
    text
        As for `score`: a path, bytes (the text itself), a Corpus.
    corpus
        The same, or an `OverlapIndex`, or the path of one. None: the text itself, in which a byte does not match
        itself; `text` may then be an index.
    length
        The least match, in units: 50 bytes or characters, 13 of any other unit.
    unit
        "bytes", "words", "tokenizer:FILE" or any other name of units, or units. Those of the text are counted.
    docs, field
        As for `score`, for the text.
    in_docs, in_field
        The same for the corpus.
    top
        How many matches and sources to keep.
    memory, temp
        As for `OverlapIndex.build`.
    threads
        How many to use; 0 for all of the machine's. The figures are the same.
    progress
        Called now and then.
    workers, engine, address
        How many processes look for matches, and whose: of this machine ("local"), or of Ray ("ray", at an address).
        One builds the index, in the folder `temp`, unless it is given. The figures are the same.

    Examples
    --------
    >>> import bitmeter as bm
    >>> corpus = bm.Corpus.from_documents(["to be or not to be, that is the question", "a rose is a rose"])
    >>> bm.overlap(b"or not to be that is", corpus, unit="words", length=4).covered
    4
    >>> bm.overlap(bm.Corpus.from_documents(["one two three", "zero one two three"]), length=8).coverage
    0.8387096774193549
    """
    kept = integer(top, "top", low=0, high=1 << 20)
    many = integer(threads, "threads", low=0, high=1024)
    units = units_of(unit)
    least = default_length(units.name) if length is None else integer(length, "length", low=1)
    report = as_progress(progress)
    shared = engine != "local" or (workers or 1) > 1
    if shared and corpus is None:
        message = "duplication within a text is measured by one process, with threads; leave --workers and --engine out"
        raise InputError(message)
    if corpus is None:
        if (in_docs, in_field) != (None, None):
            message = "in_docs and in_field are for the corpus, and none is given; use docs and field"
            raise InputError(message)
        index = as_index(text, docs, field, memory, temp, progress)
        state = _Run(index, units, least, kept, many, report, index.bytes)
        for joined, names, own in _own_batches(index):
            state.take(joined, names, own)
        return state.result(index.name, "")
    source = Corpus.of(text, docs=docs, field=field)  # before the work: it may be missing
    keywords = {"docs": in_docs, "field": in_field, "memory": memory, "temp": temp, "progress": progress}
    with _index(corpus, keywords, shared=shared) as index:
        state = _Run(index, units, least, kept, many, report, source.total_bytes)
        if shared:
            with ask("an executor", workers, engine, address) as executor:
                _take_shared(state, source, executor)
        else:
            for joined, names in _batches(source):
                state.take(joined, names, -1)
        return state.result(source.name, index.name)


@contextlib.contextmanager
def _index(corpus: Any, keywords: dict[str, Any], *, shared: bool) -> Iterator[OverlapIndex]:
    """The index; one that is to be shared with other processes has a file."""
    if not shared or isinstance(corpus, OverlapIndex) or is_index(corpus):
        found = as_index(corpus, **keywords)
        if shared and found.path is None:
            message = "this index is a temporary one of this process; save it to a file, or leave --workers out"
            raise InputError(message)
        yield found
        return
    allowance = Allowance.of(keywords["memory"], keywords["temp"])
    with temporary_folder(allowance.folder) as folder:
        yield OverlapIndex.build(corpus, folder / "corpus.bmx", **keywords)


def _take_shared(state: _Run, source: Corpus, executor: Executor) -> None:
    """Batches of documents by several processes, joined in their order."""
    path = str(Path(state.index.path or "").absolute())
    waiting: dict[int, _Run] = {}
    sizes: dict[int, int] = {}

    def tasks() -> Iterator[Task]:
        for number, (text, names) in enumerate(_batches(source)):
            sizes[number] = len(text.data)
            arguments = (path, state.units, state.length, state.top, text, names)
            yield Task(number, match_batch, arguments, names[0])

    joined = 0
    for ended in executor.run(tasks(), _ignore):
        waiting[ended.number] = ended.result()
        state.advance(sizes.pop(ended.number), executor)
        while joined in waiting:
            state.join(waiting.pop(joined))
            joined += 1


#: The index of this process.
_opened: dict[str, OverlapIndex] = {}


def match_batch(path: str, units: Units, length: int, top: int, text: Joined, names: list[str], report: Report) -> _Run:
    """The matches of a batch of documents in the corpus of an index, without the index."""
    if path not in _opened:
        _opened.clear()
        _opened[path] = OverlapIndex.open(path)
    state = _Run(_opened[path], units, length, top, 1, _ignore_step, None)
    state.take(text, names, -1)
    state.index = None  # type: ignore[assignment]
    return state


def _ignore(number: int, more: float) -> None:
    """Batches are small."""


def _ignore_step(step: Step) -> None:
    """The caller reports."""


def _batches(corpus: Corpus) -> Iterator[tuple[Joined, list[str]]]:
    documents: list[bytes] = []
    names: list[str] = []
    size = 0
    for document in corpus.documents():
        documents.append(document.data)
        names.append(label(document.name))
        size += len(document.data) + 1
        if size >= _BATCH:
            yield join(documents), names
            documents, names, size = [], [], 0
    if documents:
        yield join(documents), names


def _own_batches(index: OverlapIndex) -> Iterator[tuple[Joined, list[str], int]]:
    """The documents of an index, and where each batch begins in it."""
    text, ends = index._core.text, index._ends
    first = begin = 0
    while first < len(ends):
        last = max(first + 1, int(np.searchsorted(ends, begin + _BATCH)))
        stops = ends[first:last] - begin
        starts = np.concatenate(([0], stops[:-1] + 1))
        names = [index.document_name(document) for document in range(first, last)]
        yield Joined(np.ascontiguousarray(text[begin : begin + int(stops[-1])]), starts, stops), names, begin
        begin, first = int(ends[last - 1]) + 1, last


@dataclass(slots=True)
class _Columns:
    """Figures of documents, batch by batch."""

    bytes: list[Ints] = field(default_factory=list)
    units: list[Ints] = field(default_factory=list)
    covered: list[Ints] = field(default_factory=list)
    longest: list[Ints] = field(default_factory=list)


class _Run:
    """Sums over batches of documents."""

    def __init__(
        self,
        index: OverlapIndex,
        units: Units,
        length: int,
        top: int,
        threads: int,
        report: Progress,
        total: int | None,
    ) -> None:
        self.index, self.units, self.length, self.top, self.threads = index, units, length, top, threads
        self.report, self.total, self.done = report, total, 0
        lengths = _CURVE["bytes"] if units.name in ("bytes", "chars") else _CURVE[""]
        self.curve = dict.fromkeys(sorted({*lengths, length}), 0)
        self.columns = _Columns()
        self.names: list[str] = []
        self.origins: list[str] = []
        self.matches: list[OverlapMatch] = []
        self.sources: dict[int, list[int]] = {}

    def take(self, text: Joined, names: list[str], own: int) -> None:
        lengths = self.index._lengths(text.data, own, self.threads, self._watch())
        runs = runs_of(text, lengths, self.units)
        for length in self.curve:
            self.curve[length] += int(covered(runs.sizes, length)[0].sum())
        inside, reach = covered(runs.sizes, self.length)
        sums = np.concatenate(([0], np.cumsum(inside)))
        hits = np.diff(sums[runs.bounds])
        self.columns.bytes.append(text.stops - text.starts)
        self.columns.units.append(np.diff(runs.bounds))
        self.columns.covered.append(hits)
        # Each document has its separator, or the zero at the end, so that none is empty.
        longest = np.maximum.reduceat(np.append(lengths, np.uint32(0)), text.starts).astype(np.int64)
        self.columns.longest.append(longest)
        self.names += names
        self._locate(text, names, runs, reach, own)
        self._origins(text, lengths, longest, hits, own)

    def _watch(self) -> Callable[[int], None]:
        return self.advance

    def advance(self, more: int, executor: Executor | None = None) -> None:
        self.done += more
        step = Step(self.done, self.total, stage="matching")
        if executor is not None:
            step = PartsStep(self.done, self.total, stage="matching", **executor.state())
        self.report(step)

    def join(self, other: _Run) -> None:
        """Add what was found in the documents that follow."""
        for length, units in other.curve.items():
            self.curve[length] += units
        self.columns.bytes += other.columns.bytes
        self.columns.units += other.columns.units
        self.columns.covered += other.columns.covered
        self.columns.longest += other.columns.longest
        self.names += other.names
        self.origins += other.origins
        for document, (units, matches) in other.sources.items():
            entry = self.sources.setdefault(document, [0, 0])
            entry[0] += units
            entry[1] += matches
        self._keep(other.matches)

    def _locate(self, text: Joined, names: list[str], runs: Runs, reach: Ints, own: int) -> None:
        """Where the matches come from that make up what is covered."""
        first, more = extending(runs.sizes, self.length, reach)
        last = first + runs.sizes[first] - 1
        places = runs.starts[first]
        sizes = runs.stops[last] - places
        found = self.index._first(text.data, places, sizes, own)
        documents = np.searchsorted(self.index._ends, found)
        for document, units in zip(documents.tolist(), more.tolist(), strict=True):
            entry = self.sources.setdefault(document, [0, 0])
            entry[0] += units
            entry[1] += 1
        order = np.argsort(-sizes, kind="stable")
        taken: list[tuple[int, int]] = []
        matches: list[OverlapMatch] = []
        for i in order.tolist():
            if len(taken) >= self.top:
                break
            start, stop = int(places[i]), int(places[i] + sizes[i])
            if any(start < end and begin < stop for begin, end in taken):
                continue
            taken.append((start, stop))
            document = int(np.searchsorted(text.stops, start))
            source, offset = self.index.place(int(found[i]))
            matches.append(
                OverlapMatch(
                    names[document], start - int(text.starts[document]), stop - start, int(runs.sizes[first[i]]),
                    source, offset, _excerpt(text.data[start:stop]),
                )
            )  # fmt: skip
        self._keep(matches)

    def _keep(self, matches: list[OverlapMatch]) -> None:
        self.matches += matches
        self.matches.sort(key=lambda match: -match.bytes)
        del self.matches[self.top :]

    def _origins(self, text: Joined, lengths: NDArray[np.uint32], longest: Ints, hits: Ints, own: int) -> None:
        """Where the longest match of each document that has one stands."""
        origins = [""] * len(hits)
        some = np.flatnonzero(hits)
        places = [
            int(start) + int(np.argmax(lengths[start:stop]))
            for start, stop in zip(text.starts[some].tolist(), text.stops[some].tolist(), strict=True)
        ]
        found = self.index._first(text.data, np.array(places, dtype=np.int64), longest[some], own)
        documents = np.searchsorted(self.index._ends, found)
        for place, document in zip(some.tolist(), documents.tolist(), strict=True):
            origins[place] = self.index.document_name(document)
        self.origins += origins

    def result(self, text: str, corpus: str) -> Overlap:
        columns = self.columns
        sizes, units, hits, longest = (
            np.concatenate(column) if column else np.zeros(0, dtype=np.int64)
            for column in (columns.bytes, columns.units, columns.covered, columns.longest)
        )
        ranked = sorted(self.sources.items(), key=lambda item: (-item[1][0], item[0]))[: self.top]
        return Overlap(
            text=text, corpus=corpus, unit=self.units.name, length=self.length, bytes=int(sizes.sum()),
            units=int(units.sum()), covered=int(hits.sum()), longest=int(longest.max(initial=0)),
            curve=tuple(self.curve.items()), names=tuple(self.names), document_bytes=sizes, document_units=units,
            document_covered=hits, document_longest=longest, document_sources=tuple(self.origins),
            matches=tuple(self.matches),
            sources=tuple(OverlapSource(self.index.document_name(d), *found) for d, found in ranked),
        )  # fmt: skip


def _excerpt(data: NDArray[np.uint8]) -> str:
    text = data[: 4 * _EXCERPT].tobytes().decode("utf-8", "replace")
    return label(text[:_EXCERPT])
