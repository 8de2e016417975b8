"""How counts become probabilities: the smoothing methods by name, their parameters, and what is noted about them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import Any, TypeAlias

from bitmeter import _core
from bitmeter._util.check import integer, items, shown
from bitmeter.errors import ChoiceError, InputTypeError, RangeError

__all__ = ["SMOOTHINGS", "Smoothing"]

#: The smoothing methods of n-gram models, by name.
SMOOTHINGS = (
    "modified-kneser-ney", "kneser-ney", "absolute", "katz", "witten-bell", "jelinek-mercer", "lidstone", "laplace",
    "maximum-likelihood", "stupid-backoff",
)  # fmt: skip

#: What the core reports for each order: its discounts by count, and whether they could not be estimated.
_Discounts: TypeAlias = list[tuple[list[float], bool]]

#: Parameters: their name, whether it must be given (else: its default, NaN for estimated), and its open bounds.
_PARAMETERS: dict[str, tuple[str, float | None, float]] = {
    "lidstone": ("delta", None, math.inf),
    "absolute": ("discount", math.nan, 1.0),
    "kneser-ney": ("discount", math.nan, 1.0),
    "stupid-backoff": ("alpha", 0.4, 1.0),
}
_MOST_DELTA = 1e6


@dataclass(frozen=True, slots=True)
class Smoothing:
    """A smoothing method with its parameter.

    Attributes
    ----------
    method
        One of `SMOOTHINGS`.
    parameter
        That of `lidstone` (what is added to each count), `stupid-backoff` (what each shortening costs), `absolute` or
        `kneser-ney` (the discount); NaN where it is estimated or there is none.
    """

    method: str
    parameter: float = math.nan

    @classmethod
    def of(cls, value: Any) -> Smoothing:
        """From a name, or a name and a parameter such as `lidstone:0.1`."""
        name, _, rest = value.partition(":") if isinstance(value, str) else ("", "", "")
        if name not in SMOOTHINGS:
            options = ", ".join(repr(option) for option in SMOOTHINGS)
            message = f"smoothing is {shown(value)}; it must be one of {options} (some take a parameter: lidstone:0.1)"
            raise ChoiceError(message, value=value)
        if name == "laplace" and not rest:
            return cls(name, 1.0)
        if name not in _PARAMETERS:
            if ":" in value:
                message = f"smoothing is {shown(value)}, but {name} has no parameter; type {name}"
                raise ChoiceError(message, value=value)
            return cls(name)
        what, default, most = _PARAMETERS[name]
        if not rest:
            if default is None:
                message = f"{name} needs its {what}: type {name}:0.1, or laplace for {name}:1"
                raise ChoiceError(message, value=value)
            return cls(name, default)
        return cls(name, _number(name, what, rest, most))

    @property
    def is_distribution(self) -> bool:
        """Whether what it gives sums to one."""
        return self.method != "stupid-backoff"

    @property
    def adjusted(self) -> bool:
        """Whether an n-gram counts as often as different words came before it, below the highest order."""
        return self.method in ("kneser-ney", "modified-kneser-ney")

    @property
    def core_name(self) -> str:
        """How the core calls the method."""
        return "lidstone" if self.method == "laplace" else self.method

    @property
    def tunes(self) -> bool:
        """Whether it learns from a held-out text: its weights, or its discounts."""
        return self.method in ("jelinek-mercer", "modified-kneser-ney")

    def __str__(self) -> str:
        """As it is typed."""
        known = self.method in _PARAMETERS and not math.isnan(self.parameter)
        return f"{self.method}:{self.parameter:g}" if known else self.method

    def notes(self, discounts: _Discounts, heldout_words: int) -> list[str]:
        """Caveats for a reader of the model."""
        notes = []
        undefined = [order for order, (_, fallback) in enumerate(discounts, start=1) if fallback]
        if undefined:
            notes.append(
                f"the text is too small or unusual to estimate the discounts of order "
                f"{', '.join(map(str, undefined))}; {_instead(self.method)}"
            )
        if self.method == "modified-kneser-ney" and heldout_words:
            notes.append(f"the discounts are tuned on a held-out text, by {heldout_words:,} of its units")
        if self.method == "jelinek-mercer" and not heldout_words:
            notes.append(
                "the text is too small to hold a part of it out; all weights are one half, unless you give a heldout "
                "text (--heldout)"
            )
        if not self.is_distribution:
            notes.append("stupid back-off gives scores that do not sum to one: there is no perplexity of it")
        return notes


def _number(name: str, what: str, text: str, most: float) -> float:
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0.0 < found < most or found > _MOST_DELTA:
        upper = f"below {most:g}" if math.isfinite(most) else f"at most {_MOST_DELTA:g}"
        message = f"the {what} of {name} is {shown(text)}; it must be a number above 0 and {upper}, such as {name}:0.4"
        raise RangeError(message, value=text)
    return found


def _instead(method: str) -> str:
    if method == "modified-kneser-ney":
        return "0.5, 1 and 1.5 are used instead"
    if method == "katz":
        return "fewer counts than 5 are discounted there, or all by the same amount"
    return "0.5 is used instead"


def pruning_thresholds(prune: Any, order: int) -> tuple[int, ...]:
    """Pruning thresholds, one per order: the last one given is that of all orders above."""
    if prune is None:
        return ()
    if isinstance(prune, str | bytes):
        message = f"prune is {shown(prune)}; it must be thresholds, one per order, such as (0, 0, 1) (--prune 0,0,1)"
        raise InputTypeError(message, value=prune)
    limits = islice(items(prune, "prune", "thresholds, one per order, such as (0, 0, 1)"), order + 1)
    found = tuple(integer(limit, "a threshold of prune", low=0, high=2**32 - 1) for limit in limits)
    if len(found) > order:
        message = f"prune has more than {order} thresholds for a model of order {order}; give at most one per order"
        raise RangeError(message, value=prune)
    if found and found[0] != 0:
        message = (
            f"prune is {found}, but single words are not pruned, or texts with them would be out of vocabulary; "
            f"begin with 0: {(0, *found[1:])}"
        )
        raise RangeError(message, value=prune)
    if any(later < earlier for earlier, later in pairwise(found)):
        message = (
            f"prune is {found}, but thresholds must not decrease: a longer n-gram that stays needs the shorter ones "
            "within it"
        )
        raise RangeError(message, value=prune)
    found += (found[-1],) * (order - len(found)) if found else ()
    return found if any(found) else ()


def smoothing_metadata(estimation: _core.NgramEstimation, smoothing: Smoothing) -> dict[str, Any]:
    """What the file of a model says about how it was smoothed, and the notes."""
    discounts = estimation.statistics()
    weights, words = estimation.weights()
    result: dict[str, Any] = {"notes": smoothing.notes(discounts, words)}
    if any(any(row) for row, _ in discounts):
        result["discounts"] = [[float(f"{value:.6g}") for value in row] for row, _ in discounts]
    if smoothing.method == "modified-kneser-ney" and words:
        result["heldout_words"] = words
    if smoothing.method == "jelinek-mercer":
        result["heldout_words"] = words
        result["weights"] = [[round(value, 4) for value in row] for row in weights]
    return result
