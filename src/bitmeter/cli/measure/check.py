"""`bitmeter check`: whether a model is worse than a baseline by more than is allowed."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated, Any

import typer

from bitmeter.cli.formats import Format, SaveAs, chosen_formats, print_records, save_records
from bitmeter.cli.loading import load_models
from bitmeter.cli.options import (
    Confidence,
    Force,
    Json,
    Remembering,
    ScoringConventions,
    With,
    check_contexts,
    check_free,
    check_ungrouped,
)
from bitmeter.cli.progress import scoring

__all__ = ["check"]

#: The exit code of an undecided check with --strict.
UNDECIDED = 3


def check(
    base: Annotated[
        str,
        typer.Argument(metavar="BASE", help="The baseline: a run (file, signature or number); or, with --on, a model."),
    ],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What is checked: a run; or, with --on, a model.")],
    *,
    on: Annotated[str | None, typer.Option(metavar="TEXT", help="Text on which to score the models.")] = None,
    allow: Annotated[
        str,
        typer.Option(metavar="BITS|PERCENT", help="How much worse NEW may be: 0.01 bits per byte, or 0.5% of BASE's."),
    ] = "0.5%",
    kl: Annotated[
        float | None,
        typer.Option(min=0.0, metavar="BITS", help="Largest mean KL divergence of two models, in bits per token."),
    ] = None,
    same_top: Annotated[
        str | None,
        typer.Option(metavar="PERCENT", help="Smallest rate at which both predict the same most likely token: 99%."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 3 if the check is undecided.")] = False,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the result as JUnit XML.")] = None,
    summary: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Append the result as Markdown, such as to $GITHUB_STEP_SUMMARY."),
    ] = None,
    weights: Annotated[
        str, typer.Option(metavar="byte|document", help="What counts alike in the difference: bytes or documents.")
    ] = "byte",
    components: With = None,
    confidence: Confidence = 0.95,
    output: SaveAs = None,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
    history: Remembering,
    conventions: ScoringConventions,
) -> None:
    """Check that NEW is not worse than BASE by more than is allowed.

    The difference is paired, by document or along the text. The exit code is 1 only if its whole interval lies above
    the allowance. It is 0 if the interval lies below it (equal within the allowance, or better), and also if it lies
    on both sides of it: the check is then undecided, and says how much more text would do (with --strict, 3). Runs are
    compared without scoring again; of a run and a model, the model is scored by the conventions of the run.
    """
    formats = chosen_formats(format, json=json, output=output)
    from bitmeter.cli.trust.remembered import remembered_score
    from bitmeter.errors import InputError
    from bitmeter.measure.gate.allowance import read_allowance, read_share
    from bitmeter.measure.gate.check import check as run
    from bitmeter.measure.gate.check import check_files, is_run

    try:
        read_allowance(allow, "--allow")
        if same_top is not None:
            read_share(same_top, "--same-top")
    except InputError as error:
        raise typer.BadParameter(str(error)) from error
    if weights not in ("byte", "document"):
        message = f"--weights is {weights}; it must be byte or document"
        raise typer.BadParameter(message)
    check_ungrouped(conventions, "check")
    check_contexts(conventions)
    for path in (junit, output):
        check_free(path, force=force, inputs=[base, new, on])
    if summary is not None:
        check_free(summary, force=True)
    check_files(base, new)
    remembered = {name: run_of for name in (base, new) if (run_of := remembered_score(name)) is not None}
    known = [name in remembered or is_run(name) for name in (base, new)]
    _check_words(base, new, known, on, scoring_only=sorted(conventions.typed()) + ["with"] * bool(components))
    names = [name for name, ready in zip((base, new), known, strict=True) if not ready]
    loaded: dict[str, Any] = dict(zip(names, load_models(names, components), strict=True)) if names else {}
    loaded |= remembered
    started = time.perf_counter()
    with scoring(f"{new} against {base}") as progress:
        # A run has its conventions; a default of a file is for two models.
        keywords = conventions.stated() if len(names) == 2 else conventions.typed()
        keywords |= {"progress": progress} if names else {}
        found = run(
            loaded.get(base, base), loaded.get(new, new), on=on, allow=allow, kl=kl, same_top=same_top, strict=strict,
            confidence=confidence, weights="document" if weights == "document" else "byte", **keywords,
        )  # fmt: skip
    measured = [score for score, ready in zip((found.base, found.new), known, strict=True) if not ready]
    history.remember(measured, "check")
    from bitmeter.reports.gate import junit_xml, markdown_summary

    if junit is not None:
        from bitmeter._util.files import replacing

        with replacing(junit, force=force) as beside:
            beside.write_text(junit_xml(found, time.perf_counter() - started), encoding="utf-8")
    if summary is not None:
        _append(summary, markdown_summary(found))
    from bitmeter.reports.records.gate import check_document, check_paper, check_records

    def records(kind: str | None) -> Any:
        return check_paper(found) if kind in ("md", "latex") else check_records(found)

    save_records(formats, lambda: records(formats.saved), lambda: check_document(found), force=force)
    if not print_records(formats, lambda: records(formats.printed), lambda: check_document(found)):
        typer.echo(str(found))
    if not found.passed:
        from bitmeter._util.files import label

        worse = found.verdict == "worse"
        reason = "failed" if worse else "is undecided, and --strict asks for a decision"
        typer.echo(f"error: {label(found.new.model)} against {label(found.base.model)}: the check {reason}", err=True)
        raise typer.Exit(1 if worse else UNDECIDED)


def _check_words(base: str, new: str, known: list[bool], on: str | None, scoring_only: list[str]) -> None:
    if all(known):
        unused = (["on"] if on is not None else []) + scoring_only
        if unused:
            message = f"--{unused[0]} is for scoring, and both are saved runs, which are scored already; leave it out"
            raise typer.BadParameter(message)
        return
    if on is None:
        name = base if not known[0] else new
        line = f"bitmeter check {base} {new} --on TEXT"
        message = f"{name} is not a saved run; if it is a model, name the text to score it on: {line}"
        raise typer.BadParameter(message)


def _append(path: Path, text: str) -> None:
    """Add to a file what others may have begun: the summary of a workflow's step is one file for all."""
    from bitmeter._util.files import unwritten

    try:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise unwritten(path, error) from error
