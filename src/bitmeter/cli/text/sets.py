"""`bitmeter sets`: public test sets by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from bitmeter.cli.formats import Format, Formats, SaveAs, chosen_formats, print_records, save_records
from bitmeter.cli.options import Force, Json, check_free
from bitmeter.cli.progress import coding

if TYPE_CHECKING:
    from bitmeter.data.catalogue import KnownSet

__all__ = ["sets"]


def sets(
    action: Annotated[str, typer.Argument(metavar="list|get", help="List the sets, or fetch one.")] = "list",
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="The set to fetch, such as wikitext2.")] = None,
    *,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="URL|FOLDER", help="Take it from an address, or from files that have its hash."),
    ] = None,
    output: SaveAs = None,
    force: Force = False,
    format: Format = None,  # noqa: A002
    json: Json = False,
) -> None:
    """List the test sets that have a name, or fetch one.

    A set is pinned by its hash, so that all who score `wikitext2:test` score the same bytes. Nothing is fetched before
    `sets get`; the files are kept in the user's data folder, and checked each time they are used.
    """
    if action == "list":
        if name is not None or source is not None:
            message = f"list takes no name; to fetch a set type: bitmeter sets get {name or 'wikitext2'}"
            raise typer.BadParameter(message)
        check_free(output, force=force)
        _list(chosen_formats(format, json=json, output=output), force=force)
    elif action == "get":
        if name is None:
            message = "name the set to fetch, such as: bitmeter sets get wikitext2; `bitmeter sets list` lists them"
            raise typer.BadParameter(message)
        if output is not None or format is not None:
            message = "-o and --format are for the list; a set that is fetched is kept in the data folder"
            raise typer.BadParameter(message)
        _get(name, source, force=force, json=json)
    else:
        message = f"{action!r} is neither list nor get; type: bitmeter sets list, or: bitmeter sets get NAME"
        raise typer.BadParameter(message)


def _list(formats: Formats, *, force: bool) -> None:
    from bitmeter.data.catalogue import SETS
    from bitmeter.data.store import stored_file

    save_records(formats, lambda: _records(formats.saved), _document, force=force)
    if print_records(formats, lambda: _records(formats.printed), _document):
        return
    from bitmeter.cli.output import show
    from bitmeter.reports.tables import plain_table

    rows = []
    for known in SETS.values():
        for split, part in known.parts.items():
            label = f"{known.name}:{split}" if split else known.name
            size = f"{part.size:,}" if part.size else "–"
            rows.append([label, size, "yes" if stored_file(known, split).is_file() else "no", _short(known.licence)])
        if known.gated:
            rows.append([known.name, "–", "gated", _short(known.licence)])
    show(plain_table([("text", "left"), ("bytes", "right"), ("here", "left"), ("licence", "left")], rows))
    from bitmeter.cli.output import say

    say("Fetch one with: bitmeter sets get NAME; then: bitmeter score MODEL NAME, or --on NAME.")


def _document() -> dict[str, Any]:
    from bitmeter._version import __version__
    from bitmeter.data.catalogue import SETS

    rows = [_as_json(known) for known in SETS.values()]
    return {"schema": "bitmeter.sets/1", "version": __version__, "rows": rows}


def _records(kind: str | None) -> Any:
    """One row per part of a set; for a page without its hashes and addresses."""
    from bitmeter.data.catalogue import SETS
    from bitmeter.reports.formats.table import Column, Table, columns_of

    columns = (
        Column("name"), Column("bytes", "integer"), Column("sha256"), Column("here", "flag"), Column("gated", "flag"),
        *columns_of("title source licence"),
    )  # fmt: skip
    rows = []
    for known in map(_as_json, SETS.values()):
        shared = [bool(known["gated"]), known["title"], known["source"], known["licence"]]
        for split, part in (known["parts"] or {"": known}).items():
            name = f"{known['name']}:{split}" if split else known["name"]
            rows.append([name, part["size"], part["sha256"], bool(part["here"]), *shared])
    table = Table("bitmeter.sets-row/1", columns, rows)
    if kind not in ("md", "latex"):
        return table
    from bitmeter.reports.records.paper import narrowed

    return narrowed(table, {"name": "text", "bytes": "bytes", "here": "here", "licence": "licence"}, ())


def _as_json(known: KnownSet) -> dict[str, Any]:
    """A set as JSON has it: what is not known is null, and `here` says what is on this machine."""
    from dataclasses import asdict

    from bitmeter.data.store import stored_file

    found = asdict(known)
    for split, part in found["parts"].items():
        part["here"] = stored_file(known, split).is_file()
    for about in (found, *found["parts"].values()):
        about["sha256"], about["size"] = about["sha256"] or None, about["size"] or None
    return found | {"here": bool(known.parts) and all(part["here"] for part in found["parts"].values())}


def _short(text: str) -> str:
    return text if len(text) <= 33 else text[:32] + "…"


def _get(name: str, source: str | None, *, force: bool, json: bool) -> None:
    from bitmeter.data.catalogue import SETS
    from bitmeter.data.sets import get_set
    from bitmeter.data.store import digest
    from bitmeter.errors import ChoiceError

    try:
        with coding("fetching", name) as progress:
            found = get_set(name, source=source, force=force, progress=progress)
    except ChoiceError as error:
        raise typer.BadParameter(str(error)) from error
    known = SETS[found.name]
    rows = [(label, path.stat().st_size, digest(path)) for label, path in found.files.items()]
    if json:
        import json as encoder

        files = [{"name": label, "bytes": size, "sha256": sha256} for label, size, sha256 in rows]
        typer.echo(encoder.dumps({"name": found.name, "source": found.source, "files": files}, ensure_ascii=False))
        return
    from bitmeter.cli.output import say

    say(f"{known.title}; {known.source}; licence: {known.licence}")
    for label, size, sha256 in rows:
        split = label.partition(":")[2]
        pinned = "as published" if known.parts[split].sha256 else "by its archive"
        typer.echo(f"  {label:<22} {size:>11,} bytes  sha256 {sha256[:12]}…  {pinned}")
    say(f"  text: {known.normalised}")
    if not found.source:
        typer.echo("  It was here already; --force fetches it again.")
