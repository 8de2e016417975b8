"""Hugging Face evaluate: the metric `perplexity`."""

from __future__ import annotations

import math

import numpy as np

from bitmeter.measure.conventions.base import (
    Convention,
    follows_tool,
    mean_of_perplexities,
    perplexity,
    single,
    single_documents,
)
from bitmeter.measure.score import Score


def _figures(score: Score) -> dict[str, float]:
    """Each text's mean and perplexity in float32, their mean in float64."""
    if not follows_tool(score):
        return mean_of_perplexities(score)
    documents = single_documents(score)
    scored = documents.tokens > 0
    means = documents.nats[scored].astype(np.float32) / documents.tokens[scored].astype(np.float32)
    each = [single(perplexity(mean, 1)) for mean in means.tolist()]
    return {"mean_perplexity": math.fsum(each) / len(each) if each else math.inf}


CONVENTION = Convention(
    name="hf-evaluate",
    settings={"docs": "record"},
    statements=(
        "The perplexity of each text by itself, then their arithmetic mean.",
        "BOS is put before each text.",
        "Cross-entropy along columns of float32: on a processor, it errs by some 1e-4 nats per token.",
    ),
    figures=_figures,
    arithmetic="log-softmax-columns",
)
