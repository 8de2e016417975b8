"""The guide "Perplexity of fixed-length models" in the documentation of Hugging Face transformers."""

from __future__ import annotations

import math

import numpy as np

from bitmeter.measure.conventions.base import Convention, follows_tool, perplexity, single, token_perplexity
from bitmeter.measure.score import Score


def _figures(score: Score) -> dict[str, float]:
    """Weights the mean of each window by its tokens less one, although only a window without context loses one."""
    windows = score.by_window
    if windows is None:
        return token_perplexity(score)
    own, _, stride = score.signature.ctx.partition(".")
    loses_first = (windows.opening == 1) | (own == stride)
    weights = np.maximum(np.where(loses_first, windows.tokens, windows.tokens - 1), 0)
    means = windows.nats / np.maximum(windows.tokens, 1)
    if follows_tool(score):
        means = means.astype(np.float32)
        total = np.add.accumulate((means * weights.astype(np.float32)).astype(np.float32))[-1:]  # one after the other
        mean = single(float(total[0]) / int(weights.sum())) if len(total) and weights.sum() else math.inf
        return {"perplexity": single(perplexity(mean, 1))}
    return {"perplexity": perplexity(math.fsum(means * weights), int(weights.sum()))}


CONVENTION = Convention(
    name="hf-docs",
    settings={"docs": "joined-blank", "first": "skip"},
    statements=(
        "All texts are joined by two newlines; windows advance by a stride.",
        "No BOS: the first token is not scored.",
        "The mean of each window is weighted by its tokens less one, even if none was lost.",
        "Cross-entropy in float32: on a processor, it errs by some 2e-5 nats per token.",
    ),
    figures=_figures,
    arithmetic="log-softmax-single",
)
