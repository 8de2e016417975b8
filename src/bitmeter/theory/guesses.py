"""What a random guess costs."""

from __future__ import annotations

from bitmeter._util import check
from bitmeter._util.check import Unit
from bitmeter.theory.special import digamma


def dirichlet_cross_entropy(outcomes: int, concentration: float = 1.0, *, unit: Unit = "bits") -> float:
    """The expected cross-entropy of a prediction that is drawn from a symmetric Dirichlet: E[−log q] = ψ(αV) − ψ(α).

    It does not depend on the truth, because every outcome is treated alike. It is above log V, the cost of the
    constant guess 1/V, by Jensen's inequality; the two meet as `concentration` grows. For a flat Dirichlet the
    difference tends to Euler's constant, 0.577 nats.

    Parameters
    ----------
    outcomes
        V, how many outcomes there are.
    concentration
        α: 1 for a flat Dirichlet, where all predictions are equally likely.
    unit
        "bits", "nats", "hartleys", or the base of the logarithm.

    Examples
    --------
    >>> round(dirichlet_cross_entropy(10_000, unit="nats"), 4)
    9.7875
    """
    size = check.integer(outcomes, "outcomes", low=1, high=2**53)
    alpha = check.real(concentration, "concentration", low=1e-100, high=1e100)
    return float(digamma(alpha * size) - digamma(alpha)) / check.nats_per(unit) + 0.0


__all__ = ["dirichlet_cross_entropy"]
