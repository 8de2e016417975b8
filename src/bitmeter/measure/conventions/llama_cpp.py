"""llama.cpp: `llama-perplexity`."""

from __future__ import annotations

import math

from bitmeter.measure.conventions.base import Convention, perplexity, token_perplexity
from bitmeter.measure.score import Score


def _figures(score: Score) -> dict[str, float]:
    """Its ± is one standard error that treats tokens as independent."""
    windows, tokens = score.by_window, score.count("token")
    if windows is None or tokens < 2:
        return token_perplexity(score)
    mean = score.nats / tokens
    variance = max(math.fsum(windows.squares) / tokens - mean * mean, 0.0)
    error = math.sqrt(variance / (tokens - 1))
    value = perplexity(score.nats, tokens)
    return {"PPL": value, "+/-": value * error}


CONVENTION = Convention(
    name="llama.cpp",
    settings={"docs": "joined", "ctx": "half"},
    statements=(
        "All texts are joined and split into disjoint windows.",
        "Only the second half of each window is scored; an incomplete window at the end is dropped.",
        "BOS replaces each window's first token if the tokenizer adds BOS, and only then.",
        "The ± is one standard error, as if tokens were independent.",
    ),
    figures=_figures,
    bos="tokenizer",
)
