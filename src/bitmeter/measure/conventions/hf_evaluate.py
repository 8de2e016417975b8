"""Hugging Face evaluate: the metric `perplexity`."""

from __future__ import annotations

from bitmeter.measure.conventions.base import Convention, mean_of_perplexities

CONVENTION = Convention(
    name="hf-evaluate",
    settings={"docs": "record"},
    statements=(
        "The perplexity of each text by itself, then their arithmetic mean.",
        "BOS is put before each text.",
    ),
    figures=mean_of_perplexities,
)
