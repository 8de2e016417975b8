"""`bitmeter mix`: linear interpolation of models, with weights fitted on held-out text."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bitmeter._util.files import label
from bitmeter.cli.models.mix_auto import AutoOptions, auto_mix
from bitmeter.cli.options import Field, Force, check_free
from bitmeter.cli.output import say

if TYPE_CHECKING:
    from bitmeter.measure.score import Score
    from bitmeter.models.mixture.model import MixtureFit, MixtureModel

__all__ = ["mix"]


def mix(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[MODEL…]", help="Models, and caches such as cache:size=2000,decay=0.999,order=2,rare=0.5."
        ),
    ] = None,
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
    gate: Annotated[
        bool, typer.Option("--gate", help="Fit weights by the history: a softmax of terms for what is known of it.")
    ] = False,
    auto: AutoOptions,
    field: Field = None,
    force: Force = False,
) -> None:
    """Mix models by linear interpolation: the weighted mean of their probabilities.

    The weights maximise the likelihood of the held-out text. A mixture is scored like any model: bitmeter score
    mix.bmx TEXT. It finds models in its own folder, and those made from their name (kt, uniform, universal). All others
    it knows by fingerprint, and they are given each time: --with MODEL.

    With --auto the caches are chosen by the held-out text too, and with --train TEXT so are the n-gram models: their
    discounts are tuned on it, and they are written beside the mixture.
    """
    from bitmeter.models.mixture.files import SUFFIX
    from bitmeter.models.mixture.model import MixtureModel

    given = models or []
    if output.suffix != SUFFIX:
        message = f"{output} does not say what to write; end its name in {SUFFIX}"
        raise typer.BadParameter(message)
    if (buckets and gate) or (auto.auto and (buckets or gate)):
        message = (
            "--buckets, --gate and --auto each decide how the weights are found; give one of them (--auto has a gate)"
        )
        raise typer.BadParameter(message)
    auto.check(given)
    check_free(output, force=force, inputs=[*given, heldout, auto.train])
    text = sys.stdin.buffer.read() if heldout == "-" else heldout  # which is read several times
    if auto.auto:
        mixture = auto_mix(given, text, output, auto, field=field, force=force)
    else:
        mixture = MixtureModel(given, buckets=buckets, gate=gate).fit(text, field=field)
    _show(mixture, given, text, output, field=field, force=force)


def _show(
    mixture: MixtureModel, given: list[str], text: str | bytes, output: Path, *, field: str | None, force: bool
) -> None:
    """Save a mixture, and print its weights and what it reaches on the held-out text."""
    from bitmeter.measure.scoring import score
    from bitmeter.reports.figures import number

    referred = mixture.save(output, force=force)
    found = mixture.fitted
    assert found is not None, "fit sets it"
    typer.echo("  weight  ppl/token  model")
    for weight, alone, model in zip(mixture.weights, found.alone, mixture.components, strict=True):
        typer.echo(f"{weight:8.4f}  {number(alone):>9}  {model.name}")
    kinds = ", weights by kind of history" * mixture.bucketed + ", weights by a gate" * mixture.gated
    typer.echo(f"{'mixed':>8}  {number(found.perplexity):>9}  {label(output)}{kinds}")
    for line in _conventions(mixture, score(mixture, text, field=field), found):
        say(line)
    if referred:
        line = " ".join(f"--with {word}" for word in dict.fromkeys(given[index] for index in referred))
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
