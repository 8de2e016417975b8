"""The log-probabilities of tokens as other tools compute them from logits; see `models.arithmetic`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bitmeter.models.causal.hf.head import in_float64

if TYPE_CHECKING:
    import torch

__all__ = ["as_peers"]


def as_peers(logits: torch.Tensor, targets: torch.Tensor, way: str) -> torch.Tensor:
    """ln p of a target at each position, in float64, computed in one of `ARITHMETICS` but our own.

    Parameters
    ----------
    logits
        Of whole rows, in the type in which the network gives them.
    targets
        An id for each row.
    way
        A name of `ARITHMETICS`.
    """
    if way == "softmax":
        logs = logits.softmax(1).gather(1, targets[:, None])[:, 0].log()
    elif way == "log-softmax-columns":  # [1, vocabulary, positions]: torch sums along columns by another kernel
        columns = logits[None].transpose(1, 2).contiguous().log_softmax(1)
        logs = columns[0].gather(0, targets[None])[0]
    else:
        rows = logits.float() if way == "log-softmax-single" and logits.dtype.itemsize < 4 else logits
        logs = rows.log_softmax(1).gather(1, targets[:, None])[:, 0]
    return in_float64(logs)
