"""Whether predictions sum to one and units cost what was predicted: by `predict`, or by enumerating every next unit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter._util.check import generator
from bitmeter.errors import ModelError
from bitmeter.measure.audit.result import AuditCheck, Correction, Finding, Status
from bitmeter.measure.audit.subject import Subject, distance, place_of, within
from bitmeter.models.protocols import Predictor
from bitmeter.text.units.base import BLANK
from bitmeter.theory.student import t_quantile

__all__ = ["Predicted", "check_sums", "correction", "predicted", "share_bound"]

SUM_TOLERANCE = 1e-4
#: Units that enumeration shows the model in all, in one call, and the shortest history that it is worth.
ENUMERATED, AT_ONCE, LEAST_HISTORY = 1 << 23, 1 << 20, 64
#: The largest vocabulary that is enumerated, and the fewest positions.
MOST_UNITS, LEAST_POSITIONS = 1 << 17, 4
_LN2 = math.log(2.0)

#: Called with how many positions are done, of how many.
Watch = Callable[[int, int], object]


@dataclass(frozen=True, slots=True)
class Predicted:
    """What the model predicted at the positions that were looked at.

    Attributes
    ----------
    way
        "predict", or "logprobs" for enumeration.
    positions
        The units, by index among those that were sampled.
    logs
        ln of the sum of each prediction.
    own
        ln p of the unit that came, in the prediction.
    costs
        ln p of the unit as it was scored, in the whole document.
    vocabulary, longest
        How many units were enumerated, and the longest history that a position may have.
    reach
        From how many units the positions were drawn.
    whole
        Whether those are all units that are predicted; else the histories of the others are too long to enumerate.
    reason
        Why there are no predictions; "" if there are.
    """

    way: str
    positions: Ints
    logs: Floats
    own: Floats
    costs: Floats
    vocabulary: int = 0
    longest: int = 0
    reach: int = 0
    whole: bool = True
    reason: str = ""


def predicted(subject: Subject, positions: int, seed: int, watch: Watch, *, exactly: bool) -> Predicted:
    """Predictions at positions drawn from the sampled documents.

    Parameters
    ----------
    positions, seed
        How many positions, and by which seed they are drawn.
    exactly
        Whether the number was asked for, so that it is not lowered where enumerating takes long.
    """
    random = generator(seed)
    usable = np.flatnonzero(np.concatenate([sample.ids for sample in subject.samples]) != BLANK)
    history = np.concatenate([np.arange(len(sample.ids)) for sample in subject.samples])
    nothing = Predicted("", np.zeros(0, dtype=np.int64), np.zeros(0), np.zeros(0), np.zeros(0))
    if not len(usable):
        return _because(nothing, "no unit of the text is predicted")
    model, reason = subject.model, "it does not expose its next-unit distribution"
    if isinstance(model, Predictor):
        drawn = _drawn(random, usable, positions, history)
        try:
            model.stepper()
        except ModelError as error:  # such as a mixture with a model that does not predict
            reason = str(error)
        else:
            found = _gathered(subject, drawn, watch, "predict", lambda ids, _: _row(model, ids), model.outcomes.index)
            return replace(found, reach=len(usable))
    if model.traits.metered:
        return _because(nothing, f"{reason}, and enumerating every next unit would cost a request each")
    size = model.traits.vocabulary or model.units.vocabulary_size
    if size is None or size > MOST_UNITS:
        why = "has no fixed number of units" if size is None else f"has {size:,} units, more than {MOST_UNITS:,}"
        return _because(nothing, f"{reason}, and {why}, so that they cannot be enumerated")
    longest = _longest(history[usable], size)
    inside = usable[history[usable] < longest]
    number = positions if exactly else min(positions, _affordable(history[inside], size))
    drawn = _drawn(random, inside, number, history)
    found = _gathered(
        subject, drawn, watch, "logprobs", lambda ids, unit: _enumerated(subject, ids, size, unit), np.asarray
    )
    return replace(found, vocabulary=size, longest=longest, reach=len(inside), whole=len(inside) == len(usable))


def _work(history: Ints, size: int, number: int) -> float:
    """Units that the model is shown at so many positions, of which one has the longest history, as is expected."""
    return size * ((number - 1) * (float(history.mean()) + 1.0) + float(history.max()) + 1.0)


def _longest(history: Ints, size: int) -> int:
    """How far from the beginning of its document a position may lie: it does not depend on how many are asked for."""
    low, high = LEAST_HISTORY, max(LEAST_HISTORY, int(history.max()) + 1)
    while low < high:
        middle = (low + high + 1) // 2
        inside = history[history < middle]
        if len(inside) and _work(inside, size, LEAST_POSITIONS) > ENUMERATED:
            high = middle - 1
        else:
            low = middle
    return min(low, int(history.max()) + 1)


def _affordable(history: Ints, size: int) -> int:
    if not len(history):
        return LEAST_POSITIONS
    last = size * (float(history.max()) + 1.0)
    return max(LEAST_POSITIONS, 1 + int((ENUMERATED - last) / (size * (float(history.mean()) + 1.0))))


def _because(nothing: Predicted, reason: str) -> Predicted:
    return Predicted("", nothing.positions, nothing.logs, nothing.own, nothing.costs, reason=reason)


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


def _row(model: Predictor, ids: Ids) -> Floats:
    return np.asarray(model.predict(ids), dtype=np.float64)


def _gathered(
    subject: Subject,
    drawn: Ints,
    watch: Watch,
    way: str,
    row_of: Callable[[Ids, int], Floats],
    index: Callable[[Ids], Ids],
) -> Predicted:
    logs, own, costs = (np.empty(len(drawn)) for _ in range(3))
    for k, position in enumerate(drawn.tolist()):
        sample, i = subject.where(position)
        row = row_of(sample.ids[:i], int(sample.ids[i]))
        logs[k] = _log_sum(row)
        entry = int(index(sample.ids[i : i + 1])[0])
        own[k] = row[entry] if 0 <= entry < len(row) else -math.inf
        costs[k] = subject.costs[int(np.searchsorted(subject.starts, position, side="right")) - 1][i]
        watch(k + 1, len(drawn))
    return Predicted(way, drawn, logs, own, costs)


def _log_sum(row: Floats) -> float:
    """ln of the sum of a prediction; inf for NaN."""
    if len(row) == 0 or np.isnan(row).any():
        return math.inf
    top = float(row.max())
    if math.isinf(top):
        return top
    return top + math.log(math.fsum(np.exp(row - top).tolist()))


def _enumerated(subject: Subject, history: Ids, size: int, unit: int) -> Floats:
    """ln p of each unit after a history, by scoring the history with each unit behind it."""
    del unit
    row = np.empty(size)
    for first, documents in _documents(history, size, 1 if subject.model.traits.learns else AT_ONCE):
        flat = subject.logprobs(documents)
        row[first : first + len(documents)] = [found[-1] for found in flat]
    return row


def _documents(history: Ids, size: int, most: int) -> Iterator[tuple[int, Sequence[Ids]]]:
    """The history with each unit behind it, as many at once as memory allows."""
    at_once = max(1, most // (len(history) + 1))
    before = np.asarray(history, dtype=np.int64)
    for first in range(0, size, at_once):
        last = min(size, first + at_once)
        rows = np.empty((last - first, len(before) + 1), dtype=np.int64)
        rows[:, :-1], rows[:, -1] = before, np.arange(first, last)
        yield first, list(rows)


def share_bound(checked: int, of: int) -> float:
    """The largest share of positions that could be wrong if none of those drawn is, at a confidence of 95 %.

    Examples
    --------
    >>> round(share_bound(64, 10_000), 4), share_bound(5, 5)
    (0.0457, 0.0)
    """
    return 0.0 if checked >= of else 1.0 - 0.05 ** (1.0 / max(1, checked))


def check_sums(subject: Subject, found: Predicted) -> tuple[list[AuditCheck], list[Finding]]:
    """Sums of predictions, and whether units cost what was predicted."""
    if found.reason:
        return [
            AuditCheck("sums", "impossible", found.reason),
            AuditCheck("agreement", "impossible", found.reason),
        ], []
    of, reach = subject.units, found.reach
    positions = tuple(found.positions.tolist())
    with np.errstate(over="ignore"):
        sums = np.exp(found.logs)
    above, below = float(np.max(sums - 1.0, initial=0.0)), float(np.max(1.0 - sums, initial=0.0))
    apart = distance(found.own, found.costs)
    worst, limit = float(np.max(apart, initial=0.0)), subject.tolerance
    sums_hold = above <= SUM_TOLERANCE
    counted = _counted(len(positions), reach, held=False)
    how = f"at {_counted(len(positions), reach, held=sums_hold)}"
    if found.way == "logprobs":
        farthest = found.longest - 1
        how += f", every one of {found.vocabulary:,} next units scored after histories of up to {farthest:,} units"
    # What was not reached may be anything.
    passed: Status = "passed" if found.whole else "partial"
    only = f"; looked at in the first {found.longest:,} units of a document only, for time" * (not found.whole)
    # A sum below one wastes some probability: the figure is too high, never too low.
    rounded = subject.model.traits.rounded or below > SUM_TOLERANCE
    less = f" above and {below:.1e} below, which makes the figure higher, never lower" if rounded and below else ""
    stated = above if rounded else max(above, below)
    checks = [
        AuditCheck(
            "sums",
            passed if sums_hold else "failed",
            f"predictions sum to one {within(stated, '')}{less}, {how}{only}"
            if sums_hold
            else f"predictions sum to up to {1.0 + above:.4g}, {how}",
            stated,
            SUM_TOLERANCE,
            positions,
            of,
        ),
        AuditCheck(
            "agreement",
            passed if worst <= limit else "failed",
            f"a unit costs what was predicted, {within(worst)}{only}"
            if worst <= limit
            else f"a unit costs up to {worst:.4g} nats more or less than predicted, at {counted}",
            worst,
            limit,
            positions,
            of,
        ),
    ]
    findings = []
    if not sums_hold:
        at = int(np.argmax(np.where(np.isnan(sums), math.inf, sums)))
        some = ", ".join(f"{value:.4g}" for value in sums[sums > 1.0 + SUM_TOLERANCE][:3])
        findings.append(
            _finding(
                subject,
                found,
                at,
                "sums",
                f"predictions are no distribution: they sum to {some}",
                np.maximum(found.logs, 0.0),
            )
        )
    if worst > limit:
        at = int(np.argmax(apart))
        text = (
            f"a unit costs {-found.costs[at] / _LN2:.4g} bits, and the prediction made before it was seen says "
            f"{-found.own[at] / _LN2:.4g}"
        )
        findings.append(_finding(subject, found, at, "agreement", text, _apart(found.costs, found.own)))
    return checks, findings


def _counted(number: int, of: int, *, held: bool) -> str:
    if number >= of:
        return f"all {of:,} positions" if of != 1 else "the only position"
    # The position with the longest history is not drawn by chance.
    bound = 100 * share_bound(max(1, number - 1), of)
    return f"{number:,} of {of:,} positions" + (f" (so fewer than {bound:.1f} % are wrong, at 95 % confidence)" * held)


def _apart(first: Floats, second: Floats) -> Floats:
    """The differences of logarithms; 0 where both are infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(first == second, 0.0, first - second)


def _finding(subject: Subject, found: Predicted, at: int, check: str, text: str, gains: Floats) -> Finding:
    """With the effect on the sampled documents, in bits: the mean over positions, for each of their units."""
    sample, index = subject.where(int(found.positions[at]))
    mean = float(np.mean(gains)) if np.isfinite(gains).all() else math.inf
    bits = mean * subject.units / _LN2
    size = sum(len(s.data) for s in subject.samples)
    return Finding(
        check,
        text,
        bits=bits if math.isfinite(bits) else None,
        bits_per_byte=bits / size if size and math.isfinite(bits) else None,
        estimated=len(gains) if len(gains) < subject.units else 0,
        **place_of(sample, index),  # type: ignore[arg-type]
    )


def correction(subject: Subject, found: Predicted, bits_per_byte: float, confidence: float) -> Correction | None:
    """The figure if each prediction were divided by its sum and nothing were known of what follows."""
    number = len(found.positions)
    if number < 2:
        return None
    gains = _apart(found.costs, found.own - np.where(np.isneginf(found.logs), 0.0, found.logs))
    if not np.isfinite(gains).all() or not math.isfinite(bits_per_byte):
        return None
    per_byte = subject.units / sum(len(sample.data) for sample in subject.samples) / _LN2
    mean = float(np.mean(gains)) * per_byte
    error = float(np.std(gains, ddof=1)) / math.sqrt(number) * per_byte if number < subject.units else 0.0
    half = t_quantile(number - 1, 0.5 + confidence / 2) * error
    return Correction(bits_per_byte + mean, bits_per_byte + mean - half, bits_per_byte + mean + half, number)
