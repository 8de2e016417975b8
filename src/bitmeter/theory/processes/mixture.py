"""Mixtures of processes: one of them is chosen at the start, for good."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter._util import check
from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.check import Seed, Unit
from bitmeter.errors import EmptyError, ShapeError, UndefinedError
from bitmeter.theory.processes.base import Ids, Process, a_process, frozen, same_alphabet, sub_seed
from bitmeter.theory.processes.iid import safe_log
from bitmeter.theory.processes.laws import Linear, difference, mix, shifted
from bitmeter.theory.processes.results import Rate, Verdict, blend


class Mixture(Process):
    """One of several processes, chosen once at the start: what a single path can never show is the others.

    Parameters
    ----------
    components
        The processes, all over one alphabet.
    weights
        The probability of each; by default all the same.
    normalise
        Divide the weights by their sum.

    Examples
    --------
    >>> from bitmeter import Iid
    >>> coins = Mixture([Iid([.9, .1]), Iid([.5, .5])], [.5, .5])
    >>> round(coins.entropy_rate, 4), [round(rate, 4) for rate in coins.component_rates]
    (0.7345, [0.469, 1.0])
    >>> print(coins.is_ergodic)
    no: it is a mixture of 2 processes that differ: the word 0 has probability 0.9 in one and 0.5 in another
    """

    def __init__(self, components: Any, weights: Any = None, *, normalise: bool = False) -> None:
        found = enumerate(check.items(components, "components", "a sequence of processes"))
        self.components = tuple(a_process(one, f"components[{place}]") for place, one in found)
        if not self.components:
            message = "components is empty; a mixture needs at least one process"
            raise EmptyError(message)
        first = self.components[0]
        for place, other in enumerate(self.components):
            same_alphabet(first, other, f"components[{place}]")
        self._set_alphabet(first.alphabet_size, first.labels)
        count = len(self.components)
        values = np.full(count, 1.0 / count) if weights is None else weights
        shares = check.probabilities(values, "weights", normalise=check.flag(normalise, "normalise"))
        if shares.shape != (count,):
            message = f"weights has shape {shares.shape}; it needs one weight for each of {count} components"
            raise ShapeError(message)
        self.weights = frozen(shares)

    def __repr__(self) -> str:
        parts = ", ".join(f"{w:.4g} × {c!r}" for w, c in zip(self.weights, self.components, strict=True))
        return f"Mixture({parts})"

    def _used(self) -> list[tuple[int, float, Process]]:
        pairs = enumerate(zip(self.weights.tolist(), self.components, strict=True))
        return [(number, weight, part) for number, (weight, part) in pairs if weight > 0]

    # ---- the long run ------------------------------------------------------------------------------------------------

    @property
    def component_rates(self) -> tuple[float, ...]:
        """The entropy rate of each component, in bits: what paths tend to."""
        return tuple(part.entropy_rate for part in self.components)

    @cached_property
    def ergodic_components(self) -> tuple[tuple[float, Process], ...]:
        """The ergodic components of all components, in order, each with its probability."""
        return tuple(
            (weight * inner, process) for _, weight, part in self._used() for inner, process in part.ergodic_components
        )

    @property
    def is_stationary(self) -> Verdict:
        """Whether the law stays the same when time is shifted."""
        moving = [number for number, _, part in self._used() if not part.is_stationary]
        if not moving:
            return Verdict(True, "all its components are stationary")
        found = difference(self._linear(), shifted(self._linear()))
        if found is None:
            return Verdict(True, "its components are not all stationary, but their mixture is")
        reason = self.components[moving[0]].is_stationary.reason
        return Verdict(False, f"component {moving[0]} is not stationary: {reason}")

    @property
    def is_ergodic(self) -> Verdict:
        """Whether all paths settle into one and the same law."""
        first, *others = (part for _, part in self.ergodic_components)
        for other in others:
            found = difference(first._linear(), other._linear())
            if found is not None:
                word = " ".join(check.shown(s if self.labels is None else self.labels[s], str) for s in found.word)
                return Verdict(
                    False,
                    f"it is a mixture of {len(others) + 1} processes that differ: the word {word} has probability "
                    f"{found.first:.6g} in one and {found.second:.6g} in another",
                )
        return Verdict(True, "all that it is a mixture of have the same law" if others else "it has one component")

    @property
    def is_mixing(self) -> Verdict:
        """Whether it is ergodic, and so is what it is made of."""
        if not self.is_ergodic:
            return Verdict(False, self.is_ergodic.reason)
        return self._used()[0][2].is_mixing

    def rate(self, *, unit: Unit = "bits", tolerance: float = 1e-9, seed: Seed = None) -> Rate:
        """The weighted mean of the components' rates. No single path tends to it, unless the rates are the same."""
        generator = check.generator(seed)
        return blend(
            [(weight, part.rate(unit=unit, tolerance=tolerance, seed=generator)) for _, weight, part in self._used()]
        )

    def entropy_rate_in(self, unit: Unit) -> float:
        """The weighted mean of the components' rates, in `unit` per step."""
        return math.fsum(weight * part.entropy_rate_in(unit) for _, weight, part in self._used())

    def _varentropy_nats(self) -> float:
        if not self.is_ergodic:
            message = f"the process has no single variance rate: {self.is_ergodic.reason}; ask its components"
            raise UndefinedError(message)
        return self._used()[0][2]._varentropy_nats()

    # ---- what Process asks for ---------------------------------------------------------------------------------------

    def _sample(self, n: int, paths: int, seed: NDArray[np.uint64]) -> tuple[Ids, Ints]:
        ids, home, _ = self._draw(n, paths, seed)
        return ids, home

    def _draw(self, n: int, paths: int, seed: NDArray[np.uint64]) -> tuple[Ids, Ints, Ints]:
        """Ids, the ergodic component and the mixture's component of each path."""
        # One uniform number per path, from raw bits, so that path i is the same however many paths there are.
        raw = np.random.PCG64(np.random.SeedSequence([int(word) for word in seed])).random_raw(paths)
        coin = (np.atleast_1d(np.asarray(raw, dtype=np.uint64)) >> np.uint64(11)) * 2.0**-53
        used = self._used()
        edges = np.cumsum([weight for _, weight, _ in used])[:-1]
        choice = np.searchsorted(edges, coin, side="right")
        ids, home = self._new_ids(paths, n), np.empty(paths, dtype=np.int64)
        before = 0
        for place, (number, _, part) in enumerate(used):
            rows = np.flatnonzero(choice == place)
            if rows.size:
                found, inner = part._sample(n, rows.size, sub_seed(seed, number))
                ids[rows], home[rows] = found, np.where(inner < 0, -1, inner + before)
            before += len(part.ergodic_components)
        return ids, home, np.array([used[i][0] for i in choice], dtype=np.int64)

    def _logprobs(self, ids: Ids, out: Floats | None) -> Floats:
        weights = safe_log(np.array([weight for _, weight, _ in self._used()]))
        parts = [part for _, _, part in self._used()]
        if out is not None:
            out[...] = _step_by_step(weights, parts, ids)
        return _log_sum(weights[:, None] + np.stack([part._logprobs(ids, None) for part in parts]))

    def _blocks(self, length: int) -> Floats:
        return np.asarray(np.sum([weight * part._blocks(length) for _, weight, part in self._used()], axis=0))

    def _steady_blocks(self, length: int) -> Floats:
        return np.asarray(np.sum([weight * part._steady_blocks(length) for _, weight, part in self._used()], axis=0))

    def _possible_blocks(self, length: int) -> Bools:
        return np.asarray(np.any([part._possible_blocks(length) for _, _, part in self._used()], axis=0))

    def _linear(self) -> Linear:
        return mix([(weight, part._linear()) for _, weight, part in self._used()])


def _log_sum(terms: Floats) -> Floats:
    """Take ln Σ exp over the first axis; minus infinity where all terms are."""
    top = terms.max(axis=0)
    top = np.where(np.isfinite(top), top, 0.0)
    return safe_log(np.exp(terms - top).sum(axis=0)) + top


def _step_by_step(weights: Floats, parts: list[Process], ids: Ids) -> Floats:
    """Find ln p of each symbol given the past: the components' predictions, weighed by what each made of the past."""
    steps = np.empty((len(parts), *ids.shape))
    for place, part in enumerate(parts):
        part._logprobs(ids, steps[place])
    past = np.empty_like(steps)
    past[..., 0] = 0.0
    np.cumsum(steps[..., :-1], axis=-1, out=past[..., 1:])
    past += weights[:, None, None]
    # Measured from the best component, so that what it predicts keeps all its digits however long the past is.
    best = past.max(axis=0)
    past -= np.where(np.isfinite(best), best, 0.0)
    before = np.where(np.isfinite(best), _log_sum(past), 0.0)
    return _log_sum(past + steps) - before


__all__ = ["Mixture"]
