"""`bitmeter plot`: one plot of saved runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bitmeter.cli.options import Force, check_free
from bitmeter.cli.reporting import chosen_runs

__all__ = ["plot"]

_LEARNING = "learning"


def plot(
    kind: Annotated[
        str,
        typer.Argument(metavar="KIND", help="running, histogram, calibration, position, compare, sweep or learning."),
    ],
    things: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN…",
            help="Saved runs, or numbers of `runs list`; for sweep, its JSON; for learning, networks that bitmeter "
            "trained.",
        ),
    ],
    *,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="The file: .svg, .png, .html, or .json for its Vega-Lite."),
    ] = None,
    trace: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="A trace under another name than its run; can be repeated."),
    ] = None,
    level: Annotated[
        list[str] | None, typer.Option(metavar="NAME=BITS", help="For learning: a line at the bits of another model.")
    ] = None,
    theme: Annotated[
        str, typer.Option(metavar="NAME", help="light, dark, or auto: an .svg in the colours of the reader's system.")
    ] = "light",
    force: Force = False,
) -> None:
    """Draw one plot of saved runs, with intervals.

    running: cross-entropy of the text so far. histogram: bits per word. calibration: of the most likely unit.
    position: bits by position in the document. compare: models and their differences. sweep: size against bits.
    learning: the learning curve of a network, in the terminal if no file is named.
    """
    if kind == _LEARNING:
        from bitmeter.cli.see.curve import curve

        if trace:
            message = "--trace has no meaning for a learning curve; leave it out"
            raise typer.BadParameter(message)
        curve(things, output, level, theme, force=force)
        return
    from bitmeter.reports.plots.drawing import FORMATS, PLOTS
    from bitmeter.reports.plots.drawing import plot as drawn

    if kind not in PLOTS:
        message = f"{kind} is no kind of plot; it must be one of {', '.join([*PLOTS, _LEARNING])}"
        raise typer.BadParameter(message)
    if output is None:
        message = f"name the picture: bitmeter plot {kind} {things[0]} -o {kind}.svg (or .png, .html, .json)"
        raise typer.BadParameter(message)
    if level:
        message = "--level is for learning curves; leave it out"
        raise typer.BadParameter(message)
    if kind == "sweep" and len(things) > 1:
        message = f"one sweep is drawn at a time; {len(things)} are given"
        raise typer.BadParameter(message)
    check_free(output, force=force, inputs=things)
    # A wrong ending is wrong whatever runs there are: `drawn` says so.
    runs: list[Any] = list(things)
    if kind != "sweep" and output.suffix.removeprefix(".").lower() in FORMATS:
        runs = chosen_runs(things, "--trace a.parquet")
    drawn(kind, runs[0] if kind == "sweep" else runs, output, traces=trace or [], theme=theme, force=force)
