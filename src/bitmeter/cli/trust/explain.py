"""`bitmeter explain`: the conventions of a signature, a run or a tool, and what differs between two of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from bitmeter.measure.conventions.base import Convention
    from bitmeter.measure.signature import Signature

__all__ = ["explain"]


def explain(
    first: Annotated[
        str,
        typer.Argument(metavar="A", help="A signature (bm1-0a2db555), a saved run or trace, or a tool such as kenlm."),
    ],
    second: Annotated[str | None, typer.Argument(metavar="B", help="Another one, to compare with the first.")] = None,
) -> None:
    """Explain the conventions under which a figure was measured, or what differs between two.

    A and B can each be a saved run, a saved trace, a signature, or a tool: two runs, two tools, a run and a tool. A
    short signature is looked up among the runs that were measured here (`bitmeter runs list`), and those saved in this
    folder.
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
    from bitmeter.history.runs import is_short
    from bitmeter.measure.conventions.registry import CONVENTIONS
    from bitmeter.measure.score import Score
    from bitmeter.measure.signature import Signature
    from bitmeter.measure.trace.trace import Trace

    if text in CONVENTIONS:
        return CONVENTIONS[text]
    if Path(text).exists():
        return Trace.load(text).signature if Path(text).suffix == ".parquet" else Score.load(text).signature
    if is_short(text) or (text.isascii() and text.isdigit()):
        from bitmeter.cli.trust.remembered import named_run

        return named_run(text).signature
    if ":" not in text:
        tools = ", ".join(CONVENTIONS)
        message = f"{text} is not a file, not a signature, and none of the tools {tools}"
        raise typer.BadParameter(message)
    return Signature.parse(text)
