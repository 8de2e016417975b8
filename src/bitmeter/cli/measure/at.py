"""`bitmeter score --at`: statistics of each document, beside a null."""

from __future__ import annotations

from typing import Any

import typer

from bitmeter.cli.formats import Formats, print_records, save_records
from bitmeter.cli.options import Conventions
from bitmeter.cli.progress import scoring

__all__ = ["show_statistics"]

_OTHER = "binoculars:"


def show_statistics(
    models: list[Any],
    texts: list[str],
    at: list[str],
    null: str | None,
    conventions: Conventions,
    unused: list[str],
    confidence: float,
    formats: Formats,
    *,
    force: bool,
) -> None:
    """Print the statistics of one model on one text.

    Parameters
    ----------
    models, texts
        One of each.
    at
        What was typed after --at: names separated by commas, or "binoculars:MODEL".
    null
        The texts of the null.
    conventions
        Of which docs, field and ctx are used.
    unused
        Options that were typed and have no meaning here.
    confidence
        Of the intervals.
    formats
        What is printed and saved: rows have one document and statistic each, .md and .tex the means.
    force
        Overwrite an existing file.
    """
    if not at:
        message = "--null is for --at; type: --at min-k,min-k++,zlib --null TEXT"
        raise typer.BadParameter(message)
    if unused:
        message = f"--at shows statistics of documents, for which --{unused[0]} has no meaning; leave it out"
        raise typer.BadParameter(message)
    if len(models) != 1 or len(texts) != 1:
        message = "--at shows one model on one text; give one of each"
        raise typer.BadParameter(message)
    from bitmeter.errors import ChoiceError
    from bitmeter.measure.membership.statistics import text_statistics

    names = [name for value in at if not value.startswith(_OTHER) for name in value.split(",")]
    others = [value.removeprefix(_OTHER) for value in at if value.startswith(_OTHER)]
    if len(others) > 1 or "binoculars" in names:
        message = "binoculars is a ratio with one other model; type: --at binoculars:MODEL"
        raise typer.BadParameter(message)
    try:
        with scoring(f"{models[0].name} on {texts[0]}") as progress:
            found = text_statistics(
                models[0], texts[0], at=[*names, *(["binoculars"] if others else [])],
                other=others[0] if others else None, null=null, docs=conventions.docs, field=conventions.field,
                ctx=conventions.ctx, confidence=confidence, progress=progress,
            )  # fmt: skip
    except ChoiceError as error:
        raise typer.BadParameter(str(error)) from error
    from bitmeter.reports.records.statistics import statistics_document, statistics_paper, statistics_records

    def records(kind: str | None) -> Any:
        return (statistics_paper if kind in ("md", "latex") else statistics_records)(found)

    save_records(formats, lambda: records(formats.saved), lambda: statistics_document(found), force=force)
    if not print_records(formats, lambda: records(formats.printed), lambda: statistics_document(found)):
        typer.echo(str(found))
