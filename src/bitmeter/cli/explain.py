"""`bitmeter explain`: a signature, a run or a tool's habits in words, and what differs between two of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bitmeter.cli.common import show

if TYPE_CHECKING:
    from bitmeter.measure.conventions import Convention
    from bitmeter.measure.signature import Signature


def explain(
    first: Annotated[
        str, typer.Argument(metavar="A", help="A signature, a saved run or trace, or a tool such as kenlm.")
    ],
    second: Annotated[str | None, typer.Argument(metavar="[B]", help="Another one, to say what differs.")] = None,
) -> None:
    """Say in words under which conventions a figure was taken, or what differs between two."""
    from bitmeter.measure import words
    from bitmeter.measure.conventions import Convention
    from bitmeter.reports.scores import plain_table

    a = _read(first)
    b = None if second is None else _read(second)
    if isinstance(a, Convention) and (b is None or isinstance(b, Convention)):
        _explain_conventions(a, b)
        return
    if isinstance(a, Convention) or isinstance(b, Convention):
        message = "one is a tool's habits and the other a run; give two tools, or two runs or signatures"
        raise typer.BadParameter(message)
    if b is None:
        typer.echo(a.short)
        show(plain_table([("key", "left"), ("value", "left"), ("meaning", "left")], words.explain_signature(a)))
        return
    verdict, found = words.explain_two(a, b)
    typer.echo(verdict)
    if found:
        rows = [(d.key, f"{d.first} ≠ {d.second}", words.explain_difference(d)) for d in found]
        show(plain_table([("key", "left"), ("A ≠ B", "left"), ("in words", "left")], rows))


def _read(text: str) -> Signature | Convention:
    from bitmeter.measure.conventions import CONVENTIONS
    from bitmeter.measure.score import Score
    from bitmeter.measure.signature import Signature
    from bitmeter.measure.trace import Trace

    if text in CONVENTIONS:
        return CONVENTIONS[text]
    if Path(text).exists():
        return Trace.load(text).signature if Path(text).suffix == ".parquet" else Score.load(text).signature
    return Signature.parse(text)


def _explain_conventions(first: Convention, second: Convention | None) -> None:
    from bitmeter.measure.words import explain_conventions
    from bitmeter.reports.scores import plain_table

    for convention in (first, second):
        if convention is not None:
            typer.echo(f"{convention.name}:")
            for habit in convention.habits:
                typer.echo(f"  {habit}")
    if second is not None:
        rows = explain_conventions(first, second)
        if rows:
            show(plain_table([("key", "left"), (first.name, "left"), (second.name, "left")], rows))
        else:
            typer.echo("They score in the same way; what differs is what they divide by and average.")
