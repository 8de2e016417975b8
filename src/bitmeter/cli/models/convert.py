"""`bitmeter convert`: an n-gram model in another format."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bitmeter.cli.common import Force, check_free, compact_bits
from bitmeter.cli.models.train import stages


def convert(
    source: Annotated[Path, typer.Argument(metavar="IN", help="A model: .bmn of either form, .arpa, .arpa.gz, …")],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="What to write: .bmn, .arpa, .arpa.gz or .arpa.zst, by its name.")
    ],
    compact: Annotated[
        bool, typer.Option("--compact", help="The compact form of .bmn: a quarter of the size, rounded figures.")
    ] = False,
    bits: Annotated[
        int | None, typer.Option(min=4, max=14, help="Of a probability in the compact form; 8 if not said.")
    ] = None,
    prune_entropy: Annotated[
        float | None,
        typer.Option(
            min=0.0, max=1.0, help="Drop n-grams whose loss raises the perplexity by less than this share: 1e-8."
        ),
    ] = None,
    spelling: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Learn from this text how words are spelled, which ARPA does not say: for --oov spelled, compress.",
        ),
    ] = None,
    heldout: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A text whose perplexity is measured before and after.")
    ] = None,
    threads: Annotated[int, typer.Option(min=0, max=1024, help="How many to use; 0 for all.")] = 0,
    force: Force = False,
) -> None:
    """Write an n-gram model in another format, and say what it costs.

    Without --compact a .bmn file has the fast form; a compact model becomes a fast one with the same rounded figures.
    In the compact form predictions never sum to more than one, so that its perplexity is an honest one.
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
    check_free(target, force=force)
    if spelling is not None and is_arpa(target.name):
        message = f"{target} is ARPA, which has no place for how words are spelled; end its name in .bmn"
        raise typer.BadParameter(message)
    with stages() as progress:
        done = converted(
            source, target, compact=compact, bits=rounding, prune_entropy=prune_entropy, spelling=spelling,
            heldout=heldout, force=force, threads=threads, progress=progress,
        )  # fmt: skip
    typer.echo(str(done))
