"""`bitmeter diverge`: the KL divergence between the predictions of two models."""

from __future__ import annotations

from typing import Annotated

import typer

from bitmeter.cli.loading import load_models
from bitmeter.cli.options import Ctx, Json, TextOptions, With
from bitmeter.cli.progress import scoring

__all__ = ["diverge"]


def diverge(
    first: Annotated[str, typer.Argument(metavar="P", help="Reference model, such as the original.")],
    second: Annotated[str, typer.Argument(metavar="Q", help="Model measured against it, such as a quantised one.")],
    text: Annotated[str, typer.Argument(help="The text; - for stdin.")],
    *,
    reading: TextOptions,
    ctx: Ctx = None,
    components: With = None,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the mean alone, in bits per token.")] = False,
) -> None:
    """Measure the KL divergence D(P||Q) between the predictions of two models of the same units on a text.

    For a quantised or pruned model against its original: the mean divergence per unit, its percentiles, and how often
    both models predict the same most likely unit. Both must expose the distribution of the next unit, over the same
    outcomes.
    """
    from bitmeter.measure.divergence import divergence

    p, q = load_models([first, second], components)
    with scoring(f"{second} against {first}") as progress:
        found = divergence(p, q, text, ctx=ctx, progress=progress, **reading.as_keywords())
    if json:
        import json as encoder

        typer.echo(encoder.dumps(found.to_dict(), ensure_ascii=False))
    else:
        typer.echo(repr(found.mean) if quiet else str(found))
