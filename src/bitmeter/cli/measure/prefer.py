"""`bitmeter prefer`: minimal pairs."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from bitmeter.cli.formats import Format, SaveAs, chosen_formats, print_records, save_records
from bitmeter.cli.options import (
    Confidence,
    Ctx,
    Eos,
    First,
    Force,
    Json,
    Norm,
    Oov,
    Quiet,
    Remembering,
    check_free,
)
from bitmeter.cli.progress import scoring

__all__ = ["prefer"]


def prefer(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model, or a masked one: mlm:PATH.")],
    pairs: Annotated[
        list[str], typer.Argument(metavar="PAIRS…", help="JSON lines, .csv, .tsv or .parquet; BLiMP's files too.")
    ],
    *,
    good: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Field of the good sentence: good, or sentence_good by default.")
    ] = None,
    bad: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Field of the bad one: bad, or sentence_bad by default.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(metavar="FIELD", help="Field by which figures are given: group, or UID by default.")
    ] = None,
    per: Annotated[
        str, typer.Option(metavar="UNIT", help="What costs are divided by: total (nothing), byte, char, token, word.")
    ] = "total",
    worst_first: Annotated[bool, typer.Option("--worst-first", help="List the least accurate groups first.")] = False,
    output: SaveAs = None,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
    quiet: Quiet = False,
    confidence: Confidence = 0.95,
    first: First = None,
    eos: Eos = None,
    oov: Oov = None,
    norm: Norm = None,
    ctx: Ctx = None,
    history: Remembering,
) -> None:
    """Ask which sentence of each minimal pair a model prefers.

    Shows the share of pairs in which the good sentence is likelier, by group and over all, with intervals. Masked
    models are scored by their pseudo-log-likelihood, which has no perplexity. Files hold one row per pair; .json the
    summary, .md and .tex a table of the groups.
    """
    formats = chosen_formats(format, json=json, quiet=quiet, output=output)
    check_free(output, force=force, inputs=[model, *pairs])
    if good is not None and good == bad:
        message = f"--good and --bad are both {good}, so that every pair would be a tie; name two fields"
        raise typer.BadParameter(message)
    from bitmeter.measure.answers.pairs import PAIR_PER
    from bitmeter.measure.answers.pairs import prefer as measure

    chosen = next((known for known in PAIR_PER if known == per), None)
    if chosen is None:
        message = f"--per is {per}; it must be one of {', '.join(PAIR_PER)}"
        raise typer.BadParameter(message)
    with scoring(f"{model} on {pairs[0]}") as progress:
        found = measure(
            model, pairs, good=good, bad=bad, group=group, per=chosen, first=first, eos=eos, oov=oov, norm=norm,
            ctx=ctx, confidence=confidence, progress=progress,
        )  # fmt: skip
    if found.score is not None:
        history.remember([found.score], "prefer", quiet=quiet)
    from bitmeter.reports.records.answers import pair_paper, pair_records, preferences_document

    def records(kind: str | None) -> Any:
        return pair_paper(found) if kind in ("md", "latex") else pair_records(found)

    save_records(formats, lambda: records(formats.saved), lambda: preferences_document(found), force=force)
    if print_records(formats, lambda: records(formats.printed), lambda: preferences_document(found)):
        return
    if quiet:
        typer.echo(repr(found.accuracy.share))
    else:
        from bitmeter.reports.answers import pair_lines

        typer.echo("\n".join(pair_lines(found, worst_first=worst_first)))
