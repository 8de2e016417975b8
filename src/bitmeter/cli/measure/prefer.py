"""`bitmeter prefer`: minimal pairs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
    check_free,
    check_one_output,
)
from bitmeter.cli.progress import scoring

__all__ = ["prefer"]


def prefer(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model, or a masked one: mlm:PATH.")],
    pairs: Annotated[list[str], typer.Argument(metavar="PAIRS…", help="JSON lines, .csv or .tsv; BLiMP's files too.")],
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
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Save a row per pair: .jsonl, .csv or .tsv.")
    ] = None,
    force: Force = False,
    json: Json = False,
    quiet: Quiet = False,
    confidence: Confidence = 0.95,
    first: First = None,
    eos: Eos = None,
    oov: Oov = None,
    norm: Norm = None,
    ctx: Ctx = None,
) -> None:
    """Ask which sentence of each minimal pair a model prefers.

    Shows the share of pairs in which the good sentence is likelier, by group and over all, with intervals. Masked
    models are scored by their pseudo-log-likelihood, which has no perplexity.
    """
    check_one_output(json=json, quiet=quiet)
    check_free(output, force=force)
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
    if output is not None:
        found.save_pairs(output, force=force)
    if json:
        typer.echo(found.to_json())
    elif quiet:
        typer.echo(repr(found.accuracy.share))
    else:
        from bitmeter.reports.answers import pair_lines

        typer.echo("\n".join(pair_lines(found, worst_first=worst_first)))
