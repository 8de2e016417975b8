"""Independent symbols in phases that grow geometrically: a process whose entropy per symbol need not settle."""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util import check
from bitmeter._util.arrays import Bools, Floats, Ints
from bitmeter._util.check import Seed, Unit
from bitmeter.errors import InputError, ShapeError, UndefinedError
from bitmeter.theory import sums
from bitmeter.theory.processes.base import Ids, Process, frozen, sub_seed
from bitmeter.theory.processes.iid import safe_log
from bitmeter.theory.processes.laws import Linear
from bitmeter.theory.processes.results import Rate, Verdict


class Phases(Process):
    """Independent symbols whose distribution changes at times that grow geometrically: averages never settle.

    The first phase has `first` symbols, each later one `growth` times as many as the one before, and the phases take
    the rows of `distributions` in turn. The latest phase always outweighs all before it, so H(X₁…Xₙ)/n swings between
    two limits (`rate_limits`) for ever, and the entropy rate, as the limit of H(X₁…Xₙ)/n, does not exist unless all
    rows have the same entropy.

    Parameters
    ----------
    distributions
        A table: one row of symbol probabilities for each kind of phase, at least two.
    first
        The length of the first phase.
    growth
        How many times longer each phase is than the one before it, a whole number from 2 on.
    labels
        What the symbols are called.
    normalise
        Divide each row by its sum.

    Examples
    --------
    A constant and a fair coin, in phases of 1, 2, 4, … symbols:

    >>> swings = Phases([[1, 0], [.5, .5]])
    >>> [round(limit, 4) for limit in swings.rate_limits]
    [0.3333, 0.6667]
    >>> [swings.block_entropy(n) / n for n in (1, 3)]
    [0.0, 0.6667]
    """

    def __init__(
        self, distributions: Any, first: int = 1, growth: int = 2, *, labels: Any = None, normalise: bool = False
    ) -> None:
        rows = check.probabilities(distributions, "distributions", normalise=check.flag(normalise, "normalise"))
        if rows.ndim != 2 or len(rows) < 2:
            message = f"distributions has shape {rows.shape}; it needs one row for each kind of phase, at least two"
            raise ShapeError(message)
        if (rows == rows[0]).all():
            message = "all rows of distributions are the same, so that nothing changes; use Iid"
            raise InputError(message)
        self.distributions = frozen(rows)
        self.first = check.integer(first, "first", low=1, high=10**9)
        self.growth = check.integer(growth, "growth", low=2, high=10**9)
        self._set_alphabet(rows.shape[1], labels)

    def __repr__(self) -> str:
        return f"Phases({len(self.distributions)} distributions over {self.alphabet_size} symbols, ×{self.growth})"

    def _spans(self, n: int) -> list[tuple[int, int, int]]:
        """The phases of the first n symbols: which row, from where, to where."""
        spans: list[tuple[int, int, int]] = []
        start, length = 0, self.first
        while start < n:
            spans.append((len(spans) % len(self.distributions), start, min(start + length, n)))
            start, length = start + length, length * self.growth
        return spans

    def _kinds(self, n: int) -> Ints:
        spans = self._spans(n)
        return np.repeat([kind for kind, _, _ in spans], [end - start for _, start, end in spans])

    # ---- the long run ------------------------------------------------------------------------------------------------

    @property
    def rate_limits(self) -> tuple[float, float]:
        """The lower and the upper limit of H(X₁…Xₙ)/n as n grows, in bits: where it turns, at the ends of phases."""
        entropies = sums.entropy(self.distributions, "distributions", normalise=False)
        count = len(entropies)
        # At the end of a phase of kind i, the phases of kind i − d make up a share in proportion to growth^−d.
        shares = float(self.growth) ** -np.arange(count)
        shares /= shares.sum()
        turns = [float(shares @ entropies[(i - np.arange(count)) % count]) for i in range(count)]
        return min(turns), max(turns)

    def _no_long_run(self) -> NoReturn:
        message = f"{self!r} has no long run: {self.settles.reason}; entropy_curves shows its entropy by length"
        raise UndefinedError(message)

    @property
    def settles(self) -> Verdict:
        """Never so: the latest phase always outweighs all before it."""
        return Verdict(
            False, f"each phase is {self.growth} times as long as the one before, so no average over time settles"
        )

    @property
    def is_stationary(self) -> Verdict:
        """Never so."""
        return Verdict(False, "the distribution of a symbol changes from phase to phase")

    @property
    def is_ergodic(self) -> Verdict:
        """Never so: averages over time do not settle."""
        return Verdict(False, self.settles.reason)

    @property
    def is_mixing(self) -> Verdict:
        """Always so: the symbols are independent."""
        return Verdict(True, "each symbol is independent of all before it, although its distribution changes with time")

    @property
    def ergodic_components(self) -> tuple[tuple[float, Process], ...]:
        """There are none: an UndefinedError."""
        self._no_long_run()

    def rate(self, *, unit: Unit = "bits", tolerance: float = 1e-9, seed: Seed = None) -> Rate:
        """The entropy rate where all rows have the same entropy; else an UndefinedError that names the two limits."""
        lower, upper = (limit * check.nats_per("bits") for limit in self.rate_limits)
        if upper - lower > 1e-12:
            per = check.nats_per(unit)
            message = (
                f"H(X₁…Xₙ)/n swings between {lower / per:.6g} and {upper / per:.6g} {check.unit_name(unit)} for ever, "
                "so the process has no entropy rate; rate_limits gives both, and entropy_curves the curve"
            )
            raise UndefinedError(message, value=(lower / per, upper / per))
        return Rate.exact((lower + upper) / 2).to(unit)

    def _varentropy_nats(self) -> float:
        self._no_long_run()

    # ---- what Process asks for ---------------------------------------------------------------------------------------

    def _sample(self, n: int, paths: int, seed: NDArray[np.uint64]) -> tuple[Ids, Ints]:
        ids = self._new_ids(paths, n)
        for number, (kind, start, end) in enumerate(self._spans(n)):
            part = self._new_ids(paths, end - start)
            _core.sample_chain(self.distributions[kind : kind + 1], 0, sub_seed(seed, number), part)
            ids[:, start:end] = part
        return ids, np.full(paths, -1, dtype=np.int64)

    def _logprobs(self, ids: Ids, out: Floats | None) -> Floats:
        logs = safe_log(self.distributions)
        steps = logs[self._kinds(ids.shape[1]), ids]
        if out is not None:
            out[...] = steps
        return np.array([math.fsum(row) for row in steps])

    def _blocks(self, length: int) -> Floats:
        words = np.ones(1)
        for kind in self._kinds(length):
            words = np.multiply.outer(words, self.distributions[kind]).ravel()
        return words

    def _conditional_entropies(self, longest: int) -> Floats:
        nats = sums.entropy(self.distributions, "distributions", normalise=False) * check.nats_per("bits")
        return np.asarray(nats[self._kinds(longest)])

    def _steady_blocks(self, length: int) -> Floats:
        self._no_long_run()

    def _possible_blocks(self, length: int) -> Bools:
        self._no_long_run()

    def _linear(self) -> Linear:
        self._no_long_run()


__all__ = ["Phases"]
