"""One model over one text: split, rated, checked, and added up, block by block."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.errors import ModelError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.options import Settings, check_abilities
from bitmeter.measure.score import Score, with_interval
from bitmeter.measure.signature import Signature
from bitmeter.measure.sums import BlockTotals, CountTotals, DocumentTotals, ExactSum, Rated, document_sums
from bitmeter.measure.trace.tracer import Tracer
from bitmeter.measure.window_sums import WindowTotals, with_windows
from bitmeter.models.outcomes import Details, details_of_rows
from bitmeter.models.registry import Model, Predictor, Totalling
from bitmeter.text.blocks import Piece, Stretch, cut_corpus, split_corpus
from bitmeter.text.boundaries import Whole, blank_units, with_ends
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import Split
from bitmeter.text.units.counts import begun_within

#: How many bytes are read at once: what is known of each unit then fits in the caches of a core.
BLOCK_SIZE = 1 << 18

#: Called as the text goes by: bytes done, bytes in all (or None), and bits a byte so far.
Progress = Callable[[int, int | None, float], None]


class Run:
    """One model over one text."""

    def __init__(
        self,
        model: Model,
        corpus: Corpus,
        settings: Settings,
        tracer: Tracer,
        alternatives: int | None,
        progress: Progress | None,
    ) -> None:
        model, settings = with_windows(model, settings)
        check_abilities(model, settings)
        if settings.oov in ("class", "spelled"):
            model = model.with_oov(settings.oov)  # type: ignore[attr-defined]
        self._model, self._corpus, self._settings, self._progress = model, corpus, settings, progress
        self._documents, self._blocks, self._counts = DocumentTotals(), BlockTotals(), CountTotals()
        self._skipped_counts = np.zeros(3, dtype=np.int64)
        self._done, self._spent = 0, 0.0
        self._known = ExactSum()
        self._unknown: NDArray[np.bool_] | None = None
        self._oov = self._skipped = self._impossible = self._lossy = 0
        by_window = hasattr(model, "plan") and not getattr(model, "needs_bytes", False)
        self._windows = WindowTotals() if by_window else None
        counter = convention(settings.like).words
        self._pieces = None if counter is None else counter()
        self._place = ""
        self._tracer, self._alternatives = tracer, alternatives

    def measure(self) -> Score:
        """Go through the text once."""
        with self._tracer:
            for piece in self._rated():
                self._check(piece)
                self._counts.add(piece.data, piece.ends)
                if self._pieces is not None:
                    self._pieces.add(piece.data, piece.ends)
                self._apply(piece)
                self._add(piece)
                self._tracer.add(piece)
                self._done = piece.offset + len(piece.data)
                if self._progress is not None:
                    self._progress(self._done, self._corpus.total_bytes, self._so_far())
            # The trace carries the signature of the finished score, the method of its interval included.
            return self._tracer.finish(with_interval(self._finish(), self._settings.confidence))

    def _so_far(self) -> float:
        return self._spent / math.log(2.0) / max(1, self._done)

    def _rated(self) -> Iterator[Rated]:
        """The text split and rated; only a model that streams sees parts of documents."""
        model = self._model
        stream = self._stream()
        if self._alternatives is None and getattr(stream, "rates_bytes", False):
            yield from self._rated_bytes(stream)
            return
        units = model.units if stream is not None else Whole(model.units)
        for piece in split_corpus(self._corpus, units, getattr(model, "block_size", BLOCK_SIZE)):
            self._lossy += piece.split.lossy
            split, blank = piece.split, blank_units(units, piece.split)
            if self._settings.eos != "no":
                keep = self._settings.eos == "nonblank"
                end = self._model.end_id  # type: ignore[attr-defined]
                shown = getattr(model, "end_is_unit", False)
                split, blank = with_ends(split, blank, len(piece.ends), end, keep_blank=keep, shown=shown)
            logs, details = self._ask(stream, split, piece)
            skipped = self._outside_windows(split, logs)
            yield _put_together(piece, split, logprobs=logs, skipped=skipped, blank=blank, details=details)

    def _stream(self) -> Any:
        """The model's stream; None where it is given whole documents: it has no other way, or is quicker by it."""
        model: Any = self._model
        if not hasattr(model, "stream") or (hasattr(model, "rated") and not getattr(model, "needs_bytes", False)):
            return None
        return model.stream()

    def _rated_bytes(self, stream: Any) -> Iterator[Rated]:
        """The same from a stream that splits and rates in one go."""
        for piece in cut_corpus(self._corpus, self._model.units, BLOCK_SIZE):
            split, blank, logs = stream.rate_bytes(
                piece.data, piece.all_ends, len(piece.ends), piece.continues, self._settings.eos
            )
            skipped = np.zeros(len(split.ids), dtype=np.bool_)
            yield _put_together(piece, split, logprobs=logs, skipped=skipped, blank=blank, owned=True)

    def _ask(self, stream: Any, split: Split, piece: Piece) -> tuple[NDArray[np.float64], Details | None]:
        """The model's log-probabilities, and its details where they were asked for."""
        model: Any = self._model
        if stream is None and hasattr(model, "rated"):
            watch = None if self._progress is None else self._watch(piece)
            found: tuple[NDArray[np.float64], Details | None] = model.rated(
                split.ids, split.bounds, self._alternatives, watch
            )
            return found
        details = self._details(stream, split, piece)
        if stream is None:
            return model.logprobs(split.ids, split.bounds), details
        if hasattr(stream, "rate_text"):  # the bytes themselves are paid for
            return stream.rate_text(piece.data, split, piece.continues, piece.unfinished), details
        return stream.logprobs(split.ids, split.bounds, continues=piece.continues), details

    def _watch(self, piece: Piece) -> Callable[[int, int], None]:
        """Progress within a piece: of a slow model one piece may be minutes."""

        def watch(done: int, of: int) -> None:
            assert self._progress is not None
            self._progress(piece.offset + len(piece.data) * done // of, self._corpus.total_bytes, self._so_far())

        return watch

    def _outside_windows(self, split: Split, logs: Any) -> NDArray[np.bool_]:
        """Which tokens no window answers for; what the windows cost is noted on the way."""
        if self._windows is None:
            return np.zeros(len(split.ids), dtype=np.bool_)
        plan = self._model.plan(split.bounds)  # type: ignore[attr-defined]
        self._windows.add(np.ascontiguousarray(logs, dtype=np.float64), plan)
        outside: NDArray[np.bool_] = plan.skipped(len(split.ids))
        if self._settings.first == "uniform":
            outside[split.bounds[:-1][np.diff(split.bounds) > 0]] = False
        return outside

    def _details(self, stream: Any, split: Split, piece: Piece) -> Details | None:
        if self._alternatives is None:
            return None
        found: Details
        if hasattr(stream, "details_text"):
            found = stream.details_text(piece.data, split, piece.continues, piece.unfinished, self._alternatives)
            return found
        if hasattr(stream, "details"):
            found = stream.details(split.ids, split.bounds, piece.continues, self._alternatives)
            return found
        if not isinstance(self._model, Predictor) or stream is not None:
            message = f"{self._model.name} cannot tell what else it held likely; leave alternatives out"
            raise ModelError(message)
        names = getattr(self._model, "outcome_names", ())
        rows = [
            self._model.predict(split.ids[first:place])
            for first, last in itertools.pairwise(split.bounds.tolist())
            for place in range(first, last)
        ]
        table = np.array(rows).reshape(len(rows), -1)
        return details_of_rows(table, np.asarray(split.ids, dtype=np.int64), self._alternatives if names else 0, names)

    def _check(self, piece: Rated) -> None:
        """Nothing but logarithms of probabilities goes on."""
        logs = piece.logprobs
        if not isinstance(logs, np.ndarray) or logs.shape != (len(piece.ids),):
            found = getattr(logs, "shape", type(logs).__name__)
            message = f"{self._model.name} gave {found} log-probabilities for {len(piece.ids)} units"
            raise ModelError(message)
        piece.logprobs = np.ascontiguousarray(logs, dtype=np.float64)
        if piece.blank.any() and self._settings.oov != "spelled":  # whose white space is paid for
            piece.logprobs = np.where(piece.blank, 0.0, piece.logprobs)
        if len(logs) and not piece.logprobs.max() <= 1e-9:  # the largest of numbers among which is NaN is NaN
            at = int(np.argmax(~(piece.logprobs <= 1e-9)))
            unit = piece.data[piece.cuts[at] : piece.cuts[at + 1]]
            place = piece.offset + int(piece.cuts[at])
            what = "NaN" if math.isnan(piece.logprobs[at]) else f"ln p = {piece.logprobs[at]:g}, a probability above 1,"
            message = f"{self._model.name} gave {what} for the unit {unit!r:.40} at byte {place} of {self._corpus.name}"
            raise ModelError(message, index=place)

    def _apply(self, piece: Rated) -> None:
        """Unknown and first units by the convention; what is left out is counted."""
        settings = self._settings
        unknown = self._model.unknown(piece.ids) if hasattr(self._model, "unknown") else None
        if unknown is not None:
            unknown &= ~piece.blank
            self._oov += int(np.count_nonzero(unknown))
            if settings.oov == "skipped":
                piece.skipped |= unknown
        if settings.first in ("skip", "uniform"):
            begun = np.diff(piece.bounds) > 0
            begun[: 1 if piece.continues else 0] = False
            starts = piece.bounds[:-1][begun]
            if settings.first == "skip":
                piece.skipped[starts] = True
            else:
                piece.logprobs = piece.logprobs.copy()  # the model's own array is left as it is
                piece.logprobs[starts] = -math.log(self._model.size)  # type: ignore[attr-defined]
        if piece.skipped.any():
            piece.logprobs = np.where(piece.skipped, 0.0, piece.logprobs)
            self._leave_out(piece)
        self._unknown = unknown if unknown is not None and unknown.any() else None

    def _add(self, piece: Rated) -> None:
        """Sums of documents and stretches, and of what the model knows."""
        sums = self._documents.add(piece)
        self._blocks.add(piece)
        self._spent += float(sums.sum())
        impossible = np.isneginf(piece.logprobs) if np.isinf(sums).any() else None
        if impossible is not None:
            self._name_impossible(piece, impossible)
        if impossible is None and self._unknown is None:
            self._known.add(_compensated(sums))
            return
        left_out = [mask for mask in (impossible, self._unknown) if mask is not None]
        counted = np.where(np.logical_or.reduce(left_out), 0.0, piece.logprobs)
        self._known.add(-_compensated(counted))

    def _leave_out(self, piece: Rated) -> None:
        self._skipped += int(np.count_nonzero(piece.skipped))
        self._skipped_counts += begun_within(piece.data, piece.ends, piece.cuts, piece.skipped)

    def _name_impossible(self, piece: Rated, impossible: NDArray[np.bool_]) -> None:
        self._impossible += int(np.count_nonzero(impossible))
        if not self._place:
            at = int(np.argmax(impossible))
            unit = piece.data[piece.cuts[at] : piece.cuts[at + 1]]
            shown = repr(unit.decode("utf-8", "backslashreplace")) if unit else "the end of a document"
            self._place = f"{shown} at byte {piece.offset + int(piece.cuts[at])}"

    def _finish(self) -> Score:
        nats, tokens = self._documents.finished()
        counts, sizes = self._counts.finished()
        documents = document_sums(nats, tokens, counts, sizes)
        totals = counts.sum(axis=0)
        scored = totals - (self._skipped_counts if self._settings.den == "scored" else 0)
        length, number = int(totals[0]), self._counts.documents
        signature = _signature(self._model.name, self._model.fingerprint, self._corpus, self._settings, length, number)
        return Score(
            model=self._model.name,
            text=self._corpus.name,
            nats=_total_of(nats),
            known_nats=self._known.value,
            bytes=int(scored[0]),
            chars=int(scored[1]),
            words=int(scored[2]),
            tokens=int(tokens.sum()),
            documents=number,
            oov=self._oov,
            skipped=self._skipped,
            invalid=self._counts.invalid,
            impossible=self._impossible,
            signature=signature.but(
                units=f"{self._model.units.name}/{self._model.units.fingerprint}",
                precision=getattr(self._model, "precision", "float64"),
            ),
            notes=self._notes(),
            by_document=documents,
            by_block=self._blocks.finished(),
            by_window=None if self._windows is None else self._windows.finished(),
            pieces=None if self._pieces is None else self._pieces.finished(),
        )

    def _notes(self) -> tuple[str, ...]:
        notes = [f"infinite: {self._impossible} impossible, the first is {self._place}"] if self._impossible else []
        if self._impossible and self._oov and self._settings.oov == "none":
            notes.append(_other_ways(self._model, self._oov))
        if self._lossy:
            notes.append(
                f"{self._lossy:,} bytes are in documents that the tokens do not give back (the tokenizer "
                "normalises, or bytes are not UTF-8): what tells such texts apart is not paid for"
            )
        return (*notes, *getattr(self._model, "caveats", ()))


def _other_ways(model: Any, unknown: int) -> str:
    """What to type where unknown units make a score infinite."""
    ways = ["--oov skipped leaves them out"]
    if "class" in getattr(model, "oov_ways", ()):
        ways.insert(0, "--oov class lets each cost <unk> alone")
    if hasattr(model, "fit_spelling") and model.units.name == "words":
        ways.append("bitmeter convert MODEL new.bmn --spelling TEXT makes a model that spells them")
    return f"{unknown:,} unknown to the model: {'; '.join(ways)}"


def _put_together(stretch: Stretch, split: Split, **rating: Any) -> Rated:
    """What was rated of a stretch, where it lies in the text."""
    return Rated(
        data=stretch.data,
        ends=stretch.ends,
        ids=split.ids,
        cuts=split.cuts,
        bounds=split.bounds,
        offset=stretch.offset,
        continues=stretch.continues,
        open=stretch.unfinished,
        **rating,
    )


def measure_total(model: Totalling, corpus: Corpus, settings: Settings, progress: Progress | None) -> Score:
    """A compressor's total."""
    model, settings = with_windows(model, settings)
    if (settings.first, settings.eos, settings.oov) != ("bos", "no", "none"):
        message = f"{model.name} gives only a total, so single units cannot be treated apart (first, eos, oov)"
        raise ModelError(message)
    meter, counts, done = model.meter(), CountTotals(), 0
    for block in corpus.blocks():
        meter.feed(block.data)
        counts.add(block.data, block.ends)
        done += len(block.data)
        if progress is not None:
            progress(done, corpus.total_bytes, math.nan)
    totals = counts.finished()[0].sum(axis=0)
    size = meter.finish()
    header = getattr(model, "header", "")
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
        signature=_signature(model.name, model.fingerprint, corpus, settings, int(totals[0]), counts.documents).but(
            units="whole text"
        ),
        notes=(f"a file of {size:,} bytes, header included ({header})",) if header else (),
    )


def _signature(
    name: str, fingerprint: str, corpus: Corpus, settings: Settings, length: int, documents: int
) -> Signature:
    return Signature(
        text=f"sha256-{corpus.fingerprint()[:24]}.{length}",
        norm=settings.norm,
        docs=f"{corpus.docs}.{documents}.{corpus.boundaries()[:8]}",
        first=settings.first or "bos",
        eos=settings.eos,
        oov=settings.oov,
        den=settings.den,
        ctx=settings.ctx or "full",
        model=f"{name}/{fingerprint}",
        like=settings.like,
    )


def _compensated(values: NDArray[np.float64]) -> float:
    return float(_core.segment_sums(values, np.array([0, len(values)], dtype=np.int64))[0])


def _total_of(nats: NDArray[np.float64]) -> float:
    return math.inf if np.isinf(nats).any() else math.fsum(nats.data)
