"""Attention of packed rows, computed for each sequence by itself and not over the whole square of a row.

A mask that keeps sequences apart leaves most of that square empty, and yet all of it is computed. While a row goes
through a network, `Apart` stands before torch's scaled_dot_product_attention: what a call asks for under such a mask it
asks for once a sequence. The network is not touched; a call that is of another kind goes through as it is. The mode is
of one thread and ends with the pass, so that no other use of a network meets it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.overrides import TorchFunctionMode

__all__ = ["Apart"]

#: The names of the function's arguments, in their order.
_NAMES = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")


class Apart(TorchFunctionMode):  # type: ignore[misc]  # torch has no types here
    """Attention between tokens of the same sequence.

    Parameters
    ----------
    mask
        What the network is given: nought where a token sees another, else the least number, [rows, 1, size, size].
    parts
        The row of each sequence, where it begins and where it ends. Together they are all of every row, and each token
        sees those before it of its own.
    trunks
        By the row and the beginning of a part: where the tokens begin and end that it continues, and sees too.

    Attributes
    ----------
    calls
        How many calls were answered sequence by sequence.
    plain
        Whether the mask of each was ours. A network that puts more into it may do so by places in the row, which are
        not those of a part that continues another.
    """

    def __init__(
        self,
        mask: torch.Tensor,
        parts: Sequence[tuple[int, int, int]],
        trunks: Mapping[tuple[int, int], tuple[int, int]] | None = None,
    ) -> None:
        super().__init__()
        self._mask, self._parts, self._trunks = mask, parts, trunks or {}
        self.calls, self.plain = 0, True

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        if func is not scaled_dot_product_attention:
            return func(*args, **given)
        asked = dict(zip(_NAMES, args, strict=False)) | given
        if not self._is_ours(asked):
            return func(*args, **given)
        self.calls += 1
        return self._answer(**asked)

    def _is_ours(self, asked: dict[str, Any]) -> bool:
        """Whether it is a call over all of the rows under the mask, or one that a network has made of it."""
        mask, rows, size = asked.get("attn_mask"), self._mask.shape[0], self._mask.shape[-1]
        return (
            mask is not None
            and mask.ndim == 4
            and mask.shape[0] == rows
            and mask.shape[-2:] == (size, size)
            and all(asked[name].ndim == 4 for name in ("query", "key", "value"))
            and all((asked[name].shape[0], asked[name].shape[2]) == (rows, size) for name in ("query", "key", "value"))
        )

    def _answer(
        self, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, attn_mask: torch.Tensor, **how: Any
    ) -> torch.Tensor:
        # The mask as we gave it says no more than "causal" within a sequence. Where a network has put more into it
        # (a bias for distance, a shorter sight), its part for the sequence is what counts.
        plain = attn_mask.data_ptr() == self._mask.data_ptr() and attn_mask.shape == self._mask.shape
        self.plain = self.plain and plain
        rows, heads, size, _ = query.shape
        found: torch.Tensor | None = None
        for row, begin, end in self._parts:
            part = (slice(row, row + 1), slice(None), slice(begin, end))
            within = {"is_causal": True} if plain else {"attn_mask": attn_mask[(*part, slice(begin, end))]}
            trunk = self._trunks.get((row, begin))
            if trunk is None:
                one = scaled_dot_product_attention(
                    query[part], key[part], value[part], **{**how, "is_causal": False, **within}
                )
            else:
                # The whole sequence again, as it would be by itself: this is the cheap part of a network.
                along = (part[0], part[1], slice(*trunk))
                whole = [torch.cat((each[along], each[part]), dim=2) for each in (query, key, value)]
                one = scaled_dot_product_attention(*whole, **{**how, "is_causal": True})[:, :, trunk[1] - trunk[0] :]
            if found is None:  # positions outside and heads inside, as networks want it next; autocast gives the type
                found = one.new_empty((rows, size, heads, one.shape[-1])).transpose(1, 2)
            found[part] = one
        assert found is not None
        return found
