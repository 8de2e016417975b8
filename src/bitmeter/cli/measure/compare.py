"""`bitmeter compare`: models on one text, or saved runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bitmeter.cli.formats import Format, SaveAs, check_suffix, chosen_formats, print_records, save_records
from bitmeter.cli.loading import load_models
from bitmeter.cli.options import (
    Confidence,
    Force,
    Html,
    Json,
    Matrix,
    Remembering,
    ScoringConventions,
    With,
    check_contexts,
    check_free,
)
from bitmeter.cli.output import show
from bitmeter.cli.progress import scoring
from bitmeter.cli.reporting import Reported, reported, write
from bitmeter.cli.workers import Workers

__all__ = ["compare"]


def compare(
    things: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN…|MODEL…",
            help="Runs (files, signatures bm1-…, numbers); or, with --on, models. The first is the baseline.",
        ),
    ],
    *,
    on: Annotated[str | None, typer.Option(metavar="TEXT", help="Text on which to score the models.")] = None,
    components: With = None,
    confidence: Confidence = 0.95,
    weights: Annotated[
        str, typer.Option(metavar="byte|document", help="What counts alike in the difference: bytes or documents.")
    ] = "byte",
    matrix: Matrix = None,
    html: Html = None,
    output: SaveAs = None,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
    history: Remembering,
    conventions: ScoringConventions,
    processes: Workers,
) -> None:
    """Compare two or more models on the same text.

    Shows the difference in bits per byte, with its interval and p-value. The models are paired on the documents of
    the text, or on blocks of it.
    """
    processes.as_keywords()
    if len(things) < 2:
        message = (
            "a comparison needs at least two; type: bitmeter compare A.json B.json, or: bitmeter compare A B --on TEXT"
        )
        raise typer.BadParameter(message)
    from bitmeter.measure.compare import WEIGHTS, compare_scores
    from bitmeter.measure.score import Score

    chosen = next((known for known in WEIGHTS if known == weights), None)
    if chosen is None:
        message = f"--weights is {weights}; it must be {' or '.join(WEIGHTS)}"
        raise typer.BadParameter(message)
    formats = chosen_formats(format, json=json, output=output)
    check_free(matrix, force=force)
    check_suffix(html, "--html", "HTML", ".html")
    for path in (output, html):
        check_free(path, force=force, inputs=[*things, on])
    check_contexts(conventions)
    if on is None:
        if conventions.typed() or components or processes.are_several:
            option = next(iter(conventions.typed()), "with" if components else "workers")
            message = f"--{option} is for scoring, and saved runs are scored already; leave it out, or give --on TEXT"
            raise typer.BadParameter(message)
        from bitmeter.cli.trust.remembered import remembered_score
        from bitmeter.measure.gate.check import is_run

        remembered = {name: run for name in things if (run := remembered_score(name)) is not None}
        for name in things:
            if name not in remembered and not Path(name).exists():
                *models, last = things
                on_last = len(things) > 2 and Path(last).is_file() and not last.endswith(".json")
                line = f"{' '.join(models)} --on {last}" if on_last else f"{' '.join(things)} --on TEXT"
                message = f"there is no saved run {name}; to compare models type: bitmeter compare {line}"
                raise typer.BadParameter(message)
        for name in things:
            if name not in remembered and Path(name).is_file() and not name.endswith(".json") and not is_run(name):
                message = (
                    f"{name} is not a saved run; to compare models on it type: bitmeter compare A B --on {name}, such "
                    f"as bitmeter compare kt universal --on {name}"
                )
                raise typer.BadParameter(message)
        scores = [remembered[name] if name in remembered else Score.load(name) for name in things]
        found = compare_scores(scores, confidence, chosen)
        if html is not None:
            write([remembered.get(name, name) for name in things], html, force=force, quiet=json)
    else:
        if html is not None and processes.are_several:
            message = "--html needs traces, which one process writes; leave it out, or --workers and --engine"
            raise typer.BadParameter(message)
        with reported(html, None) as room:
            scores = _measured(things, components, on, confidence, conventions, room, processes)
            history.remember(scores, "compare")
            found = compare_scores(scores, confidence, chosen)
            if html is not None:
                write(scores, html, force=force, traces=room.traces, quiet=json)
    if matrix is not None:
        from bitmeter.measure.groups.table import write_matrix

        write_matrix(scores, matrix, force=force)
    from bitmeter.reports.records.machine import comparison_document, comparison_records
    from bitmeter.reports.records.paper import comparison_paper

    def records(kind: str | None) -> Any:
        return comparison_paper(found) if kind in ("md", "latex") else comparison_records(found)

    save_records(formats, lambda: records(formats.saved), lambda: comparison_document(found), force=force)
    if print_records(formats, lambda: records(formats.printed), lambda: comparison_document(found)):
        return
    from bitmeter.reports.panel import remarks
    from bitmeter.reports.tables import comparison_table

    show(comparison_table(found))
    for line in remarks(found):
        typer.echo(line)
    if found.groups:
        from bitmeter.reports.groups import difference_lines, difference_table

        typer.echo()
        show(difference_table(found))
        for line in difference_lines(found):
            typer.echo(line)


def _measured(
    names: list[str],
    components: list[str] | None,
    text: str,
    confidence: float,
    conventions: ScoringConventions,
    room: Reported,
    processes: Workers,
) -> list[Any]:
    from bitmeter.measure.scoring import score

    models = load_models(names, components)
    windowed = [_is_windowed(model) for model in models]
    # Windows are for models with a bounded context; if there is none, the first model refuses them with the reason.
    keywords = conventions.stated()
    windows = keywords.pop("ctx", None)
    yields = "ctx" in conventions.from_files
    found = []
    for name, model, has_windows in zip(names, models, windowed, strict=True):
        shared = processes.suited(model)
        with shared.watching("scoring", f"{name} on {text}", scoring) as progress:
            ctx = windows if has_windows or not (yields or any(windowed)) else None
            asked = room.added(keywords, model, text) | (shared.as_keywords() if shared.are_several else {})
            found.append(score(model, text, confidence=confidence, ctx=ctx, progress=progress, **asked))
    return found


def _is_windowed(model: Any) -> bool:
    from bitmeter.models.protocols import Windowed

    return isinstance(model, Windowed)
