"""`bitmeter report`: saved runs as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bitmeter.cli.options import Force, check_free
from bitmeter.cli.reporting import chosen_runs, write

__all__ = ["report"]

#: The largest --budget, in megabytes.
_LARGEST = 1_000_000


def report(
    runs: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN…",
            help="Runs of one text, the baseline first: files, whose traces (a.parquet of a.json) are beside them, or "
            "numbers of `runs list`.",
        ),
    ],
    *,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="FILE", help="The HTML file.")],
    trace: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE", help="A trace under another name; it finds its run by the signature. Can be repeated."
        ),
    ] = None,
    sweep: Annotated[
        Path | None, typer.Option(metavar="FILE", help="What `bitmeter sweep --json` printed: size against bits.")
    ] = None,
    title: Annotated[str | None, typer.Option(metavar="TEXT", help="The heading.")] = None,
    budget: Annotated[float, typer.Option(metavar="MB", help="The most packed data; what is left out is said.")] = 7.5,
    force: Force = False,
) -> None:
    """Write a report on saved runs: the text in colour, A against B, curves, tables, signature.

    One HTML file that fetches nothing and opens from disk. `bitmeter score … --html FILE` and `bitmeter compare …
    --html FILE` measure and write it in one go.
    """
    check_free(output, force=force, inputs=[*runs, *map(str, trace or [])])
    if not 0 <= budget <= _LARGEST:
        message = f"--budget is {budget:g}; it must be a number of megabytes from 0 to {_LARGEST:,}"
        raise typer.BadParameter(message)
    found = chosen_runs(
        runs, "--trace a.parquet --alternatives 5, or at once: bitmeter score MODEL TEXT --html report.html"
    )
    write(found, output, traces=trace or [], sweep=sweep, title=title, budget=round(1e6 * budget), force=force)
