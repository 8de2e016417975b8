"""`bitmeter train`: an n-gram model or a small network from a text."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Annotated

import typer

from bitmeter.cli.models.family import FamilyOptions, TrainingOptions
from bitmeter.cli.models.train_networks import NetworkOptions, train_network
from bitmeter.cli.models.train_ngram import NGramOptions, train_ngram
from bitmeter.cli.workers import Workers

__all__ = ["check_family", "train"]

#: The options of each kind of model.
_FAMILIES: dict[str, type[FamilyOptions]] = {
    "ngram": NGramOptions,
    "lstm": NetworkOptions,
    "transformer": NetworkOptions,
}


def train(
    command: typer.Context,
    texts: Annotated[list[str], typer.Argument(metavar="TEXT…", help="Files, folders, patterns; - for stdin.")],
    *,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help="The model: a file .bmn, or .arpa, .arpa.gz, .arpa.zst for other tools; a folder for a network.",
        ),
    ],
    kind: Annotated[str, typer.Option(metavar="KIND", help="ngram, lstm or transformer.")] = "ngram",
    training: TrainingOptions,
    ngram: NGramOptions,
    network: NetworkOptions,
    processes: Workers,
) -> None:
    """Train an n-gram model, or with --kind a small neural network.

    N-gram models: each line of the text is a sentence, and words are separated by white space; --docs and --units
    change that. Estimates by modified-kneser-ney are those of KenLM's lmplz, also with --prune. Then type: bitmeter
    score model.bmn TEXT --like kenlm

    With --workers or --engine ray several processes count; the model is the same. Interrupted, the same command goes on
    from the folder OUTPUT.parts.

    Networks: --kind lstm or transformer trains by cross-entropy, and stops when held-out text no longer improves.
    Checkpoints are written on the way; --resume continues from the last.
    """
    check_family(kind, (name for name in command.params if _is_given(command, name)))
    if kind == "ngram":
        train_ngram(texts, output, training, ngram, processes)
    else:
        if processes.are_several or processes.progress is not None:
            message = (
                f"--workers, --engine and --progress are for n-gram models, and this is --kind {kind}; leave them out"
            )
            raise typer.BadParameter(message)
        train_network(texts, output, kind, training, network)


def check_family(kind: str, given: Iterable[str]) -> None:
    """Refuse an unknown kind, and options of the other family, which would have no effect."""
    if kind not in _FAMILIES:
        message = f"--kind is {kind!r}; it must be ngram, lstm or transformer"
        raise typer.BadParameter(message)
    named = set(given)
    for family in _FAMILIES.values():
        foreign = [field.name for field in fields(family) if field.name in named]
        if family is not _FAMILIES[kind] and foreign:
            listed = ", ".join(f"--{name.replace('_', '-')}" for name in foreign)
            them = "it" if len(foreign) == 1 else "them"
            message = (
                f"{listed}: only for {family.title}, and this is --kind {kind}; leave {them} out, or {family.remedy}"
            )
            raise typer.BadParameter(message)


def _is_given(command: typer.Context, name: str) -> bool:
    source = command.get_parameter_source(name)
    return source is not None and source.name != "DEFAULT"
