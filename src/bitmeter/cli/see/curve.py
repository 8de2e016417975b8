"""`bitmeter curve`: how a network learnt."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bitmeter.cli.common import Force, check_free


def curve(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL…", help="Folders of networks trained by bitmeter, or a curve.json.")
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write a picture of all curves, as SVG, instead.")
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=BITS", help="Draw another model's bits a byte beside them; as often as you like."),
    ] = None,
    force: Force = False,
) -> None:
    """Show the learning curve of a network: bits a byte of the text it learnt from, and of the text held out."""
    from bitmeter._util.files import replacing
    from bitmeter.models.causal.trained.curve import LearningCurve
    from bitmeter.reports.learning import chart, picture

    check_free(output, force=force)
    found = {Path(model).name: LearningCurve.load(model) for model in models}
    levels = dict(map(_level, level or []))
    if output is not None:
        drawn = picture(found, levels=levels)
        with replacing(output, force=force) as beside:
            beside.write_text(drawn, encoding="utf-8")
        return
    for name, one in found.items():
        typer.echo(name if len(found) > 1 else "", nl=len(found) > 1)
        typer.echo(chart(one, levels=levels))
        typer.echo(str(one))


def _level(text: str) -> tuple[str, float]:
    name, equals, value = text.rpartition("=")
    try:
        bits = float(value)
    except ValueError:
        bits = -1.0
    if not equals or not name or not 0 <= bits < 1e6:
        message = f"--level is {text!r}; it must be a name and bits a byte: '5-gram=2.25'"
        raise typer.BadParameter(message)
    return name, bits
