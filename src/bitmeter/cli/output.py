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
    """Print a table, laid out for the width of the terminal; in a pipe the same, for 80 columns."""
    from rich.console import Console
    from rich.table import Table

    from bitmeter._util.width import terminal_columns
    from bitmeter.reports.layout import fitted

    # Wide enough for a single long word: a terminal wraps it itself, and nothing is cut off.
    # A unit such as [b] or :car: is text, not markup.
    console = Console(highlight=False, markup=False, emoji=False, width=_WIDTH)
    with console.capture() as capture:
        for part in fitted(renderable, max(20, terminal_columns())) if isinstance(renderable, Table) else [renderable]:
            console.print(part)
    typer.echo("\n".join(_TAIL.sub(_without_spaces, line) for line in capture.get().splitlines()))


def _without_spaces(tail: re.Match[str]) -> str:
    return tail[0].replace(" ", "")


def say(text: str) -> None:
    """Print a summary; lines that are too long are folded, what follows indented."""
    import textwrap

    from bitmeter._util.width import line_width

    width = line_width()
    for line in text.splitlines():
        indent = " " * (6 if line.startswith("note: ") else 2)
        parts = textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
        for part in parts if len(line) > width else [line]:
            typer.echo(part)


def note(text: str) -> None:
    """Print a note, folded into its column."""
    from bitmeter.reports.figures import folded

    for line in folded("note:", text, 6):
        typer.echo(line)
