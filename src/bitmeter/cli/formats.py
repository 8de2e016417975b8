"""In which format a verb prints and saves its result, and how."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitmeter.reports.formats.kinds import FORMATS, SUFFIXES, format_of

if TYPE_CHECKING:
    from bitmeter.reports.formats.table import Table

__all__ = ["Format", "Formats", "SaveAs", "check_suffix", "chosen_formats", "print_records", "save_records"]
#: Suffixes of tables and pages that other programs write: a file of another kind under such a name would mislead.
_FOREIGN = (".xls", ".xlsx", ".ods", ".doc", ".docx", ".odt", ".pdf", ".html", ".htm", ".db", ".sqlite", ".feather")


def _known(value: str | None) -> str | None:
    if value is not None and value not in FORMATS:
        message = f"--format is {value}; it must be one of {', '.join(FORMATS)}"
        raise typer.BadParameter(message)
    return value


Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="Format of the result: table, csv, tsv, json, jsonl, parquet, md or latex.",
        callback=_known,
    ),
]
SaveAs = Annotated[
    Path | None,
    typer.Option("--output", "-o", metavar="FILE", help="Save the result: .csv, .tsv, .json, .parquet, .md, .tex, …"),
]


@dataclass(frozen=True, slots=True)
class Formats:
    """What is printed, and what is saved.

    Attributes
    ----------
    printed
        The format on stdout.
    path, saved
        The file, and its format; None for no file.
    """

    printed: str
    path: Path | None = None
    saved: str | None = None


def chosen_formats(
    name: str | None,
    *,
    json: bool,
    quiet: bool = False,
    output: Path | None = None,
    default: str | None = None,
    option: str = "-o",
) -> Formats:
    """The formats that the options ask for.

    Parameters
    ----------
    name
        That of --format.
    json, quiet
        Whether --json and -q were typed.
    output
        The file of -o: its suffix says the format, or --format does, which is then not for stdout.
    default
        The format of a file whose suffix says nothing; None to refuse it. That of another program (.xls) is refused.
    option
        What names the file.
    """
    if json and quiet:
        message = "--json and -q ask for two different outputs; give one of them"
        raise typer.BadParameter(message)
    if name is not None and (quiet or (json and name != "json")):
        other = "-q" if quiet else "--json"
        message = f"{other} and --format {name} ask for two different outputs; give one of them"
        raise typer.BadParameter(message)
    if output is None:
        if name == "parquet":
            message = f"Parquet is written to a file, not printed; add {option} FILE.parquet"
            raise typer.BadParameter(message)
        return Formats("json" if json else name or "table")
    printed = "json" if json else "table"
    if name is not None and not json:
        return Formats(printed, output, _file_format(name))
    from bitmeter.errors import InputError

    try:
        known = None if output.suffix.lower() in _FOREIGN else default
        return Formats(printed, output, _file_format(format_of(output, known)))
    except InputError as error:
        raise typer.BadParameter(str(error)) from error


def _file_format(name: str) -> str:
    if name == "table":
        message = "a table for people is printed, not saved; name the file .csv, .md or another format, or redirect it"
        raise typer.BadParameter(message)
    return name


def check_suffix(path: Path | None, option: str, kind: str, own: str) -> None:
    """Refuse a name that says another format than the one that is written.

    Parameters
    ----------
    path
        The file; None for none.
    option
        What names it.
    kind, own
        What is written, and its suffix.
    """
    if path is None or path.suffix.lower() in (own, ".htm" if own == ".html" else own):
        return
    if path.suffix.lower() in (*_FOREIGN, *SUFFIXES):
        message = f"{option} writes {kind}, and {path.name} names another format; name it {path.stem}{own}"
        raise typer.BadParameter(message)


def save_records(
    formats: Formats, make: Callable[[], Table], document: Callable[[], Any] | None = None, *, force: bool
) -> None:
    """Save a table, if a file was asked for; `document` is as for `print_records`."""
    if formats.path is None:
        return
    if formats.saved == "json" and document is not None:
        from bitmeter._util.files import replacing
        from bitmeter.reports.formats.cells import encoded

        with replacing(formats.path, force=force) as beside:
            beside.write_text(encoded(document()) + "\n", encoding="utf-8")
    else:
        from bitmeter.reports.formats.writing import write_table

        write_table(make(), formats.path, format=formats.saved, force=force)


def print_records(formats: Formats, make: Callable[[], Table], document: Callable[[], Any] | None = None) -> bool:
    """Print a table for programs; False if people are to read it, and nothing was printed.

    Parameters
    ----------
    formats
        What was asked for.
    make
        Makes the table.
    document
        Makes what JSON holds, if that is more than the rows of the table.
    """
    if formats.printed == "table":
        return False
    if formats.printed == "json" and document is not None:
        from bitmeter.reports.formats.cells import encoded

        typer.echo(encoded(document()))
        return True
    from bitmeter.reports.formats.writing import print_table

    print_table(make(), formats.printed, sys.stdout)
    return True
