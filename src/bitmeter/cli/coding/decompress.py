"""`bitmeter decompress`: the file that was compressed."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from bitmeter._util.files import label
from bitmeter.cli.coding.compress import SUFFIX
from bitmeter.cli.loading import load_models
from bitmeter.cli.options import Force, Prime, With, check_free
from bitmeter.cli.output import say
from bitmeter.cli.progress import coding

__all__ = ["decompress"]


def decompress(
    archive: Annotated[str, typer.Argument(help="Archive that `bitmeter compress` wrote; - for stdin.")],
    output: Annotated[
        str | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="File to write; ARCHIVE without .bmz by default; - for stdout."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Model that coded it, if it is not found by its name."),
    ] = None,
    prime: Prime = None,
    components: With = None,
    force: Force = False,
) -> None:
    """Decode an archive. The file is written only if its hash is that of the original."""
    from bitmeter.coding.archive.compress import decompress as run

    if output is None and archive != "-" and not archive.endswith(SUFFIX):
        message = f"{archive} does not end in {SUFFIX}; name the file to write: -o FILE"
        raise typer.BadParameter(message)
    if components and model is None:
        message = "--with is for the mixture that --model names; add --model MIXTURE.bmx"
        raise typer.BadParameter(message)
    target = output if output is not None else ("-" if archive == "-" else archive.removesuffix(SUFFIX))
    check_free(target, force=force, stdout=True, inputs=[archive, model, prime])
    with coding("decompressing", archive) as progress:
        ready = None if model is None else load_models([model], components)[0]
        header = run(archive, target, model=ready, prime=prime, force=force, progress=progress)
    if target != "-":
        say(f"{label(target)}: {header.bytes:,} bytes, decoded with {header.model}")
    sys.stdout.flush()
