"""The last layer of a network, a part of the vocabulary at a time.

All positions of a row meet a few hundred entries of the vocabulary, whose logits are normalised before the next few
are computed: they stay in the cache of a processor, the weights are read once per row, and only one part exists.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch

__all__ = ["chosen", "in_float64", "is_linear"]

#: Kinds of devices that have no float64.
WITHOUT_FLOAT64 = ("mps",)

#: Logits that exist at once: 2 MB of float32 on a processor, so that they stay in its cache.
_PART = {"cpu": 1 << 19, "other": 1 << 24}
#: The least entries of the vocabulary at once, for a matrix product at full speed.
_LEAST = 512


def in_float64(values: torch.Tensor) -> torch.Tensor:
    """The same numbers, on the processor where their device has no float64."""
    return (values.cpu() if values.device.type in WITHOUT_FLOAT64 else values).double()


def is_linear(head: Any) -> bool:
    """Whether a layer is a plain matrix product, of which a part can be taken: nothing hooked on, nothing quantised."""
    import torch

    if type(head) is not torch.nn.Linear or head.weight.device.type in WITHOUT_FLOAT64:
        return False
    hooked = any(getattr(head, name, None) for name in ("_forward_hooks", "_forward_pre_hooks"))
    return not hooked and "forward" not in vars(head)


def chosen(
    states: torch.Tensor,
    targets: torch.Tensor,
    head: torch.nn.Linear,
    shape: Callable[[torch.Tensor], torch.Tensor],
    step: int | None = None,
) -> torch.Tensor:
    """ln p of a target at each position, in float64.

    Each part of the vocabulary, of `step` entries, gives its largest logit and the sum of exp(logit - largest) in
    float32; these are put together in float64.
    """
    import torch

    weight, bias = head.weight, head.bias
    size, device = weight.shape[0], weight.device
    here = states.to(device)  # the head may be on another device
    if step is None:
        step = max(_LEAST, _PART["cpu" if device.type == "cpu" else "other"] // max(1, len(here)))
    ids, order = targets.to(device).sort()
    borders = torch.searchsorted(ids, torch.arange(0, size + step, step, device=device)).tolist()
    own = torch.full((len(here),), torch.nan, dtype=torch.float64, device=device)
    sums, tops = [], []
    for number, at in enumerate(range(0, size, step)):
        logits = shape(
            torch.nn.functional.linear(here, weight[at : at + step], None if bias is None else bias[at : at + step])
        )
        logits = logits if logits.dtype == torch.float64 else logits.float()
        among = slice(borders[number], borders[number + 1])
        own[order[among]] = logits[order[among], ids[among] - at].double()
        top = logits.amax(1, keepdim=True)
        top.masked_fill_(top.isinf(), 0.0)  # infinity less itself would be no number
        sums.append(logits.sub_(top).exp_().sum(1).double().log_())
        tops.append(top[:, 0].double())
    parts = torch.stack(tops)
    highest = parts.amax(0)
    return (own - highest) - (torch.stack(sums) + (parts - highest)).logsumexp(0)
