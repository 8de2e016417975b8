"""`bitmeter compare`: models on one text, or saved runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bitmeter.cli.common import (
    Confidence,
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

    if on is None:
        for name in things:
            if not Path(name).exists():
                line = f"bitmeter compare {' '.join(things)} --on TEXT"
                message = f"there is no saved run {name}; to compare models type: {line}"
                raise typer.BadParameter(message)
        scores = [Score.load(name) for name in things]
    else:
        keywords: dict[str, Any] = {
            "docs": docs, "field": field, "like": like, "first": first, "eos": eos, "oov": oov, "den": den,
            "norm": norm,
        }  # fmt: skip
        scores = [_measure(model, on, confidence, keywords) for model in things]
    found = compare_scores(scores, confidence)
    if json:
        typer.echo(found.to_json())
        return
    from bitmeter.reports.scores import comparison_table

    show(comparison_table(found))
    for line in found.remarks():
        typer.echo(line)


def _measure(model: str, text: str, confidence: float, keywords: dict[str, Any]) -> Any:
    from bitmeter.measure.scoring import score

    with scoring_progress(f"{model} on {text}") as progress:
        return score(model, text, confidence=confidence, progress=progress, **keywords)
