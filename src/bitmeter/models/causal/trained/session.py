"""Sessions of trained networks, which take documents in parts."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter.errors import ModelError
from bitmeter.models.causal.trained.scorer import NetworkScorer, State
from bitmeter.models.outcomes import Details
from bitmeter.models.session import UnitSession, Watch
from bitmeter.models.windows import Plan, Windowing, plan_windows

__all__ = ["NetworkSession", "NetworkView"]


class NetworkView(Protocol):
    """What a session needs of a network."""

    name: str

    def network_ids(self, ids: Ids) -> Ints:
        """Ids as the network knows them; below zero for what it is not shown."""

    def scored_ids(self, tokens: Ints, bounds: Ints) -> Floats:
        """ln p of such ids, in whole documents."""

    def priced(self, ids: Ids, logs: Floats) -> Floats:
        """Unknown words are impossible where no other way was asked for."""

    def sequences(self, tokens: Ints, plan: Plan) -> tuple[list[Ints], list[int]]:
        """The ids of each window, and where its answers begin."""


class NetworkSession(UnitSession):
    """Scores parts of documents by a network: the figures are those of whole documents.

    Without a bound, a state is carried on. With windows, what the current one holds is kept, and seen again.
    """

    def __init__(self, model: NetworkView, scorer: NetworkScorer, windowing: Windowing) -> None:
        if windowing.kind in ("half", "rolling"):
            message = (
                f"{model.name} cannot take parts of documents with ctx={windowing}: its windows depend on what comes"
            )
            raise ModelError(message)
        self._model, self._scorer, self._windowing = model, scorer, windowing
        self._lead = np.array([] if windowing.prefix is None else [windowing.prefix], dtype=np.int64)
        self._begin()

    def details(
        self,
        ids: Ids,
        bounds: Ints,
        continues: bool,  # noqa: FBT001
        alternatives: int,
        watch: Watch | None = None,
    ) -> Details:
        """Not from parts of documents."""
        message = f"{self._model.name} gives details of whole documents only; leave alternatives out"
        raise ModelError(message)

    def _begin(self) -> None:
        """A new document."""
        self._held = np.zeros(0, dtype=np.int64)  # of the current window, or the one token that is still to be shown
        self._state: State = None
        self._fresh = True

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """As of the model; with `continues`, the first document goes on from the call before."""
        tokens = self._model.network_ids(ids)
        logs = np.zeros(len(tokens))
        documents = len(bounds) - 1
        for j in range(documents):
            first, last = int(bounds[j]), int(bounds[j + 1])
            if j or not continues:
                self._begin()
            if 0 < j < documents - 1:
                continue  # whole documents go together, below
            logs[first:last] = self._on(tokens[first:last])
        if documents > 2:
            middle = slice(int(bounds[1]), int(bounds[-2]))
            logs[middle] = self._model.scored_ids(tokens[middle], bounds[1:-1] - bounds[1])
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
        return (
            self._in_windows(tokens) if self._windowing.kind != "full" or self._windowing.window else self._all(tokens)
        )

    def _all(self, tokens: Ints) -> Floats:
        before = self._lead if self._fresh else self._held
        sequence = np.concatenate((before, tokens))
        self._fresh = False
        self._held = sequence[-1:]
        if len(sequence) == 1:
            return np.zeros(1)  # nothing stands before it
        logs, self._state = self._scorer.along(sequence, self._state)
        return np.concatenate((np.zeros(len(tokens) - len(logs)), logs))

    def _in_windows(self, tokens: Ints) -> Floats:
        seen = np.concatenate((self._held, tokens))
        plan = plan_windows(self._windowing, np.array([0, len(seen)]), self._model.name)
        sequences, _ = self._model.sequences(seen, plan)
        firsts = np.maximum(plan.first, len(self._held))
        leads = [
            len(sequence) - max(0, stop - first)
            for sequence, stop, first in zip(sequences, plan.stop, firsts, strict=True)
        ]
        logs = np.zeros(len(seen))
        for first, stop, values in zip(
            firsts.tolist(), plan.stop.tolist(), self._scorer.logprobs(sequences, leads), strict=True
        ):
            logs[first : max(first, stop)] = values
        found = logs[len(self._held) :]
        self._held = seen[int(plan.start[-1]) :]
        return found
