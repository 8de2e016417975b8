"""Anytime-valid evidence between two models: e-values, which may be looked at after every document."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from bitmeter._util.check import Floats
from bitmeter.measure.interval.inputs import read, read_clip

#: Bets of the e-process: the largest share of the wealth, and the variance assumed before the first document.
LARGEST_BET, PRIOR_SPREAD = 0.75, 0.02
#: E-values stop growing here, so that they stay finite.
LARGEST_E = 1e300


def e_process(a: ArrayLike, b: ArrayLike, denominators: ArrayLike, *, clip: float = 0.25) -> Floats:
    """The e-value after each document: the wealth of a gambler who starts with 1 and bets that one model is better.

    The bet on a document is placed before its costs are seen: a share of the wealth that depends on the documents
    before it (an approximate Kelly bet, at most 3/4), won or lost in proportion to the difference per byte, clipped to
    ±`clip`. Half of the initial wealth bets on each model. If no document's clipped difference, given those before it,
    favours either model in expectation, then the expected wealth never grows, and with probability 95 % it never
    reaches 20, however often one looks and whenever one stops. Every document has the same weight, whatever its length.

    Parameters
    ----------
    a, b
        The costs of each document under the two models, in the order in which they were scored.
    denominators
        The size of each document; there is no bet on an empty one.
    clip
        The largest difference that counts, in the unit of a and b per unit of the denominators. Fix it before looking
        at the data: the default is meant for bits per byte, where models worth testing rarely differ by more.

    Returns
    -------
    ndarray
        As long as a.

    Examples
    --------
    >>> values = e_process(np.full(30, 9.0), np.full(30, 10.0), np.full(30, 10))
    >>> [round(float(values[i]), 2) for i in (0, 5, 29)]
    [1.0, 2.36, 1008.19]
    """
    first, second, n = read(a, denominators, "a")[0], *read(b, denominators, "b")
    return wealth(differences(first, second)[0], n, read_clip(clip))


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
    gains = np.clip(np.divide(d, n * clip, out=np.zeros_like(d), where=n > 0.0), -1.0, 1.0)
    # Each bet depends only on the gains before it: hence sums without their last term.
    means = np.concatenate([[0.0], np.cumsum(gains)[:-1]])
    spreads = PRIOR_SPREAD + np.concatenate([[0.0], np.cumsum(np.square(gains))[:-1]])
    bets = np.clip(means / spreads, -LARGEST_BET, LARGEST_BET)
    on_more = np.cumsum(np.log1p(np.maximum(bets, 0.0) * gains))
    on_less = np.cumsum(np.log1p(np.minimum(bets, 0.0) * gains))
    logs = np.logaddexp(on_more, on_less) - math.log(2.0)
    return np.asarray(np.exp(np.minimum(logs, math.log(LARGEST_E))), dtype=np.float64)
