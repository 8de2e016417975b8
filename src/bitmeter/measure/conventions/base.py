"""What a convention is: the data by which the figures of another tool are reproduced."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.arrays import Floats, Ints
from bitmeter.errors import UndefinedError
from bitmeter.measure.aggregates import DocumentSums
from bitmeter.measure.score import Score
from bitmeter.models.arithmetic import ARITHMETICS, OWN

#: Where BOS is put. "window": before a document, as the setting `first` says. "tokenizer": into each window, but only
#: if the tokenizer adds a BOS itself. "twice": as "window", and a BOS that the tokenizer adds is scored behind it.
Bos: TypeAlias = Literal["window", "tokenizer", "twice"]


class WordCounter(Protocol):
    """Counts words in a tool's own way over a text that arrives in blocks."""

    def add(self, data: bytes, ends: NDArray[np.int64]) -> None:
        """Take the next block; documents end at the offsets `ends`, and the rest continues in the next call."""

    def finished(self) -> int:
        """The number of words, those of a document that is still open included."""


class Tally(Protocol):
    """Adds the log-probabilities of each document as a tool adds them, over a text that arrives in batches."""

    def add(self, logprobs: Floats, bounds: Ints, *, continues: bool, unfinished: bool) -> None:
        """Take the next documents: ln p of their units, and where each begins and ends among them."""

    def finished(self) -> Floats:
        """The tool's sum for each document."""


@dataclass(frozen=True, slots=True)
class Convention:
    """How a tool divides, conditions and averages.

    Attributes
    ----------
    name
        As it is typed after `--like`.
    settings
        Values for the settings of `score`; those left out have their defaults.
    statements
        What the tool does, one sentence per statement.
    figures
        Computes the figures that the tool prints, by name, from the sums of a score.
    needs
        What a model must have for a complete reproduction; "" if every model will do.
    words
        Makes the tool's own word counter; None if words are counted as everywhere else.
    tally
        Makes what adds as the tool does, where its rounding shows in its figures; None if exact sums will do.
    each
        The figure that the tool gives each document, from the sums of `tally` and the tokens; not a number for a
        document to which the tool gives none. None if the tool has no figures of documents.
    bos
        Where the tool puts BOS.
    border
        Where answers begin behind their contexts: one of `text.borders.BORDERS`.
    bos_of_answers
        Where the tool puts BOS before contexts; None for the same as before other texts.
    arithmetic
        How the tool makes log-probabilities of logits: a name of `ARITHMETICS`.
    word_ends
        Which tokens end the word before them, for surprisals of words: "all" or "space".
    """

    name: str
    settings: Mapping[str, str]
    statements: tuple[str, ...]
    figures: Callable[[Score], dict[str, float]]
    needs: str = ""
    words: Callable[[], WordCounter] | None = None
    tally: Callable[[], Tally] | None = None
    each: Callable[[Floats, Ints], Floats] | None = None
    bos: Bos = "window"
    border: str = "whole"
    bos_of_answers: str | None = None
    arithmetic: str = OWN
    word_ends: str = "all"


def perplexity(nats: float, count: float) -> float:
    """e to the mean of nats over a count; infinite where there is nothing to divide by or a double overflows."""
    if not count > 0.0 or nats / count > 709.0:
        return math.inf
    return math.exp(nats / count)


def follows_tool(score: Score) -> bool:
    """Whether the model computed as the tool does; its sums are then rounded as the tool's are."""
    return any(words and score.signature.precision.endswith(words) for words in ARITHMETICS.values())


def single(value: float) -> float:
    """Rounded to float32, in which tools keep their sums and quotients."""
    return float(np.float32(value))


def token_perplexity(score: Score) -> dict[str, float]:
    """Perplexity per token over the whole text."""
    return {"perplexity": perplexity(score.nats, score.count("token"))}


def mean_of_perplexities(score: Score) -> dict[str, float]:
    """The arithmetic mean of the documents' perplexities per token."""
    documents = single_documents(score)
    nonempty = documents.tokens > 0
    pairs = zip(documents.nats[nonempty].tolist(), documents.tokens[nonempty].tolist(), strict=True)
    each = [perplexity(nats, tokens) for nats, tokens in pairs]
    return {"mean_perplexity": math.fsum(each) / len(each) if each else math.inf}


def single_documents(score: Score) -> DocumentSums:
    """The sums of each document; an error if the score does not hold them."""
    if score.by_document is None:
        message = f"{score.model} gives only a total; this convention needs the documents one by one"
        raise UndefinedError(message)
    if score.by_document.sizes is not None:
        message = (
            f"{score.text} has {score.documents:,} documents, of which only sums over neighbours are kept; this "
            "convention needs them one by one. Score the text in parts of up to a million documents"
        )
        raise UndefinedError(message)
    return score.by_document
