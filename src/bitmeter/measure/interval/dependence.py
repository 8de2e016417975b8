"""How far neighbouring clusters are alike: a mixture over models of dependence, weighed by the slow waves of the costs.

Lines of one article are alike, and so are articles of one source, at unknown distances. Each model here says how the
costs along a text would vary if their correlation fell as exp(−distance/length), with some strength over independent
noise; "white" says that neighbours are not alike. The amplitudes of the slowest cosines along the text, in which the
mean is not contained, show which models fit, and each model says how far the mean may then be off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from bitmeter._util.check import Floats
from bitmeter.theory.student import t_tail

#: The number of cosines; the lengths of dependence, as shares of the text; and its strengths over independent noise.
COSINES = 32
LENGTHS = tuple(2.0**-power for power in range(7, 0, -1))
STRENGTHS = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
#: A longer text is first summed to so many cells.
CELLS = 2048
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

    weights: Floats
    scales: Floats
    degrees: int

    @property
    def share_of_long(self) -> float:
        """The weight of the models whose dependence is long against the text: it may be longer than can be seen."""
        return float(self.weights[1:].reshape(len(LENGTHS), -1)[np.array(LENGTHS) >= LONG].sum())

    def two_sided(self, error: float) -> float:
        """The probability of an error at least this large, in either direction."""
        if not self.scales.any():
            return 1.0 if error == 0.0 else 0.0
        tails = (t_tail(self.degrees, error / scale) for scale in self.scales.tolist())
        return min(
            1.0, 2.0 * math.fsum(weight * tail for weight, tail in zip(self.weights.tolist(), tails, strict=True))
        )

    def half_width(self, confidence: float) -> float:
        """The error that is exceeded, in either direction, with probability 1 − confidence."""
        largest = float(self.scales.max())
        if largest == 0.0:
            return 0.0
        scales = self.scales / largest
        low, high = 0.0, math.inf
        error = 2.0 * float((self.weights * scales).sum())
        for _ in range(200):
            above = float((self.weights * _two_tails(self.degrees, error / scales)).sum()) - (1.0 - confidence)
            low, high = (error, high) if above > 0.0 else (low, error)  # the probability falls with the error
            step = error + above / self._density(error, scales)
            if not low < step < high:
                step = 2.0 * error if math.isinf(high) else 0.5 * (low + high)
            if abs(step - error) <= 1e-13 * error:
                return step * largest
            error = step
        return error * largest

    def _density(self, error: float, scales: Floats) -> float:
        """How fast the probability of a larger error falls."""
        v = self.degrees
        front = math.exp(math.lgamma(0.5 * v + 0.5) - math.lgamma(0.5 * v) - 0.5 * math.log(v * math.pi))
        powers = (1.0 + np.square(error / scales) / v) ** (-0.5 * (v + 1))
        return 2.0 * front * float((self.weights / scales * powers).sum())


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
    whole = float(sizes.sum())
    places = (np.cumsum(sizes) - 0.5 * sizes) / whole
    if residuals.size > CELLS:
        cells = np.minimum((places * CELLS).astype(np.int64), CELLS - 1)
        residuals = np.bincount(cells, residuals, CELLS).astype(np.float64)
        places = (np.arange(CELLS) + 0.5) / CELLS
    waves = np.cos(math.pi * np.arange(1, number + 1)[:, None] * places)
    # Not a matrix product, whose rounding may depend on the number of threads.
    amplitudes = math.sqrt(2.0) * (waves * residuals).sum(axis=1)
    variances = _variances(number)
    fits = (np.square(amplitudes) / variances[:, 1:]).sum(axis=1)
    scales = np.sqrt(variances[:, 0] * fits / number) / whole
    priors = np.full(len(variances), (1.0 - prior) / (len(variances) - 1))
    priors[0] = prior
    if not fits.all():
        return Dependence(priors, np.zeros_like(scales), number)
    logs = np.log(priors) - 0.5 * np.log(variances[:, 1:]).sum(axis=1) - 0.5 * number * np.log(fits)
    weights = np.exp(logs - logs.max())
    return Dependence(weights / weights.sum(), scales, number)


@lru_cache(maxsize=COSINES)
def _variances(number: int) -> Floats:
    """For each model the variance of the mean, then of each cosine, over that of white noise; the first is white."""
    waves = np.arange(number + 1)
    squares = np.square(math.pi * waves)
    rows = [np.ones(number + 1)]
    for length in LENGTHS:
        b = 1.0 / length
        turned = (-1.0) ** waves * math.exp(-b)
        shape = b * b / (squares + b * b) * (1.0 - 2.0 * b * (1.0 - turned) / (squares + b * b))
        shape[0] = 1.0 - length * (1.0 - math.exp(-b))
        rows += [1.0 + strength * shape for strength in STRENGTHS]
    found = np.stack(rows)
    found.setflags(write=False)
    return found


def _two_tails(degrees: int, t: Floats) -> Floats:
    """P(|T| > t) for whole degrees of freedom, in closed form."""
    angles = np.arctan(t / math.sqrt(degrees))
    squares, sines = np.square(np.cos(angles)), np.sin(angles)
    even = degrees % 2 == 0
    term = np.ones_like(t) if even else np.cos(angles)
    inner = term.copy() if degrees > 1 else np.zeros_like(t)
    for k in range(1, (degrees - (0 if even else 1)) // 2):
        term = term * squares * ((2 * k - 1) / (2 * k) if even else 2 * k / (2 * k + 1))
        inner += term
    inside = sines * inner if even else 2.0 / math.pi * (angles + sines * inner)
    return np.maximum(1.0 - inside, 0.0)
