"""score(): a text goes by once, in blocks, and leaves a Score and a Trace."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

from bitmeter._util.asking import ask
from bitmeter._util.check import integer
from bitmeter._util.jobs import Executor, Here
from bitmeter._util.progress import Progress
from bitmeter.errors import InputError, ModelError
from bitmeter.measure.conventions.registry import convention
from bitmeter.measure.documents.ended import DocumentListener
from bitmeter.measure.environment import environment
from bitmeter.measure.options import Settings, settle
from bitmeter.measure.run import Run, measure_total
from bitmeter.measure.score import Score, with_interval
from bitmeter.measure.trace.tracer import Tracer
from bitmeter.models.protocols import Compressor, Model
from bitmeter.models.registry import resolve
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.encoding import encode


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
    cluster: str = "auto",
    given: str | None = None,
    between: str | None = None,
    border: str | None = None,
    group: str | None = None,
    trace: Any = None,
    alternatives: int | None = None,
    force: bool = False,
    workers: int | None = None,
    engine: str = "local",
    address: str | None = None,
    progress: Progress | None = None,
    documents: DocumentListener | None = None,
) -> Score:
    """Measure how many bits a model needs for a text.

    Parameters
    ----------
    model
        A name such as "uniform" or "zstd:19", a Distribution, a Conditional, or any model.
    text
        A path, a glob, a folder, an address, "-" for stdin, a list of those, a Corpus, or bytes (the text itself).
    docs
        Where documents end: "file", "line", "blank", "record", "joined", "joined-line" or "joined-blank". Intervals and
        comparisons are by document.
    field
        The field of JSON lines or the column of Parquet that holds the text.
    norm
        What is done to the text before: "none", "nfc", "nfkc", "lower", "newlines", or what a perplexity filter does:
        "ccnet", "edugp", "roots", "datatrove".
    first
        A document's first unit: "bos", "eos", "skip" or "uniform".
    eos
        Whether the end of each document is predicted and counted: "yes", "no", or "nonblank".
    oov
        What an unknown unit costs: "none" (what the model says), "skipped", "class" or "spelled" (the default for
        models that can).
    den
        What bits are divided by: the "scored" bytes or those of the "original".
    ctx
        How a long text meets a bounded context: "1024.512" (windows of 1024 tokens, each 512 further), "full",
        "disjoint", "rolling" (as lm-eval) or "half" (as llama.cpp), the last three also with a window ("half.512").
        Without it, windows are as long as the model sees and half of each is new. Models without a bound see all.
    like
        Another tool's conventions for all of the above; what is given explicitly takes precedence.
    confidence
        Of the interval.
    cluster
        Which documents belong together, because they are alike, and are one observation of the interval: "auto" (lines
        and paragraphs of one file, if there are several files, or under one heading, if the text has headings; records
        that agree with their neighbours in a field such as "url" or "source"), "none", "file", "heading"; for rows, the
        name of another field; for text, a regular expression for the lines at which articles begin, such as
        "^Chapter ", of which the first 1,024 bytes are searched. Sections of one long text are found in the same way.
    given
        The field of records that holds the context of each answer; the answer is in `field`. The context conditions
        the answer, and is in neither the sum nor the counts. Nothing is put between them or moved from one to the
        other. A context that is longer than the model sees is cut on its left.
    between
        With `given`: what stands between a context and its answer, such as " ". It counts as part of the answer.
    border
        With `given`: which units are the answer's. "whole" (the default) splits context and answer as one text and
        counts a unit across the border with the answer; "apart" splits each by itself; "lm-eval" moves white space at
        the end of the context to the answer and counts all units beyond as many as the context has by itself.
    group
        By what figures are given apart (`Score.groups`): a field of the records, such as "domain", "file" or "folder";
        or two of them, "source,domain", for means over the domains of each source and over sources.
    trace
        Where to write the trace as Parquet. Without it, a text of up to two million units keeps its trace in memory.
    alternatives
        Add to the trace the entropy of each prediction, the rank of the unit that came, and this many of the most
        likely units (0 for none). Slower; only for models that expose the distribution of the next unit.
    force
        Overwrite that file.
    workers
        How many processes score parts of the text; by default this one alone. The score is the same to the last bit.
        For models that do not learn as they read, texts in files, and documents that are lines, records or files.
    engine
        "local", or "ray": the processes are those of Ray, on one machine or many.
    address
        With Ray: that of a running cluster, whose machines all see the files by the same names.
    progress
        Called with a `Step` as the text goes by: bytes done, bytes in all, bits per byte so far.
    documents
        Called with a `DocumentBatch` as documents end: the sums of each, in order, however many there are.

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
    chosen = settle(
        convention(like),
        docs,
        field,
        norm,
        first,
        eos,
        oov,
        den,
        ctx,
        confidence,
        cluster,
        given,
        between,
        border,
        group,
    )
    measured = resolve(model)
    if oov is None and "oov" not in convention(like).settings and _spells(measured):
        chosen = replace(chosen, oov="spelled")  # the only way that makes its bits comparable with other models'
    if docs is None and isinstance(text, Corpus) and chosen.docs in ("record", text.docs):
        chosen = replace(chosen, docs=None)  # the tool takes texts one by one, as the corpus has them
    started = time.perf_counter()
    if (workers, engine, address) != (None, "local", None):
        executor: Executor = ask("an executor", workers, engine, address)
    else:
        executor = Here()
    if not isinstance(executor, Here):
        with executor:
            unused = {"trace": trace, "alternatives": alternatives, "documents": documents}
            result = _in_parts(measured, text, chosen, executor, unused, progress)
        return replace(result, seconds=time.perf_counter() - started, environment=environment())
    corpus = _corpus(text, chosen)
    if isinstance(measured, Compressor):
        _refuse_answers(measured, chosen)
        if trace is not None:
            message = f"{measured.name} gives only a total, so there is no trace to write"
            raise ModelError(message, value=trace)
        if documents is not None:
            message = f"{measured.name} gives only a total, so there are no figures of documents; use universal or kt"
            raise ModelError(message, value=model)
        if alternatives is not None:
            message = f"{measured.name} gives only a total, so it has no predictions with alternatives; leave it out"
            raise ModelError(message, value=alternatives)
        result = with_interval(measure_total(measured, corpus, chosen, progress), chosen.confidence)
    else:
        wanted = None if alternatives is None else integer(alternatives, "alternatives", low=0, high=1000)
        run = Run(measured, corpus, chosen, Tracer(trace, force=force), wanted, progress, listener=documents)
        result = run.measure()
    return replace(result, seconds=time.perf_counter() - started, environment=environment())


def _in_parts(
    model: Model | Compressor,
    text: Any,
    settings: Settings,
    executor: Executor,
    unused: dict[str, Any],
    progress: Progress | None,
) -> Score:
    """The score by several processes, to which some keywords have no meaning."""
    stated = next((name for name, value in unused.items() if value is not None), None)
    if stated is not None:
        message = f"{stated}= is written by one process, in the order of the text; leave it or workers= out"
        raise InputError(message, value=unused[stated])
    corpus = Corpus.of(text, docs=settings.docs, field=settings.field)
    found: Score = ask("a score in parts", model, corpus, settings, executor, progress)
    return found


def score_by(executor: Executor, model: Model, corpus: Corpus, confidence: float, progress: Progress | None) -> Score:
    """The score with all defaults, by several processes; with its trace, if it is short, as by one."""
    chosen = settle(convention("bitmeter"), None, None, None, None, None, None, None, None, confidence)
    if _spells(model):
        chosen = replace(chosen, oov="spelled")
    started = time.perf_counter()
    found: Score = ask("a score in parts", model, corpus, chosen, executor, progress, keeps=True)
    return replace(found, seconds=time.perf_counter() - started, environment=environment())


def _spells(model: Model | Compressor) -> bool:
    return isinstance(model, Model) and "spelled" in model.traits.oov


def _refuse_answers(model: Compressor, settings: Settings) -> None:
    if settings.given is not None or settings.group is not None:
        what = "answers given their contexts" if settings.given is not None else "groups of documents"
        message = (
            f"{model.name} gives only the size of a whole text, so it has no figures for {what}; use a model that "
            "predicts, such as universal or kt"
        )
        raise ModelError(message, value=model.name)


def _corpus(text: Any, settings: Settings) -> Corpus:
    corpus = Corpus.of(text, docs=settings.docs, field=settings.field)
    if settings.given is not None:
        from bitmeter.text.corpus.given import with_contexts
        from bitmeter.text.corpus.normalise import NORMALISERS

        return with_contexts(
            corpus, settings.given, between=encode(settings.between), moves_space=settings.border == "lm-eval",
            change=NORMALISERS.get(settings.norm),
        )  # fmt: skip
    if settings.norm == "none":
        return corpus
    from bitmeter.text.corpus.normalise import normalised

    return normalised(corpus, settings.norm)
