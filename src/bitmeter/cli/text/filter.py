"""`bitmeter filter`: keep, drop or tag the documents of a corpus by their scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from bitmeter.cli.formats import Format, chosen_formats, print_records, save_records
from bitmeter.cli.loading import check_order
from bitmeter.cli.options import Conventions, Force, Json, OptionBundle, Remembering, With
from bitmeter.cli.progress import coding
from bitmeter.cli.workers import Workers

if TYPE_CHECKING:
    from bitmeter.filter.summary import FilterSummary

__all__ = ["filter"]


@dataclass(frozen=True)
class Rule(OptionBundle):
    """Which documents are kept."""

    section: ClassVar[str] = "Which documents are kept"

    by: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Figure that decides: bits_per_byte, perplexity (per token), word_perplexity, bits_per_char, "
            "bits_per_word, bits_per_token, ratio, oov_share, bits, nats, bytes, chars, words, tokens or oov.",
        ),
    ] = None
    max: Annotated[float | None, typer.Option("--max", metavar="X", help="Largest figure that is kept.")] = None
    min: Annotated[float | None, typer.Option("--min", metavar="X", help="Least figure that is kept.")] = None
    keep: Annotated[
        str | None,
        typer.Option(metavar="RANGE", help="Share of all documents, by rank: 30% (the lowest), or 25%-75%."),
    ] = None
    buckets: Annotated[
        str | None,
        typer.Option(
            metavar="A%,B%", help="Label all documents head, middle or tail, cut at A and B, such as 30%,60%."
        ),
    ] = None
    table: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|roots",
            help="Limits by language: CSV with language, min, max; with --buckets, one like CCNet's cutoff.csv.",
        ),
    ] = None
    sample: Annotated[
        str | None,
        typer.Option(
            metavar="WEIGHTS",
            help="Keep with a probability: uniform:P, gaussian:CENTRE,WIDTH, or steps:X=P,X=P (P for figures up to X).",
        ),
    ] = None
    seed: Annotated[int, typer.Option(min=0, metavar="N", help="Seed of --sample.")] = 0
    minus: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Subtract the figure of this model (Moore and Lewis).")
    ] = None
    unscored: Annotated[
        str,
        typer.Option(metavar="drop|keep", help="Records without a figure: empty, or of a language without a model."),
    ] = "drop"


@dataclass(frozen=True)
class Written(OptionBundle):
    """What is written."""

    section: ClassVar[str] = "What is written"

    add: Annotated[
        str | None, typer.Option(metavar="NAMES", help="Figures to add to each record, with commas: value,nats,tokens.")
    ] = None
    prefix: Annotated[str, typer.Option(metavar="TEXT", help="What the names of added fields begin with.")] = ""
    tag: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Keep all records, and add the outcome as this field.")
    ] = None
    rejected: Annotated[str | None, typer.Option(metavar="OUT", help="Where dropped records go.")] = None
    bad: Annotated[
        str | None, typer.Option(metavar="OUT", help="Where records that cannot be scored go, with place and reason.")
    ] = None


def filter(  # noqa: A001
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Model; {lang} in its name stands for the language.")],
    corpus: Annotated[
        list[str], typer.Argument(metavar="CORPUS…", help="Files, patterns or folders: jsonl, parquet, wet or text.")
    ],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="OUT", help="File, or folder of several; {bucket} stands for the bucket."
        ),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the histogram and documents at each decile; write nothing.")
    ] = False,
    rule: Rule = Rule(),  # noqa: B008
    written: Written = Written(),  # noqa: B008
    language: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Field that names the language of a record.")
    ] = None,
    units: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Tokenizer whose tokens are the model's words, such as {lang}.sp.model."),
    ] = None,
    sentences: Annotated[
        str | None,
        typer.Option(metavar="document|line|split", help="What begins and ends like a sentence; document by default."),
    ] = None,
    conventions: Conventions = Conventions(),  # noqa: B008
    components: With = None,
    processes: Workers = Workers(),  # noqa: B008
    summary: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also write the summary: .json, or its outcomes as .csv, .tex, …"),
    ] = None,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
    history: Remembering = Remembering(),  # noqa: B008
) -> None:
    """Keep, drop or tag the documents of a corpus by their scores.

    Records keep their order and all of their fields. A file is done when its output and its receipt (in the hidden
    folder .bitmeter-filter beside it) are whole: after an interruption, type the same command again. Documents of text
    files are lines, or with --docs blank paragraphs.
    """
    from bitmeter.cli.options import check_free

    formats = chosen_formats(format, json=json, output=summary, default="json", option="--summary")
    check_order("filter", model, corpus[0])
    check_free(summary, force=force, inputs=[model, *corpus])
    if output is not None and dry_run:
        output = None
    found = _filtered(
        model, corpus, output, dry_run=dry_run, language=language, units=units, sentences=sentences,
        components=components or (), force=force, processes=processes,
        **rule.as_keywords(), **{**written.as_keywords(), "add": written.add or ()}, **conventions.as_keywords(),
    )  # fmt: skip
    history.remember([_measured(found, corpus)], "filter")
    from bitmeter.reports.records.filter import filter_document, filter_paper, filter_records

    def records(kind: str | None) -> Any:
        return filter_paper(found) if kind in ("md", "latex") else filter_records(found)

    save_records(formats, lambda: records(formats.saved), lambda: filter_document(found), force=force)
    if not print_records(formats, lambda: records(formats.printed), lambda: filter_document(found)):
        typer.echo(str(found))
    if found.failed:
        s = "s" * (len(found.failed) > 1)
        typer.echo(f"Error: {len(found.failed)} file{s} could not be read; nothing was written of them", err=True)
        raise typer.Exit(1)


def _measured(found: FilterSummary, corpus: list[str]) -> Any:
    """The line of the history: bits per byte of all documents that are possible."""
    import math

    from bitmeter.history.runs import Measured

    shares = list(found.tally.shares.values())
    nats, impossible = math.fsum(share.total_nats for share in shares), any(share.impossible for share in shares)
    bits = math.inf if impossible else nats / found.bytes / math.log(2.0) if found.bytes else None
    text = corpus[0] if len(corpus) == 1 else f"{corpus[0]} and {len(corpus) - 1:,} more"
    return Measured(found.model, text, found.signature, "byte", bits, found.bytes)


def _filtered(model: str, corpus: list[str], output: str | None, processes: Workers, **keywords: Any) -> FilterSummary:
    from bitmeter.errors import ChoiceError, FileFormatError, InputTypeError, NegativeError, NotFiniteError, RangeError
    from bitmeter.filter.run import filter_corpus

    try:
        title = corpus[0] if len(corpus) == 1 else f"{len(corpus):,} files"
        asked = processes.as_keywords()
        with processes.watching("filtering", title, partial(coding, "filtering")) as progress:
            return filter_corpus(model, corpus, output, progress=progress, **asked, **keywords)
    except (ChoiceError, InputTypeError, NegativeError, NotFiniteError, RangeError) as error:
        raise typer.BadParameter(str(error)) from error
    except FileFormatError as error:
        taken = " (in Python: force=True)"
        if not str(error).endswith(taken):
            raise
        raise typer.BadParameter(str(error).removesuffix(taken)) from error
