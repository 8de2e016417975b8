"""Hidden Markov processes: an unobserved chain of states, each of which emits an observed symbol."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util import check, labelled
from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.check import Seed, Unit
from bitmeter.errors import ConvergenceError, InputError, RangeError, ShapeError, UndefinedError
from bitmeter.theory.processes.base import MAX_SYMBOLS, Ids, Process, frozen, seed_words
from bitmeter.theory.processes.beliefs import BeliefRun, belief_run
from bitmeter.theory.processes.chains import LongRun, Machine, Part
from bitmeter.theory.processes.iid import safe_log
from bitmeter.theory.processes.laws import Linear, difference, shifted
from bitmeter.theory.processes.results import Rate, StateClass, Verdict, blend
from bitmeter.theory.processes.sampled_rates import monte_carlo

#: Numbers in memory while the bounds are computed.
_WORK = 2**22
#: The same for a first try, before other ways.
_QUICK = 2**16
#: Bounds (in nats) that are closer than this are a better answer than a sample; `entropy_rate` wants them closer still.
_GOOD_BOUNDS = 2e-4
_CLOSED = 1e-6


class HiddenMarkov(Process):
    """A hidden Markov process: state X₁ is drawn from `initial` and emits Y₁, then moves, emits, and so on.

    Parameters
    ----------
    transition
        A square table: row i holds the probabilities of the state after state i.
    emission
        Row i holds the probabilities of the symbols that state i emits.
    initial
        The law of the first state; by default the stationary one where there is exactly one, else the uniform one.
    labels
        What the symbols are called.
    normalise
        Divide each row by its sum, where the tables hold counts or weights.

    Examples
    --------
    A bit that flips with probability 0.1, seen through a noise of 0.1:

    >>> noisy = HiddenMarkov([[.9, .1], [.1, .9]], [[.9, .1], [.1, .9]])
    >>> round(noisy.entropy_rate, 7)
    0.7665963
    >>> round(noisy.logprob([0, 0, 1, 0]), 4)
    -3.364
    """

    def __init__(
        self, transition: Any, emission: Any, initial: Any = None, *, labels: Any = None, normalise: bool = False
    ) -> None:
        normalise = check.flag(normalise, "normalise")
        table, rows, states = labelled.table(transition, "transition")
        given, owners, symbols = labelled.table(emission, "emission")
        states = states or rows
        if owners is not None and states is not None and owners != states:
            if set(owners) != set(states):
                message = "the rows of emission have other labels than those of transition; both name the states"
                raise InputError(message)
            given = np.stack([given[owners.index(state)] for state in states])
        moves = check.probabilities(table, "transition", normalise=normalise)
        emits = check.probabilities(given, "emission", normalise=normalise)
        if moves.ndim != 2 or moves.shape[0] != moves.shape[1]:
            message = f"transition has shape {moves.shape}; it needs one row and one column per state"
            raise ShapeError(message)
        if emits.ndim != 2 or emits.shape[0] != moves.shape[0]:
            message = f"emission has shape {emits.shape}; it needs {moves.shape[0]} rows, one per state of transition"
            raise ShapeError(message)
        self.states = len(moves)
        self.transition, self.emission = frozen(moves), frozen(emits)
        self._set_alphabet(emits.shape[1], symbols if labels is None else labels)
        self._given = initial is not None
        if self._given:
            start = labelled.in_order(initial, states, "initial")
            law = check.probabilities(start, "initial", normalise=normalise)
            if law.shape != (self.states,):
                message = f"initial has shape {law.shape}; it needs one probability for each of {self.states} states"
                raise ShapeError(message)
        else:
            closed = [part for part in self._machine.parts if part.closed]
            law = self._class_law(closed[0]) if len(closed) == 1 else np.full(self.states, 1.0 / self.states)
        self.initial = frozen(law)

    def __repr__(self) -> str:
        return f"HiddenMarkov({self.states} states, {self.alphabet_size} symbols)"

    # ---- structure of the hidden chain -------------------------------------------------------------------------------

    @cached_property
    def _machine(self) -> Machine:
        return Machine.of_matrix(self.transition)

    @cached_property
    def _settled(self) -> tuple[tuple[float, Part], ...]:
        return self._machine.absorption(self.initial)

    def _class_law(self, part: Part) -> Floats:
        inside = self._machine.restrict(part)
        law = np.zeros(self.states)
        law[part.members] = inside.long_run(np.zeros(inside.probs.shape)).law
        return law

    @property
    def classes(self) -> tuple[StateClass, ...]:
        """The communicating classes of the hidden states."""
        reachable = self._machine.reachable(self.initial > 0)
        return tuple(
            StateClass(
                tuple(part.members.tolist()),
                part.closed,
                self._machine.phases(part)[0],
                bool(reachable[part.members].any()),
            )
            for part in self._machine.parts
        )

    @property
    def stationary(self) -> Floats:
        """The stationary law of the hidden states, where there is exactly one.

        Examples
        --------
        >>> HiddenMarkov([[.9, .1], [.3, .7]], [[1, 0], [.5, .5]]).stationary
        array([0.75, 0.25])
        """
        closed = [part for part in self._machine.parts if part.closed]
        if len(closed) != 1:
            message = (
                f"the hidden chain has {len(closed)} recurrent classes and a stationary law for each; "
                "ask ergodic_components for those that this process settles into"
            )
            raise UndefinedError(message)
        return self._class_law(closed[0])

    @property
    def period(self) -> int:
        """The period of the recurrent class of hidden states that the process settles into."""
        if len(self._settled) > 1:
            message = f"the process settles into one of {len(self._settled)} classes, each with a period; see classes"
            raise UndefinedError(message)
        return self._machine.phases(self._settled[0][1])[0]

    @property
    def is_stationary(self) -> Verdict:
        """Whether the law of what is seen stays the same when time is shifted (even where the hidden law moves)."""
        later = self.initial @ self.transition
        if (np.abs(later - self.initial) <= 1e-9 * np.maximum(later, self.initial)).all():
            return Verdict(True, "the initial law of the hidden states is stationary")
        found = difference(self._linear(), shifted(self._linear()))
        if found is None:
            return Verdict(True, "the law of the hidden states moves, but this cannot be observed")
        return Verdict(
            False,
            f"the initial law is not a stationary one: the word {self._word(found.word)} has probability "
            f"{found.first:.6g} at first and {found.second:.6g} a step later",
        )

    def _word(self, word: tuple[int, ...]) -> str:
        return " ".join(check.shown(s if self.labels is None else self.labels[s], str) for s in word)

    @property
    def is_ergodic(self) -> Verdict:
        """Whether every path settles into the same long-run law of what is seen."""
        if len(self._settled) == 1:
            return Verdict(True, "the hidden chain settles into a single recurrent class")
        first, *others = (part for _, part in self.ergodic_components)
        for other in others:
            found = difference(first._linear(), other._linear())
            if found is not None:
                return Verdict(
                    False,
                    f"the hidden chain is reducible: it settles into one of {len(self._settled)} classes that differ: "
                    f"the word {self._word(found.word)} has probability {found.first:.6g} in one and "
                    f"{found.second:.6g} in another",
                )
        return Verdict(True, "the hidden chain is reducible, but its recurrent classes emit the same law")

    @property
    def is_mixing(self) -> Verdict:
        """Whether the distant future of what is seen does not depend on the start."""
        if not self.is_ergodic:
            return Verdict(False, self.is_ergodic.reason)
        for _, part in self._settled:
            period, phase = self._machine.phases(part)
            law = self._class_law(part)[part.members]
            starts = [np.where(phase == k, law, 0.0) * period for k in range(period)]
            linear = [self._linear_from(self._spread(part, start)) for start in starts]
            if any(difference(linear[0], other) is not None for other in linear[1:]):
                return Verdict(False, f"the hidden chain has period {period}, and its phases can be distinguished")
        return Verdict(True, "the observed symbols do not depend on where the hidden chain started, in the long run")

    def _spread(self, part: Part, values: Floats) -> Floats:
        law = np.zeros(self.states)
        law[part.members] = values
        return law

    @cached_property
    def ergodic_components(self) -> tuple[tuple[float, Process], ...]:
        """One stationary process for each recurrent class of hidden states, with its probability."""
        if len(self._settled) == 1 and np.abs(self.initial - self._class_law(self._settled[0][1])).max() <= 1e-15:
            return ((1.0, self),)
        return tuple(
            (weight, HiddenMarkov(self.transition, self.emission, self._class_law(part), labels=self.labels))
            for weight, part in self._settled
        )

    # ---- rates -------------------------------------------------------------------------------------------------------

    def _unifilar(self, part: Part) -> LongRun | None:
        """The long run where a state and the next symbol determine the next state; None otherwise."""
        moves = self.transition[np.ix_(part.members, part.members)]
        emits = self.emission[part.members]
        ways = (moves > 0).astype(np.float64) @ (emits > 0)
        if ways.max() > 1:
            return None
        follow = (moves > 0).astype(np.float64) @ ((emits > 0) * np.arange(part.members.size)[:, None])
        probs = moves @ emits
        return Machine(probs, follow.astype(np.int64)).long_run(-safe_log(probs))

    def rate_bounds(self, *, tolerance: float = 1e-9, work: int = _WORK, unit: Unit = "bits") -> Rate:
        """Bounds that close in on the entropy rate: H(Yₙ|Y₁…Yₙ₋₁,X₁) ≤ h ≤ H(Yₙ|Y₁…Yₙ₋₁).

        All words of n symbols are listed, for n = 1, 2, … until the bounds are within `tolerance` of each other, or
        the next n would take more than `work` numbers at once. Where a state and the next symbol always determine
        the next state (a unifilar process), the lower bound is exact and the answer is a closed form.

        Examples
        --------
        >>> noisy = HiddenMarkov([[.9, .1], [.1, .9]], [[.9, .1], [.1, .9]])
        >>> print(noisy.rate_bounds(tolerance=1e-5))
        0.7665951593 bits per step within [0.7665920311, 0.7665982875], bounds from words of 8 symbols
        """
        per = check.nats_per(unit)
        close = check.real(tolerance, "tolerance", low=0.0) * per
        room = check.integer(work, "work", low=1, high=2**28)
        rates = []
        for weight, part in self._settled:
            exact = self._unifilar(part)
            if exact is not None:
                rates.append((weight, Rate.exact(exact.mean, "closed form (unifilar)", exact.variance)))
            else:
                rates.append((weight, self._close_in(part, close, room)))
        return blend(rates).to(unit)

    def _close_in(self, part: Part, close: float, room: int) -> Rate:
        law = self._class_law(part)[part.members]
        moves = self.transition[np.ix_(part.members, part.members)]
        emits = self.emission[part.members]
        # joint[w, x, j]: the first state is x, the word w was seen, and the state now is j.
        joint = np.diag(law)[None]
        length = 0
        while True:
            length += 1
            known = joint @ emits
            lower, upper = _conditional(known), _conditional(known.sum(axis=1))
            if upper - lower <= close or joint.size * self.alphabet_size > room:
                break
            joint = ((joint[:, None] * emits.T[:, None]) @ moves).reshape(-1, *joint.shape[1:])
            joint = joint[joint.any(axis=(1, 2))]
        lower, upper = min(lower, upper), max(lower, upper)
        return Rate((lower + upper) / 2, lower, upper, 0.0, f"bounds from words of {length} symbols", "nats")

    def rate(self, *, unit: Unit = "bits", tolerance: float = 1e-9, seed: Seed = None) -> Rate:
        """The entropy rate: a closed form, proven bounds, a belief grid, or samples, in this order.

        The bounds list all words of a few symbols, and close fast where the past is soon forgotten. Where they do not,
        a process of two or three states has a grid of beliefs (see `beliefs`), whose error is estimated from the grid
        before and is usually below 1e-10. More states, or states that are nearly revealed, leave the wider bounds, or
        an estimate from samples with its standard error. `method` says which it was.

        Examples
        --------
        >>> even = HiddenMarkov([[.5, .5, 0], [0, 0, 1], [.5, .5, 0]], [[1, 0], [0, 1], [0, 1]])
        >>> print(even.rate())
        0.6666666667 bits per step, closed form (unifilar)
        >>> slow = HiddenMarkov([[.999, .001], [.001, .999]], [[.55, .45], [.45, .55]])
        >>> found = slow.rate()
        >>> round(found.value, 8), found.method, found.upper - found.lower < 1e-8
        (0.99563482, 'belief grid of 128 points', True)
        """
        per = check.nats_per(unit)
        found = self._numerical(check.real(tolerance, "tolerance", low=0.0) * per)
        if found.upper - found.lower <= _GOOD_BOUNDS:
            return found.to(unit)
        words = seed_words(seed)
        components = self.ergodic_components
        sampled = blend([(weight, monte_carlo(part, part, 2**16, 32, words)) for weight, part in components])
        if sampled.upper - sampled.lower >= found.upper - found.lower:
            return found.to(unit)
        return sampled.to(unit)

    def _numerical(self, close: float) -> Rate:
        """The rate in nats without samples, however wide its limits."""
        return blend([(weight, self._part_rate(part, close)) for weight, part in self._settled])

    def _part_rate(self, part: Part, close: float) -> Rate:
        exact = self._unifilar(part)
        if exact is not None:
            return Rate.exact(exact.mean, "closed form (unifilar)", exact.variance)
        bounds = self._close_in(part, close, _QUICK)
        closed = bounds.upper - bounds.lower <= close
        if closed and part.members.size > 2:
            return bounds
        run = self._beliefs(part, close)
        if run is not None:
            # A grid that contradicts what is proven is not to be trusted.
            agrees = bounds.lower - run.error <= run.mean <= bounds.upper + run.error
            if agrees and closed:
                return replace(bounds, variance_rate=run.variance, variance_error=run.variance_error)
            if agrees and 2 * run.error <= max(close, _CLOSED):
                value = min(max(run.mean, bounds.lower), bounds.upper)
                lower, upper = max(value - run.error, bounds.lower), min(value + run.error, bounds.upper)
                method = f"belief grid of {run.points} points"
                return Rate(value, lower, upper, 0.0, method, "nats", run.variance, run.variance_error)
        return bounds if closed else self._close_in(part, close, _WORK)

    def _beliefs(self, part: Part, close: float) -> BeliefRun | None:
        moves = self.transition[np.ix_(part.members, part.members)]
        return belief_run(moves, self.emission[part.members], close)

    @cached_property
    def _bits(self) -> float:
        found = self._numerical(1e-9 * check.nats_per("bits")).to("bits")
        if found.upper - found.lower > _CLOSED:
            message = (
                f"the entropy rate lies within [{found.lower:.6g}, {found.upper:.6g}] bits: the bounds did not close "
                f"to {_CLOSED:g} within the work allowed; rate(seed=...) estimates it from samples, "
                "with its error, and rate_bounds(work=...) computes closer bounds"
            )
            raise ConvergenceError(message, value=found)
        return found.value

    def entropy_rate_in(self, unit: Unit) -> float:
        """The entropy rate in `unit` per step, to within 1e-6 bits; a ConvergenceError where that is not reached.

        Usually it is far closer: `rate` says how close, and by which method.
        """
        return self._bits * check.nats_per("bits") / check.nats_per(unit)

    def _varentropy_nats(self) -> float:
        if not self.is_ergodic:
            message = f"the process has no single variance rate: {self.is_ergodic.reason}"
            raise UndefinedError(message)
        part = self._settled[0][1]
        exact = self._unifilar(part)
        if exact is not None:
            return exact.variance
        run = self._beliefs(part, 1e-10)
        if run is None or run.variance_error > _CLOSED * max(run.variance, 1.0):
            message = (
                "the variance rate of this hidden Markov process has no closed form, and no belief grid settles it; "
                "cross_entropy_rate(p, p, method='monte-carlo').variance_rate estimates it"
            )
            raise UndefinedError(message)
        return run.variance

    # ---- what Process asks for ---------------------------------------------------------------------------------------

    def sample_with_states(
        self, n: int, seed: Seed = None, *, paths: int | None = None
    ) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """As `sample`, and the hidden states beside the symbols.

        Examples
        --------
        >>> seen, hidden = HiddenMarkov([[0, 1], [1, 0]], [[1, 0], [0, 1]]).sample_with_states(4, seed=1)
        >>> (seen == hidden).all()
        np.True_
        """
        length = check.integer(n, "n", low=1, high=MAX_SYMBOLS)
        rows = 1 if paths is None else check.integer(paths, "paths", low=1, high=MAX_SYMBOLS)
        if length * rows > MAX_SYMBOLS // 4:
            message = f"{length} symbols in each of {rows} paths are too many for one call; sample in several"
            raise RangeError(message, value=length * rows)
        ids, states = self._draw(length, rows, seed_words(seed))
        seen = self._named(ids)
        return (seen[0], states[0]) if paths is None else (seen, states)

    def _draw(self, n: int, paths: int, seed: NDArray[np.uint64]) -> tuple[Ids, NDArray[np.int32]]:
        ids, states = self._new_ids(paths, n), np.empty((paths, n), dtype=np.int32)
        _core.sample_hidden(self.initial, self.transition, self.emission, seed, ids, states)
        return ids, states

    def _sample(self, n: int, paths: int, seed: NDArray[np.uint64]) -> tuple[Ids, Ints]:
        if len(self._settled) == 1:
            ids = self._new_ids(paths, n)
            _core.sample_hidden(self.initial, self.transition, self.emission, seed, ids)
            return ids, np.zeros(paths, dtype=np.int64)
        ids, states = self._draw(n, paths, seed)
        home = np.full(self.states, -1, dtype=np.int64)
        for number, (_, part) in enumerate(self._settled):
            home[part.members] = number
        return ids, home[states[:, -1]]

    def _logprobs(self, ids: Ids, out: Floats | None) -> Floats:
        return _core.hidden_logprobs(self.initial, self.transition, self.emission, ids, out)

    def _words_from(self, start: Floats, length: int) -> Floats:
        ahead = start[None]
        for step in range(length):
            if step:
                ahead = ahead @ self.transition
            ahead = (ahead[:, None] * self.emission.T).reshape(-1, self.states)
        return np.asarray(ahead.sum(axis=1))

    def _blocks(self, length: int) -> Floats:
        return self._words_from(self.initial, length)

    def _steady_blocks(self, length: int) -> Floats:
        law = np.zeros(self.states)
        for weight, part in self._settled:
            law += weight * self._class_law(part)
        return self._words_from(law, length)

    def _possible_blocks(self, length: int) -> Bools:
        moves, emits = self.transition > 0, self.emission.T > 0
        ahead = self._machine.reachable(self.initial > 0)[None]
        for step in range(length):
            if step:
                ahead = ahead @ moves
            ahead = (ahead[:, None] & emits).reshape(-1, self.states)
        return np.asarray(ahead.any(axis=1))

    def _linear(self) -> Linear:
        return self._linear_from(self.initial)

    def _linear_from(self, start: Floats) -> Linear:
        return Linear(start, lambda u: (u * self.emission.T) @ self.transition)


def _conditional(joint: Floats) -> float:
    """The entropy of the last axis given all others, from joint probabilities, in nats; no term is negative."""
    total = joint.sum(axis=-1, keepdims=True)
    share = np.divide(joint, total, where=total > 0, out=np.ones_like(joint))
    terms = joint * safe_log(np.where(share > 0, share, 1.0))
    return 0.0 - math.fsum(terms.sum(axis=-1).ravel()) if terms.size < 2**16 else 0.0 - float(terms.sum())


__all__ = ["HiddenMarkov"]
