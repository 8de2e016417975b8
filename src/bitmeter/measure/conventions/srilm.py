"""SRILM: `ngram -ppl`."""

from __future__ import annotations

import math

import numpy as np

from bitmeter.measure.conventions.base import Convention, perplexity, single_documents
from bitmeter.measure.score import Score


def _figures(score: Score) -> dict[str, float]:
    left_out = score.oov if score.signature.oov == "skipped" else 0
    counted = score.count("token") - (score.oov - left_out) - score.impossible
    ends = int(np.count_nonzero(single_documents(score).words)) if score.signature.eos != "no" else 0
    return {
        "sentences": float(ends),
        "words": float(score.count("token") + left_out - ends),
        "OOVs": float(score.oov),
        "zeroprobs": float(score.impossible),
        "logprob": -score.known_nats / math.log(10.0),
        "ppl": perplexity(score.known_nats, counted),
        "ppl1": perplexity(score.known_nats, counted - ends),
    }


CONVENTION = Convention(
    name="srilm",
    settings={"docs": "line", "eos": "nonblank", "oov": "skipped"},
    statements=(
        "Each line is a sentence whose end is predicted; blank lines are ignored.",
        "Unknown words and words of probability zero are left out of the sum and of the count.",
        "ppl divides by words and ends, ppl1 by words alone.",
    ),
    figures=_figures,
    needs="an end of sentence",
)
