"""import_log(): a log of another tool as a run, with a trace where the log has tokens."""

from __future__ import annotations

import hashlib
import math
import os
from itertools import chain
from typing import Any

import numpy as np

from bitmeter._util.check import choice
from bitmeter._util.files import as_path, label
from bitmeter.errors import InputTypeError, UndefinedError
from bitmeter.hosts.logs.items import Item, Log
from bitmeter.hosts.logs.reading import TOOLS, read_log
from bitmeter.measure.environment import environment
from bitmeter.measure.exact import exact_parts, rounded
from bitmeter.measure.score import Score, with_interval
from bitmeter.measure.signature import Signature
from bitmeter.measure.sums import BlockTotals, Counted, CountTotals, DocumentTotals, document_sums
from bitmeter.measure.trace.tracer import Tracer
from bitmeter.models.protocols import Batch, Scored
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.units.base import Split
from bitmeter.text.units.counts import BegunCounter
from bitmeter.text.units.named import units_of

__all__ = ["import_log"]

_KINDS = {
    "text": "given texts were scored, but for tokens without a log-probability",
    "answer": "answers were scored, each given its context, which costs nothing",
    "sample": "the texts are what the model itself wrote: a figure of its confidence, not of a test text",
}


def import_log(
    path: str | os.PathLike[str],
    *,
    tool: str | None = None,
    model: str | None = None,
    confidence: float = 0.95,
    trace: Any = None,
    force: bool = False,
) -> Score:
    """Read a log of another tool that holds log-probabilities as a run of bitmeter.

    Parameters
    ----------
    path
        The samples that lm-eval writes with --log_samples; the details of lighteval (Parquet); a log of inspect_ai
        (.json or .eval); responses of OpenAI, vLLM or llama-server as JSON or JSON lines.
    tool
        Who wrote it; by default it is recognised by its content.
    model
        The name of the model; by default the one in the log.
    confidence
        Of the interval.
    trace
        Where to write the trace as Parquet, if the log has tokens.
    force
        Overwrite that file.

    Returns
    -------
    Score
        Averages are taken again, with an interval. What the log does not say is marked in the signature, so that
        figures that cannot be compared are refused.

    Raises
    ------
    FileFormatError
        If it is no such log, or one without log-probabilities.

    Examples
    --------
    >>> import bitmeter as bm, json, tempfile, os
    >>> tokens = [{"token": "to", "logprob": -1.0}, {"token": " be", "logprob": -2.0}]
    >>> chat = {"model": "m", "choices": [{"logprobs": {"content": tokens}}]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "answer.json")
    ...     with open(path, "w") as file:
    ...         _ = file.write(json.dumps(chat))
    ...     found = bm.import_log(path)
    >>> found.nats, found.bytes, found.tokens, found.model
    (3.0, 5, 2, 'm')
    """
    file = as_path(path)
    if tool is not None:
        choice(tool, "tool", TOOLS)
    given = _name(model)
    log, content = read_log(file, tool)
    name = given or log.model or f"{log.tool}:{file.stem}"
    return _score(log, name, label(file.name), content, confidence, trace, force=force)


def _name(value: object) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    message = f"model is {value!r:.40}; it must be the name of the model"
    raise InputTypeError(message, value=value)


def _score(log: Log, model: str, text: str, content: str, confidence: float, trace: Any, *, force: bool) -> Score:
    corpus = Corpus.from_documents([item.text for item in log.items], name=text)
    has_tokens = all(item.tokens or not item.text for item in log.items)
    if trace is not None and not has_tokens:
        message = (
            f"{text} has no tokens, only the log-probability of each text as a whole, so there is no trace to write to "
            f"{trace}; leave out trace (--trace)"
        )
        raise UndefinedError(message)
    counted = _batch(log.items, has_tokens=has_tokens)
    batch, logs = counted.batch, counted.scored.logprobs
    documents, blocks, counts, left = DocumentTotals(), BlockTotals(), CountTotals(), BegunCounter()
    counts.add(batch.data, batch.ends)
    left.add(batch.data, batch.ends, counted.scored.split.cuts, counted.skipped)
    documents.add(counted)
    nats, tokens = documents.finished()
    table, sizes = counts.finished()
    sums = document_sums(nats, tokens if has_tokens else np.zeros_like(tokens), table, sizes)
    if has_tokens:
        blocks.add(counted)
    impossible = int(np.isneginf(logs).sum())
    exact = exact_parts((math.inf,) if impossible else (-logs).tolist())
    known = exact_parts((-logs[np.isfinite(logs)]).tolist())
    totals = table.sum(axis=0)
    scored = totals - left.finished()
    signature = _signature(log, model, content, corpus, has_tokens=has_tokens)
    score = Score(
        model=model, text=text, nats=rounded(exact), known_nats=rounded(known),
        bytes=int(scored[0]), chars=int(scored[1]), words=int(scored[2]),
        tokens=int(tokens.sum()) if has_tokens else None,
        documents=len(log.items), oov=0, skipped=int(counted.skipped.sum()), invalid=counts.invalid,
        impossible=impossible, signature=signature,
        notes=(f"from a log of {log.tool}: {_KINDS[log.kind]}", *log.notes),
        by_document=sums, by_block=blocks.finished() if has_tokens else None, exact=(exact, known),
        environment=environment(),
    )  # fmt: skip
    if not has_tokens:
        return with_interval(score, confidence)
    with Tracer(trace, force=force) as tracer:
        tracer.add(counted)
        return tracer.finish(with_interval(score, confidence))


def _batch(items: list[Item], *, has_tokens: bool) -> Counted:
    """All texts as one scored batch; without tokens, each text is one unit."""
    units = [item.tokens if has_tokens else [item.text] for item in items]
    logs = [item.logprobs if has_tokens else [item.logprob] for item in items]
    flat = [log for found in logs for log in found]
    skipped = np.array([log is None for log in flat], dtype=np.bool_)
    numbers: dict[bytes, int] = {}
    ids = [numbers.setdefault(unit, len(numbers)) for unit in chain.from_iterable(units)]
    lengths = [len(unit) for unit in chain.from_iterable(units)]
    texts = [item.text for item in items]
    ends = np.cumsum([len(text) for text in texts], dtype=np.int64)
    cuts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)]).astype(np.int64)
    bounds = np.concatenate([[0], np.cumsum([len(found) for found in units], dtype=np.int64)]).astype(np.int64)
    scored = Scored(
        Split(np.array(ids, dtype=np.int64), cuts, bounds),
        np.zeros(len(flat), dtype=np.bool_),
        np.array([0.0 if log is None else log for log in flat], dtype=np.float64),
        owned=True,
    )
    # The batch is never split: the log has its own units.
    return Counted(Batch(b"".join(texts), ends, units_of("bytes")), scored, skipped)


def _signature(log: Log, model: str, content: str, corpus: Corpus, *, has_tokens: bool) -> Signature:
    """What the log says, and "log-TOOL" for what it does not: figures of two tools then differ in it."""
    length = int(corpus.total_bytes or 0)
    return Signature(
        text=f"sha256-{corpus.fingerprint()[:24]}.{length}",
        docs=f"record.{len(log.items)}.{corpus.boundaries()[:8]}",
        first=_first(log),
        eos="no",
        den="scored",
        units=f"log-{log.tool}/{'tokens' if has_tokens else 'sums'}",
        ctx=f"log-{log.tool}",
        model=f"{model}/log-{content[:12]}",
        precision="unknown",
    )


def _first(log: Log) -> str:
    """How a text's first token was conditioned."""
    if log.kind != "text":
        contexts = hashlib.sha256(b"".join(hashlib.sha256(item.context).digest() for item in log.items))
        return f"given-{contexts.hexdigest()[:8]}"
    if log.tool == "lm-eval":
        return "bos"  # loglikelihood_rolling predicts the first token after the prefix token
    unscored = [bool(item.logprobs) and item.logprobs[0] is None for item in log.items]
    return "skip" if log.items and all(unscored) else f"log-{log.tool}"
