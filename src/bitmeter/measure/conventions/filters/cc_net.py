"""CCNet: `perplexity.DocLM` behind `perplexity.SentencePiece`."""

from __future__ import annotations

import math
from functools import partial

from bitmeter.measure.conventions.base import Convention
from bitmeter.measure.conventions.filters.documents import SingleSums, document_figures, figure_of_each
from bitmeter.measure.score import Score


def _figures(score: Score) -> dict[str, float]:
    return document_figures(score, leave_out=True)


CONVENTION = Convention(
    name="cc_net",
    settings={"eos": "yes", "oov": "class", "norm": "ccnet"},
    statements=(
        "A document is normalised as one text: newlines and tabs are deleted, so that it is one line and words fuse.",
        "The perplexity of each document is rounded to one decimal, and divides by its pieces and its end.",
        "A document without pieces has no figure.",
        "An unknown piece costs <unk> only.",
    ),
    figures=_figures,
    tally=SingleSums,
    each=partial(figure_of_each, without_pieces=math.nan),
    needs="an end of sentence and <unk>; pieces of SentencePiece as words",
)
