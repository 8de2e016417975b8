"""The two curves whose limit is the entropy rate: H(X₁…Xₙ)/n and H(Xₙ|X₁…Xₙ₋₁)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bitmeter._util import check
from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.check import Unit
from bitmeter.theory.processes.base import Process, a_process, frozen


@dataclass(frozen=True, slots=True, eq=False)
class EntropyCurves:
    """The entropy per symbol H(X₁…Xₙ)/n and that of the next one, H(Xₙ|X₁…Xₙ₋₁), for growing n.

    Attributes
    ----------
    n
        1, 2, …, the longest.
    average
        H(X₁…Xₙ)/n, the entropy per symbol of the first n.
    conditional
        H(Xₙ|X₁…Xₙ₋₁), the entropy of the n-th symbol given all before it. By the chain rule the average is the mean
        of the first n of these. For a stationary process both fall, this one below the other, to the entropy rate.
    unit
        Of both.
    """

    n: Ints
    average: Floats
    conditional: Floats
    unit: Unit

    def __str__(self) -> str:
        last = int(self.n[-1])
        return (
            f"at n = {last}: H(X₁…Xₙ)/n = {self.average[-1]:.6g}, "
            f"H(Xₙ|X₁…Xₙ₋₁) = {self.conditional[-1]:.6g} {check.unit_name(self.unit)}"
        )


def entropy_curves(process: Process, longest: int, *, unit: Unit = "bits") -> EntropyCurves:
    """The curves H(X₁…Xₙ)/n and H(Xₙ|X₁…Xₙ₋₁) of a process from its start, exactly.

    Parameters
    ----------
    process
        Any process.
    longest
        The largest n. `Iid`, `Markov` and `Phases` go to any length; for others all words are listed, and their
        number is limited to 2**24.
    unit
        "bits", "nats", "hartleys", or the base of the logarithm.

    Examples
    --------
    >>> from bitmeter import Markov
    >>> curves = entropy_curves(Markov([[.9, .1], [.5, .5]]), 4)
    >>> curves.average.round(4)
    array([0.65  , 0.6038, 0.5884, 0.5806])
    >>> curves.conditional.round(4)
    array([0.65  , 0.5575, 0.5575, 0.5575])
    """
    a_process(process, "process")
    size = check.integer(longest, "longest", low=1, high=10**7)
    per = check.nats_per(unit)
    conditional = process._conditional_entropies(size) / per
    numbers = np.arange(1, size + 1)
    return EntropyCurves(numbers, frozen(np.cumsum(conditional) / numbers), frozen(conditional), unit)


__all__ = ["EntropyCurves", "entropy_curves"]
