"""TorchMetrics: `torchmetrics.text.Perplexity`."""

from __future__ import annotations

from bitmeter.measure.conventions.base import Convention, follows_tool, perplexity, single, token_perplexity
from bitmeter.measure.score import Score


def _figures(score: Score) -> dict[str, float]:
    """The sum, the mean and the perplexity are in float32."""
    if not follows_tool(score):
        return token_perplexity(score)
    tokens = score.count("token")
    return {"perplexity": single(perplexity(single(single(score.nats) / max(1, tokens)), min(1, tokens)))}


CONVENTION = Convention(
    name="torchmetrics",
    settings={"first": "skip"},
    statements=(
        "The mean over all tokens given; the caller shifts them.",
        "e to the mean, although its manual speaks of bits.",
        "The logarithm of softmax: on a processor, float32 errs by some 2e-5 nats per token.",
    ),
    figures=_figures,
    arithmetic="softmax",
)
