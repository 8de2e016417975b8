"""The falling cost of a model that learns as it reads: a curve that is fitted, so that it is not taken for dependence.

A cost that falls along a text looks like neighbours that are alike over long distances, and the interval would be
several times too wide. What a power law c + a·t^−b of the bytes that were read explains is left out when dependence is
estimated, and what the fit takes from the spread is given back.
"""

from __future__ import annotations

import math

import numpy as np

from bitmeter._util.check import Floats

#: The powers b that are tried.
POWERS = tuple(number / 10 for number in range(1, 10))
#: The curve is not fitted to fewer clusters of equal size, or as many unequal ones as vary like so many.
FEWEST = 6.0
#: The share of the text that counts as read before its first byte, so that the curve is finite there.
_BEFORE = 2.0**-12


def without_curve(residuals: Floats, sizes: Floats, *, either_way: bool = False) -> Floats:
    """The residuals of clusters in the order of the text without their learning curve; as they are if none fits.

    Costs fall as a model learns; a difference to such a model may rise (`either_way`).

    Examples
    --------
    >>> sizes = np.full(20, 1000.0)
    >>> read = np.append(0.0, np.cumsum(sizes)) + 20_000 / 4096
    >>> costs = 2.0 * (read[1:] ** 0.5 - read[:-1] ** 0.5)  # 1/√t at each byte
    >>> left = without_curve(costs - costs.sum() / sizes.sum() * sizes, sizes)
    >>> bool(np.abs(left).max() < 1e-9)
    True
    """
    effective = float(sizes.sum() ** 2 / np.square(sizes).sum())
    largest = float(np.abs(residuals).max(initial=0.0))
    if effective < FEWEST or largest == 0.0:
        return residuals
    rates = residuals / largest / sizes * float(sizes.mean())
    weights = sizes / sizes.sum()
    middle = float((weights * rates).sum())
    total = float((weights * np.square(rates - middle)).sum())
    best, found = total, np.zeros_like(rates)
    ends = np.cumsum(weights) + _BEFORE
    begins = np.append(_BEFORE, ends[:-1])
    for power in POWERS:
        curve = (ends ** (1.0 - power) - begins ** (1.0 - power)) / (ends - begins)
        curve = curve - (weights * curve).sum()
        squares = float((weights * np.square(curve)).sum())
        slope = float((weights * curve * rates).sum()) / squares if squares > 0.0 else 0.0
        left = total - slope * slope * squares
        if (slope > 0.0 or either_way) and left < best:
            best, found = left, slope * curve
    if best == total:
        return residuals
    # Slope and power were chosen from these residuals.
    inflation = math.sqrt((effective - 1.0) / (effective - 3.0))
    return np.asarray((rates - found) * inflation * largest * sizes / float(sizes.mean()))
