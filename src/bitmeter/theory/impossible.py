"""Why a cross-entropy is infinite: the events that p has and q gives probability 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bitmeter._util import check
from bitmeter.errors import InputTypeError
from bitmeter.theory import continuous, sums
from bitmeter.theory.conditional import Conditional, _pair_items
from bitmeter.theory.densities import Discrete, Gaussian
from bitmeter.theory.distributions import Distribution
from bitmeter.theory.inputs import Of, as_pair


@dataclass(frozen=True, slots=True)
class Impossible:
    """The events with p > 0 = q. Empty, and false, where the cross-entropy is finite.

    Attributes
    ----------
    events
        Pairs of an event (label, index, or (context, outcome)) and its mass under p, the heaviest first.
    mass
        Their mass under p together.
    """

    events: tuple[tuple[Any, float], ...]
    mass: float

    def __bool__(self) -> bool:
        return self.mass > 0.0

    def __str__(self) -> str:
        if not self:
            return "finite: everything that happens under p is possible under q"
        listed = ", ".join(f"{check.shown(event)} ({mass:.4g})" for event, mass in self.events[:10])
        more = f", and {len(self.events) - 10} more" if len(self.events) > 10 else ""
        kinds = f"{len(self.events)} event{'s' * (len(self.events) != 1)}"
        return f"infinite: {kinds} with {self.mass:.4g} of the mass of p cannot happen under q: {listed}{more}"


def explain_infinite(p: Any, q: Any, *, of: Of = "auto", normalise: bool = False) -> Impossible:
    """Which events make the cross-entropy of p under q infinite, and how much of p they are.

    Takes what `cross_entropy` takes. For densities the events are the intervals outside of q's support.

    Examples
    --------
    >>> p = Distribution({"a": 0.25, "b": 0.5, "r": 0.25, "y": 0.0})
    >>> print(explain_infinite("baby", p))
    infinite: 1 event with 0.25 of the mass of p cannot happen under q: 'y' (0.25)
    >>> bool(explain_infinite("barb", p))
    False
    """
    if continuous.is_frozen(p) or continuous.is_frozen(q):
        first, second = continuous.frozen(p, "p"), continuous.frozen(q, "q")
        if isinstance(first, Discrete) and isinstance(second, Discrete):
            return _impossible(list(first.impossible(second)))
        if isinstance(first, Gaussian) and isinstance(second, Gaussian):
            return _impossible([])
        low, high = map(float, second.support())
        tails = (((-np.inf, low), float(first.cdf(low))), ((high, np.inf), float(first.sf(high))))
        return _impossible([tail for tail in tails if tail[1] > 0.0])
    if isinstance(q, Conditional):
        joint = p if isinstance(p, Distribution) else q.pairs(p)
        return _impossible([(e, mass) for e, mass in _pair_items(joint) if mass > 0 and q.probability(e[1], e[0]) == 0])
    names, first, second, divide = as_pair(p, q, of, normalise)
    if isinstance(first, tuple):
        masses, chances = np.array([float(x) for x in first]), np.array([x > 0 for x in second])
    elif first.ndim != 1:
        message = f"p has shape {first.shape}; explain one row at a time"
        raise InputTypeError(message, value=p)
    else:
        masses = check.probabilities(first, "p", normalise=divide)
        chances = check.probabilities(second, "q", normalise=divide)
    places = np.flatnonzero((masses > 0) & (chances == 0)).tolist()
    return _impossible([(i if names is None else names[i], float(masses[i])) for i in places])


def _impossible(events: list[tuple[Any, float]]) -> Impossible:
    ordered = sorted(events, key=lambda event: -event[1])
    return Impossible(tuple(ordered), sums.total([mass for _, mass in ordered]))
