"""`bitmeter convert`: an n-gram model in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bitmeter.cli.options import CompactBits, Force, PruneEntropy, Threads, check_free, check_memory, compact_bits
from bitmeter.cli.output import say
from bitmeter.cli.progress import stages

__all__ = ["convert"]


def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="A model: .bmn of either form, ARPA, or a binary of KenLM.")
    ],
    target: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="File to write; .bmn, .arpa, .arpa.gz or .arpa.zst chooses the format."),
    ],
    compact: Annotated[
        bool, typer.Option("--compact", help="Compact form of .bmn: a quarter of the size, rounded probabilities.")
    ] = False,
    bits: CompactBits = None,
    prune_entropy: PruneEntropy = None,
    spelling: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Learn from this text how words are spelled, which ARPA does not store: for --oov spelled and "
            "compress.",
        ),
    ] = None,
    heldout: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Text whose perplexity is measured before and after.")
    ] = None,
    threads: Threads = 0,
    memory: Annotated[
        str | None,
        typer.Option(metavar="SIZE", help="Limit on memory for --compact: 4G, 500M, 50% of what is free; default 75%."),
    ] = None,
    temp: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Folder for temporary files, used when memory is not enough.")
    ] = None,
    force: Force = False,
) -> None:
    """Write an n-gram model in another format, and report its size and its cost in perplexity.

    Without --compact a .bmn file has the fast form; a compact model becomes a fast one with the same rounded
    probabilities. In the compact form predictions never sum to more than one, so perplexity is never understated.
    """
    from bitmeter.models.ngram.arpa import is_arpa
    from bitmeter.models.ngram.convert import convert as converted
    from bitmeter.models.ngram.files import is_model_file, unknown_format

    if not is_model_file(target.name):
        raise typer.BadParameter(str(unknown_format(target)))
    if compact and is_arpa(target.name):
        message = f"{target} is ARPA, which has no compact form; end its name in .bmn, or leave --compact out"
        raise typer.BadParameter(message)
    rounding = compact_bits(bits, compact=compact)
    if not compact and (memory is not None or temp is not None):
        message = "--memory and --temp are for --compact, which alone takes much memory; add it, or leave them out"
        raise typer.BadParameter(message)
    check_memory(memory, temp)
    check_free(target, force=force)
    if spelling is not None and is_arpa(target.name):
        message = f"{target} is ARPA, which cannot store how words are spelled; end its name in .bmn"
        raise typer.BadParameter(message)
    with stages() as progress:
        done = converted(
            source, target, compact=compact, bits=rounding, prune_entropy=prune_entropy, spelling=spelling,
            heldout=heldout, force=force, threads=threads, memory=memory, temp=temp, progress=progress,
        )  # fmt: skip
    say(str(done))
