"""Anytime-valid evidence between two models: e-values, which may be looked at after every document."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from bitmeter._util import check
from bitmeter._util.arrays import Floats, Ints
from bitmeter.measure.interval.inputs import read, read_clip

#: The shares of the wealth that are bet, on each model; the wealth is the mean over these bets.
BETS = (0.3, 0.6, 0.95)
#: A document of more than this many times the mean size counts as one of that size.
LARGEST_SIZE = 2.0
#: E-values stop growing here, so that they stay finite.
LARGEST_E = 1e300


def e_process(a: ArrayLike, b: ArrayLike, denominators: ArrayLike, *, clip: float = 0.25, seed: int = 0) -> Floats:
    """The e-value after each document: the wealth of a gambler who starts with 1 and bets that one model is better.

    Documents are taken in an order drawn by `seed`, because in the order of a collection one kind of document comes
    first. The bet on a document is a fixed share of the wealth, won or lost in proportion to the difference per byte,
    clipped to ±`clip`, times the size of the document, so that bytes count as in the difference per byte; a document of
    more than twice the mean size counts as twice the mean. The wealth is the mean over bets of .3, .6 and .95 on each
    model. If the expected clipped difference, weighed in this way, is zero, the expected wealth never grows, and with
    probability 95 % it never reaches 20, however often one looks and whenever one stops. Documents must be
    independent.

    Parameters
    ----------
    a, b
        The costs of each document under the two models, in the order of the text.
    denominators
        The size of each document; there is no bet on an empty one.
    clip
        The largest difference that counts, in the unit of a and b per unit of the denominators. Fix it before looking
        at the data: the default is meant for bits per byte, where models worth testing rarely differ by more.
    seed
        Of the order in which documents are taken.

    Returns
    -------
    ndarray
        As long as a, in the order in which documents were taken.

    Examples
    --------
    >>> values = e_process(np.full(30, 9.0), np.full(30, 10.0), np.full(30, 10))
    >>> [round(float(values[i]), 2) for i in (0, 5, 29)]
    [1.0, 1.28, 36.76]
    """
    first, second, n = read(a, denominators, "a")[0], *read(b, denominators, "b")
    order = shuffled(n.size, check.integer(seed, "seed", low=0, high=2**63))
    return wealth(differences(first, second)[0][order], n[order], read_clip(clip))


def differences(a: Floats, b: Floats) -> tuple[Floats, str]:
    """a − b with rounding errors set to zero; and a phrase that says where infinities meet, or ""."""
    both = np.isinf(a) & np.isinf(b)
    d = np.subtract(a, b, out=np.zeros_like(a), where=~both)
    larger = np.maximum(np.abs(a), np.abs(b), out=np.zeros_like(a), where=np.isfinite(d))
    d[np.abs(d) <= 4.0 * np.finfo(np.float64).eps * larger] = 0.0
    if both.any():
        return d, f"first together in cluster {int(np.argmax(both))}"
    up, down = d == np.inf, d == -np.inf
    if up.any() and down.any():
        return d, f"the first in cluster {int(np.argmax(up))}, the second in cluster {int(np.argmax(down))}"
    return d, ""


def wealth(d: Floats, n: Floats, clip: float) -> Floats:
    """The wealth after each document, from the differences of costs."""
    bets = np.array([*BETS, *(-bet for bet in BETS)])
    paths = np.cumsum(np.log1p(bets[:, None] * gains(d, n, clip)), axis=1)
    logs = np.logaddexp.reduce(paths, axis=0) - math.log(len(bets))
    return np.asarray(np.exp(np.minimum(logs, math.log(LARGEST_E))), dtype=np.float64)


def gains(d: Floats, n: Floats, clip: float) -> Floats:
    """What a bet of all on the second model would win on each document: at most 1, and as much lost at most."""
    found = np.clip(np.divide(d, n * clip, out=np.zeros_like(d), where=n > 0.0), -1.0, 1.0)
    sizes = n[n > 0.0]
    # The sizes of all documents are known before any of them is scored.
    return found * np.minimum(n / (LARGEST_SIZE * sizes.mean()), 1.0) if sizes.size else found


def shuffled(number: int, seed: int) -> Ints:
    """The numbers below `number` in an order drawn by a seed, which is the same on every machine.

    Each number is hashed (the finaliser of splitmix64), and numbers are sorted by their hashes.

    Examples
    --------
    >>> shuffled(6, 0).tolist(), sorted(shuffled(6, 1).tolist())
    ([2, 4, 5, 1, 0, 3], [0, 1, 2, 3, 4, 5])
    """
    with np.errstate(over="ignore"):
        keys = np.arange(1, number + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed)
        keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        keys = keys ^ (keys >> np.uint64(31))
    return np.argsort(keys, kind="stable").astype(np.int64)
