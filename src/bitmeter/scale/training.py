"""Counting the n-grams of a text by several processes.

The text is split, counted and sorted in parts, and merged in partitions; see `models/ngram/estimate/parts.py`. What
comes after it is done in slices by the same processes (`slices.py`), or for a smoothing that is not by the threads of
this process. The model is the one that a single process makes, to the last byte.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.files import read_whole, replacing, unwritten
from bitmeter._util.jobs import Executor, Task
from bitmeter._util.leftovers import lock, temporary_folder
from bitmeter._version import __version__
from bitmeter.errors import EmptyError, FileFormatError, InputError, RecordError, SourceError
from bitmeter.filter.receipts import digest_of
from bitmeter.models.ngram.estimate import parts
from bitmeter.models.ngram.estimate.slices import Slices
from bitmeter.scale.scoring import Part, parts_of
from bitmeter.scale.slices import estimate_in_slices
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.cuts import file_size
from bitmeter.text.corpus.normalise import normalised
from bitmeter.text.formats import is_url

__all__ = ["Counted", "count_in_parts"]

#: Parts are of a size at which each process has several, within these bounds.
_LEAST, _MOST, _PER_WORKER = 1 << 20, 256 << 20, 4
#: Partitions per process, so that none waits long for another, and the most n-grams of one.
_PARTITIONS, _MOST_NGRAMS = 4, 1 << 26
_MARK = "job.json"


@dataclass(frozen=True)
class Counted:
    """A text that was counted in parts.

    Attributes
    ----------
    estimation
        It knows the words and their counts.
    gaps
        What stands between words; None for other units.
    rare
        The rarest words, for the model of their spelling.
    files
        The merged partitions of the n-grams, in order.
    estimate
        Estimates the model in slices, once `estimation.begin` was called; None for a model of single units.
    """

    estimation: _core.NgramEstimation
    gaps: _core.GapCounts | None
    rare: bytes
    files: list[str]
    estimate: Callable[[], None] | None = None


@contextlib.contextmanager
def count_in_parts(
    corpus: Corpus,
    settings: Any,
    begin: Callable[[], tuple[_core.NgramEstimation, _core.GapCounts | None]],
    executor: Executor,
    work: Any,
    report: Callable[[str, float], None],
    part_bytes: int | None = None,
) -> Iterator[Counted]:
    """The counts of a text; files between the stages in a folder of one's own stay until `remove_work`.

    Parameters
    ----------
    corpus
        The sentences, normalised or not.
    settings
        Of the estimation: `models.ngram.estimate.fit.Settings`.
    begin
        Makes an estimation without a text.
    executor
        Who does it.
    work
        A folder for the files between the stages, from which an interrupted run goes on; None for a temporary one.
    report
        Called with a stage and a share.
    part_bytes
        About how many bytes of files a part has; None for a size by the number of workers.
    """
    plain = corpus.origin or corpus
    _check(plain, settings)
    with _folder(work, settings.allowance.folder) as folder:
        job = _Job(plain, settings, executor, folder, report, part_bytes)
        try:
            yield job.count(*begin())
        except (InputError, RecordError) as error:
            # The text is refused, or has no sentence: no command goes on from here.
            if work is not None and (job.refused or isinstance(error, EmptyError)):
                parts.remove_work(folder)
            raise


def _check(corpus: Corpus, settings: Any) -> None:
    leave = "leave --workers and --engine out"
    if not all(source.path for source in corpus.sources):
        message = (
            f"{corpus.name} cannot be shared among processes: it is in memory, a stream, or of a format that one "
            f"process reads from beginning to end, such as CSV; save it as text, JSON lines or Parquet, or {leave}"
        )
        raise InputError(message, value=corpus.name)
    if corpus.docs.startswith("joined"):
        message = f"--docs {corpus.docs} makes one sentence of all, which only one process can read; {leave}"
        raise InputError(message, value=corpus.docs)


@contextlib.contextmanager
def _folder(work: Any, temporary: str) -> Iterator[Path]:
    """Where the files between the stages are, which no other process may use meanwhile."""
    if work is None:
        with temporary_folder(temporary) as found:
            yield found
        return
    folder = Path(os.path.abspath(os.fspath(work)))
    try:
        folder.mkdir(parents=True, exist_ok=True)
        strangers = [name for name in os.listdir(folder) if name not in (_MARK, "lock")]
        if strangers and not (folder / _MARK).is_file():
            message = f"{folder} holds other files, such as {strangers[0]}; name a new folder, or remove it"
            raise FileFormatError(message, value=str(folder))
        file = os.open(folder / "lock", os.O_RDWR | os.O_CREAT, 0o644)
    except FileFormatError:
        raise
    except OSError as error:
        raise unwritten(folder, error) from error
    try:
        if lock(file) is False:
            message = f"another training uses {folder}; wait until it is done, or name another output"
            raise FileFormatError(message, value=str(folder))
        yield folder
    finally:
        os.close(file)


class _Job:
    """The stages, each of which goes on from the receipts of an interrupted run."""

    def __init__(
        self, corpus: Corpus, settings: Any, executor: Executor, folder: Path,
        report: Callable[[str, float], None], part_bytes: int | None,
    ) -> None:  # fmt: skip
        self._corpus, self._settings, self._executor, self._folder = corpus, settings, executor, folder
        self._report, self._stamps = report, _stamps(corpus)
        self.refused = False  # the text, when it was read
        sizes = [file_size(source) for source in corpus.sources]
        share = settings.allowance.memory // executor.workers
        size = part_bytes or min(
            _MOST, max(_LEAST, share // 8), max(_LEAST, sum(sizes) // (_PER_WORKER * executor.workers))
        )
        # A task holds its slice in memory: of each order some 24 bytes for each n-gram, all of which may be different.
        most = max(1 << 16, min(_MOST_NGRAMS, share // (24 * max(1, settings.order))))
        self._key, self._size, self._partitions, self._most = self._resumed(size, _PARTITIONS * executor.workers, most)
        self._cut = corpus.in_parts(self._size)
        self._parts: list[Part] = parts_of(self._cut, self._size)
        # Each process has its share of the memory.
        allowance = type(settings.allowance)(max(share, 1 << 26), settings.allowance.folder)
        self._sent = replace(settings, threads=1, allowance=allowance)
        self._sort_bytes = allowance.memory // 2

    def _resumed(self, size: int, partitions: int, most: int) -> tuple[str, int, int, int]:
        """The key of the job, and the cuts of an earlier run of the same job, whose receipts are used."""
        values = {part.name: getattr(self._settings, part.name) for part in fields(self._settings)}
        settings = {
            **{name: repr(value) for name, value in values.items() if name not in ("threads", "allowance", "units")},
            "units": "" if values["units"] is None else values["units"].fingerprint,
            "docs": self._corpus.docs, "version": __version__, "texts": self._stamps,
        }  # fmt: skip
        key = digest_of(settings)
        mark = self._folder / _MARK
        if mark.is_file():
            try:
                found = json.loads(read_whole(mark))
                if found["key"] == key:
                    return key, int(found["part_bytes"]), int(found["partitions"]), int(found["most_ngrams"])
            except (OSError, ValueError, KeyError, TypeError) as error:
                message = f"{mark} cannot be read ({error}); remove {self._folder}, and start again"
                raise FileFormatError(message, value=str(mark)) from error
            for path in self._folder.iterdir():  # of another job, of which nothing can be used
                if parts.is_own(path.name) and path.name != "lock":
                    path.unlink()
        with replacing(mark, force=True) as draft:
            about = {"key": key, "part_bytes": size, "partitions": partitions, "most_ngrams": most}
            draft.write_text(json.dumps(about))
        return key, size, partitions, most

    def count(self, estimation: _core.NgramEstimation, gaps: _core.GapCounts | None) -> Counted:
        """All of it."""
        order = self._settings.order
        split = self._stage("split", "reading the text", self._splits(), [part.size for part in self._parts])
        if _stamps(self._corpus) != self._stamps:
            message = f"{self._corpus.name} has changed while it was read; train on a text that is not being written to"
            raise SourceError(message, path=self._corpus.name)
        rare = self._join_vocabularies(estimation, gaps, split)
        if order == 1:
            return Counted(estimation, gaps, rare, [])
        counts = estimation.counts()
        words = len(counts)
        cuts = cuts_of(counts, max(self._partitions, int(counts.sum()) // self._most))
        self._save("cuts.npy", cuts)
        most = max(1 << 16, self._sort_bytes // _core.ngram_key_bytes(words, order))
        sort = (
            Task(
                number, parts.sort_part,
                (str(self._folder), number, self._key, split[number]["files"][f"ids-{number}.npy"], words, order, most),
                self._name(number),
            )
            for number in range(len(self._parts))
        )  # fmt: skip
        done = self._stage("sort", "sorting n-grams", sort, [part.size for part in self._parts])
        self._remove(f"ids-{number}.npy" for number in range(len(self._parts)))
        for number in range(len(self._parts)):
            estimation.add_chain(done[number]["chain"], done[number]["times"])
        runs = [run for number in range(len(self._parts)) for run in done[number]["runs"]]
        merge = (
            Task(
                number, parts.merge_partition, (str(self._folder), number, self._key, runs, words, order),
                f"partition {number + 1} of {len(cuts) - 1}",
            )
            for number in range(len(cuts) - 1)
        )  # fmt: skip
        self._stage("merge", "merging n-grams", merge, [1] * (len(cuts) - 1))
        self._remove(runs)
        smoothing = self._settings.smoothing
        slices = Slices(
            str(self._folder), self._key, words, order, smoothing.core_name, smoothing.parameter, self._settings.prune,
            estimation.closed,
        )  # fmt: skip
        return Counted(
            estimation, gaps, rare, [str(self._folder / f"merged-{p}") for p in range(len(cuts) - 1)],
            lambda: estimate_in_slices(estimation, slices, len(cuts) - 1, self._stage, self._remove),
        )  # fmt: skip

    def _remove(self, names: Iterable[str]) -> None:
        """What only tasks read that all have receipts, so that the disk need not hold all stages at once."""
        for name in names:
            (self._folder / name).unlink(missing_ok=True)

    def _name(self, number: int) -> str:
        return self._cut.part(self._parts[number].start, self._parts[number].stop).name

    def _splits(self) -> Iterable[Task]:
        for number, part in enumerate(self._parts):
            text = self._cut.part(part.start, part.stop)
            arguments = (text, self._sent, str(self._folder), number, self._key, part.size)
            yield Task(number, parts.split_part, arguments, text.name)

    def _stage(
        self, name: str, title: str, tasks: Iterable[Task], sizes: list[int], key: str | None = None
    ) -> dict[int, parts.Receipt]:
        """The receipts of all tasks of a stage; those that are there already are not done again."""
        found: dict[int, parts.Receipt] = {}
        reported: dict[int, float] = {}
        total, finished = max(1, sum(sizes)), 0.0

        def missing() -> Iterator[Task]:
            nonlocal finished
            for task in tasks:
                receipt = parts.read_receipt(self._folder, f"{name}-{task.number}", key or self._key)
                if receipt is None:
                    yield task
                else:
                    found[task.number] = receipt
                    finished += sizes[task.number]

        def advance(number: int, more: float) -> None:
            reported[number] = min(float(sizes[number]), reported.get(number, 0.0) + more)
            self._report(title, min(1.0, (finished + sum(reported.values())) / total))

        self._report(title, 0.0)
        for ended in self._executor.run(missing(), advance):
            try:
                found[ended.number] = ended.result()
            except (InputError, RecordError, SourceError) as error:
                if name == "split":
                    self.refused = True
                    self._same_error()
                raise error
            reported.pop(ended.number, None)
            finished += sizes[ended.number]
            self._report(title, min(1.0, (finished + sum(reported.values())) / total))
        return found

    def _same_error(self) -> None:
        """Raise what one process would of the whole text: sentences and lines are counted from its beginning."""
        from bitmeter.models.ngram.estimate.fit import read_text

        settings = self._settings
        text = self._corpus if settings.norm == "none" else normalised(self._corpus, settings.norm)
        read_text(text, settings, _ignore)

    def _join_vocabularies(
        self, estimation: _core.NgramEstimation, gaps: _core.GapCounts | None, split: dict[int, parts.Receipt]
    ) -> bytes:
        """Number the words of the whole text as they first come in it, and say to each part what its ids are.

        Gives the rarest words. A file is written once, since a process that an interrupted run left may read it.
        """
        chosen = self._settings.vocabulary.chosen
        for number in range(len(self._parts)):
            words, ends, counts = parts.vocabulary_of(self._folder, number, split[number])
            try:
                found = estimation.adopt(words, ends, counts)
            except ValueError as error:
                message = f"the words of {self._name(number)} cannot be joined with the others: {error}"
                raise InputError(message) from error
            self._save(f"{'adopted' if chosen else 'numbers'}-{number}.npy", found)
            if gaps is not None:
                gaps.add(*parts.gaps_of(split[number]))
        estimation.finish()
        rare = estimation.rare_words() if gaps is not None else b""
        if chosen:
            self._settings.vocabulary.apply(estimation)
            settled = estimation.settled()
            for number in range(len(self._parts)):
                found = np.load(self._folder / f"adopted-{number}.npy", allow_pickle=False)
                self._save(f"numbers-{number}.npy", settled[found])
        return rare

    def _save(self, name: str, numbers: NDArray[np.uint32]) -> None:
        with replacing(self._folder / name, force=True) as draft, draft.open("wb") as file:
            np.save(file, numbers, allow_pickle=False)


def _stamps(corpus: Corpus) -> list[tuple[str, int, int]]:
    """By what a change of the files shows."""
    found = []
    for source in corpus.sources:
        about = None if is_url(source.path) else os.stat(source.path)
        found.append((source.path, -1 if about is None else about.st_size, -1 if about is None else about.st_mtime_ns))
    return found


def cuts_of(counts: NDArray[np.uint64], partitions: int) -> NDArray[np.uint32]:
    """The first word of each partition, about equally many n-grams begin in each; then the number of words.

    Examples
    --------
    >>> cuts_of(np.array([0, 0, 4, 4, 1, 1, 2, 4], dtype=np.uint64), 3).tolist()
    [0, 4, 6, 8]
    """
    weights = counts.astype(np.int64)
    weights[1], weights[2] = weights[2], 0  # sentences begin as often as they end
    sums = np.cumsum(weights)
    wanted = sums[-1] * np.arange(1, partitions) // partitions
    inner = np.searchsorted(sums, wanted, side="left") + 1
    return np.unique(np.concatenate(([0], inner[inner < len(counts)], [len(counts)]))).astype(np.uint32)


def _ignore(stage: str, share: float) -> None:
    """The error is all that is wanted."""
