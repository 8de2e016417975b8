"""`bitmeter compress` and `bitmeter decompress`: any model that predicts, as a compressor."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from bitmeter.cli.common import Force, byte_progress, check_free

SUFFIX = ".bmz"
_PRIME = typer.Option(
    metavar="TEXT", help="What a model that learns as it reads (universal) reads before; the same both ways."
)


def compress(
    model: Annotated[str, typer.Argument(metavar="MODEL", help="A model that predicts; `bitmeter models` lists them.")],
    file: Annotated[str, typer.Argument(metavar="FILE", help="What to compress; - for stdin.")],
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The archive; FILE.bmz if not said; - for stdout.")
    ] = None,
    embed: Annotated[bool, typer.Option("--embed", help="Put the model into the archive; its size counts.")] = False,
    prime: Annotated[str | None, _PRIME] = None,
    force: Force = False,
) -> None:
    """Compress a file with a model: as many bits as the model's score, and a few to tell what it is.

    The archive is decoded and compared before it is called a success. Decoding needs the same model, unless it travels
    along (--embed) or is made from its name (kt, uniform, universal); and the same --prime.
    """
    from bitmeter.coding.archive.compress import compress as run

    target = output if output is not None else ("-" if file == "-" else file + SUFFIX)
    check_free(target, force=force)
    with byte_progress("compressing", file) as progress:
        made = run(model, file, target, embed=embed, prime=prime, force=force, progress=progress)
    if target != "-":
        typer.echo(str(made))


def decompress(
    archive: Annotated[str, typer.Argument(metavar="ARCHIVE", help="What compress wrote; - for stdin.")],
    output: Annotated[
        str | None, typer.Option("--output", "-o", help="The file; ARCHIVE without .bmz if not said; - for stdout.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", "-m", help="The model that coded it, where it is not found by itself.")
    ] = None,
    prime: Annotated[str | None, _PRIME] = None,
    force: Force = False,
) -> None:
    """Write the file of an archive; nothing is written unless it is, by its hash, what was compressed."""
    from bitmeter.coding.archive.compress import decompress as run

    if output is None and archive != "-" and not archive.endswith(SUFFIX):
        message = f"{archive} does not end in {SUFFIX}, so say what to write: -o FILE"
        raise typer.BadParameter(message)
    target = output if output is not None else ("-" if archive == "-" else archive.removesuffix(SUFFIX))
    check_free(target, force=force)
    with byte_progress("decompressing", archive) as progress:
        header = run(archive, target, model=model, prime=prime, force=force, progress=progress)
    if target != "-":
        typer.echo(f"{Path(target)}: {header.bytes:,} bytes, as they were coded by {header.model}")
    sys.stdout.flush()
