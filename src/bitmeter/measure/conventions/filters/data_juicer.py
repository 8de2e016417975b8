"""Data-Juicer: `PerplexityFilter`."""

from __future__ import annotations

from functools import partial

from bitmeter.measure.conventions.base import Convention
from bitmeter.measure.conventions.filters.documents import SingleSums, document_figures, figure_of_each
from bitmeter.measure.score import Score


def _figures(score: Score) -> dict[str, float]:
    return document_figures(score, without_pieces=0.0)


CONVENTION = Convention(
    name="data-juicer",
    settings={"eos": "yes", "oov": "class"},
    statements=(
        "The text is used as it is.",
        "A document without pieces has perplexity 0.",
        "The perplexity of each document is rounded to one decimal, and divides by its pieces and its end.",
        "An unknown piece costs <unk> only.",
    ),
    figures=_figures,
    tally=SingleSums,
    each=partial(figure_of_each, without_pieces=0.0),
    needs="an end of sentence and <unk>; pieces of SentencePiece as words",
)
