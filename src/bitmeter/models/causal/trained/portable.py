"""A trained network token by token in the core, with the same bits on every machine: what it codes decodes anywhere.

torch gives other last bits with other processors, versions and numbers of threads, and its calls take longer than the
arithmetic of one token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ints
from bitmeter.models.causal.trained.network import Lstm, Network, Transformer

if TYPE_CHECKING:
    from torch import Tensor, nn

__all__ = ["PortableSteps"]


class PortableSteps:
    """Steps through a window, as `NetworkStepper` takes them; a state goes on where it is.

    Parameters
    ----------
    network
        Whose weights are copied.
    """

    def __init__(self, network: Network) -> None:
        self._network = _in_core(network)

    def step(self, ids: Ints, cache: _core.NetworkState | None) -> tuple[Floats, _core.NetworkState]:
        """Take some tokens: ln p of every id as the next, and the state."""
        state = self._network.begin() if cache is None else cache
        return self._network.step(ids, state), state


def _in_core(network: Network) -> _core.Network:
    ends = (_array(network.embedding.weight), _array(network.bias), network.shape.never)
    if isinstance(network, Lstm):
        names = ("weight_ih_l", "weight_hh_l", "bias_ih_l", "bias_hh_l")
        weights = dict(network.lstm.named_parameters())
        layers: list[Any] = [
            tuple(_array(weights[f"{name}{layer}"]) for name in names) for layer in range(network.shape.layers)
        ]
        return _core.Network.lstm(*ends, layers)
    assert isinstance(network, Transformer)
    blocks: list[Any] = [
        tuple(
            _both(part) for part in (block.first, block.second, block.attend, block.attended, block.widen, block.narrow)
        )
        for block in network.blocks
    ]
    positions = None if network.places is None else _array(network.places.weight)
    slopes, last = np.array(network.slopes, dtype=np.float32), _both(network.last)
    before = None if network.before is None else _array(network.before.weight)
    return _core.Network.transformer(
        *ends, network.shape.context, positions, slopes, before, blocks, last, network.heads
    )


def _both(layer: nn.Module) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    return _array(layer.weight), _array(layer.bias)


def _array(weight: Tensor) -> NDArray[np.float32]:
    found: NDArray[np.float32] = np.ascontiguousarray(weight.detach().cpu().numpy(), dtype=np.float32)
    return found
