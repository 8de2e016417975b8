"""audit(): whether a model, or a table that another program wrote, is what its figure says."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from bitmeter._util.asking import ask
from bitmeter._util.check import integer, real
from bitmeter._util.jobs import Executor, Here
from bitmeter._util.progress import Progress, as_progress
from bitmeter.errors import InputError
from bitmeter.measure.audit.callables import model_of
from bitmeter.measure.audit.certificate import Certificate, differences, read_certificate
from bitmeter.measure.audit.models import audit_compressor, audit_model
from bitmeter.measure.audit.result import Audit
from bitmeter.measure.audit.tables.reading import SUFFIXES
from bitmeter.measure.environment import environment
from bitmeter.models.protocols import Compressor, Model, PlainModel
from bitmeter.models.registry import names_model, resolve
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.sample import SAMPLE_NAME, sample_text

__all__ = ["audit", "is_table", "verify"]


def audit(
    model: Any,
    text: Any = None,
    *,
    units: Any = None,
    unit: str | None = None,
    columns: Mapping[str, str] | str | None = None,
    claimed: float | str | None = None,
    docs: str | None = None,
    field: str | None = None,
    positions: int | None = None,
    seed: int | None = None,
    confidence: float | None = None,
    check: Any = None,
    workers: int | None = None,
    engine: str = "local",
    address: str | None = None,
    progress: Progress | None = None,
) -> Audit:
    """Check that a figure is what it says: of a model, or of a table of log-probabilities by another program.

    Parameters
    ----------
    model
        As for `score`; a function `f(ids, bounds)` that gives ln p of each id, or `f(history)` that gives a row of ln p
        of every next id; or a table: the path of a .parquet, .jsonl, .csv, .tsv or .npz file, or a mapping from names
        of columns to values.
    text
        The raw text, as for `score`. A model without one is tried on a sample that comes with bitmeter.
    units
        What the ids of a function or a table are: "bytes", "tokenizer:FILE", "sentencepiece:FILE" or Units.
    unit
        In what a table states its costs: "nats", "bits", "log10" or "prob"; by the name of the column if None.
    columns
        Which column of a table is what, such as {"logprob": "nll"} or "logprob=nll,piece=tok"; by their names if None.
    claimed
        The bits per byte that the table is said to have; as text, its decimals say how exact it is.
    docs, field
        Where documents end, and which field holds the text; as for `score`.
    positions
        At how many positions of the text predictions are checked; if None 64, or as many as take about a minute where
        every next unit is enumerated. Fewer than 60 leave it unproven.
    seed
        Of the positions that are drawn; 0 if None.
    confidence
        Of intervals; 0.95 if None.
    check
        The path of a certificate, which is repeated with its settings and compared; what is given explicitly must not
        contradict it.
    workers, engine, address
        As for `score`: how many processes score parts of the text and make predictions, and whose. The audit is the
        same. Of models that learn as they read only predictions are shared; networks are audited by one process.
    progress
        Called with a `Step` as the work goes on.

    Returns
    -------
    Audit
        The verdict ("proven", "unproven", "unsound"), the findings, the checks, and the score.

    Examples
    --------
    >>> import bitmeter as bm
    >>> import numpy as np
    >>> def cache(ids, bounds):  # a third of each byte, and every byte
    ...     return np.full(len(ids), -np.log(3))
    >>> found = bm.audit(cache, b"to be or not to be, that is the question")
    >>> found.verdict, found.findings[0].text
    ('unsound', 'predictions are no distribution: they sum to 85.33, 85.33, 85.33')
    >>> round(found.score.bits_per_byte, 3), round(found.correction.bits_per_byte, 3)
    (1.585, 8.0)
    """
    certificate = None if check is None else read_certificate(check)
    wanted = _settled(certificate, docs=docs, field=field, unit=unit, claimed=claimed, columns=columns, units=units)
    chosen = seed if seed is not None else 0 if certificate is None else certificate.seed
    number = positions if positions is not None or certificate is None else certificate.positions
    before = 0.95 if certificate is None else certificate.figures.get("confidence", 0.95)
    level = real(before if confidence is None else confidence, "confidence", low=0.5, high=0.9999)
    watch = as_progress(progress)
    keywords: dict[str, Any] = {"seed": integer(chosen, "seed", low=0), "confidence": level, "progress": watch}
    with ExitStack() as stack:
        if (workers, engine, address) != (None, "local", None):
            executor: Executor = stack.enter_context(ask("an executor", workers, engine, address))
            if not isinstance(executor, Here):
                keywords["executor"] = executor
        found = _audited(model, text, wanted, number, certificate, keywords)
    options = {name: str(value) for name, value in wanted.items() if value is not None}
    found = replace(found, environment=environment(), options=options)
    return found if certificate is None else replace(found, differences=differences(found, certificate))


def _audited(
    model: Any,
    text: Any,
    wanted: dict[str, Any],
    number: int | None,
    certificate: Certificate | None,
    keywords: dict[str, Any],
) -> Audit:
    """A table or a model, each against its text."""
    if is_table(model):
        _refuse_helpers(keywords, "a table is read")
        if text is None:
            message = "a table is checked against the raw text that it is about; give the text, too"
            raise InputError(message)
        from bitmeter.measure.audit.tables.auditing import audit_table

        return audit_table(model, _corpus(text, wanted), wanted, **keywords)
    farthest = None if certificate is None else certificate.farthest
    return _of_model(model, _corpus(text, wanted), wanted, number, farthest, keywords)


def _refuse_helpers(keywords: dict[str, Any], what: str) -> None:
    if "executor" in keywords:
        message = f"{what} by one process; leave --workers and --engine out"
        raise InputError(message)


def _settled(certificate: Certificate | None, **given: Any) -> dict[str, Any]:
    """What was given, and what the certificate says beside it."""
    before = {} if certificate is None else certificate.options
    found = {name: before.get(name) if value is None else value for name, value in given.items()}
    if isinstance(found["columns"], Mapping):
        found["columns"] = ",".join(f"{role}={column}" for role, column in found["columns"].items())
    if given["units"] is None and found["units"] is not None and "/" in str(found["units"]):
        found["units"] = None  # Units that were an object: they cannot be made from their name
    return found


def _of_model(
    model: Any,
    corpus: Corpus,
    wanted: dict[str, Any],
    number: int | None,
    farthest: int | None,
    keywords: dict[str, Any],
) -> Audit:
    unused = [name for name in ("unit", "columns", "claimed") if wanted[name] is not None]
    if unused:
        message = f"{unused[0]} is for a table of log-probabilities, and {model!r:.60} is a model; leave it out"
        raise InputError(message, value=unused[0])
    if _is_function(model):
        ready = model_of(model, wanted["units"])
    elif wanted["units"] is not None:
        message = f"units is for a function or a table; {model!r:.60} has units of its own"
        raise InputError(message, value=wanted["units"])
    else:
        ready = resolve(model)
    if isinstance(ready, Compressor):
        _refuse_helpers(keywords, f"{ready.name} compresses a whole text, which is done")
        return audit_compressor(ready, corpus, **keywords)
    wanted_positions = None if number is None else integer(number, "positions", low=1, high=100_000)
    return audit_model(ready, corpus, positions=wanted_positions, farthest=farthest, **keywords)


def _is_function(model: Any) -> bool:
    """Whether it is a function, and not a model that can be called."""
    return callable(model) and not isinstance(model, type | Model | Compressor | PlainModel)


def is_table(what: Any) -> bool:
    """Whether it is a table of log-probabilities, by its kind or the suffix of its name.

    Examples
    --------
    >>> is_table("theirs.parquet"), is_table({"logprob": [-1.0]}), is_table("kt"), is_table("model.bmn")
    (True, True, False, False)
    """
    if isinstance(what, str | os.PathLike):
        name = os.fspath(what)
        return isinstance(name, str) and Path(name).suffix.lower() in SUFFIXES and not names_model(name)
    return isinstance(what, Mapping)


def _corpus(text: Any, wanted: dict[str, Any]) -> Corpus:
    if text is None:
        return Corpus.from_text(sample_text(), name=SAMPLE_NAME)
    return Corpus.of(text, docs=wanted["docs"], field=wanted["field"])


def verify(model: Any, text: Any = None, *, histories: int = 64, seed: int = 0) -> Audit:
    """Audit a model; another name of `audit`, with the keywords that it had before.

    Parameters
    ----------
    model
        As for `audit`.
    text
        As for `audit`; a sample that comes with bitmeter if None.
    histories
        At how many positions predictions are checked.
    seed
        Of the positions.

    Returns
    -------
    Audit
        How closely each property holds, and the verdict.

    Examples
    --------
    >>> verify("kt", b"to be or not to be").sound
    True
    """
    return audit(model, text, positions=integer(histories, "histories", low=1, high=100_000), seed=seed)
