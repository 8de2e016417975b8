"""Weights of a network as int8: a quarter of the memory, with products in bfloat16.

Each row of a weight is one scale times whole numbers from -127 to 127, which bfloat16 holds exactly. A layer rounds
its inputs to bfloat16 and multiplies them by these numbers, sums in float32, rounds the sums to bfloat16, and scales
them in float32. Every token is computed by itself, whatever stands beside it. The quantised layers that torch has round
activations to int8 by the largest of a whole batch: there, a token would change the figures of tokens before it.
Rounding them to int8 token by token is hardly faster on a processor that has instructions for both, and much coarser.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from bitmeter.errors import ModelError

__all__ = ["Int8Linear", "quantise"]

_LARGEST = 127.0


class Int8Linear(nn.Module):  # type: ignore[misc]  # torch has no types here
    """A linear layer with int8 weights.

    Parameters
    ----------
    weight
        One row per output.
    bias
        Of the layer it replaces.
    native
        Whether the device multiplies matrices of bfloat16 by itself.
    """

    def __init__(self, weight: Tensor, bias: Tensor | None, *, native: bool) -> None:
        super().__init__()
        self.native = native
        rows = weight.detach().float()
        scale = rows.abs().amax(dim=1, keepdim=True) / _LARGEST
        scale[scale == 0.0] = 1.0
        self.register_buffer("weight_int8", torch.round(rows / scale).to(torch.int8))
        self.register_buffer("scale", scale)
        self.register_buffer("bias", None if bias is None else bias.detach().float())

    @property
    def weight(self) -> Tensor:
        """The weights that the layer stands for."""
        return self.weight_int8.float().mul_(self.scale)

    def forward(self, x: Tensor) -> Tensor:
        """As the layer that it replaces, with rounded weights and inputs."""
        coarse = x.to(torch.bfloat16)
        if self.native:
            out = nn.functional.linear(coarse, self.weight_int8.to(torch.bfloat16)).float()
        else:  # the same products and sums, which float32 has faster than an emulation
            out = nn.functional.linear(coarse.float(), self.weight_int8.float()).to(torch.bfloat16).float()
        out.mul_(self.scale[:, 0])
        return out if self.bias is None else out.add_(self.bias)


def quantise(network: Any, name: str, *, native: bool) -> int:
    """Replace the linear layers of a network's body; its embeddings and its head keep their weights.

    Returns how many layers were replaced. Raises ModelError where there are none.
    """
    from transformers.pytorch_utils import Conv1D

    head = network.get_output_embeddings()
    found = 0
    for parent in list(network.modules()):
        for own, layer in list(parent.named_children()):
            if layer is head or type(layer) not in (nn.Linear, Conv1D):
                continue
            # GPT-2's layers have a row per input.
            rows = layer.weight if type(layer) is nn.Linear else layer.weight.t().contiguous()
            setattr(parent, own, Int8Linear(rows, layer.bias, native=native))
            found += 1
    if not found:
        message = (
            f"{name} has no linear layer that could be int8 (only torch's Linear and GPT-2's Conv1D are): leave "
            "dtype=int8 out"
        )
        raise ModelError(message, value=name)
    return found
