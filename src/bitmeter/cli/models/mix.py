"""`bitmeter mix`: linear interpolation of models, with weights fitted on held-out text."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from bitmeter._util.files import label
from bitmeter.cli.options import Field, Force, check_free

__all__ = ["mix"]


def mix(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL…", help="Models, and caches such as cache:size=2000,decay=0.999,order=2,rare=0.5."
        ),
    ],
    *,
    heldout: Annotated[
        str, typer.Option(metavar="TEXT", help="Text to fit the weights on; no model was trained on it.")
    ],
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="FILE", help="The mixture: a .bmx file, which names the models."),
    ],
    buckets: Annotated[
        bool, typer.Option("--buckets", help="Fit a set of weights per kind of history instead of one set.")
    ] = False,
    field: Field = None,
    force: Force = False,
) -> None:
    """Mix models by linear interpolation: the weighted mean of their probabilities.

    The weights maximise the likelihood of the held-out text. A mixture is scored like any model: bitmeter score
    mix.bmx TEXT. It finds models in its own folder, and those made from their name (kt, uniform, universal). All others
    it knows by fingerprint, and they are given each time: --with MODEL.
    """
    from bitmeter.models.mixture.files import SUFFIX
    from bitmeter.models.mixture.model import MixtureModel

    if output.suffix != SUFFIX:
        message = f"{output} does not say what to write; end its name in {SUFFIX}"
        raise typer.BadParameter(message)
    check_free(output, force=force)
    mixture = MixtureModel(models, buckets=buckets).fit(heldout, field=field)
    referred = mixture.save(output, force=force)
    found = mixture.fitted
    assert found is not None, "fit sets it"
    typer.echo("  weight  perplexity  model")
    for weight, alone, model in zip(mixture.weights, found.alone, mixture.components, strict=True):
        typer.echo(f"{weight:8.4f}  {alone:10.2f}  {model.name}")
    kinds = ", by kind of history" if buckets else ""
    typer.echo(f"{'mixed':>8}  {found.perplexity:10.2f}  {label(output)}: {found.units:,} held-out units{kinds}")
    if referred:
        line = " ".join(f"--with {word}" for word in dict.fromkeys(models[index] for index in referred))
        typer.echo(f"Models outside of its folder are known by fingerprint; to use it, add: {line}")
