"""Whether a network looks back only: nothing that it predicts for a token may depend on the tokens behind it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import torch

__all__ = ["looks_ahead", "slope_of_later"]

#: The largest share of the derivative that may come from later tokens. It is exactly zero where attention is masked;
#: a convolution by Fourier transforms rounds at 1e-7; what sees the future has 1e-3 and more, even untrained.
_SHARE = 1e-5


def looks_ahead(
    network: Any, probe: NDArray[np.int64], logits: Callable[[NDArray[np.int64]], torch.Tensor], allowed: float
) -> bool:
    """Whether logits before the middle of a probe depend on what stands behind it.

    Parameters
    ----------
    network
        Of transformers.
    probe
        Some ids.
    logits
        The network's own logits of some ids.
    allowed
        How much logits may differ by rounding.
    """
    middle = len(probe) // 2
    if len(probe) < 2:
        return False
    other = probe.copy()
    other[middle:] = (other[middle:] + 1) % int(network.get_input_embeddings().weight.shape[0])
    moved = (logits(probe)[:middle].double() - logits(other)[:middle].double()).abs().max()
    if float(moved.detach()) > allowed:
        return True
    share = slope_of_later(network, lambda: logits(probe), middle)
    return share is not None and share > _SHARE


def slope_of_later(network: Any, logits: Callable[[], torch.Tensor], middle: int) -> float | None:
    """The largest derivative of earlier logits by later embeddings, over that by earlier ones; None if unknown."""
    import torch

    leaves: list[torch.Tensor] = []

    def follow(_module: Any, _inputs: Any, output: torch.Tensor) -> torch.Tensor:
        leaves.append(output.detach().requires_grad_())
        return leaves[-1].clone()  # a network may scale it in place, which a leaf does not allow

    hook = network.get_input_embeddings().register_forward_hook(follow)
    try:
        with torch.inference_mode(mode=False), torch.enable_grad():
            early = logits()[:middle].float()
            weights = torch.linspace(-1.0, 1.0, early.shape[-1], device=early.device)
            (slopes,) = torch.autograd.grad((early * weights).sum(), leaves[0])
    # A kernel without a derivative, as for some quantised weights, or embeddings of another make: figures must do.
    except (RuntimeError, NotImplementedError, IndexError):
        return None
    finally:
        hook.remove()
    size = slopes.reshape(-1, slopes.shape[-1]).abs().amax(1).float()
    if len(size) <= middle or not bool(size.isfinite().all()) or not bool(size[:middle].any()):
        return None
    return float(size[middle:].max() / size[:middle].max())
