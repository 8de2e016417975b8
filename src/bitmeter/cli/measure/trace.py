"""`bitmeter trace`: the surprisal of each unit of a text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bitmeter.cli.loading import load_models
from bitmeter.cli.options import Alternatives, Conventions, Force, Remembering, With, check_free
from bitmeter.cli.output import show
from bitmeter.cli.progress import scoring

__all__ = ["trace"]

#: What --by takes, beside a number of bytes.
_UNITS = ("char", "grapheme", "word", "unicode-word", "sentence", "document")


def trace(
    model: Annotated[str, typer.Argument(help="A model, as `bitmeter models` lists them; or a saved trace alone.")],
    text: Annotated[str | None, typer.Argument(help="The text; - for stdin.")] = None,
    *,
    by: Annotated[
        str | None,
        typer.Option(
            metavar="UNIT", help="Sum over: char, grapheme, word, unicode-word, sentence, document, or N bytes."
        ),
    ] = None,
    top: Annotated[int, typer.Option(min=1, metavar="N", help="How many of the most surprising to show.")] = 20,
    every: Annotated[bool, typer.Option("--all", help="Print every unit, as tab-separated values.")] = False,
    alternatives: Alternatives = None,
    components: With = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Save the trace as Parquet.")
    ] = None,
    force: Force = False,
    json: Annotated[bool, typer.Option("--json", help="Print the units as JSON, one per line.")] = False,
    history: Remembering,
    conventions: Conventions,
) -> None:
    """Show the surprisal of the units of a text: what each cost under a model, in bits.

    The most surprising units come first; --all prints all of them in order. --by sums over words, sentences or other
    units.
    """
    unit = None if by is None else _unit(by)
    if by is not None and alternatives is not None:
        message = (
            f"--alternatives are of single units, and --by {by} sums over them; leave one of the two out (with "
            "-o FILE, the alternatives are saved: bitmeter score MODEL TEXT --alternatives N --trace FILE)"
        )
        raise typer.BadParameter(message)
    check_free(output, force=force, inputs=[model, text])
    keywords = conventions.as_keywords() | {"alternatives": alternatives}
    found = _open(model, text, components, output, keywords, conventions, history, force=force)
    if unit is not None:
        found = found.group(unit)
    if every and not json:
        from bitmeter.reports.tables import trace_lines

        for line in trace_lines(found):
            typer.echo(line)
        return
    units = list(found) if every else found.top(top)
    if json:
        import json as encoder

        for unit in units:
            typer.echo(encoder.dumps(_row(unit)))
        return
    from bitmeter.reports.tables import trace_table

    what = "units" if unit is None else f"blocks of {unit} bytes" if isinstance(unit, int) else f"{unit}s"
    if not units:
        typer.echo(f"No {what}: the text is empty, {found.signature.short}")
        return
    most = f"{len(units)} most" if len(units) > 1 else "most"
    typer.echo(f"The {most} surprising of {len(found):,} {what}, {found.signature.short}")
    show(trace_table(units))


def _unit(by: str) -> str | int:
    """What costs are summed over: a name, also in the plural, or a number of bytes."""
    if by.isdecimal() and int(by) > 0:
        return int(by)
    name = by.removesuffix("s")
    if name not in _UNITS:
        message = f"--by is {by!r}; it must be one of {', '.join(_UNITS)}, or a number of bytes"
        raise typer.BadParameter(message)
    return name


def _row(unit: Any) -> dict[str, Any]:
    """A unit as JSON has it."""
    row: dict[str, Any] = {"doc": unit.doc, "start": unit.start, "end": unit.end, "unit": unit.text}
    row["nats"] = -unit.logprob if unit.logprob > -float("inf") else "inf"
    if unit.rank is not None:
        likely = [
            {"unit": name.decode("utf-8", "backslashreplace"), "nats": -logprob}
            for name, logprob in unit.alternatives
            if logprob > -float("inf")
        ]
        row |= {"entropy": unit.entropy, "rank": unit.rank, "alternatives": likely}
    return row


def _is_parquet(path: str) -> bool:
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(4) == b"PAR1"


def _open(
    model: str,
    text: str | None,
    components: list[str] | None,
    output: Path | None,
    keywords: dict[str, Any],
    conventions: Conventions,
    history: Remembering,
    *,
    force: bool,
) -> Any:
    from bitmeter.measure.trace.trace import Trace
    from bitmeter.models.registry import names_model

    if text is None:
        if components:
            message = "--with is for scoring, and a saved trace is scored already; leave it out, or give a text"
            raise typer.BadParameter(message)
        if names_model(model) and not _is_parquet(model):
            message = f"a text is needed: bitmeter trace {model} TEXT; a saved trace alone is shown without one"
            raise typer.BadParameter(message)
        if not Path(model).exists():
            message = f"there is no saved trace {model}, and no text is given; type: bitmeter trace MODEL TEXT"
            raise typer.BadParameter(message)
        if Path(model).is_file() and not _is_parquet(model):
            message = (
                f"{model} is not a saved trace, which is a Parquet file; to trace a text name a model before it: "
                f"bitmeter trace MODEL {model}"
            )
            raise typer.BadParameter(message)
        return Trace.load(model)
    from bitmeter.measure.scoring import score

    (ready,) = load_models([model], components)
    with scoring(f"{ready.name} on {text}") as progress:
        result = score(ready, text, trace=output, force=force, progress=progress, **conventions.suited(ready, keywords))
    history.remember([result], "trace")
    from bitmeter._util.files import is_written_through

    # What went through a pipe cannot be read again.
    return result.trace if output is None or is_written_through(output) else Trace.load(output)
