"""Independent draws from one distribution, and what they share with Markov chains: a table of contexts."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Hashable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util import check, labelled
from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.check import Seed, Unit
from bitmeter.errors import ShapeError
from bitmeter.theory.processes.base import Ids, Process, frozen
from bitmeter.theory.processes.chains import LongRun, Machine
from bitmeter.theory.processes.laws import Linear
from bitmeter.theory.processes.results import Rate, Verdict


class Contextual(Process):
    """A process given by a table: one row of next-symbol probabilities for each history, short ones first."""

    order: int

    @cached_property
    @abstractmethod
    def _table(self) -> Floats: ...

    @cached_property
    def _log_table(self) -> Floats:
        return safe_log(self._table)

    def _logprobs(self, ids: Ids, out: Floats | None) -> Floats:
        return _core.chain_logprobs(ids, self._log_table, self.order, out)

    def _draw(self, n: int, paths: int, seed: NDArray[np.uint64]) -> Ids:
        out = self._new_ids(paths, n)
        _core.sample_chain(self._table, self.order, seed, out)
        return out


class Iid(Contextual):
    """Independent draws from one distribution.

    Parameters
    ----------
    p
        Probabilities; or a mapping of labels to probabilities, a Series of pandas, or a `Distribution`.
    labels
        What the symbols are called.
    normalise
        Divide by the sum, where `p` holds counts or weights.

    Examples
    --------
    >>> coin = Iid([.5, .5])
    >>> coin.entropy_rate
    1.0
    >>> Iid({"a": .25, "b": .75}).labels
    ('a', 'b')
    """

    order = 0

    def __init__(self, p: Any, *, labels: Any = None, normalise: bool = False) -> None:
        values, names = _weights(p)
        values = check.probabilities(values, "p", normalise=check.flag(normalise, "normalise"))
        if values.ndim != 1:
            message = f"p has shape {values.shape}; the distribution of one symbol has one axis"
            raise ShapeError(message)
        self._set_alphabet(values.size, names if labels is None else labels)
        self.probabilities = frozen(values)

    def __repr__(self) -> str:
        return f"Iid({self.alphabet_size} symbols)"

    @cached_property
    def _table(self) -> Floats:
        return self.probabilities[None]

    @cached_property
    def _long_run(self) -> LongRun:
        return Machine(self._table, np.zeros((1, self.alphabet_size), dtype=np.int64)).long_run(-self._log_table)

    @property
    def stationary(self) -> Floats:
        """The distribution itself."""
        return self.probabilities

    @property
    def is_stationary(self) -> Verdict:
        """Always so."""
        return Verdict(True, "every symbol has the same distribution and depends on no other")

    @property
    def is_ergodic(self) -> Verdict:
        """Always so: the law of large numbers."""
        return Verdict(True, "independent draws from one distribution obey the law of large numbers")

    @property
    def is_mixing(self) -> Verdict:
        """Always so."""
        return Verdict(True, "the future does not depend on the past at all")

    @property
    def ergodic_components(self) -> tuple[tuple[float, Process], ...]:
        """The process itself."""
        return ((1.0, self),)

    def rate(self, *, unit: Unit = "bits", tolerance: float = 1e-9, seed: Seed = None) -> Rate:
        """The entropy of the distribution."""
        return Rate.exact(self._long_run.mean, variance=self._long_run.variance).to(unit)

    def _varentropy_nats(self) -> float:
        return self._long_run.variance

    def _sample(self, n: int, paths: int, seed: NDArray[np.uint64]) -> tuple[Ids, Ints]:
        return self._draw(n, paths, seed), np.zeros(paths, dtype=np.int64)

    def _blocks(self, length: int) -> Floats:
        words = np.ones(1)
        for _ in range(length):
            words = np.multiply.outer(words, self.probabilities).ravel()
        return words

    def _conditional_entropies(self, longest: int) -> Floats:
        return np.full(longest, self._long_run.mean)

    def _steady_blocks(self, length: int) -> Floats:
        return self._blocks(length)

    def _possible_blocks(self, length: int) -> Bools:
        words = np.ones(1, dtype=bool)
        for _ in range(length):
            words = np.logical_and.outer(words, self.probabilities > 0).ravel()
        return words

    def _linear(self) -> Linear:
        return Linear(np.ones(1), lambda u: self.probabilities[:, None] * u)


def safe_log(values: Floats) -> Floats:
    """The natural logarithm, minus infinity at zero without a warning."""
    out = np.full(values.shape, -math.inf)
    return np.log(values, where=values > 0, out=out)


def _weights(p: Any) -> tuple[Any, tuple[Hashable, ...] | None]:
    """Probabilities and labels, from a mapping, a distribution or plain numbers."""
    found = labelled.read(p, "p")
    if found is not None and found.values.ndim == 1:
        return found.values, None if found.positional else found.names
    if hasattr(p, "probabilities") and isinstance(getattr(p, "labels", None), tuple):
        return p.probabilities, p.labels
    return p, None


__all__ = ["Contextual", "Iid", "safe_log"]
