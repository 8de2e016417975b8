"""A score by several processes: each takes parts of the text, and the sums of all parts are those of one run.

A part has whole documents, and what it adds comes back before anything is rounded. This process reads the text too,
without scoring it, which takes a small part of the time: hashes, clusters and notes are of the whole text, and so is
the place of each part in it. So the score is that of one process to the last bit, its interval and its signature
included, whatever the number of parts and processes and the order in which they end.
"""

from __future__ import annotations

import math
import os
import pickle
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from bitmeter._util.jobs import Executor, PartsStep, Report, Task
from bitmeter._util.progress import Progress, Step
from bitmeter.errors import InputError, InputTypeError, ModelError, SourceError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.options import Settings
from bitmeter.measure.run import PartSums, Run
from bitmeter.measure.score import Score
from bitmeter.measure.trace.tracer import Tracer
from bitmeter.models.protocols import Compressor, Model, Threaded, Windowed
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.cuts import file_size
from bitmeter.text.corpus.normalise import normalised
from bitmeter.text.formats import is_url

__all__ = ["Part", "can_be_split", "parts_of", "pickled_model", "score_in_parts", "score_part", "sent_model"]

#: Parts are of a size at which each process has several, within these bounds.
_LEAST, _MOST, _PER_WORKER = 1 << 20, 64 << 20, 8
#: What is sent of a model that has no file.
_LARGEST_MODEL = 64 << 20


class Part(NamedTuple):
    """Some of the sources of a text, one after the other.

    Attributes
    ----------
    start, stop
        Which sources.
    size
        Their bytes on the disk.
    """

    start: int
    stop: int
    size: int


def score_in_parts(
    model: Model | Compressor,
    corpus: Corpus,
    settings: Settings,
    executor: Executor,
    progress: Progress | None,
    part_bytes: int | None = None,
    *,
    keeps: bool = False,
) -> Score:
    """The score of a model on a text.

    Parameters
    ----------
    model, corpus, settings
        What is measured on what; the corpus is not normalised yet.
    executor
        Who does it.
    progress
        Called as parts are scored.
    part_bytes
        About how many bytes of files a part has; None for a size by the number of workers.
    keeps
        Whether the score of a short text has its trace, which is sent along then.
    """
    _check(model, corpus, settings)
    assert isinstance(model, Model)
    executor.per_device = isinstance(model, Windowed)
    whole = sum(map(file_size, corpus.sources))
    size = part_bytes or min(_MOST, max(_LEAST, whole // (_PER_WORKER * executor.workers)))
    marks = _marks(corpus)
    # A model that learns goes through a file from its beginning.
    cut = corpus if model.traits.learns else corpus.in_parts(size)
    try:
        found = _Joining(model, cut, settings, executor, progress, size, keeps=keeps).score()
    except SourceError:
        for _ in corpus.blocks():  # the same error, with the line as it is in the whole file
            pass
        raise
    if _marks(corpus) != marks:
        message = f"{corpus.name} has changed while it was read; measure a text that is not being written to"
        raise SourceError(message, path=corpus.name)
    return found


def _marks(corpus: Corpus) -> list[tuple[int, int]]:
    """By what a change of the files shows."""
    try:
        found = [os.stat(source.path) for source in corpus.sources if not is_url(source.path)]
    except OSError as error:
        message = f"{corpus.name} cannot be read: {error}"
        raise SourceError(message, path=corpus.name) from error
    return [(about.st_size, about.st_mtime_ns) for about in found]


def can_be_split(model: Model | Compressor) -> bool:
    """Whether several processes score a text under this model as one does.

    One that learns does not score parts apart, and networks use all processors by themselves.

    Examples
    --------
    >>> import bitmeter as bm
    >>> [can_be_split(bm.load(name)) for name in ("uniform", "kt", "zlib")]
    [True, False, False]
    """
    return isinstance(model, Model) and not (model.traits.learns or isinstance(model, Windowed))


def _check(model: Model | Compressor, corpus: Corpus, settings: Settings) -> None:
    """Refuse what would not be the score of one run."""
    leave = "leave --workers and --engine out"
    if isinstance(model, Compressor):
        message = f"{model.name} gives only the size of a whole text, so parts cannot be scored apart; {leave}"
        raise ModelError(message, value=model.name)
    if model.traits.learns and settings.ctx != "file":
        message = (
            f"{model.name} learns from all it has read, so parts of a text cannot be scored apart. With --ctx file it "
            f"begins afresh with each file, which is another figure; or {leave}"
        )
        raise ModelError(message, value=model.name)
    tool = convention(settings.like)
    if tool.words is not None or tool.tally is not None:
        message = f"--like {settings.like} counts in its own way over the whole text; {leave}"
        raise InputError(message, value=settings.like)
    if settings.given is not None or settings.group is not None:
        message = f"--given and --group are not summed by parts of a text; {leave}"
        raise InputError(message)
    if corpus.docs.startswith("joined"):
        message = f"--docs {corpus.docs} makes one document of all, which only one process can score; {leave}"
        raise InputError(message, value=corpus.docs)
    if not all(source.path for source in corpus.sources):
        message = (
            f"{corpus.name} cannot be shared among processes: it is in memory, a stream, or of a format that one "
            f"process reads from beginning to end, such as CSV; save it as text, JSON lines or Parquet, or {leave}"
        )
        raise InputError(message, value=corpus.name)


def parts_of(corpus: Corpus, size: int) -> list[Part]:
    """The sources of a text in parts of at least so many bytes."""
    found: list[Part] = []
    start = held = 0
    for number, source in enumerate(corpus.sources):
        held += file_size(source)
        if held >= size:
            found.append(Part(start, number + 1, held))
            start, held = number + 1, 0
    return [*found, Part(start, len(corpus.sources), held)] if start < len(corpus.sources) else found


class _Joining:
    """Gives out the parts of a text, and joins what comes back."""

    def __init__(
        self,
        model: Model,
        cut: Corpus,
        settings: Settings,
        executor: Executor,
        progress: Progress | None,
        size: int,
        *,
        keeps: bool,
    ) -> None:
        self._cut, self._settings, self._executor, self._progress = cut, settings, executor, progress
        self._corpus = cut if settings.norm == "none" else normalised(cut, settings.norm)
        self._model = pickled_model(model)
        self._run = Run(model, self._corpus, settings, Tracer(None, force=False, keeps=keeps), None, None)
        self._parts = parts_of(cut, size)
        self._total = sum(part.size for part in self._parts)
        self._done, self._ended = 0.0, 0
        self._nats, self._bytes = 0.0, 0
        self._offsets: list[int] = []
        self._errors: dict[int, Exception] = {}

    def score(self) -> Score:
        """All of it."""
        waiting: dict[int, PartSums] = {}
        reported: dict[int, float] = {}
        joined = 0

        def report(number: int, more: float) -> None:
            more = min(more, self._parts[number].size - reported.get(number, 0.0))
            reported[number] = reported.get(number, 0.0) + more
            self._advance(more, None)

        for ended in self._executor.run(self._tasks(), report):
            if ended.error is None:
                waiting[ended.number] = ended.value
            else:
                self._errors[ended.number] = ended.error
            self._ended += 1
            left = self._parts[ended.number].size - reported.pop(ended.number, 0.0)
            while joined in waiting:
                self._join(joined, waiting.pop(joined))
                joined += 1
            if joined in self._errors:  # the first in the text, as one process would meet it
                raise self._errors[joined]
            self._advance(left, self._so_far())
        self._check_offset(len(self._parts))
        return self._run.joined()

    def _join(self, number: int, sums: PartSums) -> None:
        self._check_offset(number)
        self._run.join(sums)
        self._nats += float(sums.nats.sum())
        self._bytes += int(sums.counts[:, 0].sum())

    def _check_offset(self, number: int) -> None:
        """Whoever scored the parts has read as many bytes as were read here."""
        if self._bytes != self._offsets[number]:
            message = f"{self._cut.name} has changed while it was read; measure a text that is not being written to"
            raise SourceError(message, path=self._cut.name)

    def _so_far(self) -> float | None:
        return self._nats / math.log(2.0) / self._bytes if self._run.covers and self._bytes else None

    def _advance(self, more: float, estimate: float | None) -> None:
        self._done += more
        if self._progress is not None:
            at = PartsStep(
                self._done, self._total, stage="scoring", estimate=estimate, parts=self._ended, of=len(self._parts),
                **self._executor.state(),
            )  # fmt: skip
            self._progress(at)

    def _tasks(self) -> Iterator[Task]:
        """Each part, as soon as it is known where it begins in the text."""
        settings = replace(self._settings, cluster="none")
        for number, offset in enumerate(self._begins()):
            self._offsets.append(offset)
            if self._errors:
                return
            if number < len(self._parts):
                start, stop, size = self._parts[number]
                text = self._cut.part(start, stop)
                arguments = (self._model, text, settings, offset, size, self._run.keeps)
                yield Task(number, score_part, arguments, text.name)

    def _begins(self) -> Iterator[int]:
        """Where each part begins, and the last one ends, while the whole text is read for what is to be known of it."""
        documents = offset = at = 0
        for block in self._run.follow():
            begun = self._corpus.begun()
            while at < len(self._parts) and self._parts[at].start < len(begun):
                ended = begun[self._parts[at].start] - documents
                if ended > len(block.ends):
                    break
                yield offset + (int(block.ends[ended - 1]) if ended > 0 else 0)
                at += 1
            documents += len(block.ends)
            offset += len(block.data)
        for _ in range(at, len(self._parts) + 1):  # those without a document, and the end
            yield offset


def pickled_model(model: Model) -> bytes:
    """The model, as it is sent: one that has a file is its name and fingerprint."""
    try:
        data = pickle.dumps(model)
    except Exception as error:
        message = (
            f"{model.name} cannot be sent to other processes: {error}. Save it to a file and give that, or leave "
            "--workers and --engine out"
        )
        raise InputTypeError(message, value=model.name) from error
    if len(data) > _LARGEST_MODEL:
        message = (
            f"{model.name} is in memory only, and large; save it to a file, which each process can map, and load it"
        )
        raise ModelError(message, value=model.name)
    return data


#: The model of this process, by what was sent of it.
_kept: dict[bytes, Model] = {}


def sent_model(data: bytes) -> Model:
    """The model of this process, opened once."""
    if data not in _kept:
        _kept.clear()
        model = pickle.loads(data)
        if isinstance(model, Threaded):
            model.threads = 1
        _kept[data] = model
    return _kept[data]


def score_part(
    model: bytes,
    corpus: Corpus,
    settings: Settings,
    offset: int,
    size: int,
    keeps: bool,  # noqa: FBT001 (arguments of a task have no names)
    report: Report,
) -> PartSums:
    """The sums of a part of a text, which begins at this offset."""
    text = corpus if settings.norm == "none" else normalised(corpus, settings.norm)
    tracer = Tracer(None, force=False, keeps=keeps)
    return Run(sent_model(model), text, settings, tracer, None, _watch(size, report), offset=offset).part()


def _watch(size: int, report: Report) -> Callable[[Step], Any]:
    """Report how far a part is, in bytes of the file; text of unknown size is taken to be as long as the file."""
    reported = 0.0

    def watch(step: Step) -> None:
        nonlocal reported
        here = min(float(size), step.done if step.share is None else size * step.share)
        if here - reported >= size / 16:
            report(here - reported)
            reported = here

    return watch
