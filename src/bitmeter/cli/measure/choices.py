"""`bitmeter score --choices`: items with several answers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import typer

from bitmeter.cli.formats import Formats, print_records, save_records
from bitmeter.cli.options import Remembering, ScoringConventions
from bitmeter.cli.progress import scoring

__all__ = ["show_choices"]


def show_choices(
    models: Iterable[Any],
    texts: list[str],
    conventions: ScoringConventions,
    fields: dict[str, str | None],
    unused: dict[str, Any],
    confidence: float,
    history: Remembering,
    formats: Formats,
    *,
    quiet: bool,
    force: bool,
) -> None:
    """Print accuracy and margins of each model on each text.

    Parameters
    ----------
    models, texts
        Any number; models are loaded one after the other.
    conventions
        How answers are scored; --given names the field of the contexts.
    fields
        What was typed for --choices, --label and --calibrate.
    unused
        Options that have no meaning here, with what was typed for them.
    confidence
        Of the intervals.
    history
        Whether to remember the figures.
    formats
        What is printed and saved: rows have one answer each, .md and .tex the accuracies.
    quiet
        Whether to print the accuracy alone.
    force
        Overwrite an existing file.
    """
    from bitmeter.measure.answers.choices import choose
    from bitmeter.reports.records.answers import choices_document, choices_paper, choices_records

    choices, label = fields["choices"], fields["label"]
    missing = [name for name in ("choices", "label") if fields[name] is None]
    if choices is None or label is None or conventions.given is None:
        message = (
            f"a choice needs --given, --choices and --label; --{'given' if not missing else missing[0]} is missing"
        )
        raise typer.BadParameter(message)
    others = [name for name, value in unused.items() if value]
    others += [name for name in conventions.typed() if name in ("docs", "field", "eos", "den", "cluster")]
    if others:
        message = f"--{others[0]} has no meaning for a choice between answers; leave it out"
        raise typer.BadParameter(message)
    asked = {name: value for name, value in conventions.stated().items() if name not in ("given", "docs")}
    all_found = []
    for model in models:
        for text in texts:
            with scoring(f"{model.name} on {text}") as progress:
                found = choose(
                    model, text, given=conventions.given, choices=choices, label=label,
                    calibrate=fields["calibrate"], confidence=confidence, progress=progress, **asked,
                )  # fmt: skip
            if not quiet:
                history.remember([_measured_choices(found)], "score")
            all_found.append(found)

    def records(kind: str | None) -> Any:
        return choices_paper(all_found) if kind in ("md", "latex") else choices_records(all_found)

    def document() -> Any:
        made = list(map(choices_document, all_found))
        return made[0] if len(made) == 1 else made

    save_records(formats, lambda: records(formats.saved), document, force=force)
    if print_records(formats, lambda: records(formats.printed), document):
        return
    for found in all_found:
        share = found.ways["sum" if found.calibrate is None else "calibrated"].accuracy.share
        typer.echo(repr(share) if quiet else str(found))


def _measured_choices(found: Any) -> Any:
    """The line of the history: bits per byte of the labelled answers."""
    from bitmeter.history.runs import Measured

    size = int(found.signature.text.rpartition(".")[2]) if found.signature.text.rpartition(".")[2].isdigit() else 0
    bits = None if found.micro is None else found.micro.estimate
    return Measured(found.model, found.text, found.signature, "byte", bits, size)
