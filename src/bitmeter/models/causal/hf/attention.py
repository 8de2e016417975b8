"""Attention of packed rows, computed for each sequence by itself and not over the whole square of a row.

A mask that keeps sequences apart leaves most of that square empty, and yet all of it is computed. While a row goes
through a network, `Apart` stands before torch's scaled_dot_product_attention: what a call asks for under such a mask it
asks for once a sequence. The network is not touched; a call that is of another kind goes through as it is. The mode is
of one thread and ends with the pass, so that no other use of a network meets it.

On a processor torch computes attention by blocks of queries, against as many keys as the last of them sees or the call
has. So how the last block rounds depends on the length of the call: a context by itself and the same context before an
answer differ in the last digit of float32, which thirty layers turn into 1e-5 nats. Calls whose length is filled up to
whole blocks round alike: what remains is that of the matrix products around them, some 1e-6.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.nn.functional import scaled_dot_product_attention
from torch.overrides import TorchFunctionMode

__all__ = ["Apart", "Whole", "filled"]

#: The names of the function's arguments, in their order.
_NAMES = ("query", "key", "value", "attn_mask", "dropout_p", "is_causal")
#: Blocks of torch have 32 queries, 64 in a call of at least 192, and 256 in one of at least 768.
_BLOCK, _LARGE_BLOCK, _LARGE = 64, 256, 768


def filled(length: int) -> int:
    """The length of a call in whole blocks.

    Examples
    --------
    >>> filled(1), filled(64), filled(190), filled(705), filled(769)
    (64, 64, 192, 768, 1024)
    """
    size = -(-length // _BLOCK) * _BLOCK
    return size if size < _LARGE else -(-length // _LARGE_BLOCK) * _LARGE_BLOCK


def _causal(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, least: int = 0, **how: Any) -> torch.Tensor:
    """Causal attention in whole blocks; what fills them stands behind, where nothing sees it."""
    size = query.shape[2]
    more = filled(max(size, least)) - size
    if more:
        query, key, value = (torch.nn.functional.pad(each, (0, 0, 0, more)) for each in (query, key, value))
    found = scaled_dot_product_attention(query, key, value, **{**how, "attn_mask": None, "is_causal": True})
    return found[:, :, :size]


class Whole(TorchFunctionMode):  # type: ignore[misc]  # torch has no types here
    """Causal attention in whole blocks, as that of packed rows is; other calls go through as they are."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        given = kwargs or {}
        if func is not scaled_dot_product_attention:
            return func(*args, **given)
        asked = dict(zip(_NAMES, args, strict=False)) | given
        lengths = {asked[name].shape[-2] for name in ("query", "key", "value")}
        plain = asked.get("is_causal") and asked.get("attn_mask") is None and asked["query"].ndim == 4
        return _causal(**asked) if plain and len(lengths) == 1 else func(*args, **given)


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
        #: How long the longest sequence is that continues a part: the part fills the blocks that it has there.
        self._reach: dict[tuple[int, int], int] = {}
        for row, begin, end in parts:
            if (trunk := self._trunks.get((row, begin))) is not None:
                whole = trunk[1] - trunk[0] + end - begin
                self._reach[row, trunk[0]] = max(whole, self._reach.get((row, trunk[0]), 0))

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
            trunk = self._trunks.get((row, begin))
            if trunk is not None:
                # The whole sequence again, as it would be by itself: this is the cheap part of a network.
                along = (part[0], part[1], slice(*trunk))
                whole = [torch.cat((each[along], each[part]), dim=2) for each in (query, key, value)]
                one = _causal(*whole, **how)[:, :, trunk[1] - trunk[0] :]
            elif plain:
                one = _causal(query[part], key[part], value[part], self._reach.get((row, begin), 0), **how)
            else:
                mask = attn_mask[(*part, slice(begin, end))]
                one = scaled_dot_product_attention(
                    query[part], key[part], value[part], **{**how, "is_causal": False, "attn_mask": mask}
                )
            if found is None:  # positions outside and heads inside, as networks want it next; autocast gives the type
                found = one.new_empty((rows, size, heads, one.shape[-1])).transpose(1, 2)
            found[part] = one
        assert found is not None
        return found
