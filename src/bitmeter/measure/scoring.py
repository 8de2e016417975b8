"""score(): a text goes by once, in blocks, and leaves a Score and a Trace."""

from __future__ import annotations

import itertools
import math
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._version import __version__
from bitmeter.errors import ChoiceError, InputTypeError, ModelError
from bitmeter.measure.conventions import Convention, convention, setting
from bitmeter.measure.score import Score, with_interval
from bitmeter.measure.signature import Signature
from bitmeter.measure.sums import BlockTotals, CountTotals, DocumentTotals, Rated, document_sums
from bitmeter.measure.trace import Trace, _Columns
from bitmeter.models.base import Model, Predictor, Totalling, load
from bitmeter.models.details import Details, details_of_rows, joined_details
from bitmeter.text.corpus import Corpus
from bitmeter.text.normalise import normalised
from bitmeter.text.stream import split_corpus
from bitmeter.text.units import Split, Units, Words
from bitmeter.theory._check import integer, real

#: The longest trace that is kept in memory unasked, in units (about 50 bytes each).
KEPT_UNITS = 2_000_000

#: The id of a document of white space alone, under units of words.
BLANK = -2

#: How many bytes are read at once.
BLOCK_SIZE = 1 << 20

#: Called as the text goes by: bytes done, bytes in all (or None), and bits a byte so far.
Progress = Callable[[int, int | None, float], None]


@dataclass(frozen=True, slots=True)
class Settings:
    """The keywords of score() after the convention has spoken; each is in the signature."""

    docs: str | None
    field: str | None
    norm: str
    first: str
    eos: str
    oov: str
    den: str
    ctx: str
    like: str
    confidence: float


def score(
    model: Any,
    text: Any,
    *,
    docs: str | None = None,
    field: str | None = None,
    norm: str | None = None,
    first: str | None = None,
    eos: str | None = None,
    oov: str | None = None,
    den: str | None = None,
    ctx: str | None = None,
    like: str = "bitmeter",
    confidence: float = 0.95,
    trace: Any = None,
    alternatives: int | None = None,
    force: bool = False,
    progress: Progress | None = None,
) -> Score:
    """Measure how many bits a model needs for a text.

    Parameters
    ----------
    model
        A name such as "uniform" or "zstd:19", a Distribution, a Conditional, or any model.
    text
        A path, a glob, a folder, an address, "-" for stdin, a list of those, a Corpus, or bytes (the text itself).
    docs
        Where documents end: "file", "line", "blank" or "record". Intervals and comparisons are by document.
    field
        The field of JSON lines or the column of Parquet that holds the text.
    norm
        What is done to the text before: "none", "nfc", "nfkc", "lower", "newlines".
    first
        A document's first unit: "bos", "skip" or "uniform".
    eos
        Whether the end of each document is predicted and counted: "yes", "no", or "nonblank".
    oov
        What an unknown unit costs: "none" (what the model says), "skipped", "class" or "spelled".
    den
        What bits are divided by: the "scored" bytes or those of the "original".
    ctx
        How a long text meets a bounded context; "full" for models that have no bound.
    like
        Another tool's habits for all of the above; what is given beside it goes first.
    confidence
        Of the interval.
    trace
        Where to write the trace as Parquet. Without it, a text of up to two million units keeps its trace in memory.
    alternatives
        Have the trace tell also the entropy of each prediction, the rank of the truth, and this many of the likeliest
        alternatives (0 for none). Slower; for models that know the whole distribution of the next unit.
    force
        Overwrite that file.
    progress
        Called as the text goes by.

    Returns
    -------
    Score
        Sums, counts, interval, signature; `score.trace` for what each unit cost.

    Examples
    --------
    >>> import bitmeter as bm
    >>> s = bm.score("uniform", b"hello")
    >>> s.bits_per_byte, s.bits, s.bytes
    (8.0, 40.0, 5)
    """
    chosen = _settings(convention(like), docs, field, norm, first, eos, oov, den, ctx, confidence)
    measured = load(model)
    corpus = _corpus(text, chosen)
    started = time.perf_counter()
    if isinstance(measured, Model):
        wanted = None if alternatives is None else integer(alternatives, "alternatives", low=0, high=1000)
        result = _Run(measured, corpus, chosen, _Tracer(trace, force=force), wanted, progress).measure()
    elif isinstance(measured, Totalling):
        result = with_interval(_total(measured, corpus, chosen, progress), chosen.confidence)
    else:
        message = f"{measured!r:.60} is no model: it needs name, units, fingerprint and logprobs, or meter()"
        raise ModelError(message, value=measured)
    return replace(result, seconds=time.perf_counter() - started, environment=_environment())


def _settings(
    habits: Convention,
    docs: str | None,
    field: Any,
    norm: str | None,
    first: str | None,
    eos: str | None,
    oov: str | None,
    den: str | None,
    ctx: str | None,
    confidence: float,
) -> Settings:
    given = {"norm": norm, "first": first, "eos": eos, "oov": oov, "den": den}
    defaults = {"norm": "none", "first": "bos", "eos": "no", "oov": "none", "den": "scored", **habits.settings}
    values = {key: setting(key, defaults[key] if value is None else value) for key, value in given.items()}
    if field is not None and not isinstance(field, str):
        message = f"field is {field!r:.40}; it must be the name of a field or column"
        raise InputTypeError(message, value=field)
    boundaries = docs if docs is not None else habits.settings.get("docs")
    if boundaries is not None:
        setting("docs", boundaries)
    window = ctx if ctx is not None else "full"
    if not isinstance(window, str) or window != "full":
        message = f"ctx is {window!r:.40}; the models of this version have no bounded context, so it must be 'full'"
        raise ChoiceError(message, value=ctx)
    level = real(confidence, "confidence", low=0.5, high=0.9999)
    return Settings(docs=boundaries, field=field, ctx=window, like=habits.name, confidence=level, **values)


def _corpus(text: Any, settings: Settings) -> Corpus:
    corpus = Corpus.of(text, docs=settings.docs, field=settings.field)
    return corpus if settings.norm == "none" else normalised(corpus, settings.norm)


class _Run:
    """One model over one text."""

    def __init__(
        self,
        model: Model,
        corpus: Corpus,
        settings: Settings,
        tracer: _Tracer,
        alternatives: int | None,
        progress: Progress | None,
    ) -> None:
        _check_abilities(model, settings)
        if settings.oov in ("class", "spelled"):
            model = model.with_oov(settings.oov)  # type: ignore[attr-defined]
        self._model, self._corpus, self._settings, self._progress = model, corpus, settings, progress
        self._documents, self._blocks, self._counts = DocumentTotals(), BlockTotals(), CountTotals()
        self._skipped_counts = CountTotals()
        self._done = 0
        self._known: list[float] = []
        self._oov = self._skipped = self._impossible = 0
        self._place = ""
        self._tracer, self._alternatives = tracer, alternatives

    def measure(self) -> Score:
        """Go through the text once."""
        with self._tracer:
            for piece in self._rated():
                self._check(piece)
                self._counts.add(piece.data, piece.ends)
                self._apply(piece)
                self._documents.add(piece)
                self._blocks.add(piece)
                self._tracer.add(piece)
                self._done = piece.offset + len(piece.data)
                if self._progress is not None:
                    self._progress(self._done, self._corpus.total_bytes, self._so_far())
            # The trace carries the signature of the finished score, the method of its interval included.
            return self._tracer.finish(with_interval(self._finish(), self._settings.confidence))

    def _so_far(self) -> float:
        return math.fsum(self._known) / math.log(2.0) / max(1, self._done)

    def _rated(self) -> Iterator[Rated]:
        """The text split and rated; only a model that streams sees parts of documents."""
        model = self._model
        stream = model.stream() if hasattr(model, "stream") else None
        units = model.units if stream is not None else _Whole(model.units)
        for piece in split_corpus(self._corpus, units, BLOCK_SIZE):
            split, blank = piece.split, _blank(units, piece.split)
            if self._settings.eos != "no":
                keep = self._settings.eos == "nonblank"
                end = self._model.end_id  # type: ignore[attr-defined]
                split, blank = _with_ends(split, blank, len(piece.ends), end, keep_blank=keep)
            details = self._details(stream, split, continues=piece.continues)
            logs = (
                model.logprobs(split.ids, split.bounds)
                if stream is None
                else stream.logprobs(split.ids, split.bounds, continues=piece.continues)
            )
            yield Rated(
                data=piece.data,
                ends=piece.ends,
                ids=split.ids,
                cuts=split.cuts,
                bounds=split.bounds,
                offset=piece.offset,
                continues=piece.continues,
                open=piece.unfinished,
                logprobs=logs,
                skipped=np.zeros(len(split.ids), dtype=np.bool_),
                blank=blank,
                details=details,
            )

    def _details(self, stream: Any, split: Split, *, continues: bool) -> Details | None:
        if self._alternatives is None:
            return None
        if hasattr(stream, "details"):
            found: Details = stream.details(split.ids, split.bounds, continues, self._alternatives)
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
        piece.logprobs = np.array(logs, dtype=np.float64)
        piece.logprobs[piece.blank] = 0.0
        wrong = ~(piece.logprobs <= 1e-9)
        if wrong.any():
            at = int(np.argmax(wrong))
            unit = piece.data[piece.cuts[at] : piece.cuts[at + 1]]
            place = piece.offset + int(piece.cuts[at])
            what = "NaN" if math.isnan(piece.logprobs[at]) else f"ln p = {piece.logprobs[at]:g}, a probability above 1,"
            message = f"{self._model.name} gave {what} for the unit {unit!r:.40} at byte {place} of {self._corpus.name}"
            raise ModelError(message, index=place)

    def _apply(self, piece: Rated) -> None:
        """Unknown and first units by the convention; what is left out is counted."""
        settings, logs = self._settings, piece.logprobs
        unknown = self._model.unknown(piece.ids) if hasattr(self._model, "unknown") else None
        if unknown is not None:
            unknown &= ~piece.blank
            self._oov += int(np.count_nonzero(unknown))
            if settings.oov == "skipped":
                piece.skipped |= unknown
        if settings.first != "bos":
            starts = piece.bounds[:-1][np.diff(piece.bounds) > 0]
            starts = starts[starts > 0] if piece.continues else starts
            if settings.first == "skip":
                piece.skipped[starts] = True
            else:
                logs[starts] = -math.log(self._model.size)  # type: ignore[attr-defined]
        if piece.skipped.any():
            logs[piece.skipped] = 0.0
            self._leave_out(piece)
        impossible = np.isneginf(logs)
        if impossible.any():
            self._name_impossible(piece, impossible)
        counted = np.where(impossible, 0.0, logs)
        if unknown is not None:
            counted[unknown] = 0.0
        self._known.append(-math.fsum(_segment_total(counted)))

    def _leave_out(self, piece: Rated) -> None:
        self._skipped += int(np.count_nonzero(piece.skipped))
        places = np.flatnonzero(piece.skipped)
        left = b"".join(piece.data[piece.cuts[i] : piece.cuts[i + 1]] for i in places)
        ends = np.cumsum(piece.cuts[places + 1] - piece.cuts[places])
        self._skipped_counts.add(left, ends.astype(np.int64))

    def _name_impossible(self, piece: Rated, impossible: NDArray[np.bool_]) -> None:
        self._impossible += int(np.count_nonzero(impossible))
        if not self._place:
            at = int(np.argmax(impossible))
            unit = piece.data[piece.cuts[at] : piece.cuts[at + 1]]
            shown = unit.decode("utf-8", "backslashreplace")
            self._place = f"{shown!r} at byte {piece.offset + int(piece.cuts[at])}"

    def _finish(self) -> Score:
        nats, tokens = self._documents.finished()
        counts = self._counts.finished()
        documents = document_sums(nats, tokens, counts)
        totals = counts.sum(axis=0)
        scored = totals - (self._skipped_counts.finished().sum(axis=0) if self._settings.den == "scored" else 0)
        signature = _signature(self._model.name, self._model.fingerprint, self._corpus, self._settings, counts)
        return Score(
            model=self._model.name,
            text=self._corpus.name,
            nats=_total_of(nats),
            known_nats=math.fsum(self._known),
            bytes=int(scored[0]),
            chars=int(scored[1]),
            words=int(scored[2]),
            tokens=int(tokens.sum()),
            documents=len(documents),
            oov=self._oov,
            skipped=self._skipped,
            invalid=self._counts.invalid,
            impossible=self._impossible,
            signature=signature.but(units=f"{self._model.units.name}/{self._model.units.fingerprint}"),
            notes=(f"infinite: {self._impossible} impossible, the first is {self._place}",) if self._impossible else (),
            by_document=documents,
            by_block=self._blocks.finished(),
        )


class _Tracer:
    """Keeps the trace in memory while it is short, or writes it as it comes."""

    def __init__(self, path: Any, *, force: bool) -> None:
        from bitmeter.measure.trace_files import TraceWriter

        self._writer = None if path is None else TraceWriter(path, force=force)
        self._parts: list[tuple[Any, ...]] | None = []
        self._units = 0
        self._document = 0
        self._start = 0

    def __enter__(self) -> _Tracer:
        if self._writer is not None:
            self._writer.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        if self._writer is not None:
            self._writer.__exit__(*error)

    def add(self, piece: Rated) -> None:
        """Take note of a piece."""
        sizes = np.diff(piece.bounds)
        numbers = np.repeat(np.arange(len(sizes), dtype=np.int64) + self._document, sizes)
        begins = np.repeat(piece.cuts[piece.bounds[:-1]], sizes)
        shift = np.where(numbers == self._document, self._start, 0)
        start, end = piece.cuts[:-1] - begins + shift, piece.cuts[1:] - begins + shift
        if len(sizes):
            last_begin = int(piece.cuts[piece.bounds[-2]])
            self._document += len(sizes) - (1 if piece.open else 0)
            carried = self._start if len(sizes) == 1 else 0
            self._start = carried + int(piece.cuts[-1]) - last_begin if piece.open else 0
        row = (numbers, start, end, piece.ids.astype(np.int64), piece.logprobs, piece.data, piece.cuts)
        if self._writer is not None:
            self._writer.write(*row, details=piece.details)
        self._units += len(piece.ids)
        if self._parts is not None and self._units <= KEPT_UNITS:
            self._parts.append((*row, piece.details))
        else:
            self._parts = None

    def finish(self, result: Score) -> Score:
        """The score with its trace, and the file complete."""
        if self._writer is not None:
            self._writer.finish(result.signature)
        if self._parts is None:
            return result
        data = b"".join(row[5] for row in self._parts)
        shifts = np.cumsum([0, *(len(row[5]) for row in self._parts)])
        cuts = [row[6][:-1] + shift for row, shift in zip(self._parts, shifts[:-1], strict=True)]
        columns = {
            name: np.concatenate([row[i] for row in self._parts]) if self._parts else np.zeros(0, dtype=kind)
            for i, (name, kind) in enumerate(
                (("doc", np.int64), ("start", np.int64), ("end", np.int64), ("id", np.int64), ("logprob", np.float64))
            )
        }
        whole = np.concatenate([*cuts, [len(data)]]).astype(np.int64)
        told = [row[7] for row in self._parts if row[7] is not None]
        details = joined_details(told) if told else None
        return replace(result, _trace=Trace(_Columns(columns, data, whole, details), result.signature))


def _total(model: Totalling, corpus: Corpus, settings: Settings, progress: Progress | None) -> Score:
    """A compressor's total."""
    if (settings.first, settings.eos, settings.oov) != ("bos", "no", "none"):
        message = f"{model.name} gives only a total, so single units cannot be treated apart (first, eos, oov)"
        raise ModelError(message)
    meter, counts, done = model.meter(), CountTotals(), 0
    for block in corpus.blocks(BLOCK_SIZE):
        meter.feed(block.data)
        counts.add(block.data, block.ends)
        done += len(block.data)
        if progress is not None:
            progress(done, corpus.total_bytes, math.nan)
    rows = counts.finished()
    totals = rows.sum(axis=0)
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
        documents=len(rows),
        oov=0,
        skipped=0,
        invalid=counts.invalid,
        impossible=0,
        signature=_signature(model.name, model.fingerprint, corpus, settings, rows).but(units="whole text"),
        notes=(f"a file of {size:,} bytes, header included ({header})",) if header else (),
    )


def _check_abilities(model: Model, settings: Settings) -> None:
    if settings.eos != "no" and not getattr(model, "predicts_end", False):
        why = f", as the habits of {settings.like} ask" if settings.like != "bitmeter" else ""
        message = f"{model.name} does not predict the end of a document{why}; eos must be 'no' (--eos no)"
        raise ModelError(message)
    if settings.oov in ("class", "spelled") and settings.oov not in getattr(model, "oov_ways", ()):
        ways = "'none' or 'skipped'" if hasattr(model, "unknown") else "'none'"
        message = f"{model.name} has no way {settings.oov!r} for unknown units; oov can be {ways} (--oov)"
        raise ModelError(message)
    if settings.oov == "skipped" and not hasattr(model, "unknown"):
        message = f"{model.name} knows no unknown units, so oov must be 'none' (--oov none)"
        raise ModelError(message)
    if settings.first == "uniform" and not isinstance(getattr(model, "size", None), int):
        message = (
            f"{model.name} has no fixed number of units, so a first unit cannot cost their logarithm; use first='skip'"
        )
        raise ModelError(message)


def _signature(name: str, fingerprint: str, corpus: Corpus, settings: Settings, counts: NDArray[np.int64]) -> Signature:
    return Signature(
        text=f"sha256-{corpus.fingerprint()[:24]}.{int(counts[:, 0].sum())}",
        norm=settings.norm,
        docs=f"{corpus.docs}.{len(counts)}.{corpus.boundaries()[:8]}",
        first=settings.first,
        eos=settings.eos,
        oov=settings.oov,
        den=settings.den,
        ctx=settings.ctx,
        model=f"{name}/{fingerprint}",
        like=settings.like,
    )


def _blank(units: Units, split: Split) -> NDArray[np.bool_]:
    """Documents of white space alone, which are one unit and no word: they cost nothing and count for nothing."""
    worded = isinstance(units, Words) or (isinstance(units, _Whole) and isinstance(units.inner, Words))
    return np.asarray(split.ids == BLANK) if worded else np.zeros(len(split.ids), dtype=np.bool_)


def _with_ends(
    split: Split, blank: NDArray[np.bool_], finished: int, end: int, *, keep_blank: bool
) -> tuple[Split, NDArray[np.bool_]]:
    """The same units with the end of each finished document as one more.

    A document without words is its end alone; with `keep_blank` it stays a blank that counts for nothing.
    """
    ids = split.ids if keep_blank else np.where(blank, end, split.ids)
    bounds = split.bounds
    needs = np.ones(finished, dtype=np.bool_)
    sizes = np.diff(bounds)[:finished]
    single = np.flatnonzero(sizes == 1)
    needs[single] = ~blank[bounds[single]]
    places = bounds[1 : finished + 1][needs]
    cuts = np.insert(split.cuts, places, split.cuts[places])
    grown = bounds.copy()
    grown[1 : finished + 1] += np.cumsum(needs)
    grown[finished + 1 :] += int(needs.sum())
    return Split(np.insert(ids, places, end), cuts, grown), np.insert(blank & keep_blank, places, values=False)


class _Whole(Units):
    """The same units, but a document is split only when it is whole."""

    def __init__(self, units: Units) -> None:
        self.inner, self.name, self.fingerprint = units, units.name, units.fingerprint

    def _split(self, data: bytes, ends: NDArray[np.int64]) -> Split:
        return self.inner._split(data, ends)

    def _cut(self, data: bytes) -> int:
        return 0


def _segment_total(values: NDArray[np.float64]) -> NDArray[np.float64]:
    from bitmeter import _core

    return _core.segment_sums(values, np.array([0, len(values)], dtype=np.int64))


def _total_of(nats: NDArray[np.float64]) -> float:
    return math.inf if np.isinf(nats).any() else math.fsum(nats.tolist())


def _environment() -> dict[str, str]:
    return {
        "bitmeter": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "system": f"{platform.system()} {platform.machine()}",
    }
