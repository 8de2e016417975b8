"""Results of processes: verdicts with a reason, classes of states, rates with their limits."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace

from bitmeter._util import check
from bitmeter._util.check import Unit


@dataclass(frozen=True, slots=True)
class Verdict:
    """Yes or no, and why; usable as a truth value.

    Examples
    --------
    >>> from bitmeter import Markov
    >>> verdict = Markov([[0, 1], [1, 0]]).is_mixing
    >>> bool(verdict)
    False
    >>> print(verdict)
    no: the chain has period 2: it never forgets at which of its 2 phases it started
    """

    holds: bool
    reason: str

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return f"{'yes' if self.holds else 'no'}: {self.reason}"


@dataclass(frozen=True, slots=True)
class StateClass:
    """States (or contexts) of a chain that can all reach each other.

    A recurrent class is never left; a transient one is left for good sooner or later. `period` is the greatest common
    divisor of the lengths of its loops, 0 where there is no way back. `reachable` says whether the process, started
    as it is, can ever get there.
    """

    states: tuple[Hashable, ...]
    recurrent: bool
    period: int
    reachable: bool

    def __str__(self) -> str:
        kind = "recurrent" if self.recurrent else "transient"
        return f"{kind}, period {self.period}: {', '.join(check.shown(state, str) for state in self.states)}"


@dataclass(frozen=True, slots=True)
class Rate:
    """An amount of information per step, how it was found, and the limits within which it lies.

    `lower` and `upper` are the value itself where there is a closed form, proven bounds where the method is one of
    bounds, the value ± an estimate of its numerical error where it is a belief grid, and the 95 % interval of an
    estimate from samples otherwise; `standard_error` is 0 unless it is such an estimate. `variance_rate` is the
    asymptotic variance of the sum of n steps, divided by n, where it was found along the way, and `variance_error` how
    far that may be off: its numerical error on a grid, its standard error from samples.
    """

    value: float
    lower: float
    upper: float
    standard_error: float
    method: str
    unit: Unit
    variance_rate: float | None = None
    variance_error: float = 0.0

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        if self.standard_error > 0:
            limits = f" ± {self.standard_error:.2g} (standard error)"
        elif self.lower < self.upper:
            limits = f" within [{self.lower:.10g}, {self.upper:.10g}]"
        else:
            limits = ""
        return f"{self.value:.10g} {check.unit_name(self.unit)} per step{limits}, {self.method}"

    @classmethod
    def exact(cls, nats: float, method: str = "closed form", variance: float | None = None) -> Rate:
        """A rate that is known."""
        return cls(nats, nats, nats, 0.0, method, "nats", variance)

    def to(self, unit: Unit) -> Rate:
        """The same rate in another unit."""
        factor = check.nats_per(self.unit) / check.nats_per(unit)
        variance = None if self.variance_rate is None else self.variance_rate * factor**2
        return replace(
            self,
            value=self.value * factor,
            lower=self.lower * factor,
            upper=self.upper * factor,
            standard_error=self.standard_error * factor,
            variance_rate=variance,
            variance_error=self.variance_error * factor**2,
            unit=unit,
        )


def blend(rates: list[tuple[float, Rate]]) -> Rate:
    """The weighted mean of independent rates, all in one unit, with its limits."""
    if len(rates) == 1:
        return rates[0][1]

    def mean(name: str) -> float:
        return math.fsum(weight * getattr(rate, name) for weight, rate in rates)

    error = math.sqrt(math.fsum((weight * rate.standard_error) ** 2 for weight, rate in rates))
    methods = "; ".join(dict.fromkeys(rate.method for _, rate in rates))
    return Rate(mean("value"), mean("lower"), mean("upper"), error, methods, rates[0][1].unit)


__all__ = ["Rate", "StateClass", "Verdict", "blend"]
