"""Scores of many documents in one call: sums and counts of each, and nothing of the text as a whole.

`score` measures a text and keeps at most a million documents apart. What decides about single documents, such as a
filter, needs each of them, whatever their number, and in an order of its own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.check import choice
from bitmeter.errors import InputError, ModelError
from bitmeter.measure.aggregates import LARGEST_LOG
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.options import settle
from bitmeter.measure.run import Run
from bitmeter.measure.signature import Signature, covers_all_texts, units_value
from bitmeter.measure.sums import Counted
from bitmeter.measure.trace.tracer import Tracer
from bitmeter.measure.window_sums import with_windows, without_windows
from bitmeter.models.protocols import Batch, Compressor, Model, Options, Session
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.normalise import normalise_documents
from bitmeter.text.corpus.readers import Block
from bitmeter.text.corpus.sources import Resolved, block_source
from bitmeter.text.units.counts import TextCounter

__all__ = ["SENTENCES", "DocumentColumns", "DocumentScorer"]

#: Bytes of documents that a session sums up in one call.
_AT_ONCE = 1 << 23

#: What begins and ends like a sentence: each document; each line of one; or each of what "\\n" separates, so that a
#: newline at the end has an empty sentence after it.
SENTENCES = ("document", "line", "split")


@dataclass(frozen=True, slots=True)
class DocumentColumns:
    """Sums and counts, one entry per document.

    Attributes
    ----------
    nats
        What the document costs; infinite if something in it is impossible.
    tokens
        How many units were scored, ends of sentences included where they are.
    bytes, chars, words
        Of the text that was scored, after normalisation.
    oov
        How many units the model does not know.
    perplexity
        The figure by the arithmetic and the rounding of the tool whose conventions are followed; not a number where
        the tool gives none. None if the sums above say all.
    """

    nats: Floats
    tokens: Ints
    bytes: Ints
    chars: Ints
    words: Ints
    oov: Ints
    perplexity: Floats | None = None

    def __len__(self) -> int:
        return len(self.nats)


class DocumentScorer:
    r"""One model and its conventions, for documents in any number.

    The figures of a document do not depend on the others: a model that learns as it scores starts afresh for each.
    (Networks round differently in batches of other sizes, by about 1e-7 of a figure.)

    Parameters
    ----------
    model
        What scores: a model, or a compressor, which gives the size of each document as a file of its own.
    like, norm, first, eos, oov, ctx
        As for `score`. Without `oov`, unknown units are spelled where the model can do that. Where it can only give
        them a class, that is what they cost, and ends of sentences are scored: the perplexity of KenLM and of the
        filters that are built on it. With the conventions of such a filter (`like`), the perplexity of each document
        is the filter's own, from the log-probabilities of units, which takes longer.
    sentences
        "document"; "line": each line of a document is a sentence of its own, an empty one too, as in KenLM's query; or
        "split": each part that Python's `text.split("\n")` gives is, as in most filters. Without it, what the
        convention says. For models whose unknown words are spelled, newlines always end sentences.

    Examples
    --------
    >>> import bitmeter as bm
    >>> import numpy as np
    >>> found = DocumentScorer(bm.load("uniform")).score(b"abc" + b"de", np.array([3, 5]))
    >>> (found.nats / np.log(2)).tolist(), found.bytes.tolist()
    ([24.0, 16.0], [3, 2])
    """

    def __init__(
        self,
        model: Model | Compressor,
        *,
        like: str = "bitmeter",
        norm: str | None = None,
        first: str | None = None,
        eos: str | None = None,
        oov: str | None = None,
        ctx: str | None = None,
        sentences: str | None = None,
    ) -> None:
        tool = convention(like)
        if isinstance(model, Model):
            oov, eos = _defaults(model, oov, eos, tool.settings)
        settings = settle(tool, None, None, norm, first, eos, oov, None, ctx, 0.95, "none")
        if sentences is None:
            by_line = tool.settings.get("docs") == "line" and settings.oov != "spelled"
            sentences = "line" if by_line else "document"
        self._sentences = choice(sentences, "sentences", SENTENCES)
        self._norm, self._run = settings.norm, None
        self._each = tool.each
        self._model, self._compressor = model, None
        if isinstance(model, Model):
            model, settings = with_windows(model, settings)
            self._run = _DocumentRun(model, _NOTHING, settings, Tracer(None, force=False), None, None)
            if self._run.may_skip:  # how many bytes were skipped is not known by document
                settings = replace(settings, den="original")
            if self._sentences != "document" and settings.oov == "spelled":
                message = (
                    f"{model.name} spells unknown words, and newlines end its sentences already; leave out sentences "
                    "(--sentences), or let unknown words cost their class alone (--oov class)"
                )
                raise InputError(message, value=sentences)
            units, precision = units_value(model.units), model.traits.precision
        else:
            settings = without_windows(model.name, settings)
            if self._sentences != "document" or (settings.first, settings.eos, settings.oov) != ("bos", "no", "none"):
                message = f"{model.name} gives only a total, so single units cannot be treated apart (first, eos, oov)"
                raise ModelError(message, value=model.name)
            self._compressor, units, precision = model, "whole text", "float64"
        assert settings.first is not None
        assert settings.ctx is not None, "with_windows and without_windows settle both"
        #: The conventions, without a text.
        docs = "record" if self._sentences == "document" else self._sentences
        self.signature = Signature(
            norm=settings.norm, docs=docs, first=settings.first, eos=settings.eos,
            oov=settings.oov, den=settings.den, units=units, ctx=settings.ctx,
            model=f"{model.name}/{model.fingerprint}", precision=precision, like=settings.like,
        )  # fmt: skip

    @property
    def name(self) -> str:
        """Of the model."""
        return self._model.name

    @property
    def covers_bytes(self) -> bool:
        """Whether every byte of a text is paid for, so that there are bits per byte."""
        return covers_all_texts(self.signature)

    def score(self, data: bytes, ends: Ints) -> DocumentColumns:
        """The columns of the documents that end at these offsets; the last ends where the data do.

        Parameters
        ----------
        data
            The bytes of all documents.
        ends
            Offsets, ascending.
        """
        if self._norm != "none":
            data, ends = normalise_documents(data, ends, self._norm)
        ends = np.ascontiguousarray(ends, dtype=np.int64)
        counts = TextCounter().feed(data, ends)
        size = np.diff(ends, prepend=np.int64(0))
        chars, words = counts.chars[: len(ends)], counts.words[: len(ends)]
        if self._compressor is not None:
            nats, tokens = self._compressed(data, ends), size.copy()
            return DocumentColumns(nats, tokens, size, chars, words, np.zeros_like(size))
        assert self._run is not None
        bounds = None
        if self._sentences != "document":
            data, ends, bounds = _by_line(data, ends, drops_last=self._sentences == "line")
        nats, tokens, oov, costs = self._run.documents(data, ends)
        if bounds is not None:
            nats = _core.segment_sums(nats, bounds)
            tokens, oov = (np.diff(np.concatenate(([0], np.cumsum(values)))[bounds]) for values in (tokens, oov))
            costs = None if costs is None else _added(costs, bounds)
        perplexity = None if costs is None or self._each is None else self._each(costs, tokens)
        return DocumentColumns(nats, tokens, size, chars, words, oov, perplexity)

    def _compressed(self, data: bytes, ends: Ints) -> Floats:
        assert self._compressor is not None
        sizes = np.empty(len(ends))
        start = 0
        for number, end in enumerate(ends.tolist()):
            meter = self._compressor.meter()
            meter.feed(data[start:end])
            sizes[number] = meter.finish()
            start = end
        return sizes * (8 * math.log(2.0))


def _added(costs: Floats, bounds: Ints) -> Floats:
    """The sums of sentences, as loops of Python have them: doubles from left to right."""
    return np.array([sum(costs[start:stop].tolist(), 0.0) for start, stop in pairwise(bounds.tolist())])


def _defaults(
    model: Model, oov: str | None, eos: str | None, stated: Mapping[str, str]
) -> tuple[str | None, str | None]:
    """What unknown units cost and whether ends are scored, where neither the user nor a convention says it."""
    if oov is None and "oov" not in stated:
        ways = model.traits.oov
        oov = "spelled" if "spelled" in ways else "class" if "class" in ways else None
    if eos is None and "eos" not in stated and oov == "class" and model.traits.end is not None:
        eos = "yes"
    return oov, eos


class _DocumentRun(Run):
    """A run over batches of whole documents, in any order."""

    _session: Session | None = None

    @property
    def may_skip(self) -> bool:
        """Whether units may be left out."""
        return self._may_skip

    @property
    def _sums_up(self) -> bool:
        """Whether all units of a document count, and as the model scores them."""
        return not self._may_skip and self._settings.first == "bos" and self._tally is None

    def documents(self, data: bytes, ends: Ints) -> tuple[Floats, Ints, Ints, Floats | None]:
        """The nats, the tokens and the unknown units of each document, and its cost as the tool adds, if one does."""
        nats, tokens, oov = (
            np.zeros(len(ends)),
            np.zeros(len(ends), dtype=np.int64),
            np.zeros(len(ends), dtype=np.int64),
        )
        costs = None if self._tally is None else np.zeros(len(ends))
        learns = self._model.traits.learns
        for first, last, start in _groups(ends, 1 if learns else _AT_ONCE):
            part = data[start : int(ends[last - 1])] if last - first < len(ends) else data
            found = self._summed(part, ends[first:last] - start) if self._sums_up and not learns else None
            if found is None:
                found = self._counted(part, ends[first:last] - start, None if costs is None else costs[first:last])
            nats[first:last], tokens[first:last], oov[first:last] = found
        return nats, tokens, oov, costs

    def _batch(self, data: bytes, ends: Ints) -> tuple[Session, Batch]:
        model, eos = self._model, self._settings.eos
        if self._session is None or model.traits.learns:
            self._session = model.open(Options(eos))
        return self._session, Batch(data, ends, model.units, eos=eos, end=model.traits.end)

    def _summed(self, data: bytes, ends: Ints) -> tuple[Floats, Ints, Ints] | None:
        """What the session sums up by itself; None where it does not, or has something to complain of."""
        session, batch = self._batch(data, ends)
        sums = session.totals(batch)
        if sums is None or not sums.most <= LARGEST_LOG:
            return None
        return -sums.logprobs + 0.0, sums.tokens, sums.unknown

    def _counted(self, data: bytes, ends: Ints, costs: Floats | None) -> tuple[Floats, Ints, Ints]:
        """The same from the log-probabilities of units, some documents at a time; the tool's sums go to `costs`."""
        nats, tokens, oov = (np.zeros(len(ends)), *(np.zeros(len(ends), dtype=np.int64) for _ in range(2)))
        for first, last, start in _groups(ends, self._block_bytes):
            session, batch = self._batch(data[start : int(ends[last - 1])], ends[first:last] - start)
            scored = session.score(batch)
            counted = Counted(batch, scored, self._outside_windows(scored))
            self._check(counted)
            self._apply(counted)
            bounds = counted.scored.split.bounds
            nats[first:last] = -_core.segment_sums(counted.scored.logprobs, bounds) + 0.0
            if costs is not None:
                costs[first:last] = self._costs(counted.scored.logprobs, bounds)
            left: Bools = counted.skipped | counted.scored.blank
            tokens[first:last] = np.diff(bounds) - _core.segment_counts(left, bounds)
            if self._unknown is not None:
                oov[first:last] = _core.segment_counts(self._unknown, bounds)
        return nats, tokens, oov

    def _costs(self, logprobs: Floats, bounds: Ints) -> Floats:
        """The sums of whole documents as the tool adds them."""
        make = convention(self._settings.like).tally
        assert make is not None, "the caller asks for them only then"
        tally = make()
        tally.add(logprobs, bounds, continues=False, unfinished=False)
        return tally.finished()


def _groups(ends: Ints, size: int) -> Iterator[tuple[int, int, int]]:
    """Runs of documents of about so many bytes: the first, the one after the last, and where they begin."""
    first, start = 0, 0
    while first < len(ends):
        last = max(first + 1, int(np.searchsorted(ends, start + size, side="right")))
        yield first, last, start
        first, start = last, int(ends[last - 1])


def _by_line(data: bytes, ends: Ints, *, drops_last: bool) -> tuple[bytes, Ints, Ints]:
    r"""Each line as a document, without its newline, and which lines make a document: all that "\n" separates.

    With `drops_last`, what follows the last newline of a document is a line only if it is not empty.
    """
    newlines = np.flatnonzero(np.frombuffer(data, dtype=np.uint8) == 10)
    before = np.searchsorted(newlines, ends)
    lines = np.sort(np.concatenate((newlines, ends)), kind="stable")
    # A newline that is a document's last byte comes before its end, which is one further.
    stops = lines - np.searchsorted(newlines, lines)
    bounds = np.concatenate(([0], before + np.arange(1, len(ends) + 1))).astype(np.int64)
    if drops_last and len(ends):
        last = bounds[1:] - 1
        begins = np.concatenate(([0], stops[:-1]))
        kept = np.ones(len(stops), dtype=np.bool_)
        kept[last] = stops[last] > begins[last]
        bounds = np.concatenate(([0], np.cumsum(kept)))[bounds]
        stops = stops[kept]
    return data.replace(b"\n", b""), stops, bounds


def _corpus(data: bytes, ends: Ints) -> Corpus:
    return Corpus._made(Resolved([block_source(Block(data, ends), "documents")]), None)


_NOTHING = _corpus(b"", np.zeros(0, dtype=np.int64))
