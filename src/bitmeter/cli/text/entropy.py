"""`bitmeter entropy`: the entropy of a text."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitmeter.cli.formats import Format, Formats, SaveAs, chosen_formats, print_records, save_records
from bitmeter.cli.options import Force, Json, check_free
from bitmeter.cli.progress import steps
from bitmeter.errors import InputError
from bitmeter.text.formats import COMPRESSIONS

if TYPE_CHECKING:
    from bitmeter.measure.survey import Survey

__all__ = ["Unit", "Units", "entropy"]


class Units(StrEnum):
    """What a symbol is."""

    bytes = "bytes"
    chars = "chars"
    words = "words"


class Unit(StrEnum):
    """The unit of entropy."""

    bits = "bits"
    nats = "nats"
    hartleys = "hartleys"


def entropy(
    file: Annotated[str | None, typer.Argument(help="Text to measure; - or nothing for stdin.")] = None,
    units: Annotated[Units, typer.Option(help="What a symbol is.")] = Units.bytes,
    unit: Annotated[Unit, typer.Option(help="Unit of entropy.")] = Unit.bits,
    orders: Annotated[int, typer.Option(min=0, max=63, metavar="N", help="Longest context, in symbols.")] = 5,
    sample: Annotated[
        bool, typer.Option("--sample", help="Measure the language reference that comes with Python.")
    ] = False,
    prime: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Text that the universal model reads first, for one more row."),
    ] = None,
    output: SaveAs = None,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print one number: the rate by context tree weighting.")
    ] = False,
) -> None:
    """Measure the entropy of a text: by order, by estimators, and as a rate.

    The headline is the rate by context tree weighting. It is the length of a code for the text and its alphabet, and so
    an upper bound on the entropy rate. It takes at most 1,048,576 different words; for more, -q prints the Lempel-Ziv
    (1976) estimate. A file .gz, .bz2, .xz or .zst is unpacked, as by score; its own bytes are measured from stdin.
    """
    formats = chosen_formats(format, json=json, quiet=quiet, output=output)
    check_free(output, force=force, inputs=[file, prime])
    if quiet and prime is not None:
        message = "-q prints the rate by context tree weighting, which --prime does not change; leave one of them out"
        raise typer.BadParameter(message)
    name, data = _read(file, sample=sample)
    if quiet:
        _print_headline(data, units.value, unit.value)
    else:
        _print(_measure(name, data, units.value, orders, prime), unit.value, formats, force=force)


def _read(file: str | None, *, sample: bool) -> tuple[str, bytes]:
    """The text and its name."""
    if sample:
        if file is not None:
            message = f"--sample measures the text that comes with Python, but {file} is given too; give one of them"
            raise typer.BadParameter(message)
        from bitmeter.text.corpus.sample import SAMPLE_NAME, sample_text

        return SAMPLE_NAME, sample_text().encode()
    if file is None and sys.stdin.isatty():
        message = (
            "no text is given. To measure a file type: bitmeter entropy FILE; the output of a command: "
            "… | bitmeter entropy; the text that comes with Python: bitmeter entropy --sample"
        )
        raise typer.BadParameter(message)
    if file is None or file == "-":
        return "standard input", sys.stdin.buffer.read()
    if file.lower().endswith(COMPRESSIONS) and Path(file).is_file():
        from bitmeter.text.corpus.readers import file_blocks

        return f"{Path(file).name}, unpacked", b"".join(file_blocks(file, 1 << 20))
    try:
        return Path(file).name, Path(file).read_bytes()
    except FileNotFoundError:
        message = f"there is no file {file}; check the name, or measure stdin with: bitmeter entropy -"
    except IsADirectoryError:
        message = f"{file} is a folder; name a file in it, or join them: cat {file}/* | bitmeter entropy"
    except OSError as error:
        message = f"{file} cannot be read ({error.strerror}); check its permissions"
    raise InputError(message, value=file)


def _measure(name: str, data: bytes, units: str, orders: int, prime: str | None) -> Survey:
    from bitmeter.measure.survey import survey

    with steps("measuring") as progress:
        return survey(data, units=units, orders=orders, source=name, prime=prime, progress=progress)


def _print_headline(data: bytes, units: str, unit: str) -> None:
    from bitmeter.measure.survey import headline
    from bitmeter.reports.entropy import figure

    typer.echo(f"{figure(headline(data, units=units).nats, unit):.6f}")


def _print(result: Survey, unit: str, formats: Formats, *, force: bool) -> None:
    from bitmeter.reports import entropy as report
    from bitmeter.reports.records.machine import survey_records
    from bitmeter.reports.records.paper import survey_paper

    def records(kind: str | None) -> Any:
        return survey_paper(result) if kind in ("md", "latex") else survey_records(result)

    save_records(formats, lambda: records(formats.saved), lambda: report.as_dict(result, unit), force=force)
    if formats.printed == "json":
        typer.echo(report.as_json(result, unit))
    elif not print_records(formats, lambda: records(formats.printed)):
        from rich.console import Console
        from rich.text import Text

        console = Console(highlight=False)
        parts = (Text(report.header(result), style="bold"), report.table(result, unit), report.footer(result, unit))
        for number, part in enumerate(parts):
            console.print("\n" if number else "", part, sep="", soft_wrap=True)
