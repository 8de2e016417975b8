"""`bitmeter curve`: the learning curve of a network."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bitmeter.cli.options import Force, check_free

__all__ = ["curve"]


def curve(
    models: Annotated[
        list[str], typer.Argument(metavar="MODEL…", help="Folders of networks that bitmeter trained, or curve.json.")
    ],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write all curves as one SVG picture instead."),
    ] = None,
    level: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=BITS", help="Draw the bits per byte of another model as a line; can be repeated."),
    ] = None,
    theme: Annotated[
        str, typer.Option(metavar="NAME", help="light, dark, or auto: the colours of the reader's system.")
    ] = "light",
    force: Force = False,
) -> None:
    """Show the learning curve of a network: bits per byte of the training text and of the held-out text."""
    from bitmeter._util.files import label, replacing
    from bitmeter.errors import FileFormatError
    from bitmeter.models.causal.trained.curve import LearningCurve
    from bitmeter.reports.plots.learning import chart, picture

    check_free(output, force=force, inputs=models)
    levels = dict(map(_level, level or []))
    for model in models:
        if not Path(model).exists():
            message = f"there is no network {label(model)}; train one with: bitmeter train TEXT -o FOLDER --kind lstm"
            raise FileFormatError(message, value=model)
    names = [label(Path(model).name) for model in models]
    if len(set(names)) < len(names):
        names = list(map(label, models))  # folders of the same name are distinguished by their paths
    found = {name: LearningCurve.load(model) for name, model in zip(names, models, strict=True)}
    if output is not None:
        drawn = picture(found, levels=levels, theme=theme)
        with replacing(output, force=force) as beside:
            beside.write_text(drawn, encoding="utf-8")
        return
    for name, one in found.items():
        if len(found) > 1:
            typer.echo(name)
        typer.echo(chart(one, levels=levels))
        typer.echo(str(one))


def _level(text: str) -> tuple[str, float]:
    name, equals, value = text.rpartition("=")
    try:
        bits = float(value)
    except ValueError:
        bits = -1.0
    if not equals or not name or not 0 <= bits < 1e6:
        message = f"--level is {text!r}; it must be a name and its bits per byte: '5-gram=2.25'"
        raise typer.BadParameter(message)
    return name, bits
