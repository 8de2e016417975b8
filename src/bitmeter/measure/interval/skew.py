"""The correction of an interval and a p-value for skew: a few clusters that cost far more (Hall 1992)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitmeter import _core

if TYPE_CHECKING:
    from bitmeter._util.arrays import Floats

#: Where neighbours are alike, skew is measured on so many batches of equal size, if there are more clusters than that.
BATCHES = 24
#: Skews below this are none.
_NONE = 1e-9


@dataclass(frozen=True, slots=True)
class Skew:
    """How far the error of a ratio leans to one side.

    Attributes
    ----------
    lean
        The third moment of the error over its standard error cubed.
    scale
        The standard error by which errors are measured.
    """

    lean: float
    scale: float

    def below(self, half: float) -> float:
        """How far below the estimate the interval reaches whose half-width without skew is `half`."""
        return max(half, self._bent(half))

    def above(self, half: float) -> float:
        """How far above the estimate it reaches."""
        return max(half, -self._bent(-half))

    def _bent(self, error: float) -> float:
        if abs(self.lean) < _NONE or self.scale == 0.0:
            return error
        inner = 1.0 + self.lean * (error / self.scale - self.lean / 6.0)
        return self.scale * 3.0 / self.lean * (math.copysign(abs(inner) ** (1.0 / 3.0), inner) - 1.0)

    def straightened(self, estimate: float) -> float:
        """The error from zero that would be as surprising without skew; 0 if skew alone explains the sign."""
        t, a = estimate / self.scale, self.lean
        if abs(t) > 1e50:  # beyond all doubt, and its powers beyond what a double can hold
            return abs(estimate)
        found = t + a * t * t / 3.0 + a * a * t**3 / 27.0 + a / 6.0
        return self.scale * abs(found) if (found > 0.0) == (t > 0.0) else 0.0


def lean_of_sums(residuals: Floats) -> float:
    """The skew of the sum of the residuals.

    Examples
    --------
    >>> import numpy as np
    >>> lean_of_sums(np.array([1.0, -1.0])), round(lean_of_sums(np.array([3.0, -1.0, -1.0, -1.0])), 4)
    (0.0, 0.5774)
    """
    return _core.lean_of_sums(residuals)


def lean_of_rates(residuals: Floats, weights: Floats) -> float:
    """The same from the rates of the clusters, as if they did not depend on size; less noisy where sizes differ."""
    return _core.lean_of_rates(residuals, weights)


def batched(residuals: Floats, sizes: Floats) -> Floats:
    """The residuals summed to batches of about equal size."""
    return _core.batched(residuals, sizes)
