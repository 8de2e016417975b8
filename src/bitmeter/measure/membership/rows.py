"""What each prediction of a document says beside the probability of the token that came: its moments."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter.errors import IncomparableError, ModelError
from bitmeter.measure.divergence import rows_of_both
from bitmeter.measure.options import Settings
from bitmeter.models.protocols import Predictor
from bitmeter.text.corpus.corpus import Corpus

__all__ = ["Moments", "moments", "moments_of_rows"]


@dataclass(frozen=True, slots=True)
class Moments:
    """For each token of a document: ln p of it, Σ p ln p, the standard deviation of ln p, and Σ p ln q of another."""

    logprobs: Floats
    means: Floats
    deviations: Floats
    crosses: Floats

    def __len__(self) -> int:
        return len(self.logprobs)


def moments_of_rows(p: Floats, q: Floats, truth: Floats) -> Moments:
    """From rows of ln p and ln q: the first two moments of ln p under p, and the first of ln q.

    Examples
    --------
    >>> rows = np.log(np.array([[0.5, 0.25, 0.25]]))
    >>> found = moments_of_rows(rows, rows, np.log(np.array([0.25])))
    >>> [round(float(x[0]), 6) for x in (found.means, found.deviations, found.crosses)]
    [-1.039721, 0.346574, -1.039721]
    """
    weights = np.exp(p)
    some = weights > 0.0
    with np.errstate(invalid="ignore"):
        logs = np.where(some, p, 0.0)
        means = (weights * logs).sum(axis=1)
        # Around the mean: the difference of two large sums would lose the digits of a small variance.
        squares = (weights * np.square(np.where(some, p - means[:, None], 0.0))).sum(axis=1)
        crosses = np.where(some, weights * np.where(some, q, 0.0), 0.0).sum(axis=1)
    return Moments(truth, means, np.sqrt(squares), crosses)


def moments(one: Predictor, two: Predictor, document: bytes, settings: Settings) -> Moments:
    """The moments of all predictions of a document; `two` is the other model, or the same."""
    if len(one.outcomes) != len(two.outcomes):
        message = f"{one.name} and {two.name} do not predict the same outcomes, so that there is no cross-entropy"
        raise IncomparableError(message)
    parts: list[Moments] = []
    for _, rows in rows_of_both(one, two, Corpus.from_documents([document]), settings):
        for p, q, truth in rows:
            if np.isnan(p).any() or np.isnan(q).any():
                message = f"{one.name} or {two.name} gave NaN among its predictions, so that they have no moments"
                raise ModelError(message)
            parts.append(moments_of_rows(p, q, np.take_along_axis(p, truth, axis=1)[:, 0]))
    if not parts:
        nothing = np.zeros(0)
        return Moments(nothing, nothing, nothing, nothing)
    columns = ((part.logprobs, part.means, part.deviations, part.crosses) for part in parts)
    return Moments(*(np.concatenate(column) for column in zip(*columns, strict=True)))
