"""`bitmeter trace`: the surprisal of each unit of a text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bitmeter.cli.formats import Format, Formats, chosen_formats, print_records, save_records
from bitmeter.cli.loading import load_models
from bitmeter.cli.options import Alternatives, Conventions, Force, Json, Remembering, With, check_free
from bitmeter.cli.output import say, show
from bitmeter.cli.progress import scoring

__all__ = ["trace"]

#: What --by takes, beside a number of bytes.
_UNITS = ("char", "grapheme", "word", "unicode-word", "sentence", "document")
#: How many units are shown.
_TOP = 20
#: Those that hold the white space before them.
_SPACED = ("word", "unicode-word", "sentence")


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
    top: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="How many of the most surprising to show; 20 by default.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Print every unit, by default as TSV.")] = False,
    alternatives: Alternatives = None,
    components: With = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Save the trace: .parquet, or every unit as .csv, .tsv, …"),
    ] = None,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
    history: Remembering,
    conventions: Conventions,
) -> None:
    """Show the surprisal of the units of a text: what each cost under a model, in bits.

    The most surprising units come first; --all prints all of them in order. --by sums over words, sentences or other
    units.
    """
    formats = chosen_formats(format, json=json, output=output, default="parquet")
    if every and formats.printed == "table" and output is None:
        formats = Formats("tsv")
    if every and top is not None:
        message = f"--all prints every unit and --top {top} the most surprising; give one of them"
        raise typer.BadParameter(message)
    top = _TOP if top is None else top
    unit = None if by is None else _unit(by)
    if by is not None and alternatives is not None:
        message = (
            f"--alternatives are of single units, and --by {by} sums over them; leave one of the two out (with "
            "-o FILE, the alternatives are saved: bitmeter score MODEL TEXT --alternatives N --trace FILE)"
        )
        raise typer.BadParameter(message)
    check_free(output, force=force, inputs=[model, text])
    keywords = conventions.as_keywords() | {"alternatives": alternatives}
    # A trace of the model's own units can be opened again: it is written as the text goes by.
    own = output if formats.saved == "parquet" and by is None else None
    found = _open(model, text, components, own, keywords, conventions, history, force=force)
    if unit is not None:
        found = found.group(unit)
        if text is not None:
            history.remember([_measured(found, model, text, unit)], "trace")
    if formats.saved == "parquet" and (by is not None or text is None):
        found.save(output, force=force)
    elif formats.saved != "parquet":
        save_records(formats, lambda: _records(found, list_all=True, kind=formats.saved, top=top), force=force)
    if every and formats.printed == "table":
        formats = Formats("tsv", output, formats.saved)
    if print_records(formats, lambda: _records(found, list_all=every, kind=formats.printed, top=top)):
        return
    units = found.top(top)
    from bitmeter.reports.tables import trace_table

    what = "units" if unit is None else f"blocks of {unit} bytes" if isinstance(unit, int) else f"{unit}s"
    if not units:
        typer.echo(f"No {what}: the text is empty, {found.signature.short}")
        return
    most = f"{len(units)} most" if len(units) > 1 else "most"
    say(f"The {most} surprising of {len(found):,} {what}, {found.signature.short}")
    show(trace_table(units, stripped=unit in _SPACED))


def _measured(found: Any, model: str, text: str, unit: str | int) -> Any:
    """The line of the history for larger units, which have a signature of their own."""
    from bitmeter.history.runs import Measured

    per = f"{unit} bytes" if isinstance(unit, int) else unit
    size = int((found.end - found.start).sum())
    return Measured(model, text, found.signature, per, float(found.bits.mean()) if len(found) else None, size)


def _records(trace: Any, *, list_all: bool, kind: str | None, top: int) -> Any:
    """The units as a table; in formats that are read line by line, line ends are escaped."""
    from bitmeter.reports.records.machine import trace_records

    units = trace if list_all else trace.top(top)
    return trace_records(trace, units, detailed=trace.detailed, escaped=kind not in ("json", "jsonl", "parquet"))


def _unit(by: str) -> str | int:
    """What costs are summed over: a name, also in the plural, or a number of bytes."""
    if by.isdecimal() and int(by) > 0:
        return int(by)
    name = by.removesuffix("s")
    if name not in _UNITS:
        message = f"--by is {by!r}; it must be one of {', '.join(_UNITS)}, or a number of bytes"
        raise typer.BadParameter(message)
    return name


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
        stated = [*conventions.typed(), *(["alternatives"] if keywords["alternatives"] is not None else [])]
        if stated and (_is_parquet(model) or not names_model(model)):
            options = ", ".join(f"--{name.replace('_', '-')}" for name in stated)
            message = f"{options}: a saved trace is scored already; leave it out, or give a model and a text"
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
