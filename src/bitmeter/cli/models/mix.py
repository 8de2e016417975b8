"""`bitmeter mix`: the weights of several models, found on held-out text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bitmeter.cli.common import Field, Force, check_free


def mix(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL…", help="Models, and caches such as cache:size=2000,decay=0.999,order=2,rare=0.5."
        ),
    ],
    heldout: Annotated[str, typer.Option(help="A text that no model was trained on; the weights are best for it.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The mixture: a .bmx file, which names the models.")],
    buckets: Annotated[
        bool, typer.Option("--buckets", help="Weights for each kind of history instead of one set for all.")
    ] = False,
    field: Field = None,
    force: Force = False,
) -> None:
    """Mix models: the weighted mean of their probabilities, with the weights that are best for a held-out text.

    Measure with the mixture as with any model: bitmeter score mix.bmx TEXT
    """
    from bitmeter.models.mixture.files import SUFFIX
    from bitmeter.models.mixture.model import MixtureModel

    if output.suffix != SUFFIX:
        message = f"{output} does not say what to write; end its name in {SUFFIX}"
        raise typer.BadParameter(message)
    check_free(output, force=force)
    mixture = MixtureModel(models, buckets=buckets).fit(heldout, field=field)
    mixture.save(output, force=force)
    found = mixture.fitted
    assert found is not None, "fit says what it found"
    typer.echo("  weight  perplexity  model")
    for weight, alone, model in zip(mixture.weights, found.alone, mixture.components, strict=True):
        typer.echo(f"{weight:8.4f}  {alone:10.2f}  {model.name}")
    kinds = ", by kind of history" if buckets else ""
    typer.echo(f"{'mixed':>8}  {found.perplexity:10.2f}  {output}: {found.units:,} held-out units{kinds}")
