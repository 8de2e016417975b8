"""`bitmeter explain`: a signature, a run or a tool's habits in words, and what differs between two of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from bitmeter.measure.conventions.base import Convention
    from bitmeter.measure.signature import Signature


def explain(
    first: Annotated[
        str, typer.Argument(metavar="A", help="A signature, a saved run or trace, or a tool such as kenlm.")
    ],
    second: Annotated[str | None, typer.Argument(metavar="[B]", help="Another one, to say what differs.")] = None,
) -> None:
    """Say in words under which conventions a figure was taken, or what differs between two.

    Each of the two can be a saved run, a saved trace, a signature, or a tool: two runs, two tools, a run and a tool.
    """
    a = _read(first)
    b = None if second is None else _read(second)
    for line in _lines(a, b):
        typer.echo(line)


def _lines(a: Signature | Convention, b: Signature | Convention | None) -> list[str]:
    from bitmeter.measure.conventions.base import Convention
    from bitmeter.reports import explain as texts

    if isinstance(a, Convention):
        if isinstance(b, Convention):
            return texts.tools_lines(a, b)
        return texts.convention_lines(a) if b is None else texts.run_and_tool_lines(b, a)
    if isinstance(b, Convention):
        return texts.run_and_tool_lines(a, b)
    return texts.signature_lines(a) if b is None else texts.pair_lines(a, b)


def _read(text: str) -> Signature | Convention:
    from bitmeter.measure.conventions.registry import CONVENTIONS
    from bitmeter.measure.score import Score
    from bitmeter.measure.signature import Signature
    from bitmeter.measure.trace.trace import Trace

    if text in CONVENTIONS:
        return CONVENTIONS[text]
    if Path(text).exists():
        return Trace.load(text).signature if Path(text).suffix == ".parquet" else Score.load(text).signature
    if ":" not in text:
        tools = ", ".join(CONVENTIONS)
        message = f"{text} is no file, no signature and none of the tools {tools}"
        raise typer.BadParameter(message)
    return Signature.parse(text)
