"""`bitmeter mix`: linear interpolation of models, with weights fitted on held-out text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bitmeter._util.files import label
from bitmeter.cli.options import Field, Force, check_free
from bitmeter.cli.output import say

if TYPE_CHECKING:
    from bitmeter.measure.score import Score
    from bitmeter.models.mixture.model import MixtureFit, MixtureModel

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
    from bitmeter.measure.scoring import score
    from bitmeter.models.mixture.files import SUFFIX
    from bitmeter.models.mixture.model import MixtureModel
    from bitmeter.reports.figures import number

    if output.suffix != SUFFIX:
        message = f"{output} does not say what to write; end its name in {SUFFIX}"
        raise typer.BadParameter(message)
    check_free(output, force=force, inputs=[*models, heldout])
    text = sys.stdin.buffer.read() if heldout == "-" else heldout  # which is read twice
    mixture = MixtureModel(models, buckets=buckets).fit(text, field=field)
    referred = mixture.save(output, force=force)
    found = mixture.fitted
    assert found is not None, "fit sets it"
    typer.echo("  weight  ppl/token  model")
    for weight, alone, model in zip(mixture.weights, found.alone, mixture.components, strict=True):
        typer.echo(f"{weight:8.4f}  {number(alone):>9}  {model.name}")
    kinds = ", weights by kind of history" if buckets else ""
    typer.echo(f"{'mixed':>8}  {number(found.perplexity):>9}  {label(output)}{kinds}")
    for line in _conventions(mixture, score(mixture, text, field=field), found):
        say(line)
    if referred:
        line = " ".join(f"--with {word}" for word in dict.fromkeys(models[index] for index in referred))
        typer.echo(f"Models outside of its folder are known by fingerprint; to use it, add: {line}")


def _conventions(mixture: MixtureModel, scored: Score, found: MixtureFit) -> list[str]:
    """What the perplexities of the fit are, and the figures that `bitmeter score` gives of the same text."""
    from bitmeter.models.protocols import Model
    from bitmeter.reports.figures import convention_words, figure_with_interval, perplexity

    end = mixture.traits.end
    fit = scored.signature.but(
        oov="class" if "class" in mixture.traits.oov else "none",
        eos="yes" if end is not None and not end.is_unit else "no",
    )
    several = sum(isinstance(model, Model) for model in mixture.components) > 1
    shared = "over the words of all models, of which each gives those it does not know equal shares of its <unk>"
    left = f"{found.impossible:,} that no model gives a probability are left out" if found.impossible else ""
    parts = (
        f"ppl/token: of {found.units:,} held-out tokens",
        convention_words(fit),
        shared if fit.oov == "class" and several else "",
        left,
    )
    figure = figure_with_interval(scored).partition(" ")[0]
    figures = f"bits/{scored.figure_per} {figure}, perplexity {perplexity(scored, 'token')} /token"
    return [
        "; ".join(filter(None, parts)),
        "; ".join(filter(None, (f"by bitmeter score: {figures}", convention_words(scored.signature)))),
        *(f"note: {note}" for note in scored.notes if note.endswith("in the file") or note.startswith("infinite")),
    ]
