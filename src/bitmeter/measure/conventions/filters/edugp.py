"""edugp/kenlm, and its copy in DCLM: `KenlmModel.get_perplexity`."""

from __future__ import annotations

from bitmeter.measure.conventions.base import Convention
from bitmeter.measure.conventions.filters.documents import SingleSums, document_figures, figure_of_each

CONVENTION = Convention(
    name="edugp",
    settings={"eos": "yes", "oov": "class", "norm": "edugp"},
    statements=(
        "Digits and punctuation are normalised and control characters deleted; case and accents stay.",
        "The perplexity of each document is rounded to one decimal, and divides by its pieces and its end.",
        "An unknown piece costs <unk> only.",
    ),
    figures=document_figures,
    tally=SingleSums,
    each=figure_of_each,
    needs="an end of sentence and <unk>; pieces of SentencePiece as words",
)
