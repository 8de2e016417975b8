"""`bitmeter compress`: arithmetic coding with any model that predicts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bitmeter._util.files import label
from bitmeter.cli.loading import load_models
from bitmeter.cli.options import Force, Prime, With, check_free
from bitmeter.cli.output import note, say
from bitmeter.cli.progress import coding
from bitmeter.text.formats import COMPRESSIONS

__all__ = ["SUFFIX", "compress"]

#: The end of an archive's name.
SUFFIX = ".bmz"


def compress(
    model: Annotated[str, typer.Argument(help="A model that predicts; `bitmeter models` lists them.")],
    file: Annotated[str, typer.Argument(help="File to compress; - for stdin.")],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Archive to write; FILE.bmz by default; - for stdout."),
    ] = None,
    embed: Annotated[bool, typer.Option("--embed", help="Store the model in the archive; its size counts.")] = False,
    prime: Prime = None,
    long_header: Annotated[
        bool,
        typer.Option("--long-header", help="Note fingerprint, version and the whole hash, some 230 bytes more."),
    ] = False,
    components: With = None,
    force: Force = False,
) -> None:
    """Compress a file by arithmetic coding with a model.

    The archive has as many bits as the model's score, plus a header. It is decoded and compared with the file before
    success is reported. Decoding needs the same --prime, and the same model unless it is in the archive (--embed) or
    is made from its name (kt, uniform, universal).
    """
    from bitmeter.coding.archive.compress import compress as run

    target = output if output is not None else ("-" if file == "-" else file + SUFFIX)
    check_free(target, force=force, stdout=True, inputs=[file, model, prime])
    with coding("compressing", file) as progress:
        (ready,) = load_models([model], components)
        made = run(
            ready, file, target, embed=embed, prime=prime, long_header=long_header, force=force, progress=progress
        )
    if target != "-":
        say(str(made))
        if file.lower().endswith(COMPRESSIONS):
            note(f"{label(Path(file).name)} was coded as it is, and not unpacked as score does")
