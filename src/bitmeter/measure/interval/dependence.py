"""How far neighbouring clusters are alike: a mixture over models of dependence, weighed by the slow waves of the costs.

Lines of one article are alike, and so are articles of one source, at unknown distances. Each model here says how the
costs along a text would vary if their correlation fell as exp(−distance/length), with some strength over independent
noise; "white" says that neighbours are not alike. The amplitudes of the slowest cosines along the text, in which the
mean is not contained, show which models fit, and each model says how far the mean may then be off. The core does the
arithmetic, so that an interval needs no array of numpy, and has the same digits on every instruction set.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from bitmeter import _core
from bitmeter.theory.student import t_tail

if TYPE_CHECKING:
    from bitmeter._util.arrays import Floats

#: The number of cosines; the lengths of dependence, as shares of the text; and its strengths over independent noise.
COSINES = 32
LENGTHS = tuple(2.0**-power for power in range(7, 0, -1))
STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
#: From this share of the text on, a length of dependence is long.
LONG = 1.0 / 8.0


@dataclass(frozen=True, slots=True)
class Dependence:
    """The models of dependence, weighed by how well they fit a text.

    Attributes
    ----------
    weights
        Of each model; they sum to one.
    scales
        By each model, the scale of the error of the ratio, which follows Student's t.
    degrees
        The degrees of freedom of that t: the number of cosines.
    """

    weights: Sequence[float]
    scales: Sequence[float]
    degrees: int

    @property
    def share_of_long(self) -> float:
        """The weight of the models whose dependence is long against the text: it may be longer than can be seen."""
        return _core.dependence_share(self.weights, LONG)

    def two_sided(self, error: float) -> float:
        """The probability of an error at least this large, in either direction."""
        if not any(self.scales):
            return 1.0 if error == 0.0 else 0.0
        tails = (t_tail(self.degrees, error / scale) for scale in self.scales)
        return min(1.0, 2.0 * math.fsum(weight * tail for weight, tail in zip(self.weights, tails, strict=True)))

    def half_width(self, confidence: float) -> float:
        """The error that is exceeded, in either direction, with probability 1 − confidence."""
        v = self.degrees
        front = math.exp(math.lgamma(0.5 * v + 0.5) - math.lgamma(0.5 * v) - 0.5 * math.log(v * math.pi))
        return _core.dependence_half_width(self.weights, self.scales, v, confidence, front)


def dependence(residuals: Floats, sizes: Floats, number: int, prior: float) -> Dependence:
    """Weigh the models by the residuals of clusters in the order of the text.

    Parameters
    ----------
    residuals
        The cost of each cluster minus what its size would cost at the ratio of all.
    sizes
        The size of each cluster, above zero.
    number
        How many cosines to use.
    prior
        The probability, before looking, that neighbours are not alike.
    """
    return Dependence(*_core.dependence(residuals, sizes, number, prior), number)
