"""`bitmeter sweep`: many models or quantisations against one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bitmeter.cli.formats import Format, SaveAs, chosen_formats, print_records, save_records
from bitmeter.cli.options import (
    Confidence,
    Force,
    Json,
    Remembering,
    ScoringConventions,
    check_contexts,
    check_free,
    check_ungrouped,
)
from bitmeter.cli.progress import scoring

__all__ = ["sweep"]


def sweep(
    models: Annotated[
        list[str], typer.Argument(metavar="BASE MODEL…", help="Models; the first is compared with the others.")
    ],
    *,
    on: Annotated[str, typer.Option(metavar="TEXT", help="Text on which to score them.")],
    runs: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Folder for the runs; what is there already is not measured again."),
    ] = None,
    no_kl: Annotated[
        bool, typer.Option("--no-kl", help="Leave out divergence, which goes through the text once more.")
    ] = False,
    plot: Annotated[Path | None, typer.Option(metavar="FILE", help="Draw size against bits, as SVG.")] = None,
    confidence: Confidence = 0.95,
    output: SaveAs = None,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
    history: Remembering,
    conventions: ScoringConventions,
) -> None:
    """Measure many models or quantisations on one text.

    For each model: its size on disk, bits per byte, the difference to the first with its interval, the divergence
    of its predictions, how often both predict the same most likely token, and its speed. A * marks the models that no
    other beats in both size and bits.
    """
    formats = chosen_formats(format, json=json, output=output)
    if len(models) < 2:
        message = "a sweep needs at least two models; type: bitmeter sweep BASE A B --on TEXT"
        raise typer.BadParameter(message)
    check_ungrouped(conventions, "sweep")
    check_contexts(conventions)
    if plot is not None and plot.suffix.lower() != ".svg":
        message = (
            f"--plot writes SVG, and {plot} is named otherwise; name it .svg. For .png or .html type: bitmeter sweep … "
            "--json > s.json, then bitmeter plot sweep s.json -o FILE"
        )
        raise typer.BadParameter(message)
    for path in (plot, output):
        check_free(path, force=force, inputs=[*models, on])
    from bitmeter.measure.gate.sweep import sweep as run

    with scoring(f"{len(models)} models on {on}") as progress:
        found = run(
            *models, on=on, runs=runs, kl=not no_kl, confidence=confidence, progress=progress, **conventions.stated()
        )
    if plot is not None:
        from bitmeter._util.files import replacing
        from bitmeter.reports.sweep import size_picture

        drawn = size_picture(found)
        with replacing(plot, force=force) as beside:
            beside.write_text(drawn, encoding="utf-8")
    history.remember([row.score for row in found.rows], "sweep")
    from bitmeter.reports.records.gate import sweep_document, sweep_paper, sweep_records

    def records(kind: str | None) -> Any:
        return sweep_paper(found) if kind in ("md", "latex") else sweep_records(found)

    save_records(formats, lambda: records(formats.saved), lambda: sweep_document(found), force=force)
    if print_records(formats, lambda: records(formats.printed), lambda: sweep_document(found)):
        return
    from bitmeter.cli.output import show
    from bitmeter.reports.sweep import sweep_lines, sweep_tables

    for table in sweep_tables(found):
        show(table)
    for line in sweep_lines(found):
        typer.echo(line)
