"""Log-probabilities from logits of any size.

The logarithm of the sum of their exponentials is taken less the largest logit: float32 keeps no fraction of 10⁸,
so that a constant that is added to all would change what they sum to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

__all__ = ["log_rows", "log_sums"]


def log_rows(logits: torch.Tensor) -> torch.Tensor:
    """ln p of every id, in the type of the logits."""
    below = logits - logits.amax(-1, keepdim=True)
    return below - below.logsumexp(-1, keepdim=True)


def log_sums(logits: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """The largest logit of each row, and the logarithm of the sum of the exponentials of all, less that one."""
    top = logits.amax(-1, keepdim=True)
    return top[..., 0], (logits - top).logsumexp(-1)
