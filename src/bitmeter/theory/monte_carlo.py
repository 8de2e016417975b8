"""Cross-entropy of densities by sampling, with its standard error."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bitmeter._util import check
from bitmeter._util.check import Seed, Unit
from bitmeter.theory import continuous


@dataclass(frozen=True, slots=True)
class MonteCarlo:
    """A mean over random draws with its standard error."""

    value: float
    standard_error: float
    samples: int
    unit: Unit

    def __str__(self) -> str:
        return f"{self.value:.6g} ± {self.standard_error:.2g} {check.unit_name(self.unit)} ({self.samples:,} samples)"


def monte_carlo_cross_entropy(
    p: Any, q: Any, *, samples: int = 100_000, unit: Unit = "bits", seed: Seed = None
) -> MonteCarlo:
    """The cross-entropy of two distributions of scipy.stats as a mean over draws from p, with its standard error.

    Examples
    --------
    >>> from scipy.stats import norm
    >>> estimate = monte_carlo_cross_entropy(norm(0, 1), norm(1, 2), unit="nats", samples=10_000, seed=1)
    >>> abs(estimate.value - 1.8621) < 3 * estimate.standard_error
    True
    """
    per = check.nats_per(unit)
    number = check.integer(samples, "samples", low=2, high=10**9)
    first, second = (continuous.frozen(x, name, sampling=True) for x, name in ((p, "p"), (q, "q")))
    value, error = continuous.monte_carlo(first, second, number, check.generator(seed))
    return MonteCarlo(value / per, error / per, number, unit)
