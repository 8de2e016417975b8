"""`bitmeter diverge`: how far the predictions of two models lie apart."""

from __future__ import annotations

from typing import Annotated

import typer

from bitmeter.cli.common import Ctx, Docs, Field, Json, scoring_progress


def diverge(
    first: Annotated[str, typer.Argument(help="The model that is taken for the truth, such as the original.")],
    second: Annotated[str, typer.Argument(help="The model that is measured by it, such as a quantised one.")],
    text: Annotated[str, typer.Argument(help="The text (- for stdin).")],
    docs: Docs = None,
    field: Field = None,
    ctx: Ctx = None,
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the mean alone, in bits a token.")] = False,
) -> None:
    """Measure how far the predictions of two models of the same tokens lie apart on a text, token by token.

    For a quantised model against its original: the mean divergence, its percentiles, and how often both hold the same
    token for the likeliest.
    """
    from bitmeter.measure.divergence import divergence

    with scoring_progress(f"{second} against {first}") as progress:
        found = divergence(first, second, text, docs=docs, field=field, ctx=ctx, progress=progress)
    if json:
        import json as encoder

        typer.echo(encoder.dumps(found.to_dict(), ensure_ascii=False))
    else:
        typer.echo(repr(found.mean) if quiet else str(found))
