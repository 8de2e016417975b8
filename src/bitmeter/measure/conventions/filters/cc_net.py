"""CCNet: `perplexity.DocLM` behind `perplexity.SentencePiece`."""

from __future__ import annotations

from bitmeter.measure.conventions.base import Convention
from bitmeter.measure.conventions.filters.documents import document_figures

CONVENTION = Convention(
    name="cc_net",
    settings={"docs": "record", "eos": "yes", "oov": "class", "norm": "ccnet"},
    statements=(
        "A document is normalised as one text: newlines and tabs are deleted, so that it is one line and words fuse.",
        "The perplexity of each document is rounded to one decimal, and divides by its pieces and its end.",
        "An unknown piece costs <unk> only.",
    ),
    figures=document_figures,
    needs="an end of sentence and <unk>; pieces of SentencePiece as words",
)
