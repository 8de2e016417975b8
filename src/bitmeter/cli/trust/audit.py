"""`bitmeter audit`: whether a model, or a table of log-probabilities, is what its figure says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitmeter.cli.loading import load_models
from bitmeter.cli.options import Force, Json, TextOptions, With, check_free
from bitmeter.cli.progress import steps
from bitmeter.cli.workers import Workers

if TYPE_CHECKING:
    from bitmeter.measure.audit.result import Audit

__all__ = ["audit"]


def audit(
    model: Annotated[
        str, typer.Argument(metavar="MODEL|TABLE", help="A model, or a .parquet, .jsonl, .csv, .tsv or .npz table.")
    ],
    text: Annotated[str | None, typer.Argument(help="The raw text; for a model, a sample by default.")] = None,
    *,
    positions: Annotated[
        int | None,
        typer.Option(
            "--positions",
            min=1,
            max=100_000,
            metavar="N",
            help="Positions of the text at which predictions are checked; by default enough for a verdict.",
        ),
    ] = None,
    histories: Annotated[
        int | None, typer.Option("--histories", min=1, max=100_000, hidden=True, help="As --positions.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, metavar="N", help="Seed of the positions that are drawn; 0.")
    ] = None,
    units: Annotated[
        str | None,
        typer.Option(metavar="UNITS", help="What ids of a table are: tokenizer:FILE, sentencepiece:FILE, bytes."),
    ] = None,
    unit: Annotated[
        str | None, typer.Option(metavar="UNIT", help="Of a table's costs: nats, bits, log10 or prob.")
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(metavar="ROLE=COLUMN,…", help="Columns of a table: logprob, doc, start, end, id, piece, bytes, …"),
    ] = None,
    claimed: Annotated[
        str | None, typer.Option(metavar="BITS", help="Bits per byte that the table is said to have.")
    ] = None,
    confidence: Annotated[
        float | None,
        typer.Option(min=0.5, max=0.9999, metavar="P", help="Confidence level of the interval; 0.95."),
    ] = None,
    components: With = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write a certificate as JSON.")
    ] = None,
    check: Annotated[
        Path | None, typer.Option("--check", metavar="FILE", help="Repeat the audit of a certificate, and compare.")
    ] = None,
    force: Force = False,
    json: Json = False,
    reading: TextOptions,
    processes: Workers,
) -> None:
    """Check that a figure is what it says.

    Units must partition the raw bytes, predictions must sum to one and say what units cost, what follows must change
    nothing, units must be scored before the model learns from them, and figures must be the same again. Where a model
    does not expose its predictions, every next unit is scored at some positions. A table of log-probabilities by
    another program is laid over the raw text, and its figure recomputed. The verdict is proven, unproven (with what
    could not be checked) or unsound, which is exit code 1.
    """
    from bitmeter.errors import ChoiceError
    from bitmeter.measure.audit.auditing import audit as run
    from bitmeter.measure.audit.auditing import is_table
    from bitmeter.measure.audit.tables.names import UNITS

    check_free(output, force=force)
    if unit is not None and unit not in UNITS:
        message = f"--unit is {unit}; it must be one of {', '.join(UNITS)}"
        raise typer.BadParameter(message)
    table = is_table(model)
    if table and text is None:
        message = "a table is checked against the raw text that it is about: bitmeter audit TABLE TEXT"
        raise typer.BadParameter(message)
    for name, value in (("unit", unit), ("columns", columns), ("claimed", claimed), ("units", units)):
        if value is not None and not table:
            message = f"--{name} is for a table of log-probabilities, and {model} is a model; leave it out"
            raise typer.BadParameter(message)
    ready: Any = model if table else load_models([model], components)[0]
    asked = processes.as_keywords()
    with processes.staged(lambda: steps("auditing")) as progress:
        try:
            found = run(
                ready, text, units=units, unit=unit, columns=_checked(columns), claimed=claimed, docs=reading.docs,
                field=reading.field, positions=positions if histories is None else histories, seed=seed,
                confidence=confidence, check=check, progress=progress, **asked,
            )  # fmt: skip
        except ChoiceError as error:
            raise typer.BadParameter(str(error)) from error
    if output is not None:
        found.save(output, force=force)
    typer.echo(found.to_json() if json else str(found))
    if check is not None and not found.differences and not json:
        typer.echo(f"{check} was repeated: nothing differs")
    _fail(found, check)


def _checked(columns: str | None) -> str | None:
    if columns is None:
        return None
    pairs = [part.partition("=") for part in columns.split(",")]
    if not all(role and sign and name for role, sign, name in pairs):
        message = f"--columns is {columns}; write role=column,role=column, such as logprob=nll,piece=token"
        raise typer.BadParameter(message)
    return columns


def _fail(found: Audit, check: Path | None) -> None:
    from bitmeter.errors import ModelError

    if check is not None and found.differences:
        number = len(found.differences)
        respects = "respect" if number == 1 else "respects"
        message = f"the audit differs from {check} in {number} {respects}: {found.differences[0]}"
        raise ModelError(message)
    if found.verdict == "unsound":
        first = next(finding for finding in found.findings if finding.severity == "unsound")
        message = f"{found.subject} failed the audit: {first.text}"
        raise ModelError(message)
