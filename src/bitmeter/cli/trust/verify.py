"""`bitmeter verify`: whether a model is what a score assumes it to be."""

from __future__ import annotations

from typing import Annotated

import typer

from bitmeter.cli.loading import load_models
from bitmeter.cli.options import With

__all__ = ["verify"]


def verify(
    model: Annotated[str, typer.Argument(help="A model; `bitmeter models` lists them.")],
    text: Annotated[str | None, typer.Argument(help="Text to test it on; a sample by default.")] = None,
    histories: Annotated[int, typer.Option(min=1, max=100_000, metavar="N", help="Number of positions to test.")] = 64,
    given: With = None,
) -> None:
    """Test a model at positions of a text.

    Its predictions must sum to one, its log-probabilities must be those of its predictions, and it must not look
    ahead. The file of an n-gram model is read and checked in full. A model that does not expose its predictions is at
    best unproven. The exit code is 1 if a test fails.
    """
    from bitmeter.coding.verify import verify as run

    (ready,) = load_models([model], given)
    found = run(ready, text, histories=histories)
    typer.echo(str(found))
    if found.sound is False:
        from bitmeter.errors import ModelError

        message = f"{found.model} failed the test; its scores mean nothing"
        raise ModelError(message)
