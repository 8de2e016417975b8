"""The model of an audit, and the documents of the text on which it is tried."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter._util.check import generator
from bitmeter.errors import EmptyError, ModelError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.options import settle
from bitmeter.measure.score import Score
from bitmeter.measure.window_sums import with_windows
from bitmeter.models.protocols import Batch, Model, OpenVocabulary, Options
from bitmeter.text.corpus.corpus import Corpus

__all__ = [
    "Sample",
    "Subject",
    "beginnings",
    "by_ids",
    "choose_samples",
    "distance",
    "place_of",
    "settled",
    "tolerance_of",
    "within",
]

#: How many bytes of the text are looked at, and how many of one document.
MOST_BYTES = 1 << 16
#: The same where each call may cost money.
MOST_METERED = 1 << 9
MOST_DOCUMENTS = 256
#: How far two ways to the same ln p may lie apart, by the arithmetic of the model.
_TOLERANCES = {"bfloat16": 0.1, "float16": 0.02, "as the server": 0.02}
LOG_TOLERANCE = 1e-4


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """One document, or its beginning.

    Attributes
    ----------
    document, offset
        Its index, and where it begins in the text.
    data, ids, cuts
        Its bytes and its units.
    run
        What its units cost in the run; None where that was not kept.
    """

    document: int
    offset: int
    data: bytes
    ids: Ids
    cuts: Ints
    run: Floats | None

    def unit(self, index: int) -> str:
        """A unit as text."""
        return repr(self.data[self.cuts[index] : self.cuts[index + 1]].decode("utf-8", "backslashreplace"))


class Subject:
    """A model and the documents on which it is tried.

    Parameters
    ----------
    model
        As it is measured, with its windows and its way for unknown units.
    samples
        The documents.
    spells
        Whether unknown units are spelled, so that what a unit costs is not known from ids alone.
    """

    def __init__(self, model: Model, samples: Sequence[Sample], *, spells: bool) -> None:
        self.whole, self.samples, self.spells = model, tuple(samples), spells
        self.model = by_ids(model)
        #: Whether units cost something else in the run than by their ids.
        self.by_bytes = spells or self.model is not model
        self.tolerance = tolerance_of(model)
        self.starts = np.concatenate(([0], np.cumsum([len(sample.ids) for sample in samples]))).astype(np.int64)
        #: What each unit costs in its document alone.
        self.costs = [self.logprobs([sample.ids])[0] for sample in self.samples]

    @property
    def units(self) -> int:
        """How many units were sampled."""
        return int(self.starts[-1])

    def logprobs(self, documents: Sequence[Ids]) -> list[Floats]:
        """ln p of each unit of some documents, in one call."""
        bounds = np.concatenate(([0], np.cumsum([len(ids) for ids in documents]))).astype(np.int64)
        ids = np.concatenate(documents) if documents else np.zeros(0, dtype=np.int64)
        found = np.asarray(self.model.logprobs(ids, bounds), dtype=np.float64)
        if found.shape != (len(ids),):
            message = f"{self.model.name} gave {found.shape} log-probabilities for {len(ids)} units"
            raise ModelError(message)
        return [found[a:b] for a, b in pairwise(bounds)]

    def session(self, documents: Sequence[bytes]) -> list[tuple[Floats, Ints]]:
        """ln p of each unit, and the offsets of units, of documents that go through a session of the model as bytes."""
        ends = np.cumsum([len(data) for data in documents]).astype(np.int64)
        batch = Batch(b"".join(documents), ends, self.whole.units)
        scored = self.whole.open(Options("no")).score(batch)
        bounds, cuts, logs = scored.split.bounds, scored.split.cuts, np.asarray(scored.logprobs, dtype=np.float64)
        return [(logs[a:b], cuts[a : b + 1] - cuts[a]) for a, b in pairwise(bounds)]

    def where(self, position: int) -> tuple[Sample, int]:
        """The document of a sampled unit, and the unit's index in it."""
        index = int(np.searchsorted(self.starts, position, side="right")) - 1
        return self.samples[index], position - int(self.starts[index])


def settled(model: Model, *, spells: bool) -> Model:
    """The model as `score` measures it, with its windows and its way for unknown units."""
    tool = convention("bitmeter")
    settings = settle(tool, None, None, None, None, None, "spelled" if spells else None, None, None, 0.95)
    found, _ = with_windows(model, settings)
    return found.with_oov("spelled") if spells and isinstance(found, OpenVocabulary) else found


def by_ids(model: Model) -> Model:
    """The model of ids alone, to which an unknown word is its class."""
    classed = isinstance(model, OpenVocabulary) and "class" in model.traits.oov
    return model.with_oov("class") if classed and isinstance(model, OpenVocabulary) else model


def beginnings(model: Model, corpus: Corpus, seed: int) -> list[tuple[Ids, Floats]]:
    """What units at the beginning of the text cost a model that was not shown yet what follows them.

    A model may remember between calls what it has seen, and give the same figures from then on, whatever is cut or
    changed. So it is asked before the text is scored: for one unit, for two, four and so on, and for a part that ends
    at a random place of the second half.
    """
    if model.traits.metered:
        return []
    block = next(iter(corpus.blocks()), None)
    if block is None:
        return []
    first = int(block.ends[0]) if len(block.ends) else len(block.data)
    ids = model.units.split(bytes(block.data[: min(first, MOST_BYTES)])).ids[:-1]  # the last unit may be cut
    if len(ids) < 2:
        return []
    own = by_ids(model)
    sizes = [1 << k for k in range(len(ids).bit_length() - 1)]
    sizes.append(int(generator(seed).integers(len(ids) // 2, len(ids))) or 1)
    return [
        (ids[:size], np.array(own.logprobs(ids[:size], np.array([0, size], dtype=np.int64)), dtype=np.float64))
        for size in sizes
    ]


def tolerance_of(model: Model) -> float:
    """How far two ways to the same ln p may lie apart."""
    precision = model.traits.precision
    return next((value for name, value in _TOLERANCES.items() if name in precision), LOG_TOLERANCE)


def within(value: float, unit: str = "nats") -> str:
    """How closely something holds, for a summary: what is below 1e-9 is rounding, and differs among processors.

    Examples
    --------
    >>> within(3e-16), within(6.5e-8, "")
    ('to within 1e-9 nats', 'to within 6.5e-08')
    """
    return f"to within {'1e-9' if value < 1e-9 else f'{value:.1e}'} {unit}".rstrip()


def distance(first: Floats, second: Floats) -> Floats:
    """Between logarithms; both infinite or both NaN is no difference, and NaN on one side an infinite one."""
    with np.errstate(invalid="ignore"):
        same = (first == second) | (np.isnan(first) & np.isnan(second))
        found = np.where(same, 0.0, np.abs(first - second))
    return np.where(np.isnan(found), math.inf, found)


def place_of(sample: Sample, index: int) -> dict[str, int | str]:
    """The place of a unit, for a finding."""
    return {
        "byte": sample.offset + int(sample.cuts[index]),
        "document": sample.document,
        "unit": sample.unit(index),
    }


def choose_samples(model: Model, corpus: Corpus, score: Score | None, seed: int) -> list[Sample]:
    """The first document and others drawn from the text, as many as fit; of long ones the beginning."""
    metered = model.traits.metered
    room = MOST_METERED if metered else MOST_BYTES
    total = score.documents if score is not None else _count(corpus)
    drawn = generator(seed).permutation(total)[: 1 if metered else MOST_DOCUMENTS]
    wanted = dict.fromkeys([0, *drawn.tolist()] if total else [])
    if metered:
        wanted = dict.fromkeys(list(wanted)[:1])
    found = _beginnings(corpus, sorted(wanted), room)
    chosen: list[Sample] = []
    for document in wanted:
        offset, data, whole = found[document]
        if room <= 0:
            break
        sample = _sample(model, score, document, offset, data[:room], whole=whole and len(data) <= room)
        if len(sample.ids):
            chosen.append(sample)
            room -= len(sample.data)
    if not chosen:
        message = f"{corpus.name} is empty; there is nothing to try the model on"
        raise EmptyError(message)
    return chosen


def _count(corpus: Corpus) -> int:
    return sum(len(block.ends) for block in corpus.blocks())


def _beginnings(corpus: Corpus, wanted: list[int], room: int) -> dict[int, tuple[int, bytes, bool]]:
    """Of each document its offset, its first bytes, and whether that is all of it."""
    found: dict[int, tuple[int, bytes, bool]] = {}
    document = offset = begun = 0
    head: list[bytes] = []
    left = iter([*wanted, -1])
    target = next(left)
    for block in corpus.blocks():
        start = 0
        for end in (*block.ends.tolist(), None):
            part = block.data[start:end]
            if document == target and sum(map(len, head)) <= room:
                head.append(part[: room + 1])
            if end is None:
                continue
            if document == target:
                data = b"".join(head)
                found[document] = (begun, data[:room], len(data) <= room)
                head, target = [], next(left)
            document, start, begun = document + 1, end, offset + end
        offset += len(block.data)
        if target < 0:
            continue  # to the end, so that the corpus knows its hash
    return found


def _sample(model: Model, score: Score | None, document: int, offset: int, data: bytes, *, whole: bool) -> Sample:
    """A document with the units of the run, or split here; only whole units of what is cut."""
    trace = None if score is None else score._trace
    if trace is not None:
        first, last = np.searchsorted(trace.doc, [document, document + 1])
        ends, starts = trace.end[first:last], trace.start[first:last]
        number = int(np.searchsorted(ends, len(data), side="right"))
        cuts = np.append(starts[:number], ends[number - 1] if number else 0).astype(np.int64)
        ids, run = trace.id[first : first + number], trace.logprob[first : first + number]
        return Sample(document, offset, data[: int(cuts[-1])], ids, cuts, run)
    split = model.units.split(data)
    number = len(split.ids) - (0 if whole else 1)
    cuts = split.cuts[: number + 1].astype(np.int64)
    return Sample(document, offset, data[: int(cuts[-1])] if number else b"", split.ids[:number], cuts, None)
