"""Log-probabilities from a network that was trained here: in batches, along a stream, and token by token."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from bitmeter.errors import ModelError
from bitmeter.models.causal.windows import Reading, plan_windows

if TYPE_CHECKING:
    from bitmeter.models.causal.trained.model import Neural
    from bitmeter.models.causal.trained.network import Network

__all__ = ["NetworkRater", "NetworkStream"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
State = Any

#: Tokens that go through the network at once, and how far along a row it goes before the head is run.
_BATCH, _LENGTH = 4096, 512
#: Logits that exist at once.
_LOGITS = 1 << 22


class NetworkRater:
    """Runs a network over sequences of ids."""

    def __init__(self, network: Network) -> None:
        self._network = network.eval()
        self._chunk = max(8, _LOGITS // network.shape.size)

    def logprobs(
        self, sequences: Sequence[Ints], firsts: Sequence[int], watch: Callable[[int, int], None] | None = None
    ) -> list[Floats]:
        """ln p(sequence[i] | sequence[:i]) for i from `first` (at least 1) to the end, for each sequence."""
        found: list[Floats] = [np.zeros(0)] * len(sequences)
        asked = [i for i in range(len(sequences)) if len(sequences[i]) > firsts[i]]
        done = 0
        for group in _groups(asked, [len(sequences[i]) for i in range(len(sequences))]):
            rows = [sequences[i] for i in group]
            told = None if watch is None else _within(watch, done, len(group), len(asked))
            for i, values in zip(group, self._rated(rows, [firsts[i] for i in group], None, told)[0], strict=True):
                found[i] = values
            done += len(group)
            if watch is not None:
                watch(done, len(asked))
        return found

    def along(self, sequence: Ints, state: State) -> tuple[Floats, State]:
        """ln p of each token after the first, from the state of what came before; and the state before the last."""
        rows, kept = self._rated([sequence], [1], state)
        return rows[0], kept

    def _rated(
        self, rows: Sequence[Ints], firsts: Sequence[int], state: State, watch: Callable[[float], None] | None = None
    ) -> tuple[list[Floats], State]:
        """Rows side by side, filled up on the right, which is never seen."""
        lengths = np.array([len(row) - 1 for row in rows])
        width = int(lengths.max())
        ids = np.zeros((len(rows), width + 1), dtype=np.int64)
        for place, row in enumerate(rows):
            ids[place, : len(row)] = row
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
        return [values[place][wanted[place]] for place in range(len(rows))], state

    def _chosen(self, hidden: torch.Tensor, targets: torch.Tensor) -> Floats:
        """The target's logit less the logarithm of the sum, a few positions at a time."""
        parts = [np.zeros(0)]
        for at in range(0, len(targets), self._chunk):
            logits = self._network.logits(hidden[at : at + self._chunk])
            own = logits.gather(1, targets[at : at + self._chunk, None])[:, 0]
            parts.append((own.double() - torch.logsumexp(logits, dim=1).double()).numpy())
        return np.concatenate(parts)

    def predictions(self, sequence: Ints, first: int) -> Iterator[Floats]:
        """Rows of ln p of every id in place of sequence[i], for i from `first` on, in float64."""
        state: State = None
        for at in range(0, len(sequence) - 1, _LENGTH):
            ids = sequence[at : min(len(sequence) - 1, at + _LENGTH)]
            # Nothing is yielded in the mode: two such walks side by side would leave it on when they end.
            with torch.inference_mode():
                hidden, state = self._network.hidden(torch.from_numpy(ids[None].copy()), state)
            asked = hidden[0, max(0, first - 1 - at) :]
            for begin in range(0, len(asked), self._chunk):
                with torch.inference_mode():
                    logits = self._network.logits(asked[begin : begin + self._chunk]).double()
                    rows = (logits - torch.logsumexp(logits, dim=1, keepdim=True)).numpy()
                yield rows

    def step(self, ids: Ints, cache: State) -> tuple[Floats, State]:
        """Go on by some tokens: ln p of every id as the next, and the new state."""
        with torch.inference_mode():
            hidden, kept = self._network.hidden(torch.from_numpy(ids[None].copy()), cache)
            logits = self._network.logits(hidden[0, -1]).double()
            return (logits - torch.logsumexp(logits, dim=0)).numpy(), kept


def _within(watch: Callable[[int, int], None], done: int, rows: int, of: int) -> Callable[[float], None]:
    """Progress within a group: one document may be minutes."""
    return lambda share: watch(int(1000 * (done + share * rows)), 1000 * of)


def _groups(numbers: Sequence[int], lengths: Sequence[int]) -> Iterator[list[int]]:
    """Sequences of like length, as many as fit in a batch."""
    group: list[int] = []
    for number in sorted(numbers, key=lambda i: -lengths[i]):
        longest = lengths[group[0]] if group else 0
        if group and (2 * lengths[number] < longest or (len(group) + 1) * min(longest, _LENGTH) > _BATCH):
            yield group
            group = []
        group.append(number)
    if group:
        yield group


class NetworkStream:
    """A text going past a network in pieces: the figures are those of whole documents.

    Without a bound, a state is carried on. With windows, what the current one holds is kept, and seen again.
    """

    def __init__(self, model: Neural, rater: NetworkRater, reading: Reading) -> None:
        if reading.kind in ("half", "rolling"):
            message = f"{model.name} cannot take a text in pieces with ctx={reading}: its windows depend on what comes"
            raise ModelError(message)
        self._model, self._rater, self._reading = model, rater, reading
        self._lead = np.array([] if reading.prefix is None else [reading.prefix], dtype=np.int64)
        self._begin()

    def _begin(self) -> None:
        """A new document."""
        self._held = np.zeros(0, dtype=np.int64)  # of the current window, or the one token that is still to be shown
        self._state: State = None
        self._fresh = True

    def logprobs(self, ids: NDArray[Any], bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """As of the model; with `continues`, the first document goes on from the call before."""
        tokens = self._model.network_ids(ids)
        logs = np.zeros(len(tokens))
        number = len(bounds) - 1
        for place in range(number):
            first, last = int(bounds[place]), int(bounds[place + 1])
            if place or not continues:
                self._begin()
            if 0 < place < number - 1:
                continue  # whole documents go together, below
            logs[first:last] = self._on(tokens[first:last])
        if number > 2:
            middle = slice(int(bounds[1]), int(bounds[-2]))
            logs[middle] = self._model.rated_ids(tokens[middle], bounds[1:-1] - bounds[1])
        return self._model.priced(ids, logs)

    def _on(self, tokens: Ints) -> Floats:
        """Go on in the document."""
        known = tokens >= 0
        logs = np.zeros(len(tokens))
        if not known.all():
            logs[known] = self._on(tokens[known])
            return logs
        if not len(tokens):
            return logs
        return self._in_windows(tokens) if self._reading.kind != "full" or self._reading.window else self._all(tokens)

    def _all(self, tokens: Ints) -> Floats:
        before = self._lead if self._fresh else self._held
        sequence = np.concatenate((before, tokens))
        self._fresh = False
        self._held = sequence[-1:]
        if len(sequence) == 1:
            return np.zeros(1)  # nothing stands before it
        logs, self._state = self._rater.along(sequence, self._state)
        return np.concatenate((np.zeros(len(tokens) - len(logs)), logs))

    def _in_windows(self, tokens: Ints) -> Floats:
        seen = np.concatenate((self._held, tokens))
        plan = plan_windows(self._reading, np.array([0, len(seen)]), self._model.name)
        sequences, _ = self._model.sequences(seen, plan)
        firsts = np.maximum(plan.first, len(self._held))
        leads = [
            len(sequence) - max(0, stop - first)
            for sequence, stop, first in zip(sequences, plan.stop, firsts, strict=True)
        ]
        logs = np.zeros(len(seen))
        for first, stop, values in zip(
            firsts.tolist(), plan.stop.tolist(), self._rater.logprobs(sequences, leads), strict=True
        ):
            logs[first : max(first, stop)] = values
        found = logs[len(self._held) :]
        self._held = seen[int(plan.start[-1]) :]
        return found
