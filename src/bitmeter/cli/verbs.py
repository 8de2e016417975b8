"""The verbs of the command line, as one program."""

from __future__ import annotations

from typing import Annotated

import typer

from bitmeter._version import __version__
from bitmeter.cli.coding import code, compress
from bitmeter.cli.measure import compare, diverge, score, trace
from bitmeter.cli.models import convert, mix, models, sample, train
from bitmeter.cli.see import curve, demo, learn
from bitmeter.cli.text import entropy
from bitmeter.cli.trust import explain, verify

__all__ = ["app"]

# Plain help: the same text on a terminal and in a pipe, and rich need not be loaded for it.
app = typer.Typer(
    name="bitmeter",
    help="Perplexity you can compare: how many bits a text or a model needs, and how sure that is.",
    epilog="Start with: bitmeter learn",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("score", short_help="How many bits a model needs for a text.")(score.score)
app.command("compare", short_help="Models on one text, or saved runs: the difference and how sure it is.")(
    compare.compare
)
app.command("diverge", short_help="How far the predictions of two models lie apart, token by token.")(diverge.diverge)
app.command("trace", short_help="What each unit of a text cost.")(trace.trace)
app.command("explain", short_help="A signature, a run or a tool's habits in words; what differs between two.")(
    explain.explain
)
app.command("train", short_help="An n-gram model or a small network from a text.")(train.train)
app.command("curve", short_help="How a network learnt.")(curve.curve)
app.command("convert", short_help="An n-gram model in another format: compact, fast or ARPA.")(convert.convert)
app.command("mix", short_help="Several models as one, with weights found on held-out text.")(mix.mix)
app.command("sample", short_help="Text drawn from a model by its own probabilities.")(sample.sample)
app.command("compress", short_help="A file as small as a model's score says.")(compress.compress)
app.command("decompress", short_help="The file of an archive.")(compress.decompress)
app.command("verify", short_help="Whether a model's predictions are a distribution, and what it costs its own.")(
    verify.verify
)
app.command("code", short_help="A prefix code for a text or a distribution: words, tree, length against entropy.")(
    code.code
)
app.command("models", short_help="The models that this installation can load.")(models.models)
app.command("entropy", short_help="The entropy of a text: by order, estimated, as a rate.")(entropy.entropy)
app.command("demo", short_help="Train on the text that comes with Python, and compare.")(demo.demo)
app.command("learn", short_help="A guided tour, from information to perplexity.")(learn.learn)


def _version(asked: bool) -> None:  # noqa: FBT001
    if asked:
        typer.echo(f"bitmeter {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
