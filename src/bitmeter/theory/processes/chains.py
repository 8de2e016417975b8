"""The graph and the long run of a finite chain: what Markov and hidden Markov processes have in common."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from types import ModuleType

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.optional import require
from bitmeter.errors import ConvergenceError

#: Up to this many states a chain is solved by elimination, exactly; beyond, by iteration.
DENSE_STATES = 2048
_ITERATIONS = 20_000
_PURPOSE = "The graph of a Markov chain"


def _scipy() -> tuple[ModuleType, ModuleType]:
    return require("scipy.sparse", _PURPOSE), require("scipy.sparse.csgraph", _PURPOSE)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A communicating class: states that can all reach each other."""

    members: Ints
    closed: bool


@dataclass(frozen=True, slots=True, eq=False)
class LongRun:
    """The long run of a closed class: its law, and the mean and variance rate of the costs along its edges."""

    law: Floats
    mean: float
    variance: float


class Machine:
    """States that emit symbols: state i emits s with probability probs[i, s] and goes to follow[i, s]."""

    def __init__(self, probs: Floats, follow: Ints) -> None:
        self.probs = probs
        self.follow = follow

    @classmethod
    def of_matrix(cls, transition: Floats) -> Machine:
        """A chain of states that emit their own index."""
        size = len(transition)
        return cls(transition, np.broadcast_to(np.arange(size), (size, size)))

    @classmethod
    def of_contexts(cls, transition: Floats) -> Machine:
        """The chain of the contexts of a Markov process of any order; the latest symbol is the last digit."""
        contexts, symbols = transition.shape
        shifted = (np.arange(contexts) % max(contexts // symbols, 1)) * symbols
        return cls(transition, shifted[:, None] + np.arange(symbols))

    def __len__(self) -> int:
        return len(self.probs)

    def _edges(self) -> tuple[Ints, Ints]:
        rows, columns = np.nonzero(self.probs)
        return rows, self.follow[rows, columns]

    @cached_property
    def labels(self) -> Ints:
        """The index of each state's communicating class."""
        sparse, graphs = _scipy()
        rows, columns = self._edges()
        graph = sparse.coo_array((np.ones(rows.size, dtype=np.int8), (rows, columns)), shape=(len(self), len(self)))
        _, labels = graphs.connected_components(graph.tocsr(), directed=True, connection="strong")
        return np.asarray(labels, dtype=np.int64)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The communicating classes, in the order of their first states."""
        labels = self.labels
        rows, columns = self._edges()
        open_labels = np.unique(labels[rows][labels[rows] != labels[columns]])
        order = np.argsort(labels, kind="stable")
        groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
        closed = [not np.isin(labels[group[0]], open_labels) for group in groups]
        found = [Part(group, bool(is_closed)) for group, is_closed in zip(groups, closed, strict=True)]
        return tuple(sorted(found, key=lambda part: int(part.members[0])))

    def phases(self, part: Part) -> tuple[int, Ints]:
        """The period of a class (0 where it has no way back), and each member's phase within it."""
        sparse, graphs = _scipy()
        size = part.members.size
        place = np.full(len(self), -1, dtype=np.int64)
        place[part.members] = np.arange(size)
        rows, columns = self._edges()
        inside = (place[rows] >= 0) & (place[columns] >= 0)
        rows, columns = place[rows[inside]], place[columns[inside]]
        if rows.size == 0:
            return 0, np.zeros(size, dtype=np.int64)
        graph = sparse.coo_array((np.ones(rows.size), (rows, columns)), shape=(size, size)).tocsr()
        level = graphs.dijkstra(graph, unweighted=True, indices=[0])[0].astype(np.int64)
        period = int(np.gcd.reduce(np.abs(level[rows] + 1 - level[columns])))
        return period, level % max(period, 1)

    def reachable(self, start: Bools) -> Bools:
        """The states that can ever be visited from those marked."""
        sparse, graphs = _scipy()
        rows, columns = self._edges()
        first = np.flatnonzero(start)
        size = len(self)
        rows = np.concatenate((rows, np.full(first.size, size)))
        graph = sparse.coo_array(
            (np.ones(rows.size, dtype=np.int8), (rows, np.concatenate((columns, first)))), (size + 1,) * 2
        )
        seen = np.zeros(size + 1, dtype=bool)
        seen[graphs.breadth_first_order(graph.tocsr(), size, directed=True, return_predecessors=False)] = True
        return seen[:size]

    def absorption(self, start: Floats) -> tuple[tuple[float, Part], ...]:
        """The closed classes that are reached from `start`, and with what probability each is."""
        mass = np.array(start, dtype=np.float64)
        transient = np.ones(len(self), dtype=bool)
        for part in self.parts:
            transient[part.members] = not part.closed
        inner = np.flatnonzero(transient & self.reachable(start > 0))
        if inner.size:
            probs, follow = self.probs[inner], self.follow[inner]
            visits = self._visits(inner, transient, mass[inner])
            np.add.at(mass, follow.ravel(), (visits[:, None] * np.where(transient[follow], 0.0, probs)).ravel())
        weights = [(float(mass[part.members].sum()), part) for part in self.parts if part.closed]
        total = sum(weight for weight, _ in weights)
        return tuple((weight / total, part) for weight, part in weights if weight > 0)

    def _visits(self, inner: Ints, transient: Bools, start: Floats) -> Floats:
        """How often each transient state is left for another, on average, before all of them are."""
        sparse, _ = _scipy()
        solver = require("scipy.sparse.linalg", _PURPOSE)
        place = np.full(len(self), -1, dtype=np.int64)
        place[inner] = np.arange(inner.size)
        probs, follow = self.probs[inner], self.follow[inner]
        away = follow != inner[:, None]
        rows, columns = np.nonzero((probs > 0) & transient[follow] & away)
        moves = sparse.coo_array((probs[rows, columns], (rows, place[follow[rows, columns]])), (inner.size,) * 2)
        # The diagonal is what leaves, summed: one minus what stays would lose it.
        leaving = sparse.diags_array(np.where(away, probs, 0.0).sum(axis=1))
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            visits = np.atleast_1d(solver.spsolve((leaving - moves).T.tocsc(), start))
        if not np.isfinite(visits).all() or (visits < 0).any():
            message = "the chain leaves some transient states too rarely to say where it will settle"
            raise ConvergenceError(message)
        return np.asarray(visits, dtype=np.float64)

    def restrict(self, part: Part) -> Machine:
        """A closed class as a machine of its own."""
        place = np.zeros(len(self), dtype=np.int64)
        place[part.members] = np.arange(part.members.size)
        return Machine(self.probs[part.members], place[self.follow[part.members]])

    def long_run(self, costs: Floats) -> LongRun:
        """The law of an irreducible machine, and the mean and variance rate of `costs` (one for each edge).

        The variance is that of the sum over n steps, divided by n, as n grows: by Poisson's equation, the sum of the
        costs is a martingale but for a bounded term, whose steps are gap = cost - mean + bias(next) - bias(now).
        """
        used = self.probs > 0
        costs = np.where(used, costs, 0.0)
        reward = (self.probs * costs).sum(axis=1)
        law, mean, bias = self._solve(reward) if len(self) <= DENSE_STATES else self._iterate(reward)
        if not (np.isfinite(law).all() and np.isfinite(mean)):
            message = (
                "the chain leaves a part of itself with a probability so small that doubles cannot weigh the parts"
            )
            raise ConvergenceError(message)
        if not np.isfinite(bias).all():
            return LongRun(law, float(mean), np.inf)
        gaps = np.where(used, costs - mean + bias[self.follow] - bias[:, None], 0.0)
        with np.errstate(over="ignore"):
            # The root first: a gap may be as large as a probability is small.
            variance = float(((np.sqrt(law[:, None] * self.probs) * gaps) ** 2).sum())
        return LongRun(law, float(mean), variance)

    def _solve(self, reward: Floats) -> tuple[Floats, float, Floats]:
        matrix = np.zeros((len(self), len(self)))
        np.add.at(matrix, (np.arange(len(self))[:, None], self.follow), self.probs)
        return _core.long_run(matrix, reward)

    def _iterate(self, reward: Floats) -> tuple[Floats, float, Floats]:
        """The same by powers of the lazy chain (I + P)/2, which has no period; half the reward gives the same bias."""
        flat = self.follow.ravel()
        law: Floats = np.full(len(self), 1.0 / len(self))
        settling = _Contraction("the stationary distribution")
        while True:
            moved: Floats = np.bincount(flat, (law[:, None] * self.probs).ravel(), len(self)).astype(np.float64)
            moved = 0.5 * (law + moved)
            moved /= moved.sum()
            change = float(np.abs(moved - law).sum())
            law = moved
            if settling.done(change, 1.0):
                break
        mean = float(law @ reward)
        bias, term = np.zeros(len(self)), 0.5 * (reward - mean)
        shrinking = _Contraction("Poisson's equation")
        scale = float(np.abs(reward).max())
        while True:
            bias += term
            term = 0.5 * (term + (self.probs * term[self.follow]).sum(axis=1))
            term -= law @ term
            if shrinking.done(float(np.abs(term).max()), scale):
                return law, mean, bias


class _Contraction:
    """Judges an iteration whose changes shrink geometrically: done when all changes to come are negligible."""

    window = 16

    def __init__(self, what: str) -> None:
        self.what = what
        self.changes: list[float] = []

    def done(self, change: float, scale: float) -> bool:
        self.changes.append(change)
        small = 1e-300 + 1e-14 * scale
        # Rounding leaves a floor under the changes, where they no longer shrink; what is left there is harmless.
        if change <= 0.02 * small:
            return True
        if len(self.changes) > self.window:
            ratio = (change / self.changes[-self.window - 1]) ** (1 / self.window)
            if ratio < 1 and change * ratio / (1 - ratio) <= small:
                return True
        if len(self.changes) >= _ITERATIONS:
            message = (
                f"{self.what} of a chain of more than {DENSE_STATES} states did not settle in {_ITERATIONS} steps: "
                "it mixes too slowly; use a smaller order or alphabet"
            )
            raise ConvergenceError(message, value=change)
        return False


__all__ = ["DENSE_STATES", "LongRun", "Machine", "Part"]
