"""minicons: `IncrementalLMScorer.sequence_score`."""

from __future__ import annotations

import math

import numpy as np

from bitmeter.measure.conventions.base import Convention, single_documents
from bitmeter.measure.score import Score


def _figures(score: Score) -> dict[str, float]:
    documents = single_documents(score)
    nonempty = documents.tokens > 0
    means = -documents.nats[nonempty] / documents.tokens[nonempty]
    return {"mean log-probability per token": float(np.mean(means)) if nonempty.any() else -math.inf}


CONVENTION = Convention(
    name="minicons",
    settings={"docs": "record", "first": "skip"},
    statements=(
        "No BOS unless asked for: the first token costs 0 and is left out.",
        "The mean over each text by itself.",
        "Word surprisals: only a token that begins with a space ends the word before it.",
    ),
    figures=_figures,
    word_ends="space",
)
