"""The result of estimating information between variables, and the statistics that such results share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bitmeter._util import check
from bitmeter._util.arrays import Floats
from bitmeter._util.check import Unit
from bitmeter.errors import RangeError

__all__ = ["InformationEstimate", "checked_confidence", "p_value", "reach"]


@dataclass(frozen=True, slots=True)
class InformationEstimate:
    """Information between variables, estimated from a sample.

    Attributes
    ----------
    value
        The estimate. Corrections are not cut off at zero: a value slightly below it says that nothing was found.
    unit
        What `value`, `plug_in` and `interval` are measured in.
    measure
        What is estimated: "mutual-information", "conditional-mutual-information", "total-correlation",
        "dual-total-correlation", "o-information", "differential-entropy" or "kl-divergence".
    method
        How it was estimated.
    plug_in
        The measure of the observed frequencies, for comparison; None for real numbers.
    coverage
        1 − (combinations seen once) / observations; None for real numbers.
    observations
        How many observations there are.
    interval
        Where the estimate would fall in other samples of this size, about its own mean; None if it is not known. It
        does not contain the bias that remains.
    confidence
        The probability that `interval` stands for.
    p_value
        The share of permuted samples whose plug-in estimate is at least as large, the sample itself included; None
        without permutations.
    permutations
        How many permuted samples there were.
    note
        Caveats, as sentences.
    """

    value: float
    unit: Unit
    measure: str
    method: str
    plug_in: float | None
    coverage: float | None
    observations: int
    interval: tuple[float, float] | None
    confidence: float
    p_value: float | None
    permutations: int
    note: str

    def __str__(self) -> str:
        spread = p_value = plug_in = ""
        if self.interval is not None:
            spread = f" ({100 * self.confidence:g}% interval {self.interval[0]:.4f} to {self.interval[1]:.4f})"
        if self.plug_in is not None and self.coverage is not None:
            plug_in = f"plug-in {self.plug_in:.4f} · coverage {self.coverage:.4f} · "
        if self.p_value is not None:
            p_value = f" · p = {self.p_value:.3g} by {self.permutations} permutations"
        return (
            f"{self.measure.replace('-', ' ')} {self.value:.4f} {check.unit_name(self.unit)} by {self.method}{spread}\n"
            f"{plug_in}{self.observations} observations{p_value}\n{self.note}"
        )


def checked_confidence(value: Any) -> float:
    """A confidence between 0 and 1."""
    number = check.real(value, "confidence")
    if not 1e-6 <= number <= 1 - 1e-9:
        message = f"confidence is {number}; it must lie between 0 and 1, such as 0.95"
        raise RangeError(message, value=number)
    return number


def reach(confidence: float) -> float:
    """How many standard deviations an interval of that confidence reaches on either side."""
    from statistics import NormalDist  # slow to import

    return NormalDist().inv_cdf(0.5 + confidence / 2)


def p_value(observed: float, null: Floats, *, signed: bool) -> float:
    """The share of values at least as large, the observed one included; of sizes where the measure has a sign.

    Examples
    --------
    >>> p_value(0.5, np.array([0.1, 0.7, 0.2]), signed=False)
    0.5
    """
    if signed:
        observed, null = abs(observed), np.abs(null)
    # Equal tables in another order differ in the last digits.
    return (1 + int((null >= observed - 1e-10 * max(1.0, abs(observed))).sum())) / (1 + null.size)
