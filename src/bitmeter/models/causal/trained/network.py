"""The small networks that are trained here: an LSTM and a transformer, both with one table for tokens in and out.

Both take ids and what they kept of those before, and give what the head is applied to, so that the instrument can run
the head over a few positions at a time.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["MOST_RECENT", "Lstm", "Network", "Shape", "Transformer", "build"]

#: The longest context with `recency`, which takes a table of its square for each head.
MOST_RECENT = 1024


@dataclass(frozen=True, slots=True)
class Shape:
    """All that makes a network, but for its weights.

    Attributes
    ----------
    kind
        "lstm" or "transformer".
    size
        How many ids it predicts.
    width
        Of its layers.
    layers
        How many.
    context
        How many tokens a transformer sees at once; an LSTM is trained over so many at a time, but sees all.
    dropout
        The share of values that are left out in training.
    never
        An id that has probability zero, or -1 for none.
    previous
        Whether a transformer adds a second embedding, of the token before, to that of each token: 0 or 1.
    recency
        Whether attention of a transformer falls with the distance, each head at its own rate, instead of an embedding
        of each position: 0 or 1.
    """

    kind: str
    size: int
    width: int
    layers: int
    context: int
    dropout: float
    never: int = -1
    previous: int = 0
    recency: int = 0

    def as_dict(self) -> dict[str, Any]:
        """For a file. Where attention does not fall, nothing is said of it: earlier models keep their fingerprint."""
        found = asdict(self)
        return found if self.recency else {name: value for name, value in found.items() if name != "recency"}


class Network(nn.Module, ABC):  # type: ignore[misc]  # torch has no types here
    """What both kinds share: tokens in, logits out."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape
        self.embedding = nn.Embedding(shape.size, shape.width)
        self.bias = nn.Parameter(torch.zeros(shape.size))
        self.dropped = nn.Dropout(shape.dropout)

    @abstractmethod
    def hidden(self, ids: Tensor, state: Any) -> tuple[Tensor, Any]:
        """What the head is applied to, for rows of ids, and what to keep of them."""

    def logits(self, hidden: Tensor) -> Tensor:
        """Of every id as the next."""
        found = functional.linear(hidden, self.embedding.weight, self.bias)
        if self.shape.never >= 0:
            found = found.index_fill(-1, torch.tensor([self.shape.never], device=found.device), -math.inf)
        return found

    def loss(self, ids: Tensor, targets: Tensor, state: Any = None) -> tuple[Tensor, Any]:
        """The mean of -ln p of the targets, and what to keep: cross-entropy, that is negative log-likelihood."""
        hidden, kept = self.hidden(ids, state)
        logits = self.logits(hidden).flatten(0, 1)
        return functional.cross_entropy(logits, targets.flatten()), kept


class Lstm(Network):
    """Reads a text of any length; what it keeps is as large at its end as at its beginning."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        between = shape.dropout if shape.layers > 1 else 0.0
        self.lstm = nn.LSTM(shape.width, shape.width, shape.layers, batch_first=True, dropout=between)
        nn.init.normal_(self.embedding.weight, std=shape.width**-0.5)
        for name, weight in self.lstm.named_parameters():
            if "weight_hh" in name:
                for gate in weight.data.chunk(4):
                    nn.init.orthogonal_(gate)
            elif "weight_ih" in name:
                nn.init.xavier_uniform_(weight)
            else:
                nn.init.zeros_(weight)
                if "bias_ih" in name:  # forget little at first
                    weight.data[shape.width : 2 * shape.width] = 1.0

    def hidden(self, ids: Tensor, state: Any) -> tuple[Tensor, Any]:
        """One step a token, from the state of those before."""
        # As large as the other inputs of the gates: the rows of the weight have length one.
        inside = self.dropped(self.embedding(ids) * math.sqrt(self.shape.width))
        out, kept = self.lstm(inside, state)
        return self.dropped(out), kept


class _Block(nn.Module):  # type: ignore[misc]
    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.attend = nn.Linear(width, 3 * width)
        self.attended = nn.Linear(width, width)
        self.widen = nn.Linear(width, 4 * width)
        self.narrow = nn.Linear(4 * width, width)
        self.dropped = nn.Dropout(dropout)

    def forward(
        self, x: Tensor, past: tuple[Tensor, Tensor] | None, mask: Tensor | None
    ) -> tuple[Tensor, tuple[Tensor, Tensor]]:
        rows, length, width = x.shape
        query, key, value = (
            part.view(rows, length, self.heads, width // self.heads).transpose(1, 2)
            for part in self.attend(self.first(x)).chunk(3, dim=-1)
        )
        if past is not None:
            key, value = torch.cat((past[0], key), dim=2), torch.cat((past[1], value), dim=2)
        seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, is_causal=mask is None)
        x = x + self.dropped(self.attended(seen.transpose(1, 2).reshape(rows, length, width)))
        x = x + self.dropped(self.narrow(functional.gelu(self.widen(self.second(x)))))
        return x, (key, value)


class Seen(NamedTuple):
    """What a transformer keeps: the keys and values of each layer, and the last token."""

    pairs: list[tuple[Tensor, Tensor]]
    last: Tensor


class Transformer(Network):
    """Sees `context` tokens at once, each with those before it."""

    def __init__(self, shape: Shape) -> None:
        super().__init__(shape)
        self.heads = next(n for n in range(max(1, shape.width // 32), 0, -1) if shape.width % n == 0)
        self.places = None if shape.recency else nn.Embedding(shape.context, shape.width)
        #: By how much attention of each head falls with each token: powers of two, which are exact everywhere.
        self.slopes = [2.0 ** -(1 + 8 * head // self.heads) * shape.recency for head in range(self.heads)]
        # So that pairs of tokens need not be put together by attention, which takes long to learn.
        self.before = nn.Embedding(shape.size, shape.width) if shape.previous else None
        self.blocks = nn.ModuleList(_Block(shape.width, self.heads, shape.dropout) for _ in range(shape.layers))
        self.last = nn.LayerNorm(shape.width)
        for name, weight in self.named_parameters():
            if weight.dim() > 1:
                depth = math.sqrt(2 * shape.layers) if name.endswith(("attended.weight", "narrow.weight")) else 1.0
                nn.init.normal_(weight, std=0.02 / depth)
            elif name.endswith("bias"):
                nn.init.zeros_(weight)

    def hidden(self, ids: Tensor, state: Any) -> tuple[Tensor, Any]:
        """All tokens side by side; what is kept are the keys and values of each layer."""
        seen = 0 if state is None else state.pairs[0][0].shape[2]
        x = self.embedding(ids)
        if self.places is not None:
            x = x + self.places(torch.arange(seen, seen + ids.shape[1], device=ids.device))
        if self.before is not None:  # the first token stands before itself
            x = x + self.before(torch.cat((ids[:, :1] if state is None else state.last, ids[:, :-1]), dim=1))
        x = self.dropped(x)
        mask = self._mask(seen, ids.shape[1], x)
        pairs = []
        for number, block in enumerate(self.blocks):
            x, pair = block(x, None if state is None else state.pairs[number], mask)
            pairs.append(pair)
        return self.last(x), Seen(pairs, ids[:, -1:])

    def _mask(self, seen: int, length: int, like: Tensor) -> Tensor | None:
        """What is added to attention, or where it may look; None where it is plainly causal."""
        if not (seen or self.shape.recency):
            return None
        now, then = (
            torch.arange(seen, seen + length, device=like.device),
            torch.arange(seen + length, device=like.device),
        )
        distance = now[:, None] - then[None]
        if not self.shape.recency:
            return distance >= 0
        fall = torch.tensor(self.slopes, dtype=like.dtype, device=like.device)[:, None, None] * -distance
        return fall.masked_fill_(distance < 0, -math.inf)


def build(shape: Shape) -> Network:
    """The network of a shape, with weights drawn by torch's generator."""
    return (Lstm if shape.kind == "lstm" else Transformer)(shape)
