"""The units from which an audit draws positions: of each what came before it, what it costs, and where it is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter.measure.audit.subject import Sample, Subject
from bitmeter.measure.score import Score
from bitmeter.text.units.base import BLANK

__all__ = ["Population", "population_of"]


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """All units of a text, or of the documents that were sampled.

    Attributes
    ----------
    ids
        The units, document after document.
    starts
        The index at which each document begins, and the number of units.
    documents, offsets
        The index of each of these documents in the text, and the byte at which it begins.
    first
        The offset of each unit's bytes in its document.
    costs
        ln p of each as it was scored; in the whole text where the figure of a document is that of the document alone.
    alone
        Whether costs must be taken of a document by itself: the model goes on from the one before, or by bytes.
    unit_at
        The bytes of the unit at an index.
    size
        The number of bytes.
    whole
        Whether these are all units of the text.
    """

    ids: Ids
    starts: Ints
    documents: Ints
    offsets: Ints
    first: Ints
    costs: Floats
    alone: bool
    unit_at: Callable[[int], bytes]
    size: int
    whole: bool

    @property
    def units(self) -> int:
        """How many there are."""
        return len(self.ids)

    @property
    def usable(self) -> Ints:
        """Those that are predicted."""
        return np.flatnonzero(self.ids != BLANK)

    @property
    def histories(self) -> Ints:
        """How many units of its document come before each."""
        return np.arange(len(self.ids)) - np.repeat(self.starts[:-1], np.diff(self.starts))

    def document_of(self, position: int) -> int:
        """The document, by index among these."""
        return int(np.searchsorted(self.starts, position, side="right")) - 1

    def history(self, position: int, reach: int | None = None) -> Ids:
        """The units before this one in its document; at most the last `reach` of them."""
        begin = int(self.starts[self.document_of(position)])
        return self.ids[begin if reach is None else max(begin, position - reach) : position]

    def costs_of(self, subject: Subject, positions: Ints) -> Floats:
        """ln p of these units as they were scored."""
        if not self.alone:
            return self.costs[positions]
        found = np.empty(len(positions))
        place = np.searchsorted(self.starts, positions, side="right") - 1
        for document in np.unique(place).tolist():
            here, begin = place == document, int(self.starts[document])
            whole = subject.logprobs([self.ids[begin : int(self.starts[document + 1])]])[0]
            found[here] = whole[positions[here] - begin]
        return found

    def place_of(self, position: int) -> dict[str, int | str]:
        """The place of a unit, for a finding."""
        document = self.document_of(position)
        return {
            "byte": int(self.offsets[document]) + int(self.first[position]),
            "document": int(self.documents[document]),
            "unit": repr(self.unit_at(position).decode("utf-8", "backslashreplace")),
        }


def population_of(subject: Subject, score: Score | None) -> Population:
    """All units of the text where the run kept them, else those of the documents that were sampled."""
    trace = None if score is None else score._trace
    if trace is None or score is None or subject.model.traits.metered:
        return _of_samples(subject, score)
    docs = trace.doc
    begins = np.flatnonzero(np.diff(docs, prepend=-1))
    ends = np.append(begins[1:], len(docs))
    sizes = trace.end[ends - 1]
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    return Population(
        ids=trace.id,
        starts=np.append(begins, len(docs)).astype(np.int64),
        documents=docs[begins],
        offsets=offsets[:-1],
        first=trace.start,
        costs=trace.logprob,
        alone=subject.by_bytes or (subject.model.traits.learns and len(begins) > 1),
        unit_at=lambda index: trace.unit(index).unit,
        size=int(offsets[-1]),
        whole=True,
    )


def _of_samples(subject: Subject, score: Score | None) -> Population:
    samples = subject.samples
    size = sum(len(sample.data) for sample in samples)
    total = score.bytes if score is not None else None
    return Population(
        ids=np.concatenate([sample.ids for sample in samples]),
        starts=subject.starts,
        documents=np.array([sample.document for sample in samples], dtype=np.int64),
        offsets=np.array([sample.offset for sample in samples], dtype=np.int64),
        first=np.concatenate([sample.cuts[:-1] for sample in samples]),
        costs=np.concatenate(subject.costs),
        alone=False,
        unit_at=lambda index: _unit_of(*subject.where(index)),
        size=size,
        whole=total is None or size >= total,
    )


def _unit_of(sample: Sample, index: int) -> bytes:
    return sample.data[int(sample.cuts[index]) : int(sample.cuts[index + 1])]
