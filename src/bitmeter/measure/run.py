"""One model over one text: split, scored, checked and summed, batch by batch."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.progress import Progress, Step
from bitmeter.errors import InputError, ModelError
from bitmeter.measure.aggregates import LARGEST_LOG
from bitmeter.measure.answers.conditions import Conditions
from bitmeter.measure.clusters import Clustering
from bitmeter.measure.conventions.mismatch import NormWatch
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.documents.ended import DocumentListener, EndedDocuments
from bitmeter.measure.exact import Parts, exact_parts, rounded
from bitmeter.measure.groups.sums import GroupTotals
from bitmeter.measure.options import Settings, check_abilities
from bitmeter.measure.score import Score, with_interval
from bitmeter.measure.signature import Signature, covers_all_texts, units_value
from bitmeter.measure.sums import BlockTotals, Counted, CountTotals, DocumentTotals, ExactBlocks, document_sums
from bitmeter.measure.trace.tracer import TracePart, Tracer
from bitmeter.measure.window_sums import WindowTotals, with_windows, without_windows
from bitmeter.models.protocols import Batch, Compressor, Model, OpenVocabulary, Options, Scored, Watch, Windowed
from bitmeter.text.blocks import cut_by_file, cut_corpus
from bitmeter.text.boundaries import Whole
from bitmeter.text.corpus.corpus import Block, Corpus
from bitmeter.text.units.counts import BegunCounter


class PartSums(NamedTuple):
    """What a part of a text adds to a score, before anything is rounded.

    Attributes
    ----------
    nats, tokens, counts
        Of each document; counts are bytes, characters and words.
    blocks
        The sums along the text.
    left
        Numbers whose exact sum is the log-probability of what the model does not know.
    left_out
        Bytes, characters and words that were not scored.
    invalid, oov, skipped, impossible, lossy
        As in a score; bytes in documents that the tokens do not give back.
    first_impossible
        The first unit of probability zero and its place; empty if there is none.
    trace
        What each unit costs, if that was asked for and the part is short.
    """

    nats: Floats
    tokens: Ints
    counts: NDArray[np.int64]
    blocks: ExactBlocks
    left: Parts
    left_out: Ints
    invalid: int
    oov: int
    skipped: int
    impossible: int
    lossy: int
    first_impossible: str
    trace: list[TracePart] | None = None


class Run:
    """One model over one text.

    Parameters
    ----------
    model, corpus
        What is measured on what.
    settings
        The keywords of `score`, settled.
    tracer
        Keeps or writes what each unit costs.
    alternatives
        How many of the most likely alternatives the trace holds for each unit; None for no details.
    progress
        Called as the text goes by.
    block_bytes
        How many bytes are read at once; None for what the model likes best.
    listener
        Called with the sums of documents as they end.
    offset
        How many bytes of the text are before what is read here, which may be a part of it.
    """

    def __init__(
        self,
        model: Model,
        corpus: Corpus,
        settings: Settings,
        tracer: Tracer,
        alternatives: int | None,
        progress: Progress | None,
        block_bytes: int | None = None,
        listener: DocumentListener | None = None,
        offset: int = 0,
    ) -> None:
        model, settings = with_windows(model, settings, by_file=True)
        if settings.ctx == "file" and corpus.docs.startswith("joined"):
            message = f"docs={corpus.docs!r} makes one document of all files, and ctx='file' parts them; leave one out"
            raise InputError(message, value=settings.ctx)
        check_abilities(model, settings)
        if settings.oov in ("class", "spelled") and isinstance(model, OpenVocabulary):
            model = model.with_oov(settings.oov)
        self._model, self._corpus, self._settings, self._progress = model, corpus, settings, progress
        self._block_bytes = block_bytes or model.traits.block_bytes
        self._documents, self._blocks, self._counts = DocumentTotals(), BlockTotals(), CountTotals()
        self._clustering = Clustering(settings.cluster, corpus)
        self._conditions = None if settings.given is None else Conditions(model, corpus, settings)
        self._groups = None if settings.group is None else GroupTotals(settings.group, corpus)
        self._left_out = BegunCounter()
        self._may_skip = settings.first == "skip" or settings.oov == "skipped" or isinstance(model, Windowed)
        self._done, self._spent = 0, 0.0
        self._left = _core.ExactSums(1)
        #: A closed vocabulary has no bits per byte.
        self.covers = covers_all_texts(Signature(oov=settings.oov, units=units_value(model.units)))
        self._unknown: Bools | None = None
        self._oov = self._skipped = self._impossible = self._lossy = 0
        in_windows = isinstance(model, Windowed) and model.traits.whole_documents
        self._windows = WindowTotals() if in_windows else None
        counter = convention(settings.like).words
        self._tool_words = None if counter is None else counter()
        tally = convention(settings.like).tally
        self._tally = None if tally is None else tally()
        self._first_impossible = ""
        self._norms = NormWatch(model, settings.norm)
        self._ended = None if listener is None else EndedDocuments(listener, closed=not self.covers)
        self._tracer, self._alternatives = tracer, alternatives
        self._offset = offset

    def measure(self) -> Score:
        """Go through the text once."""
        with self._tracer:
            for counted in self._scored():
                batch = counted.batch
                self._check(counted)
                self._norms.look(batch.data)
                self._clustering.add(batch.data, self._counts.documents)
                first = self._counts.documents
                counts = self._counts.add(batch.data, batch.ends)
                if self._tool_words is not None:
                    self._tool_words.add(batch.data, batch.ends)
                self._apply(counted)
                self._add(counted)
                if self._groups is not None:
                    self._groups.add(counted, first, counts)
                if self._ended is not None:
                    self._ended.add(counted, self._unknown, self._documents.ended, counts)
                self._tracer.add(counted)
                self._done = batch.offset + len(batch.data)
                if self._progress is not None:
                    self._progress(Step(self._done, self._corpus.total_bytes, estimate=self._so_far()))
            # The trace carries the signature of the finished score, the method of its interval included.
            return self._tracer.finish(with_interval(self._finish(), self._settings.confidence))

    def part(self) -> PartSums:
        """Go through the text once, as a part of a longer one: the sums from which `join` makes a score of the whole.

        What belongs to the whole text, such as clusters and notes, is found by `follow`.
        """
        nats: list[Floats] = []
        tokens: list[Ints] = []
        rows: list[NDArray[np.int64]] = []
        for counted in self._scored():
            batch = counted.batch
            self._check(counted)
            counts = self._counts.add(batch.data, batch.ends)
            self._apply(counted)
            self._add(counted)
            self._tracer.add(counted)
            nats.append(self._documents.ended[0])
            tokens.append(self._documents.ended[1])
            rows.append(counts)
            if self._progress is not None:
                self._progress(Step(batch.offset - self._offset + len(batch.data), self._corpus.total_bytes))
        self._documents.finished()
        self._counts.finished()
        rows.append(self._counts.last)
        return PartSums(
            np.concatenate([*nats, self._documents.ended[0]]), np.concatenate([*tokens, self._documents.ended[1]]),
            np.concatenate(rows), self._blocks.exactly(), exact_parts(self._left.parts().tolist()),
            self._left_out.finished(), self._counts.invalid, self._oov, self._skipped, self._impossible, self._lossy,
            self._first_impossible, self._tracer.kept,
        )  # fmt: skip

    @property
    def keeps(self) -> bool:
        """Whether what units cost is still kept."""
        return self._tracer.kept is not None

    def follow(self) -> Iterator[Block]:
        """Go through the text once without scoring it, for what must be known of the whole: hashes, clusters, norms."""
        documents = 0
        for block in self._corpus.blocks():
            self._norms.look(block.data)
            self._clustering.add(block.data, documents)
            documents += len(block.ends)
            yield block

    def join(self, part: PartSums) -> None:
        """Take the sums of the next part of the text."""
        self._tracer.join(part.trace, self._counts.documents)
        self._documents.take(part.nats, part.tokens)
        self._counts.take(part.counts, part.invalid)
        self._blocks.take(part.blocks)
        left = np.array(part.left, dtype=np.float64)
        self._left.add(left, np.array([0, len(left)], dtype=np.int64))
        self._left_out.take(part.left_out)
        self._oov += part.oov
        self._skipped += part.skipped
        self._impossible += part.impossible
        self._lossy += part.lossy
        self._first_impossible = self._first_impossible or part.first_impossible

    def joined(self) -> Score:
        """The score of all parts, which is that of the text in one run; `follow` must have come to its end."""
        return self._tracer.finish(with_interval(self._finish(), self._settings.confidence))

    def _so_far(self) -> float | None:
        if not self.covers:
            return None
        return self._spent / math.log(2.0) / max(1, self._done)

    def _scored(self) -> Iterator[Counted]:
        """The text, scored by one session of the model."""
        if self._conditions is not None:
            yield from self._scored_answers(self._conditions)
            return
        model, eos = self._model, self._settings.eos
        traits = model.traits
        session = model.open(Options(eos))
        units = Whole(model.units) if traits.whole_documents else model.units
        blocks = cut_corpus(self._corpus, units, self._block_bytes)
        by_file = self._settings.ctx == "file"
        for block, begins in cut_by_file(blocks, self._corpus) if by_file else ((block, False) for block in blocks):
            if begins:
                session = model.open(Options(eos))
            batch = Batch(
                block.data, block.ends, model.units, block.offset + self._offset, block.continues, block.unfinished,
                eos, traits.end,
            )  # fmt: skip
            scored = session.score(batch, self._alternatives, self._watch(batch))
            self._lossy += batch.lossy
            yield Counted(batch, scored, self._outside_windows(scored))

    def _scored_answers(self, conditions: Conditions) -> Iterator[Counted]:
        """The answers, each after its context; a model that learns starts afresh for each."""
        model, options = self._model, Options(self._settings.eos)
        session = model.open(options)
        for block in cut_corpus(self._corpus, Whole(model.units), self._block_bytes):
            for batch in conditions.batches(block, self._block_bytes):
                if model.traits.learns:
                    session = model.open(options)
                scored = session.score(batch, self._alternatives, self._watch(batch))
                self._lossy += batch.lossy
                yield conditions.answers(batch, scored, self._outside_windows(scored))

    def _watch(self, batch: Batch) -> Watch | None:
        """Progress within a batch: with a slow model one batch may take minutes."""
        progress = self._progress
        if progress is None:
            return None
        return lambda done, of: progress(
            Step(batch.offset + len(batch.data) * done // of, self._corpus.total_bytes, estimate=self._so_far())
        )

    def _outside_windows(self, scored: Scored) -> Bools:
        """Which units no window answers for; what the windows cost is summed on the way."""
        size, bounds = len(scored.split.ids), scored.split.bounds
        if self._windows is None or scored.plan is None:
            return np.zeros(size, dtype=np.bool_)
        self._windows.add(np.ascontiguousarray(scored.logprobs, dtype=np.float64), scored.plan)
        outside = scored.plan.skipped(size)
        if self._settings.first == "uniform":
            outside[bounds[:-1][np.diff(bounds) > 0]] = False
        return outside

    def _check(self, counted: Counted) -> None:
        """Nothing but logarithms of probabilities goes on."""
        split, blank, given = counted.scored.split, counted.scored.blank, counted.scored.logprobs
        if not isinstance(given, np.ndarray) or given.shape != (len(split.ids),):
            found = given.shape if isinstance(given, np.ndarray) else type(given).__name__
            message = f"{self._model.name} gave {found} log-probabilities for {len(split.ids)} units"
            raise ModelError(message)
        logs = np.ascontiguousarray(given, dtype=np.float64)
        if blank.any() and self._settings.oov != "spelled":  # whose white space is paid for
            logs = np.where(blank, 0.0, logs)
        if logs is not given:
            counted.change(logs)
        if len(logs) and not logs.max() <= LARGEST_LOG:  # not: max gives NaN if any is NaN, and so must be refused
            at = int(np.argmax(~(logs <= LARGEST_LOG)))
            unit = counted.batch.data[split.cuts[at] : split.cuts[at + 1]]
            place = counted.batch.offset + int(split.cuts[at])
            what = "NaN" if math.isnan(logs[at]) else f"ln p = {logs[at]:g}, a probability above 1,"
            message = f"{self._model.name} gave {what} for the unit {unit!r:.40} at byte {place} of {self._corpus.name}"
            raise ModelError(message, index=place)

    def _apply(self, counted: Counted) -> None:
        """Unknown and first units by the convention; what is left out is counted."""
        settings, batch, split, skipped = self._settings, counted.batch, counted.scored.split, counted.skipped
        unknown = self._model.unknown(split.ids) if isinstance(self._model, OpenVocabulary) else None
        if unknown is not None:
            unknown &= ~counted.scored.blank
            self._oov += int(np.count_nonzero(unknown))
            if settings.oov == "skipped":
                skipped |= unknown
        if settings.first in ("skip", "uniform"):
            begun = np.diff(split.bounds) > 0
            begun[: 1 if batch.continues else 0] = False
            if counted.conditioned is not None:
                begun &= ~counted.conditioned
            starts = split.bounds[:-1][begun]
            if settings.first == "skip":
                skipped[starts] = True
            else:
                logs = counted.scored.logprobs.copy()  # the model's own array is left as it is
                assert self._model.traits.vocabulary is not None, "check_abilities refuses the others"
                logs[starts] = -math.log(self._model.traits.vocabulary)
                counted.change(logs)
        if skipped.any():
            counted.change(np.where(skipped, 0.0, counted.scored.logprobs))
            self._skipped += int(np.count_nonzero(skipped))
        if self._may_skip:
            self._left_out.add(batch.data, batch.ends, split.cuts, skipped, unfinished=batch.unfinished)
        self._unknown = unknown if unknown is not None and unknown.any() else None

    def _add(self, counted: Counted) -> None:
        """Sums of documents and blocks of bytes, and of what the model does not know."""
        sums, logs = self._documents.add(counted), counted.scored.logprobs
        self._blocks.add(counted)
        if self._tally is not None:
            batch, bounds = counted.batch, counted.scored.split.bounds
            self._tally.add(logs, bounds, continues=batch.continues, unfinished=batch.unfinished)
        self._spent += float(sums.sum())
        impossible = np.isneginf(logs) if np.isinf(sums).any() else None
        if impossible is not None:
            self._name_impossible(counted, impossible)
        if self._unknown is not None:
            # Without those that are impossible: an infinite cost is not part of an exact sum.
            unknown = np.where(self._unknown & np.isfinite(logs), logs, 0.0)
            self._left.add(unknown, np.array([0, len(unknown)], dtype=np.int64))

    def _name_impossible(self, counted: Counted, impossible: Bools) -> None:
        self._impossible += int(np.count_nonzero(impossible))
        if not self._first_impossible:
            at, cuts = int(np.argmax(impossible)), counted.scored.split.cuts
            unit = counted.batch.data[cuts[at] : cuts[at + 1]]
            shown = repr(unit.decode("utf-8", "backslashreplace")) if unit else "the end of a document"
            self._first_impossible = f"{shown} at byte {counted.batch.offset + int(cuts[at])}"

    def _finish(self) -> Score:
        nats, tokens = self._documents.finished()
        counts, sizes = self._counts.finished()
        if self._ended is not None:
            self._ended.finish(self._documents.ended, self._counts.last)
        if self._groups is not None and self._skipped and self._settings.den == "scored":
            message = (
                f"{self._skipped:,} units are left out by the conventions, and groups are not known without them; "
                "divide by all bytes (--den original), or score every unit"
            )
            raise InputError(message)
        documents, blocks, more = self._clustering.finish(
            document_sums(nats, tokens, counts, sizes), self._blocks.finished()
        )
        if documents is not None and documents.sizes is None and self._tally is not None:
            documents = replace(documents, tool=self._tally.finished())
        possible = self._blocks.total()
        known = exact_parts((*possible, *self._left.parts().tolist()))
        exact = ((math.inf,) if self._impossible else possible, known)
        totals = counts.sum(axis=0)
        scored = totals - (self._left_out.finished() if self._settings.den == "scored" else 0)
        length, number = int(totals[0]), self._counts.documents
        signature = signature_of(
            self._model.name, self._model.fingerprint, self._corpus, self._settings, length, number
        ).but(
            units=units_value(self._model.units),
            precision=self._model.traits.precision,
            given="none" if self._conditions is None else self._conditions.value,
        )
        return Score(
            model=self._model.name,
            text=self._corpus.name,
            nats=rounded(exact[0]),
            known_nats=rounded(exact[1]),
            bytes=int(scored[0]),
            chars=int(scored[1]),
            words=int(scored[2]),
            tokens=int(tokens.sum()),
            documents=number,
            oov=self._oov,
            skipped=self._skipped,
            invalid=self._counts.invalid,
            impossible=self._impossible,
            signature=signature,
            notes=(*self._notes(signature), *more),
            by_document=documents,
            by_block=blocks,
            by_window=None if self._windows is None else self._windows.finished(),
            pieces=None if self._tool_words is None else self._tool_words.finished(),
            exact=exact,
            learns=self._model.traits.learns and self._conditions is None and not self._is_afresh(number),
            by_group=None if self._groups is None else self._groups.finish(documents),
        )

    def _is_afresh(self, documents: int) -> bool:
        """Whether a model that learns knows nothing of one document in the next, since each is a file."""
        return self._settings.ctx == "file" and self._corpus.docs == "file" and documents > 1

    def _notes(self, signature: Signature) -> tuple[str, ...]:
        notes = (
            [f"infinite: {self._impossible} impossible, the first is {self._first_impossible}"]
            if self._impossible
            else []
        )
        if self._impossible and self._oov and self._settings.oov == "none" and isinstance(self._model, OpenVocabulary):
            ways = [*self._model.oov_remedies()]
            ways.insert(1 if ways else 0, "--oov skipped leaves them out")
            notes.append(f"{self._oov:,} unknown to the model: {'; '.join(ways)}")
        if self._lossy:
            notes.append(
                f"{self._lossy:,} bytes are in documents that the tokens do not give back (the tokenizer "
                "normalises, or bytes are not UTF-8): what distinguishes such texts is not paid for"
            )
        if self._conditions is not None:
            notes += self._conditions.notes()
        return (*self._corpus.notes, *notes, *self._model.traits.caveats, *self._norms.caveats())


def measure_total(model: Compressor, corpus: Corpus, settings: Settings, progress: Progress | None) -> Score:
    """A compressor's total."""
    settings = without_windows(model.name, settings)
    if (settings.first, settings.eos, settings.oov) != ("bos", "no", "none"):
        message = f"{model.name} gives only a total, so single units cannot be treated apart (first, eos, oov)"
        raise ModelError(message)
    meter, counts, done = model.meter(), CountTotals(), 0
    for block in corpus.blocks():
        meter.feed(block.data)
        counts.add(block.data, block.ends)
        done += len(block.data)
        if progress is not None:
            progress(Step(done, corpus.total_bytes))
    totals = counts.finished()[0].sum(axis=0)
    size = meter.finish()
    nats = size * 8 * math.log(2.0)
    return Score(
        model=model.name,
        text=corpus.name,
        nats=nats,
        known_nats=nats,
        bytes=int(totals[0]),
        chars=int(totals[1]),
        words=int(totals[2]),
        tokens=None,
        documents=counts.documents,
        oov=0,
        skipped=0,
        invalid=counts.invalid,
        impossible=0,
        signature=signature_of(model.name, model.fingerprint, corpus, settings, int(totals[0]), counts.documents).but(
            units="whole text"
        ),
        notes=(
            *corpus.notes,
            *([f"a file of {size:,} bytes, header included ({model.overhead})"] if model.overhead else []),
        ),
        exact=(exact_parts([nats]), exact_parts([nats])),
    )


def signature_of(
    name: str, fingerprint: str, corpus: Corpus, settings: Settings, length: int, documents: int
) -> Signature:
    """The conventions of a measurement, but for what the model says of its units and its arithmetic."""
    assert settings.first is not None
    assert settings.ctx is not None, "with_windows and without_windows settle both"
    return Signature(
        text=f"sha256-{corpus.fingerprint()[:24]}.{length}",
        norm=settings.norm,
        docs=f"{corpus.docs}.{documents}.{corpus.boundaries()[:8]}",
        first=settings.first,
        eos=settings.eos,
        oov=settings.oov,
        den=settings.den,
        ctx=settings.ctx,
        model=f"{name}/{fingerprint}",
        like=settings.like,
    )
