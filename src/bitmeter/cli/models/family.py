"""The options of `bitmeter train` that n-gram models and networks share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import typer

from bitmeter.cli.options import Force, OptionBundle, TextOptions, Threads

__all__ = ["FamilyOptions", "TrainingOptions"]


@dataclass(frozen=True)
class TrainingOptions(TextOptions):
    """What every kind of model is trained with."""

    units: Annotated[
        str | None,
        typer.Option(
            metavar="UNITS",
            help="Units to predict. N-gram models: words (default), chars, bytes, tokenizer:FILE, "
            "sentencepiece:FILE, or pieces learned from the text: sentencepiece:unigram:N, sentencepiece:bpe:N; "
            "networks: bpe (default), bytes or words.",
        ),
    ] = None
    vocab_size: Annotated[
        int | None,
        typer.Option(min=1, metavar="N", help="Size of the vocabulary: the N most frequent words, or N byte pairs."),
    ] = None
    heldout: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="Held-out text: for the weights of jelinek-mercer (default: every tenth sentence), the discounts of "
            "modified-kneser-ney (default: by their counts), the cost of --prune-entropy, and early stopping of a "
            "network (default: the last tenth).",
        ),
    ] = None
    threads: Threads = 0
    force: Force = False


@dataclass(frozen=True)
class FamilyOptions(OptionBundle):
    """Options of one family of models, which the other family refuses."""

    #: The family, in the plural.
    title: ClassVar[str]
    #: What to type for a model of this family.
    remedy: ClassVar[str]
