"""How results are printed on stdout."""

from __future__ import annotations

import re
from typing import Any

import typer

__all__ = ["show"]

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
