"""TorchMetrics: `torchmetrics.text.Perplexity`."""

from __future__ import annotations

from bitmeter.measure.conventions.base import Convention, token_perplexity

CONVENTION = Convention(
    name="torchmetrics",
    settings={"first": "skip"},
    statements=(
        "The mean over all tokens given; the caller shifts them.",
        "e to the mean, although its manual speaks of bits.",
    ),
    figures=token_perplexity,
)
