"""More than the truth's probability: the entropy of a prediction, the rank of the truth, likely alternatives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Details", "details_of_rows", "joined_details"]


@dataclass(frozen=True, slots=True)
class Details:
    """What is known of each prediction.

    Attributes
    ----------
    entropy
        Of the prediction, in nats.
    rank
        Of the truth: 1 plus the number of outcomes that were more likely.
    top
        The places among `names` of the likeliest outcomes, the likeliest first; a row a prediction.
    top_logprobs
        ln p of those.
    names
        The bytes of each outcome.
    """

    entropy: NDArray[np.float64]
    rank: NDArray[np.int64]
    top: NDArray[np.int64]
    top_logprobs: NDArray[np.float64]
    names: tuple[bytes, ...]

    def part(self, first: int, last: int) -> Details:
        """Some of the predictions."""
        kept = slice(first, last)
        return Details(self.entropy[kept], self.rank[kept], self.top[kept], self.top_logprobs[kept], self.names)


def details_of_rows(
    logs: NDArray[np.float64], truth: NDArray[np.int64], alternatives: int, names: tuple[bytes, ...]
) -> Details:
    """From whole predictions: ln p of every outcome, a row a prediction, and which outcome came."""
    with np.errstate(invalid="ignore"):
        terms = np.where(np.isneginf(logs), 0.0, np.exp(logs) * logs)
    entropy = np.maximum(-terms.sum(axis=1), 0.0)
    own = np.take_along_axis(logs, truth[:, None], axis=1) if len(truth) else np.zeros((0, 1))
    rank = 1 + (logs > own).sum(axis=1)
    most = min(alternatives, logs.shape[1])
    order = np.argsort(-logs, axis=1, kind="stable")[:, :most]
    return Details(
        entropy, rank.astype(np.int64), order.astype(np.int64), np.take_along_axis(logs, order, axis=1), names
    )


def joined_details(parts: list[Details]) -> Details:
    """Several stretches one after the other; they have the same outcomes."""
    return Details(
        np.concatenate([part.entropy for part in parts]),
        np.concatenate([part.rank for part in parts]),
        np.concatenate([part.top for part in parts]),
        np.concatenate([part.top_logprobs for part in parts]),
        parts[0].names,
    )
