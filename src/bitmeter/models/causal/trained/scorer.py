"""Log-probabilities from a network that was trained here: in batches, along a document, and token by token."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import torch

from bitmeter._util.arrays import Floats, Ints
from bitmeter.models.causal.logits import log_rows, log_sums
from bitmeter.models.causal.trained.network import Network

__all__ = ["NetworkScorer", "State"]

#: What a network carries on from one call to the next.
State = Any

#: Tokens that go through the network at once, and how far along a row it goes before the head is run.
_BATCH, _LENGTH = 4096, 512
#: Logits that exist at once.
_LOGITS = 1 << 22


class NetworkScorer:
    """Runs a network over sequences of ids."""

    def __init__(self, network: Network) -> None:
        self._network = network.eval()
        self._rows = max(8, _LOGITS // network.shape.size)

    def logprobs(
        self, sequences: Sequence[Ints], firsts: Sequence[int], watch: Callable[[int, int], object] | None = None
    ) -> list[Floats]:
        """ln p(sequence[i] | sequence[:i]) for i from `first` (at least 1) to the end, for each sequence."""
        found: list[Floats] = [np.zeros(0)] * len(sequences)
        asked = [i for i in range(len(sequences)) if len(sequences[i]) > firsts[i]]
        done = 0
        for group in _groups(asked, [len(sequences[i]) for i in range(len(sequences))]):
            rows = [sequences[i] for i in group]
            inner = None if watch is None else _within(watch, done, len(group), len(asked))
            for i, values in zip(group, self._scored(rows, [firsts[i] for i in group], None, inner)[0], strict=True):
                found[i] = values
            done += len(group)
            if watch is not None:
                watch(done, len(asked))
        return found

    def along(self, sequence: Ints, state: State) -> tuple[Floats, State]:
        """ln p of each token after the first, from the state of what came before; and the state before the last."""
        rows, kept = self._scored([sequence], [1], state)
        return rows[0], kept

    def _scored(
        self, rows: Sequence[Ints], firsts: Sequence[int], state: State, watch: Callable[[float], object] | None = None
    ) -> tuple[list[Floats], State]:
        """Rows as one batch, padded on the right."""
        lengths = np.array([len(row) - 1 for row in rows])
        width = int(lengths.max())
        ids = np.zeros((len(rows), width + 1), dtype=np.int64)
        for i, row in enumerate(rows):
            ids[i, : len(row)] = row
        columns = np.arange(width)
        wanted = (columns >= np.array(firsts)[:, None] - 1) & (columns < lengths[:, None])
        values = np.zeros((len(rows), width))
        with torch.inference_mode():
            for at in range(0, width, _LENGTH):
                part = slice(at, min(width, at + _LENGTH))
                hidden, state = self._network.hidden(torch.from_numpy(ids[:, part]), state)
                asked = wanted[:, part]
                targets = torch.from_numpy(ids[:, part.start + 1 : part.stop + 1][asked])
                values[:, part][asked] = self._chosen(hidden[torch.from_numpy(asked)], targets)
                if watch is not None:
                    watch(part.stop / width)
        return [values[i][wanted[i]] for i in range(len(rows))], state

    def _chosen(self, hidden: torch.Tensor, targets: torch.Tensor) -> Floats:
        """The target's logit less the logarithm of the sum, a few positions at a time."""
        parts = [np.zeros(0)]
        for at in range(0, len(targets), self._rows):
            logits = self._network.logits(hidden[at : at + self._rows])
            own = logits.gather(1, targets[at : at + self._rows, None])[:, 0]
            top, rest = log_sums(logits)
            parts.append(((own.double() - top.double()) - rest.double()).numpy())
        return np.concatenate(parts)

    def predictions(self, sequence: Ints, first: int) -> Iterator[Floats]:
        """Rows of ln p of every id as sequence[i], for i from `first` on, in float64."""
        state: State = None
        for at in range(0, len(sequence) - 1, _LENGTH):
            ids = sequence[at : min(len(sequence) - 1, at + _LENGTH)]
            # Nothing is yielded in the mode: two such walks side by side would leave it on when they end.
            with torch.inference_mode():
                hidden, state = self._network.hidden(torch.from_numpy(ids[None].copy()), state)
            asked = hidden[0, max(0, first - 1 - at) :]
            for begin in range(0, len(asked), self._rows):
                with torch.inference_mode():
                    logits = self._network.logits(asked[begin : begin + self._rows]).double()
                    rows = log_rows(logits).numpy()
                yield rows

    def step(self, ids: Ints, cache: State) -> tuple[Floats, State]:
        """Go on by some tokens: ln p of every id as the next, and the new state."""
        with torch.inference_mode():
            hidden, kept = self._network.hidden(torch.from_numpy(ids[None].copy()), cache)
            logits = self._network.logits(hidden[0, -1]).double()
            return log_rows(logits).numpy(), kept


def _within(watch: Callable[[int, int], object], done: int, rows: int, of: int) -> Callable[[float], object]:
    """Progress within a group: one document may be minutes."""
    return lambda share: watch(int(1000 * (done + share * rows)), 1000 * of)


def _groups(indices: Sequence[int], lengths: Sequence[int]) -> Iterator[list[int]]:
    """Sequences of like length, as many as fit in a batch."""
    group: list[int] = []
    for index in sorted(indices, key=lambda i: -lengths[i]):
        longest = lengths[group[0]] if group else 0
        if group and (2 * lengths[index] < longest or (len(group) + 1) * min(longest, _LENGTH) > _BATCH):
            yield group
            group = []
        group.append(index)
    if group:
        yield group
