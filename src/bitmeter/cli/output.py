"""How results are printed on stdout."""

from __future__ import annotations

import re
from typing import Any

import typer

__all__ = ["note", "say", "show"]

#: The invisible end of a line: spaces, and codes that end a colour.
_TAIL = re.compile(r"(?: |\x1b\[[0-9;]*m)+$")
#: Wider than any table.
_WIDTH = 10_000


def show(renderable: Any) -> None:
    """Print a table, the same on a terminal and in a pipe."""
    from rich.console import Console

    # As wide as the table needs: a terminal wraps long lines itself, and nothing is cut off.
    # A unit such as [b] or :car: is text, not markup.
    console = Console(highlight=False, markup=False, emoji=False, width=_WIDTH)
    with console.capture() as capture:
        console.print(renderable)
    typer.echo("\n".join(_TAIL.sub(_without_spaces, line) for line in capture.get().splitlines()))


def _without_spaces(tail: re.Match[str]) -> str:
    return tail[0].replace(" ", "")


def say(text: str) -> None:
    """Print a summary; lines that are too long are folded, what follows indented."""
    import textwrap

    from bitmeter.reports.figures import WIDTH

    for line in text.splitlines():
        indent = " " * (6 if line.startswith("note: ") else 2)
        parts = textwrap.wrap(line, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        for part in parts if len(line) > WIDTH else [line]:
            typer.echo(part)


def note(text: str) -> None:
    """Print a note, folded into its column."""
    from bitmeter.reports.figures import folded

    for line in folded("note:", text, 6):
        typer.echo(line)
