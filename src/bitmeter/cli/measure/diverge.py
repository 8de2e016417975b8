"""`bitmeter diverge`: the KL divergence between the predictions of two models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitmeter.cli.formats import Format, SaveAs, chosen_formats, print_records, save_records
from bitmeter.cli.loading import load_models
from bitmeter.cli.options import Ctx, Force, Json, Remembering, TextOptions, With, check_free
from bitmeter.cli.progress import scoring

if TYPE_CHECKING:
    from bitmeter.measure.divergence import Divergence

__all__ = ["diverge"]


def diverge(
    first: Annotated[str, typer.Argument(metavar="P", help="Reference model, such as the original.")],
    second: Annotated[str, typer.Argument(metavar="Q", help="Model measured against it, such as a quantised one.")],
    text: Annotated[str, typer.Argument(help="The text; - for stdin.")],
    *,
    reading: TextOptions,
    ctx: Ctx = None,
    components: With = None,
    output: SaveAs = None,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the mean alone, in bits per token.")] = False,
    history: Remembering,
) -> None:
    """Measure the KL divergence D(P||Q) between the predictions of two models of the same units on a text.

    For a quantised or pruned model against its original: the mean divergence per unit, its percentiles, and how often
    both models predict the same most likely unit. Both must expose the distribution of the next unit, over the same
    outcomes.
    """
    formats = chosen_formats(format, json=json, quiet=quiet, output=output)
    check_free(output, force=force, inputs=[first, second, text])
    from bitmeter.measure.divergence import divergence

    p, q = load_models([first, second], components)
    with scoring(f"{second} against {first}") as progress:
        found = divergence(p, q, text, ctx=ctx, progress=progress, **reading.as_keywords())
    from bitmeter.reports.records.machine import divergence_document, divergence_records

    if not quiet:
        history.remember(_measured(found), "diverge")
    from bitmeter.reports.records.paper import divergence_paper

    def records(kind: str | None) -> Any:
        return divergence_paper(found) if kind in ("md", "latex") else divergence_records(found)

    save_records(formats, lambda: records(formats.saved), lambda: divergence_document(found), force=force)
    if not print_records(formats, lambda: records(formats.printed), lambda: divergence_document(found)):
        typer.echo(repr(found.mean) if quiet else str(found))


def _measured(found: Divergence) -> list[Any]:
    """What each model costs on the text, for the history."""
    import math

    from bitmeter.history.runs import Measured

    sides = zip(
        (found.first, found.second), (found.first_logprobs, found.second_logprobs), found.signatures, strict=True
    )
    return [
        Measured(name, found.text, signature, "token", float(-logs.sum() / len(logs) / math.log(2.0)), found.bytes)
        for name, logs, signature in sides
        if len(logs)
    ]
