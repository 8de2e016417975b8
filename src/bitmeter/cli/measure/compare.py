"""`bitmeter compare`: models on one text, or saved runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bitmeter.cli.common import (
    Confidence,
    Ctx,
    Den,
    Docs,
    Eos,
    Field,
    First,
    Json,
    Like,
    Norm,
    Oov,
    scoring_progress,
    show,
)


def compare(
    things: Annotated[
        list[str],
        typer.Argument(metavar="RUN…|MODEL…", help="Saved runs, or with --on models; the first is the baseline."),
    ],
    on: Annotated[str | None, typer.Option(help="The text on which to score the models.")] = None,
    docs: Docs = None,
    field: Field = None,
    like: Like = "bitmeter",
    first: First = None,
    eos: Eos = None,
    oov: Oov = None,
    den: Den = None,
    norm: Norm = None,
    ctx: Ctx = None,
    confidence: Confidence = 0.95,
    json: Json = False,
) -> None:
    """Compare two or more models on the same text: the difference in bits a byte with its interval and p-value."""
    if len(things) < 2:
        message = (
            "a comparison needs at least two; type: bitmeter compare A.json B.json, or: bitmeter compare A B --on TEXT"
        )
        raise typer.BadParameter(message)
    from bitmeter.measure.compare import compare_scores
    from bitmeter.measure.score import Score

    keywords: dict[str, Any] = {
        "docs": docs, "field": field, "first": first, "eos": eos, "oov": oov, "den": den, "norm": norm, "ctx": ctx,
        "like": None if like == "bitmeter" else like,
    }  # fmt: skip
    said = {key: value for key, value in keywords.items() if value is not None}
    if on is None:
        if said:
            option = next(iter(said))
            message = f"--{option} is for scoring, and saved runs are scored already; leave it out, or give --on TEXT"
            raise typer.BadParameter(message)
        for name in things:
            if not Path(name).exists():
                line = f"bitmeter compare {' '.join(things)} --on TEXT"
                message = f"there is no saved run {name}; to compare models type: {line}"
                raise typer.BadParameter(message)
        scores = [Score.load(name) for name in things]
    else:
        scores = _measured(things, on, confidence, said)
    found = compare_scores(scores, confidence)
    if json:
        typer.echo(found.to_json())
        return
    from bitmeter.reports.panel import remarks
    from bitmeter.reports.tables import comparison_table

    show(comparison_table(found))
    for line in remarks(found):
        typer.echo(line)


def _measured(names: list[str], text: str, confidence: float, keywords: dict[str, Any]) -> list[Any]:
    from bitmeter.measure.scoring import score
    from bitmeter.models.registry import load

    models = [load(name) for name in names]
    bounded = [hasattr(model, "with_reading") for model in models]
    # Windows are for those that see only so much; if none of them does, the first will say so.
    window = keywords.pop("ctx", None)
    found = []
    for name, model, has_windows in zip(names, models, bounded, strict=True):
        with scoring_progress(f"{name} on {text}") as progress:
            ctx = window if has_windows or not any(bounded) else None
            found.append(score(model, text, confidence=confidence, ctx=ctx, progress=progress, **keywords))
    return found
