"""Predictions of a model that does not expose them: every next unit is scored after a history, many in one call."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter.measure.audit.population import Population
from bitmeter.measure.audit.subject import Subject, distance

__all__ = ["Enumerated", "Watch", "enumerate_units", "log_sum"]

#: Units in one call of the model, at most, unless one document has more.
AT_ONCE = 1 << 20
#: How many of the last units are tried as all that a cost depends on, before whole histories are shown.
REACHES = (16, 64, 256)
#: Units that are shown after parts of histories in all, the most and the fewest positions for that, and for wholes.
SHOWN, MOST_POSITIONS, FEWEST_POSITIONS, USUAL_POSITIONS = 1 << 23, 1024, 128, 64
#: The chance to be wrong in all, and its parts: that of whole histories after others were tried, and of each of those.
ALPHA = 0.05
ALPHA_WHOLE, ALPHA_REACH = 0.8 * ALPHA, 0.2 * ALPHA / len(REACHES)
#: For how long, in seconds, positions are taken unless their number was asked for, and the fewest of them.
SECONDS, LEAST_POSITIONS = 60.0, 4
#: The fewest units that the time is taken to suffice for, and the shortest history that it is worth.
LEAST_SHOWN, LEAST_HISTORY = 1 << 20, 64

#: Called with how many positions are done, of how many.
Watch = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class Enumerated:
    """Predictions at some positions.

    Attributes
    ----------
    positions, logs, own, costs
        The units, ln of the sum of each prediction, ln p of the unit that came, and that as it was scored.
    reach
        How many of the last units were shown; None for whole histories.
    alpha
        The chance to be wrong that is left: where several reaches are tried, they share one.
    farthest
        The longest history that was shown.
    drawn_from
        From how many units positions were drawn.
    """

    positions: Ints
    logs: Floats
    own: Floats
    costs: Floats
    reach: int | None
    alpha: float
    farthest: int
    drawn_from: int


def enumerate_units(
    subject: Subject,
    population: Population,
    size: int,
    number: int | None,
    random: np.random.Generator,
    watch: Watch,
    farthest: int | None = None,
    seconds: float = SECONDS,
) -> Enumerated:
    """Predictions at positions that are drawn at random, by scoring each of `size` units after their histories.

    If a unit costs the same after the last 16 units as in the whole text, at every position that is looked at, then
    its cost is that of a prediction from those 16 units, and only these are shown to the model.

    Parameters
    ----------
    number
        How many positions; None for as many as are quick.
    farthest
        The longest history that may be shown; None for what the time allows.
    seconds
        After which no more positions are taken, where their number was not asked for.
    """
    usable, histories = population.usable, population.histories
    # Of a longer sample the first positions are those of a shorter one, so that one that was cut short can be repeated.
    order = _longest_first(usable[random.permutation(len(usable))], histories)
    longest, alpha = int(histories[order[0]]), ALPHA
    for reach in REACHES:
        if longest <= reach or subject.model.traits.learns:
            break
        alpha = ALPHA_WHOLE
        many = min(MOST_POSITIONS, max(FEWEST_POSITIONS, SHOWN // (size * (reach + 1))))
        drawn = order[: many if number is None else number]
        costs = population.costs_of(subject, drawn)
        if (distance(_own(subject, population, drawn, reach), costs) <= subject.tolerance).all():
            rows = _gathered(subject, population, size, drawn, reach, _until(number, seconds), watch)
            return Enumerated(*_sorted(drawn, *rows, costs), reach, ALPHA_REACH, longest, len(usable))
    if farthest is None:
        farthest = _farthest(histories[usable], size, _speed(subject) * seconds)
    inside = _longest_first(order[histories[order] <= farthest], histories)
    drawn = inside[: USUAL_POSITIONS if number is None else number]
    costs = population.costs_of(subject, drawn)
    rows = _gathered(subject, population, size, drawn, None, _until(number, seconds), watch)
    return Enumerated(*_sorted(drawn, *rows, costs), None, alpha, min(farthest, longest), len(inside))


def _longest_first(order: Ints, histories: Ints) -> Ints:
    far = int(np.argmax(histories[order]))
    return np.concatenate((order[far : far + 1], np.delete(order, far)))


def _until(number: int | None, seconds: float) -> float:
    return math.inf if number is not None else time.monotonic() + seconds


def _sorted(drawn: Ints, logs: Floats, own: Floats, costs: Floats) -> tuple[Ints, Floats, Floats, Floats]:
    """What was done, in the order of the text."""
    order = np.argsort(drawn[: len(logs)])
    return drawn[order], logs[order], own[order], costs[order]


def _own(subject: Subject, population: Population, drawn: Ints, reach: int) -> Floats:
    """ln p of the units that came, after the last units alone."""
    found = np.empty(len(drawn))
    step = max(1, AT_ONCE // (reach + 1))
    for first in range(0, len(drawn), step):
        part = drawn[first : first + step].tolist()
        shown = [np.append(population.history(position, reach), population.ids[position]) for position in part]
        found[first : first + len(part)] = [logs[-1] for logs in subject.logprobs(shown)]
    return found


def _gathered(
    subject: Subject,
    population: Population,
    size: int,
    drawn: Ints,
    reach: int | None,
    until: float,
    watch: Watch,
) -> tuple[Floats, Floats]:
    """ln of the sum of each prediction, and ln p of the unit that came; of the first positions if time runs out."""
    logs, own = np.empty(len(drawn)), np.empty(len(drawn))
    done = 0
    for row in _rows(subject, [population.history(position, reach) for position in drawn.tolist()], size):
        unit = int(population.ids[drawn[done]])
        logs[done], own[done] = log_sum(row), row[unit] if 0 <= unit < size else -math.inf
        done += 1
        watch(done, len(drawn))
        if done >= LEAST_POSITIONS and time.monotonic() > until:
            break
    return logs[:done], own[:done]


def _rows(subject: Subject, histories: list[Ids], size: int) -> Iterator[Floats]:
    """ln p of each unit after each history, several histories in one call where they are short."""
    learns = subject.model.traits.learns
    waiting: list[Ids] = []
    for history in histories:
        if learns or size * (len(history) + 1) > AT_ONCE:
            yield from _several(subject, waiting, size)
            waiting = []
            yield _one(subject, history, size, 1 if learns else AT_ONCE)
            continue
        if sum(size * (len(one) + 1) for one in (*waiting, history)) > AT_ONCE:
            yield from _several(subject, waiting, size)
            waiting = []
        waiting.append(history)
    yield from _several(subject, waiting, size)


def _several(subject: Subject, histories: list[Ids], size: int) -> Iterator[Floats]:
    if not histories:
        return
    found = subject.logprobs([row for history in histories for row in _continued(history, 0, size)])
    last = np.array([logs[-1] for logs in found])
    yield from last.reshape(len(histories), size)


def _one(subject: Subject, history: Ids, size: int, most: int) -> Floats:
    row = np.empty(size)
    at_once = max(1, most // (len(history) + 1))
    for first in range(0, size, at_once):
        last = min(size, first + at_once)
        row[first:last] = [logs[-1] for logs in subject.logprobs(list(_continued(history, first, last)))]
    return row


def _continued(history: Ids, first: int, last: int) -> Ints:
    """The history with each unit behind it, from `first` up to but not including `last`."""
    rows = np.empty((last - first, len(history) + 1), dtype=np.int64)
    rows[:, :-1], rows[:, -1] = history, np.arange(first, last)
    return rows


def log_sum(row: Floats) -> float:
    """ln of the sum of a prediction; inf for NaN."""
    if len(row) == 0 or np.isnan(row).any():
        return math.inf
    top = float(row.max())
    if math.isinf(top):
        return top
    return top + math.log(math.fsum(np.exp(row - top).tolist()))


def _speed(subject: Subject) -> float:
    """Units per second, of the documents that were sampled."""
    begun = time.monotonic()
    subject.logprobs([sample.ids for sample in subject.samples])
    return subject.units / max(1e-6, time.monotonic() - begun)


def _farthest(histories: Ints, size: int, shown: float) -> int:
    """How long a history may be so that a few positions, of which one has the longest, take so many units."""
    shown, low, high = max(shown, LEAST_SHOWN), min(LEAST_HISTORY, int(histories.max())), int(histories.max())
    while low < high:
        middle = (low + high + 1) // 2
        inside = histories[histories <= middle]
        if size * ((LEAST_POSITIONS - 1) * (float(inside.mean()) + 1.0) + float(inside.max()) + 1.0) > shown:
            high = middle - 1
        else:
            low = middle
    return low
