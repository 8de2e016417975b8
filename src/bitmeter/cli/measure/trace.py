"""`bitmeter trace`: what each unit of a text cost."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bitmeter.cli.common import (
    Alternatives,
    Ctx,
    Docs,
    Eos,
    Field,
    First,
    Force,
    Like,
    Norm,
    Oov,
    check_free,
    scoring_progress,
    show,
)


def trace(
    model: Annotated[str, typer.Argument(help="A model, such as those of `bitmeter models`; or a saved trace alone.")],
    text: Annotated[str | None, typer.Argument(help="The text (- for stdin).")] = None,
    by: Annotated[
        str | None, typer.Option(help="Sum over: char, grapheme, word, unicode-word, sentence, document, or N bytes.")
    ] = None,
    top: Annotated[int, typer.Option(min=1, help="How many of the most surprising to show.")] = 20,
    every: Annotated[bool, typer.Option("--all", help="Print every unit, as tab-separated values.")] = False,
    docs: Docs = None,
    field: Field = None,
    like: Like = "bitmeter",
    first: First = None,
    eos: Eos = None,
    oov: Oov = None,
    norm: Norm = None,
    ctx: Ctx = None,
    alternatives: Alternatives = None,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Save the trace as Parquet.")] = None,
    force: Force = False,
    json: Annotated[bool, typer.Option("--json", help="Print the units as JSON, a line each.")] = False,
) -> None:
    """Show the units of a text that a model finds most surprising, or all of them."""
    keywords: dict[str, Any] = {
        "docs": docs, "field": field, "like": like, "first": first, "eos": eos, "oov": oov, "norm": norm,
        "ctx": ctx, "alternatives": alternatives,
    }  # fmt: skip
    check_free(output, force=force)
    found = _open(model, text, output, keywords, force=force)
    if by is not None:
        found = found.group(int(by) if by.isdecimal() else by)
    if every and not json:
        from bitmeter.reports.tables import trace_lines

        for line in trace_lines(found):
            typer.echo(line)
        return
    units = list(found) if every else found.top(top)
    if json:
        import json as encoder

        for unit in units:
            row: dict[str, Any] = {"doc": unit.doc, "start": unit.start, "end": unit.end, "unit": unit.text}
            row["nats"] = -unit.logprob if unit.logprob > -float("inf") else "inf"
            if unit.rank is not None:
                likely = [
                    {"unit": name.decode("utf-8", "backslashreplace"), "nats": -logprob}
                    for name, logprob in unit.alternatives
                    if logprob > -float("inf")
                ]
                row |= {"entropy": unit.entropy, "rank": unit.rank, "alternatives": likely}
            typer.echo(encoder.dumps(row))
        return
    from bitmeter.reports.tables import trace_table

    what = "units" if by is None else f"stretches of {by} bytes" if by.isdecimal() else f"{by}s"
    if not units:
        typer.echo(f"No {what}: the text is empty, {found.signature.short}")
        return
    most = f"{len(units)} most" if len(units) > 1 else "most"
    typer.echo(f"The {most} surprising of {len(found):,} {what}, {found.signature.short}")
    show(trace_table(units))


def _open(model: str, text: str | None, output: Path | None, keywords: dict[str, Any], *, force: bool) -> Any:
    from bitmeter.measure.trace.trace import Trace

    if text is None:
        return Trace.load(model)
    from bitmeter.measure.scoring import score

    with scoring_progress(f"{model} on {text}") as progress:
        result = score(model, text, trace=output, force=force, progress=progress, **keywords)
    return Trace.load(output) if output is not None else result.trace
