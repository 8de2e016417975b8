"""The weights of a mixture, found by expectation maximisation: one set in all, or one per bucket of histories."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bitmeter._util.arrays import Floats, Ints
from bitmeter.models.mixture.gate import Gate

#: The gain per unit, in nats, below which the weights have converged.
_SETTLED = 1e-9
_MOST = 1000
#: The prior of a bucket's weights: as if so many more units with the overall weights had come.
_PRIOR = 20.0
_BUCKET_SETTLED, _BUCKET_MOST = 1e-6, 60


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each component.

    Attributes
    ----------
    overall
        The weights where no bucket is known.
    rows
        For each bucket; None where there are none.
    gate
        The weights by the history; None where there is none.
    """

    overall: Floats
    rows: Floats | None = None
    gate: Gate | None = None

    def at(self, buckets: Ints | None) -> Floats:
        """The weights of each unit, one row per component; a gate has several kinds per unit, one row for each."""
        if self.gate is not None and buckets is not None:
            return self.gate.at(buckets)
        if self.rows is None or buckets is None:
            return np.asarray(self.overall[:, None])
        return np.asarray(self.rows[buckets].T)


def mixed(logs: Floats, weights: Floats) -> Floats:
    """ln of the weighted mean of probabilities, over rows."""
    top = logs.max(axis=0)
    top = np.where(np.isfinite(top), top, 0.0)
    total = (weights * np.exp(logs - top)).sum(axis=0)
    with np.errstate(divide="ignore"):
        return np.asarray(np.minimum(top + np.log(total), 0.0))


def best_weights(logs: Floats) -> tuple[Floats, int]:
    """The weights under which a text is likeliest, and how many steps it took.

    The likelihood is concave in the weights, so expectation maximisation converges to the optimum.
    """
    scaled = _scaled(logs)
    weights = np.full(len(logs), 1.0 / len(logs))
    before = -math.inf
    steps = 0
    while steps < _MOST:
        steps += 1
        shares = weights[:, None] * scaled
        totals = shares.sum(axis=0)
        likelihood = float(np.log(totals).mean())
        weights = (shares / totals).mean(axis=1)
        if likelihood - before < _SETTLED:
            break
        before = likelihood
    return weights / weights.sum(), steps


def best_rows(logs: Floats, buckets: Ints, number: int, overall: Floats) -> Floats:
    """The same for each bucket, leaning towards the overall weights where a bucket has few units."""
    scaled = _scaled(logs)
    order = np.argsort(buckets[_possible(logs)], kind="stable")
    sorted_buckets = buckets[_possible(logs)][order]
    scaled = np.ascontiguousarray(scaled[:, order])
    present, starts = np.unique(sorted_buckets, return_index=True)
    sizes = np.diff(np.append(starts, len(sorted_buckets)))
    rows = np.tile(overall[:, None], (1, len(present)))
    before = -math.inf
    for _ in range(_BUCKET_MOST):
        shares = np.repeat(rows, sizes, axis=1)
        shares *= scaled
        totals = shares.sum(axis=0)
        shares /= totals
        rows = np.add.reduceat(shares, starts, axis=1) + _PRIOR * overall[:, None]
        rows /= rows.sum(axis=0)
        likelihood = float(np.log(totals).mean())
        if likelihood - before < _BUCKET_SETTLED:
            break
        before = likelihood
    table = np.tile(overall, (number, 1))
    table[present] = rows.T
    return table


def _possible(logs: Floats) -> NDArray[np.bool_]:
    """Where at least one component gives a probability above 0; elsewhere no weights help."""
    return np.asarray(np.isfinite(logs.max(axis=0)))


def _scaled(logs: Floats) -> Floats:
    kept = logs[:, _possible(logs)]
    return np.asarray(np.exp(kept - kept.max(axis=0)))
