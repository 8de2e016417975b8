"""What a model predicted at positions that are drawn from a text: by `predict`, or by enumerating every next unit."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter._util.check import generator
from bitmeter.errors import ModelError
from bitmeter.measure.audit.enumeration import ALPHA, SECONDS, Watch, enumerate_units, log_sum
from bitmeter.measure.audit.population import Population
from bitmeter.measure.audit.subject import Subject
from bitmeter.models.protocols import Predictor

__all__ = ["Predicted", "Sums", "Watch", "predicted", "sums_after"]

#: From histories and the units that came, ln of the sum of each prediction and ln p of the unit in it.
Sums: TypeAlias = Callable[[Sequence[Ids], Ids, Watch], tuple[Floats, Floats]]

#: At how many positions `predict` is called unless a number was asked for.
POSITIONS = 64
#: The largest vocabulary that is enumerated.
MOST_UNITS = 1 << 17


@dataclass(frozen=True, slots=True)
class Predicted:
    """What the model predicted at the positions that were looked at.

    Attributes
    ----------
    way
        "predict", or "logprobs" for enumeration; "" if there are no predictions.
    positions
        The units, by index in the population.
    logs
        ln of the sum of each prediction.
    own
        ln p of the unit that came, in the prediction.
    costs
        ln p of the unit as it was scored.
    drawn_from
        From how many units the positions were drawn.
    predictable
        How many units are predicted at all; if there are more, the histories of the others are too long to enumerate.
    vocabulary, reach, farthest
        By enumeration: how many units were scored after each history, how many of the last units were shown (None for
        all of them), and the longest history that a position may have.
    alpha
        The chance at which a share of wrong positions is excluded.
    reason
        Why there are no predictions; "" if there are.
    """

    way: str
    positions: Ints
    logs: Floats
    own: Floats
    costs: Floats
    drawn_from: int = 0
    predictable: int = 0
    vocabulary: int = 0
    reach: int | None = None
    farthest: int = 0
    alpha: float = ALPHA
    reason: str = ""

    @property
    def far(self) -> bool:
        """Whether some histories are too long to be looked at."""
        return self.drawn_from < self.predictable


def predicted(
    subject: Subject,
    population: Population,
    positions: int | None,
    seed: int,
    watch: Watch,
    *,
    farthest: int | None = None,
    seconds: float = SECONDS,
    sums: Sums | None = None,
) -> Predicted:
    """Predictions at positions drawn from a text.

    Parameters
    ----------
    positions, seed
        How many positions, and by which seed they are drawn; None for as many as are usual.
    farthest, seconds
        As for `enumerate_units`.
    sums
        Who calls `predict`; None for this process.
    """
    random = generator(seed)
    usable = population.usable
    if not len(usable):
        return _because("no unit of the text is predicted")
    model, reason = subject.model, "it does not expose its next-unit distribution"
    if isinstance(model, Predictor):
        try:
            model.stepper()
        except ModelError as error:  # such as a mixture with a model that does not predict
            reason = str(error)
        else:
            drawn = _drawn(random, usable, POSITIONS if positions is None else positions, population.histories)
            made = sums or (lambda histories, units, watch: sums_after(model, histories, units, watch))
            return _by_predictions(subject, population, drawn, made, watch)
    if model.traits.metered:
        return _because(f"{reason}, and enumerating every next unit would cost a request each")
    size = model.traits.vocabulary or model.units.vocabulary_size
    if size is None or size > MOST_UNITS:
        why = "has no fixed number of units" if size is None else f"has {size:,} units, more than {MOST_UNITS:,}"
        return _because(f"{reason}, and {why}, so that they cannot be enumerated")
    found = enumerate_units(subject, population, size, positions, random, watch, farthest, seconds)
    return Predicted(
        "logprobs",
        found.positions,
        found.logs,
        found.own,
        found.costs,
        found.drawn_from,
        len(usable),
        size,
        found.reach,
        found.farthest,
        found.alpha,
    )


def _because(reason: str) -> Predicted:
    return Predicted("", np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0), reason=reason)


def _drawn(random: np.random.Generator, usable: Ints, number: int, history: Ints) -> Ints:
    """The position with the longest history, and of each of as many equal strata of all others one."""
    if number >= len(usable):
        return usable
    if number == 1:
        return usable[random.integers(len(usable), size=1)]
    far = int(np.argmax(history[usable]))
    others = np.delete(usable, far)
    edges = np.linspace(0.0, len(others), number)
    # A stratum's edges need not be whole: a point is drawn in it, and the unit in which that lies.
    at = np.minimum((edges[:-1] + random.random(number - 1) * np.diff(edges)).astype(np.int64), len(others) - 1)
    found = np.append(others[at], usable[far])
    # Neighbouring strata may share a unit, and others take the place of what was drawn twice.
    rest = np.setdiff1d(usable, found)
    return np.sort(np.append(np.unique(found), random.choice(rest, number - len(np.unique(found)), replace=False)))


def sums_after(model: Predictor, histories: Sequence[Ids], units: Ids, watch: Watch) -> tuple[Floats, Floats]:
    """The sum of the prediction after each history, and the unit that came in it, as logarithms."""
    logs, own = np.empty(len(histories)), np.empty(len(histories))
    for k, history in enumerate(histories):
        row = np.asarray(model.predict(history), dtype=np.float64)
        entry = int(model.outcomes.index(units[k : k + 1])[0])
        logs[k], own[k] = log_sum(row), row[entry] if 0 <= entry < len(row) else -math.inf
        watch(k + 1, len(histories))
    return logs, own


def _by_predictions(subject: Subject, population: Population, drawn: Ints, sums: Sums, watch: Watch) -> Predicted:
    histories = [population.history(position) for position in drawn.tolist()]
    logs, own = sums(histories, population.ids[drawn], watch)
    number = len(population.usable)
    return Predicted("predict", drawn, logs, own, population.costs_of(subject, drawn), number, number)
