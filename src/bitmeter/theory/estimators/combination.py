"""Sums and differences of entropies of jointly observed variables: mutual information and its relatives, from counts.

Every such measure is Σ c_S H(X_S) over subsets S of the variables. In samples the large subsets are the worst covered,
so that errors of the entropies do not cancel: this module has the corrections, the spread and the permutations that all
the measures share. All in nats.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bitmeter._util.arrays import Floats, Ints
from bitmeter.theory.estimators.spectrum import FORMULAS, Spectrum
from bitmeter.theory.multivariate import Terms, dense, group

__all__ = ["Combination"]

_ENTRIES = 1 << 22  # numbers held at a time


@dataclass(frozen=True, eq=False)
class Combination:
    """Σ c_S H(X_S) of columns of symbols, each numbered from zero.

    Attributes
    ----------
    columns
        The variables' symbols, one array for each.
    terms
        The subsets and their coefficients.
    strata
        Which variables a permutation keeps with each other; the others are permuted, each by itself, among the
        observations that agree in all of these.
    """

    columns: Sequence[Ints]
    terms: Terms
    strata: tuple[int, ...] = ()

    @property
    def observations(self) -> int:
        """N."""
        return int(self.columns[0].size)

    @cached_property
    def groups(self) -> dict[tuple[int, ...], tuple[Ints, Ints]]:
        """For each subset: the number of each observation's combination of symbols, and how often each occurs."""
        result = {}
        for subset in self.terms:
            numbers, kinds = self._join(subset)
            result[subset] = numbers, np.bincount(numbers, minlength=kinds)
        return result

    def _join(self, subset: tuple[int, ...]) -> tuple[Ints, int]:
        if not subset:
            return np.zeros(self.observations, dtype=np.int64), 1
        return group([self.columns[index] for index in subset])

    def estimate(self, method: str) -> float:
        """With the entropies by one of `FORMULAS`."""
        formula = FORMULAS[method]
        parts = [
            coefficient * formula(Spectrum.of_counts(self.groups[subset][1]), None)
            for subset, coefficient in self.terms.items()
        ]
        return math.fsum(parts)

    def coverage(self) -> float:
        """1 − f₁/N of the largest subset."""
        if not self.terms:  # what cancels, as in the O-information of two variables
            return 1.0
        counts = self.groups[max(self.terms, key=len)][1]
        return 1 - int((counts == 1).sum()) / self.observations

    def deviation(self, method: str, per_unit: float = 1.0) -> float | None:
        """The jackknife's standard deviation: each observation left out once, exactly.

        Without one observation of a symbol seen n times, an entropy depends on n alone, so that each is computed once
        for each n. For "shuffle" that of the plug-in estimate, from which it differs by a constant.
        """
        total = self.observations
        if total < 3:
            return None
        formula = FORMULAS["maximum-likelihood" if method == "shuffle" else method]
        left_out = np.zeros(total)
        for subset, coefficient in self.terms.items():
            numbers, counts = self.groups[subset]
            values, places = np.unique(counts, return_inverse=True)
            kinds = np.bincount(places)
            without = [formula(_without(values, kinds, place), None) for place in range(values.size)]
            left_out += coefficient * np.array(without)[places][numbers]
        return math.sqrt((total - 1) * float(np.var(left_out))) / per_unit

    def permuted(self, number: int, rng: np.random.Generator) -> Floats:
        """The plug-in estimates of samples with the variables permuted, each by itself, within the strata."""
        fixed = [set(subset) for subset in self.terms if len(set(subset) - set(self.strata)) <= 1]
        constant = math.fsum(c * _entropy(self.groups[s][1]) for s, c in self.terms.items() if set(s) in fixed)
        changing = {s: c for s, c in self.terms.items() if set(s) not in fixed}
        found = np.full(number, constant)
        for start, size in _batches(number, self.observations):
            shuffled = self._shuffle(size, rng)
            for subset, coefficient in changing.items():
                found[start : start + size] += coefficient * _entropies(*_joined(shuffled, subset))
        return found

    def _shuffle(self, size: int, rng: np.random.Generator) -> list[Ints]:
        """Each column as a table of `size` rows, permuted unless it is the first free one or among the strata."""
        total = self.observations
        free = [index for index in range(len(self.columns)) if index not in self.strata]
        stratum, strata = self._join(self.strata)
        by_stratum = np.argsort(stratum, kind="stable")
        result = []
        for index, column in enumerate(self.columns):
            rows = np.broadcast_to(column, (size, total))
            if index in free[1:]:
                if strata == 1:
                    rows = rng.permuted(rows, axis=1)
                else:
                    keys = stratum + rng.random((size, total))
                    table = np.empty((size, total), dtype=np.int64)
                    table[:, by_stratum] = column[np.argsort(keys, axis=1)]
                    rows = table
            result.append(rows)
        return result


def _without(values: Ints, kinds: Ints, place: int) -> Spectrum:
    """The spectrum without one observation of a symbol that was seen `values[place]` times."""
    change = np.zeros(values.size, dtype=np.int64)
    change[place] = -1
    return Spectrum.of_pairs(np.append(values, values[place] - 1), np.append(kinds + change, 1))


def _batches(number: int, width: int) -> Iterator[tuple[int, int]]:
    size = max(1, _ENTRIES // (4 * max(width, 1)))
    for start in range(0, number, size):
        yield start, min(size, number - start)


def _joined(columns: Sequence[Ints], subset: tuple[int, ...]) -> tuple[Ints, int]:
    """The numbers of combinations of symbols, row by row, and a bound that they stay below."""
    numbers, bound = np.zeros(columns[0].shape, dtype=np.int64), 1
    for index in subset:
        kinds = int(columns[index].max()) + 1
        if bound > 2**62 // kinds:
            flat, bound = dense(numbers.ravel())
            numbers = flat.reshape(numbers.shape)
        numbers = numbers * kinds + columns[index]
        bound *= kinds
    return numbers, bound


def _entropies(numbers: Ints, bound: int) -> Floats:
    """The plug-in entropy of each row."""
    rows, total = numbers.shape
    if bound <= max(4 * total, 1 << 12):
        shifted = numbers + bound * np.arange(rows)[:, None]
        sums = _n_log_n(np.bincount(shifted.ravel(), minlength=rows * bound)).reshape(rows, bound).sum(axis=1)
    else:
        ordered = np.sort(numbers, axis=1)
        starts = np.ones(numbers.shape, dtype=bool)
        starts[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
        places = np.flatnonzero(starts)
        counts = np.diff(np.append(places, starts.size))
        sums = np.bincount(places // total, weights=_n_log_n(counts), minlength=rows)
    return np.asarray(math.log(total) - sums / total)


def _entropy(counts: Ints) -> float:
    total = int(counts.sum())
    return math.log(total) - float(_n_log_n(counts).sum()) / total


def _n_log_n(counts: Ints) -> Floats:
    return np.asarray(counts * np.log(np.maximum(counts, 1)))
