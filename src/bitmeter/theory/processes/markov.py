"""Markov chains of any order."""

from __future__ import annotations

from collections.abc import Hashable
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bitmeter._util import check, labelled
from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.check import Seed, Unit
from bitmeter._util.rendering import InNotebooks
from bitmeter.errors import EmptyError, InputError, RangeError, ShapeError, UndefinedError
from bitmeter.theory.processes.base import MAX_WORDS, Ids, Process, frozen
from bitmeter.theory.processes.chains import LongRun, Machine, Part
from bitmeter.theory.processes.iid import Contextual, Iid, safe_log
from bitmeter.theory.processes.laws import Linear
from bitmeter.theory.processes.results import Rate, StateClass, Verdict, blend

#: Probabilities that agree to this, relatively, are taken for the same.
_SAME = 1e-9


class Markov(Contextual, InNotebooks):
    """A Markov chain of any order: the next symbol depends on the last `order` symbols.

    Parameters
    ----------
    transition
        The probabilities of the next symbol, along the last axis. Of order one, a square table whose row i belongs to
        symbol i (or a DataFrame of pandas, whose labels name the symbols). Of order k, an array with k + 1 axes (oldest
        symbol first), or a table of K**k rows.
    initial
        The law of the first `order` symbols: K numbers, or an array with `order` axes, or K**order numbers. By
        default the stationary law where there is exactly one, so that the process is stationary; where there are
        several, the uniform one (`is_stationary` says so).
    order
        How many symbols it remembers, from one on; for none there is `Iid`.
    labels
        What the symbols are called.
    normalise
        Divide each row by its sum, where `transition` (and `initial`) holds counts or weights.

    Examples
    --------
    >>> chain = Markov([[.9, .1], [.5, .5]])
    >>> chain.stationary.round(4)
    array([0.8333, 0.1667])
    >>> round(chain.entropy_rate, 4)
    0.5575
    >>> print(chain.is_ergodic)
    yes: all its states lead to each other
    """

    def __init__(
        self, transition: Any, initial: Any = None, order: int = 1, *, labels: Any = None, normalise: bool = False
    ) -> None:
        normalise = check.flag(normalise, "normalise")
        self.order = check.integer(order, "order", low=1, high=64)
        table, rows, columns = labelled.table(transition, "transition")
        if rows is not None and columns is not None and rows != columns:
            message = "the rows and the columns of transition have different labels; both name the symbols"
            raise InputError(message)
        values = check.probabilities(table, "transition", normalise=normalise)
        size = values.shape[-1]
        contexts = size**self.order
        if values.shape not in ((contexts, size), (size,) * (self.order + 1)):
            message = (
                f"transition has shape {values.shape}; a chain of order {self.order} over {size} symbols needs shape "
                f"{(size,) * (self.order + 1)} or ({size}**{self.order}, {size})"
            )
            fitting = _fitting_order(values.shape)
            if fitting is not None:
                message += f"; this is the shape of a chain of order {fitting}: give order={fitting}"
            raise ShapeError(message)
        self.transition = frozen(values.reshape(contexts, size))
        self._set_alphabet(size, columns if labels is None else labels)
        self._origin = ""
        self._given = initial is not None
        if self._given:
            self.initial = frozen(self._read_initial(initial, normalise=normalise))
        elif self._only_closed is not None:
            self.initial = frozen(self.stationary.reshape(contexts).copy())
        else:
            self.initial = frozen(np.full(contexts, 1.0 / contexts))

    def _read_initial(self, initial: Any, *, normalise: bool) -> Floats:
        found = check.array(labelled.in_order(initial, self.labels, "initial"), "initial")
        contexts = len(self.transition)
        if found.shape not in ((contexts,), (self.alphabet_size,) * self.order):
            message = (
                f"initial has shape {found.shape}; it is the law of the first {self.order} symbol(s), "
                f"so it needs shape ({contexts},)"
            )
            raise ShapeError(message)
        return check.probabilities(found.reshape(contexts), "initial", normalise=normalise)

    def __repr__(self) -> str:
        return f"Markov({self.alphabet_size} symbols, order {self.order}{self._origin})"

    @classmethod
    def fit(
        cls,
        data: Any,
        order: int = 1,
        *,
        smoothing: float = 0.0,
        labels: Any = None,
        alphabet_size: int | None = None,
    ) -> Self:
        """Estimate a chain from one sequence, by counting.

        Parameters
        ----------
        data
            A string, bytes, integers or labels.
        order
            How many symbols the chain remembers.
        smoothing
            Added to every count; with 0 (the default) what was not seen after a context is impossible there. A
            context that was never followed by anything gets the uniform distribution.
        labels
            The alphabet; by default the symbols that occur (for integers: 0 to the largest).
        alphabet_size
            For integers: how many symbols there are.

        Examples
        --------
        >>> Markov.fit("abbabbabb").transition
        array([[0. , 1. ],
               [0.4, 0.6]])
        """
        order = check.integer(order, "order", low=1, high=64)
        extra = check.real(smoothing, "smoothing", low=0.0, high=1e15)
        shell, ids = _alphabet_of(data, labels, alphabet_size)
        size = shell.alphabet_size
        if size ** (order + 1) > MAX_WORDS:
            message = (
                f"a chain of order {order} over {size} symbols has {size}**{order + 1} entries, too many: lower it"
            )
            raise RangeError(message, value=order)
        if ids.size <= order:
            message = f"data has {ids.size} symbols; a chain of order {order} needs at least {order + 1}"
            raise EmptyError(message)
        words = np.zeros(ids.size - order, dtype=np.int64)
        for lag in range(order + 1):
            words = words * size + ids[lag : ids.size - order + lag]
        counts = np.bincount(words, minlength=size ** (order + 1)).reshape(-1, size) + extra
        counts[counts.sum(axis=1) == 0] = 1.0
        made = cls(counts, order=order, labels=shell.labels, normalise=True)
        made._origin = f", fitted to {ids.size} symbols with smoothing {extra:g}"
        return made

    # ---- structure ---------------------------------------------------------------------------------------------------

    @cached_property
    def _machine(self) -> Machine:
        return Machine.of_contexts(self.transition)

    @cached_property
    def _only_closed(self) -> Part | None:
        closed = [part for part in self._machine.parts if part.closed]
        return closed[0] if len(closed) == 1 else None

    def _context(self, number: int) -> Hashable:
        """A context in terms of labels: a symbol, or a tuple of symbols."""
        digits = np.unravel_index(number, (self.alphabet_size,) * self.order)
        named = tuple(int(d) if self.labels is None else self.labels[int(d)] for d in digits)
        return named[0] if self.order == 1 else named

    @cached_property
    def classes(self) -> tuple[StateClass, ...]:
        """The communicating classes of the states (of order k > 1: of the contexts).

        Examples
        --------
        >>> gambler = Markov([[1, 0, 0, 0], [.5, 0, .5, 0], [0, .5, 0, .5], [0, 0, 0, 1]])
        >>> for one in gambler.classes:
        ...     print(one)
        recurrent, period 1: 0
        transient, period 2: 1, 2
        recurrent, period 1: 3
        """
        reachable = self._reachable
        return tuple(
            StateClass(
                tuple(self._context(int(state)) for state in part.members),
                part.closed,
                self._machine.phases(part)[0],
                bool(reachable[part.members].any()),
            )
            for part in self._machine.parts
        )

    @cached_property
    def _reachable(self) -> Bools:
        return self._machine.reachable(self.initial > 0)

    @cached_property
    def _settled(self) -> tuple[tuple[float, Part], ...]:
        """The closed classes that paths end up in, with their probabilities."""
        return self._machine.absorption(self.initial)

    @cached_property
    def stationary(self) -> Floats:
        """The stationary law of the states (of order k: of contexts, one axis per symbol), where there is exactly one.

        Examples
        --------
        >>> Markov([[.9, .1], [.3, .7]]).stationary
        array([0.75, 0.25])
        """
        if self._only_closed is None:
            names = ["{" + str(c) + "}" for c in self._class_names()]
            message = (
                f"the chain has {len(names)} recurrent classes, {' and '.join(names)}, and a stationary law for each "
                "and for every mixture of them; ask ergodic_components for those that this process settles into"
            )
            raise UndefinedError(message)
        shape = (self.alphabet_size,) * self.order
        return frozen(self._class_law(self._only_closed).reshape(shape))

    def _class_names(self) -> list[str]:
        closed = [part for part in self._machine.parts if part.closed]
        return [self._part_name(part) for part in closed]

    def _part_name(self, part: Part) -> str:
        shown = ", ".join(check.shown(self._context(int(state)), str) for state in part.members[:6])
        return shown + (", …" if part.members.size > 6 else "")

    @cached_property
    def _laws(self) -> dict[int, LongRun]:
        return {}

    def _class_run(self, part: Part) -> LongRun:
        key = int(part.members[0])
        if key not in self._laws:
            costs = -safe_log(self.transition[part.members])
            self._laws[key] = self._machine.restrict(part).long_run(costs)
        return self._laws[key]

    def _class_law(self, part: Part) -> Floats:
        law = np.zeros(len(self.transition))
        law[part.members] = self._class_run(part).law
        return law

    @property
    def period(self) -> int:
        """The period of the recurrent class that the process settles into.

        Examples
        --------
        >>> Markov([[0, 1], [1, 0]]).period
        2
        """
        if len(self._settled) > 1:
            message = (
                f"the process settles into one of {len(self._settled)} recurrent classes; "
                "each has a period of its own, see classes"
            )
            raise UndefinedError(message)
        return self._machine.phases(self._settled[0][1])[0]

    @property
    def is_irreducible(self) -> Verdict:
        """Whether all states (contexts) lead to each other."""
        parts = self._machine.parts
        if len(parts) == 1:
            return Verdict(True, "all its states lead to each other")
        described = "; ".join(f"{'recurrent' if p.closed else 'transient'} {{{self._part_name(p)}}}" for p in parts[:6])
        return Verdict(False, f"its states fall into {len(parts)} classes: {described}")

    @property
    def is_stationary(self) -> Verdict:
        """Whether the initial law is a stationary one.

        Examples
        --------
        >>> print(Markov([[.9, .1], [.3, .7]], initial=[1, 0]).is_stationary)
        no: the initial law is not a stationary one: 1 has probability 0 at first and 0.1 a step later
        """
        flow = (self.initial[:, None] * self.transition).ravel()
        later = np.bincount(self._machine.follow.ravel(), flow, self.initial.size)
        gaps = np.abs(later - self.initial)
        if (gaps <= _SAME * np.maximum(later, self.initial)).all():
            return Verdict(True, "the initial law is stationary: a step leaves it unchanged")
        at = int(np.argmax(gaps))
        state = check.shown(self._context(at), str)
        change = f"{state} has probability {self.initial[at]:.6g} at first and {later[at]:.6g} a step later"
        if not self._given:
            return Verdict(
                False, f"it has no single stationary law, so it starts in the uniform one, which moves: {change}"
            )
        return Verdict(False, f"the initial law is not a stationary one: {change}")

    @property
    def is_ergodic(self) -> Verdict:
        """Whether every path settles into the same recurrent class, so that time averages have one limit.

        A periodic chain is ergodic too (the theorem of Shannon, McMillan and Breiman holds for it); it is not mixing.

        Examples
        --------
        >>> print(Markov([[1, 0], [0, 1]]).is_ergodic)
        no: the chain is reducible: paths settle into {0} or {1}, with probabilities 0.5 and 0.5, and never leave
        >>> print(Markov([[0, 1], [1, 0]]).is_ergodic)
        yes: all its states lead to each other (with period 2, so it is not mixing; time averages converge all the same)
        """
        if len(self._settled) > 1:
            names = " or ".join("{" + self._part_name(part) + "}" for _, part in self._settled)
            odds = " and ".join(f"{weight:.4g}" for weight, _ in self._settled)
            return Verdict(
                False, f"the chain is reducible: paths settle into {names}, with probabilities {odds}, and never leave"
            )
        part = self._settled[0][1]
        if part.members.size == len(self.transition):
            reason = "all its states lead to each other"
        elif self._reachable.sum() == part.members.size:
            reason = f"it lives in a single recurrent class, {{{self._part_name(part)}}}"
        else:
            reason = f"every path settles into the single recurrent class {{{self._part_name(part)}}}"
        if self.period > 1:
            reason += f" (with period {self.period}, so it is not mixing; time averages converge all the same)"
        return Verdict(True, reason)

    @property
    def is_mixing(self) -> Verdict:
        """Whether it is ergodic and has no period, so that it forgets where it started."""
        if not self.is_ergodic:
            return Verdict(False, self.is_ergodic.reason)
        if self.period > 1:
            phases = f"it never forgets at which of its {self.period} phases it started"
            return Verdict(False, f"the chain has period {self.period}: {phases}")
        return Verdict(True, "a single recurrent class without a period: the start is forgotten")

    @property
    def ergodic_components(self) -> tuple[tuple[float, Process], ...]:
        """One stationary chain for each recurrent class that the process can settle into, with its probability.

        Examples
        --------
        >>> [(weight, part.initial) for weight, part in Markov([[1, 0], [0, 1]], [.3, .7]).ergodic_components]
        [(0.3, array([1., 0.])), (0.7, array([0., 1.]))]
        """
        return tuple((weight, self._started(self._class_law(part))) for weight, part in self._settled)

    def _started(self, initial: Floats) -> Markov:
        return Markov(self.transition, initial, self.order, labels=self.labels)

    # ---- rates -------------------------------------------------------------------------------------------------------

    def rate(self, *, unit: Unit = "bits", tolerance: float = 1e-9, seed: Seed = None) -> Rate:
        """The mean entropy of the next symbol, over the stationary law: exact."""
        rates = [(weight, self._class_run(part)) for weight, part in self._settled]
        return blend([(weight, Rate.exact(run.mean, variance=run.variance)) for weight, run in rates]).to(unit)

    def _varentropy_nats(self) -> float:
        if len(self._settled) > 1:
            message = f"the process has no single variance rate: {self.is_ergodic.reason}"
            raise UndefinedError(message)
        return self._class_run(self._settled[0][1]).variance

    # ---- what Process asks for ---------------------------------------------------------------------------------------

    @cached_property
    def _table(self) -> Floats:
        size = self.alphabet_size
        rows = []
        before = np.ones(1)
        for depth in range(1, self.order + 1):
            joint = self.initial.reshape(size**depth, -1).sum(axis=1)
            rows.append(
                np.divide(
                    joint.reshape(-1, size),
                    before[:, None],
                    where=before[:, None] > 0,
                    out=np.zeros((before.size, size)),
                )
            )
            before = joint
        return frozen(np.ascontiguousarray(np.concatenate([*rows, self.transition])))

    def _sample(self, n: int, paths: int, seed: NDArray[np.uint64]) -> tuple[Ids, Ints]:
        ids = self._draw(n, paths, seed)
        home = np.full(len(self.transition), -1, dtype=np.int64)
        for number, (_, part) in enumerate(self._settled):
            home[part.members] = number
        if n < self.order:
            return ids, np.full(paths, 0 if len(self._settled) == 1 else -1, dtype=np.int64)
        last = np.zeros(paths, dtype=np.int64)
        for lag in range(self.order, 0, -1):
            last = last * self.alphabet_size + ids[:, -lag]
        return ids, home[last]

    def _extend(self, contexts: Floats, length: int) -> Floats:
        """Probabilities of words of `length` symbols, where those of contexts are given."""
        if length <= self.order:
            return np.asarray(contexts.reshape(self.alphabet_size**length, -1).sum(axis=1))
        words = contexts
        for _ in range(length - self.order):
            words = (words.reshape(-1, len(self.transition), 1) * self.transition).ravel()
        return words

    def _blocks(self, length: int) -> Floats:
        return self._extend(self.initial, length)

    def _conditional_entropies(self, longest: int) -> Floats:
        short = min(self.order, longest)
        found = np.empty(longest)
        found[:short] = super()._conditional_entropies(short)
        rows = -(self.transition * np.where(self.transition > 0, safe_log(self.transition), 0.0)).sum(axis=1)
        law: Floats = self.initial
        follow = self._machine.follow.ravel()
        for place in range(short, longest):
            found[place] = law @ rows
            after = np.bincount(follow, (law[:, None] * self.transition).ravel(), law.size).astype(np.float64)
            if np.array_equal(after, law):
                found[place + 1 :] = found[place]
                break
            law = after
        return found

    def _steady_blocks(self, length: int) -> Floats:
        law = np.zeros(len(self.transition))
        for weight, part in self._settled:
            law += weight * self._class_law(part)
        return self._extend(law, length)

    def _possible_blocks(self, length: int) -> Bools:
        allowed = self.transition > 0
        if length <= self.order:
            return np.asarray(self._reachable.reshape(self.alphabet_size**length, -1).any(axis=1))
        words = self._reachable
        for _ in range(length - self.order):
            words = (words.reshape(-1, len(self.transition), 1) & allowed).ravel()
        return words

    def _linear(self) -> Linear:
        follow, size = self._machine.follow, self.alphabet_size
        groups = len(self.transition) // size

        def advance(u: Floats) -> Floats:
            # The context holds the symbols to come: its first one is seen, and a new one is drawn at its end.
            flow = u[:, None] * self.transition
            parts = [slice(s * groups, (s + 1) * groups) for s in range(size)]
            return np.stack([np.bincount(follow[p].ravel(), flow[p].ravel(), len(u)) for p in parts])

        return Linear(self.initial, advance)


def _fitting_order(shape: tuple[int, ...]) -> int | None:
    """The order of the chain that has a table of this shape, where there is one."""
    size = shape[-1]
    if len(shape) > 2 and len(set(shape)) == 1:
        return len(shape) - 1
    order = next((k for k in range(1, 65) if size**k >= shape[0]), 1)
    return order if len(shape) == 2 and size > 1 and size**order == shape[0] else None


def _alphabet_of(data: Any, labels: Any, alphabet_size: Any) -> tuple[Iid, Ids]:
    """A process that knows the alphabet of some data, and the data as ids."""
    found = check.symbols(data, "data")
    if labels is not None:
        shell = Iid(np.ones(len(check.labels(labels, "labels"))), labels=labels, normalise=True)
    elif found.labels is not None:
        names = sorted(found.labels) if isinstance(data, str) else found.labels  # type: ignore[type-var]
        shell = Iid(np.ones(len(names)), labels=names, normalise=True)
    else:
        size = int(found.ids.max()) + 1 if alphabet_size is None else alphabet_size
        shell = Iid(np.ones(check.integer(size, "alphabet_size", low=1, high=MAX_WORDS)), normalise=True)
    return shell, shell._encode_symbols(found, "data")[0]


__all__ = ["Markov"]
