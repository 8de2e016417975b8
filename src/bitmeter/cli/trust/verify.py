"""`bitmeter verify`: whether a model is what a score takes it for."""

from __future__ import annotations

from typing import Annotated

import typer


def verify(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="Which; `bitmeter models` lists them.")],
    text: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="Where to try it; a sample if left out.")] = None,
    histories: Annotated[int, typer.Option(min=1, max=100_000, help="At how many places.")] = 64,
) -> None:
    """Try a model at places of a text: its predictions sum to one, it costs what it predicts, it does not look ahead.

    Of an n-gram model, all of the file is read and checked too. Exit code 1 where something is wrong.
    """
    from bitmeter.coding.verify import verify as run

    found = run(model, text, histories=histories)
    typer.echo(str(found))
    if not found.sound:
        from bitmeter.errors import ModelError

        message = f"{found.model} is not sound; a score of it says nothing"
        raise ModelError(message)
