"""filter_corpus(): keep, drop or tag the documents of a corpus."""

from __future__ import annotations

import os
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from bitmeter._util.asking import ask
from bitmeter._util.check import flag, items
from bitmeter._util.files import as_path, label
from bitmeter._util.jobs import Executor
from bitmeter._util.progress import Progress, as_progress
from bitmeter.errors import ChoiceError
from bitmeter.filter.job import Job
from bitmeter.filter.plan import BUCKET, Shard, shards_of
from bitmeter.filter.records import format_of
from bitmeter.filter.rules import Buckets, Decision, Everything, Shares
from bitmeter.filter.scores import Scorers
from bitmeter.filter.settings import Settings, check_strings, rule_of, settle
from bitmeter.filter.summary import FilterSummary
from bitmeter.filter.tasks import Models

__all__ = ["filter_corpus"]


def filter_corpus(
    model: Any,
    corpus: Any,
    output: Any = None,
    *,
    by: str | None = None,
    min: float | None = None,  # noqa: A002
    max: float | None = None,  # noqa: A002
    keep: str | None = None,
    buckets: str | None = None,
    table: Any = None,
    sample: str | None = None,
    seed: int = 0,
    minus: Any = None,
    language: str | None = None,
    units: str | None = None,
    components: Any = (),
    field: str | None = None,
    docs: str | None = None,
    like: str = "bitmeter",
    norm: str | None = None,
    first: str | None = None,
    eos: str | None = None,
    oov: str | None = None,
    ctx: str | None = None,
    sentences: str | None = None,
    add: Any = (),
    prefix: str = "",
    tag: str | None = None,
    unscored: str = "drop",
    rejected: Any = None,
    bad: Any = None,
    dry_run: bool = False,
    force: bool = False,
    workers: int | None = None,
    engine: str = "local",
    address: str | None = None,
    progress: Progress | None = None,
) -> FilterSummary:
    r"""Keep, drop or tag the documents of a corpus by their scores.

    Each file of the corpus is done exactly once: its output and a receipt get their names when they are whole. After an
    interruption the same call does the files that are left. Records keep their order and all of their fields; those
    that cannot be scored are counted and set aside.

    Parameters
    ----------
    model
        What scores documents: a model or its name; a compressor; with ``{lang}`` in it, a pattern for the models of all
        languages, such as ``"lm/{lang}.arpa.bin"``.
    corpus
        The files: a path, a pattern, a folder, or a list of those; JSON lines, Parquet, WET or text, compressed or not.
    output
        The file to write, or the folder if there are several; with ``{bucket}`` in it, one for each bucket.
    by
        The figure that decides: "bits_per_byte" (the default of models that have it), "perplexity" (per token, the
        default of others), "word_perplexity", "bits_per_char", "bits_per_word", "bits_per_token", "ratio" (bits by
        bits of the text), "oov_share", "bits", "nats", "bytes", "chars", "words", "tokens" or "oov".
    min, max
        The least and the largest figure that is kept.
    keep
        A range of all documents by rank, such as "30%" (the lowest) or "25%-75%"; of each language apart. Documents
        with the same figure stay together.
    buckets
        Keep all, and label those up to the first percentage "head", up to the second "middle", others "tail":
        "30%,60%". With `table`, its percentiles.
    table
        Limits by language: a CSV file with the columns language, min, max; "roots"; or with `buckets`, a CSV file like
        CCNet's cutoff.csv, with one row per percentile and one column per language.
    sample
        Keep each document with a probability by its figure: "uniform:0.1", "gaussian:CENTRE,WIDTH",
        "steps:100=0.2,300=1". The draw depends on the seed and the text alone.
    seed
        Of the draws of `sample`.
    minus
        A second model, whose figure is subtracted (Moore and Lewis 2010).
    language
        The field that names the language of a record.
    units
        The tokenizer whose tokens are the words of the model, such as "sentencepiece:{lang}.sp.model".
    components
        What the files of models refer to, as for `load`.
    field
        The field or column that holds the text; "text" by default.
    docs
        What a document of a text file is: "line" (the default) or "blank".
    like, norm, first, eos, oov, ctx
        As for `score`. Without them, a model that can spell unknown words does; one that cannot gives them their
        class, and scores the ends of sentences, as KenLM does. With `like` a filter ("cc_net", "edugp", "datatrove",
        "roots", "data-juicer"), the perplexity is that filter's own, summed and rounded as it does, which takes longer.
    sentences
        What begins and ends like a sentence: "document" (the default), "line", or "split" (each part that Python's
        ``text.split("\n")`` gives, as in most filters: a final newline has an empty sentence after it).
    add
        Figures to add to each record, as names or one string with commas; "value" is the one that decides.
    prefix
        What the names of added fields begin with.
    tag
        A field to add, with the outcome of each record; then all records are kept. Only JSON lines and Parquet have
        fields.
    unscored
        What becomes of records that have no figure, as they are empty or of a language without a model: "drop" or
        "keep". (Some filters give empty documents a perplexity, and so do their conventions.)
    rejected
        Where dropped records go, given as `output`.
    bad
        Where records that cannot be scored go, as JSON lines with place and reason.
    dry_run
        Write nothing: the summary says what would be kept, with documents at each decile.
    force
        Replace outputs that are not of this job.
    workers
        How many processes do the work, each file by one of them; by default this one alone. What is written does not
        depend on it.
    engine
        "local", or "ray": the processes are those of Ray, on one machine or many.
    address
        With Ray: that of a running cluster, whose machines all see the files by the same names.
    progress
        Called with a `Step`.

    Returns
    -------
    FilterSummary
        Counts, histogram, limits, signature.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text, kept = pathlib.Path(folder, "a.jsonl"), pathlib.Path(folder, "kept.jsonl")
    ...     _ = text.write_text('{"text": "aaaa"}\n{"text": "abcd", "id": 7}\n')
    ...     found = filter_corpus("kt", text, kept, max=7)
    ...     kept.read_text()
    '{"text": "aaaa"}\n'
    """
    started = time.perf_counter()
    check_strings(**{name: one for name, one in (("by", by), ("units", units)) if one is not None})
    rule = rule_of(low=min, high=max, keep=keep, buckets=buckets, table=table, sample=sample, seed=seed)
    settings = settle(
        rule, field=field, language=language, docs=docs, add=add, prefix=prefix, tag=tag, unscored=unscored, seed=seed
    )
    if settings.seed and sample is None:
        message = f"--seed {seed} is the seed of --sample, and nothing is sampled; add --sample, or leave out --seed"
        raise ChoiceError(message, value=seed)
    dry, force = flag(dry_run, "dry_run"), flag(force, "force")
    _check_outputs(rule, output, rejected, settings, dry=dry)
    conventions = {
        "like": like, "norm": norm, "first": first, "eos": eos, "oov": oov, "ctx": ctx, "sentences": sentences
    }  # fmt: skip
    shards = shards_of(corpus, *((None, None, None) if dry else (output, rejected, bad)))
    _check_fields(shards, settings)
    given = () if components == () else tuple(items(components, "components", "several models or tokenizers"))
    arguments = (model, minus, units, "" if by is None else by, conventions, given)
    executor: Executor = ask("an executor", workers, engine, address)
    scorers = Scorers(*arguments)
    _check_languages(rule, settings, scorers)
    if not dry:
        _check_rule(rule, settings)
    with executor:
        job = Job(shards, settings, Models(arguments, opened=scorers), as_progress(progress), executor, force=force)
        found = job.rehearse() if dry else job.run(_folder(output, shards))
    return replace(job.summary(found), seconds=time.perf_counter() - started)


def _check_outputs(rule: Decision | Shares, output: Any, rejected: Any, settings: Settings, *, dry: bool) -> None:
    if output is None and not dry:
        message = "name the output (-o OUT), or look at what would be done (--dry-run)"
        raise ChoiceError(message)
    by_bucket = output is not None and BUCKET in str(output)
    is_buckets = isinstance(rule, Buckets) or (isinstance(rule, Shares) and rule.buckets)
    if by_bucket and not is_buckets:
        message = f"{output} has {BUCKET} in it, and there are no buckets; add --buckets 30%,60%"
        raise ChoiceError(message, value=str(output))
    if is_buckets and not by_bucket and not settings.tag and not dry:
        message = (
            f"--buckets keeps every document, so its bucket must show: in a field (--tag bucket), or in the name of "
            f"the output, such as -o 'OUT/{BUCKET}'"
        )
        raise ChoiceError(message)
    if settings.tag and isinstance(rule, Everything):
        message = (
            f"nothing says what to keep, so --tag {settings.tag} would label all records alike; give a rule (--max, "
            "--min, --keep 30%, --buckets, --table or --sample), or add figures alone (--add value)"
        )
        raise ChoiceError(message, value=settings.tag)
    if rejected is not None and settings.tag:
        message = "--tag keeps every record, so nothing is left for --rejected; leave one of them out"
        raise ChoiceError(message)


def _check_fields(shards: list[Shard], settings: Settings) -> None:
    """Refuse to add fields to what has none."""
    if not settings.fields.added:
        return
    for shard in shards:
        kind = format_of(shard.source)
        if kind in ("text", "wet"):
            asked = [name for name, given in (("--add", settings.added), ("--tag", settings.tag)) if given]
            what = "WET" if kind == "wet" else "plain text"
            hint = " (jq -Rc '{text: .}' makes JSON of lines)" if kind == "text" else ""
            message = (
                f"{label(shard.source)} is {what}, whose documents have no fields, so {' and '.join(asked)} would be "
                f"lost; give JSON lines or Parquet{hint}. To write buckets apart: -o 'OUT/{BUCKET}'"
            )
            raise ChoiceError(message, value=shard.source)


def _check_languages(rule: Decision | Shares, settings: Settings, scorers: Scorers) -> None:
    if settings.fields.language:
        return
    described = rule.describe()
    limits = {**described.get("limits", {}), **(described.get("cuts", {}))}
    if scorers.is_pattern or any(limits):
        what = "models by language" if scorers.is_pattern else "limits by language"
        message = f"there are {what}, so a field must name the language of each record: --language FIELD"
        raise ChoiceError(message)


def _check_rule(rule: Decision | Shares, settings: Settings) -> None:
    if isinstance(rule, Everything) and not settings.added and not settings.tag:
        message = (
            "nothing says what to keep, so the output would be a copy of the corpus; give a rule (--max, --min, --keep "
            "30%, --buckets, --table or --sample), or add figures to all records (--add value)"
        )
        raise ChoiceError(message)


def _folder(output: Any, shards: list[Shard]) -> Path:
    """Where the receipts are: in the folder of outputs, or beside the one output."""
    path = as_path(output)
    if BUCKET in str(path):
        before = str(path).split(BUCKET)[0]
        return Path(before or ".") if not before or before.endswith(("/", os.sep)) else Path(before).parent
    return path.parent if shards[0].is_named else path
