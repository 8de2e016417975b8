"""The verbs of the command line, in the groups in which `bitmeter --help` shows them.

A new verb is a file in the folder of its group, with a function of the verb's name, and a line here.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Annotated, Any

import typer

from bitmeter._version import __version__
from bitmeter.cli.commands import LazyGroup

__all__ = ["ALIASES", "UNLISTED", "VERBS", "app"]

#: One line per verb, by group: at most 66 characters, for a terminal of 80 columns.
VERBS = {
    "measure": {
        "score": "Cross-entropy and perplexity of a model on a text",
        "compare": "Difference of models on one text, with interval and p-value",
        "surprisal": "Surprisal of each word of items, for studies of reading",
        "trace": "Surprisal of each unit of a text, the most surprising first",
        "prefer": "Which sentence of minimal pairs a model prefers, by group",
        "diverge": "KL divergence between the predictions of two models",
        "sweep": "Table of many models: size, bits, divergence, speed",
        "check": "Fail if a model is worse than a baseline by more than allowed",
    },
    "text": {
        "entropy": "Entropy of a text: by order, by estimators, and as a rate",
        "filter": "Keep, drop or tag the documents of a corpus by their scores",
        "overlap": "What of a text stands in a corpus, or twice in itself, and where",
        "sets": "List public test sets, and fetch them, pinned by hash",
    },
    "models": {
        "models": "List the models that this installation can load",
        "train": "Train an n-gram model or a small neural network",
        "mix": "Interpolate models, with weights fitted on held-out text",
        "convert": "Convert an n-gram model: compact, fast or ARPA; prune it",
        "sample": "Sample text from a model",
    },
    "trust": {
        "audit": "Check that a model, or another program's figure, is what it says",
        "explain": "Explain a signature or a tool's conventions; diff two of them",
        "doctor": "Show versions, processor, extras, folders; what to install",
        "runs": "List, show and cite runs; import logs of other tools",
    },
    "coding": {
        "compress": "Compress a file by arithmetic coding with a model",
        "decompress": "Decode an archive",
        "code": "Huffman, Shannon and Elias codes: length against entropy",
    },
    "see": {
        "report": "Write runs as one HTML page: the text in colour, curves, tables",
        "plot": "Draw one plot of runs: running, calibration, compare and others",
        "serve": "Open the page: text in colour as you type, the tour, a game",
        "learn": "Take a guided tour, from information to perplexity",
        "demo": "Train on the text that comes with Python, and compare",
    },
}


#: Other names of verbs, which the help does not list.
ALIASES = {"verify": "audit"}

#: Verbs that the help does not list, by the folder of their file: `curve` is `plot learning`.
UNLISTED = {"curve": "see"}


class _Verbs(LazyGroup):
    summaries = VERBS
    aliases = ALIASES
    unlisted = UNLISTED

    @staticmethod
    def load(section: str, name: str) -> Callable[..., Any]:
        function: Callable[..., Any] = vars(importlib.import_module(f"bitmeter.cli.{section}.{name}"))[name]
        return function


# Plain help: the same text on a terminal and in a pipe, and no need to import rich.
app = typer.Typer(
    name="bitmeter",
    cls=_Verbs,
    help="Perplexity you can compare: how many bits a model needs for a text, how sure that figure is, and under "
    "which conventions it was measured.",
    epilog="Start with: bitmeter learn",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


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
