"""`bitmeter entropy`: how many bits the symbols of a file need."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bitmeter.errors import InputError

if TYPE_CHECKING:
    from bitmeter.measure.survey import Survey


class Units(StrEnum):
    """What a symbol is."""

    bytes = "bytes"
    chars = "chars"
    words = "words"


class Unit(StrEnum):
    """What entropy is measured in."""

    bits = "bits"
    nats = "nats"
    hartleys = "hartleys"


def entropy(
    file: Annotated[
        str | None, typer.Argument(help="The text to measure; - or nothing reads what is piped in.")
    ] = None,
    units: Annotated[Units, typer.Option(help="What one symbol is.")] = Units.bytes,
    unit: Annotated[Unit, typer.Option(help="What entropy is measured in.")] = Unit.bits,
    orders: Annotated[int, typer.Option(min=0, max=63, help="The longest context, in symbols.")] = 5,
    sample: Annotated[
        bool, typer.Option("--sample", help="Measure the language reference that comes with Python.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print every figure to full precision.")] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print one number: the rate by context tree weighting.")
    ] = False,
) -> None:
    """Measure the entropy of a text: by order, with estimators, and as a rate.

    The headline is context tree weighting, the length of a real code for the text: an upper bound on its entropy
    rate. For more than 1,048,576 different words, which it cannot take, -q prints the Lempel-Ziv 1976 estimate.
    """
    if json and quiet:
        message = "--json and -q ask for two different outputs; give one of them"
        raise typer.BadParameter(message)
    name, data = _read(file, sample=sample)
    if quiet:
        _print_headline(data, units.value, unit.value)
    else:
        _print(_measure(name, data, units.value, orders), unit.value, json=json)


def _read(file: str | None, *, sample: bool) -> tuple[str, bytes]:
    """The text and its name."""
    if sample:
        if file is not None:
            message = f"--sample measures the text that comes with Python, but {file} was given too; give one of them"
            raise typer.BadParameter(message)
        from bitmeter.text.corpus.sample import SAMPLE_NAME, sample_text

        return SAMPLE_NAME, sample_text().encode()
    if file is None and sys.stdin.isatty():
        message = (
            "no text was given. Measure a file with: bitmeter entropy FILE; what a command prints with: "
            "… | bitmeter entropy; the text that comes with Python with: bitmeter entropy --sample"
        )
        raise typer.BadParameter(message)
    if file is None or file == "-":
        return "standard input", sys.stdin.buffer.read()
    try:
        return Path(file).name, Path(file).read_bytes()
    except FileNotFoundError:
        message = f"there is no file {file}; check the name, or measure what is piped in with: bitmeter entropy -"
    except IsADirectoryError:
        message = f"{file} is a folder; name a file in it, or join them: cat {file}/* | bitmeter entropy"
    except OSError as error:
        message = f"{file} cannot be read ({error.strerror}); check its permissions"
    raise InputError(message, value=file)


def _measure(name: str, data: bytes, units: str, orders: int) -> Survey:
    from bitmeter.measure.survey import survey

    if not sys.stderr.isatty():
        return survey(data, units=units, orders=orders, source=name)
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("measuring {task.description:<20}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        return survey(data, units=units, orders=orders, source=name, step=_stepper(progress))


def _stepper(progress: object) -> Callable[[str, int], None]:
    """Tells a progress bar what is being done now."""
    from rich.progress import Progress, TaskID

    assert isinstance(progress, Progress)
    task: list[TaskID] = []

    def step(name: str, total: int) -> None:
        if not task:
            task.append(progress.add_task(name, total=total))
        else:
            progress.update(task[0], description=name, advance=1)

    return step


def _print_headline(data: bytes, units: str, unit: str) -> None:
    from bitmeter.measure.survey import headline
    from bitmeter.reports.entropy import figure

    typer.echo(f"{figure(headline(data, units=units).nats, unit):.6f}")


def _print(result: Survey, unit: str, *, json: bool) -> None:
    from bitmeter.reports import entropy as report

    if json:
        typer.echo(report.as_json(result, unit))
    else:
        from rich.console import Console
        from rich.text import Text

        console = Console(highlight=False)
        parts = (Text(report.header(result), style="bold"), report.table(result, unit), report.footer(result, unit))
        for number, part in enumerate(parts):
            console.print("\n" if number else "", part, sep="", soft_wrap=True)
