"""Whether predictions sum to one and units cost what was predicted: by `predict`, or by enumerating every next unit."""

from __future__ import annotations

import math

import numpy as np

from bitmeter._util.arrays import Floats
from bitmeter.measure.audit.enumeration import ALPHA
from bitmeter.measure.audit.population import Population
from bitmeter.measure.audit.predictions import Predicted
from bitmeter.measure.audit.result import AuditCheck, Correction, Finding, Status
from bitmeter.measure.audit.subject import Subject, distance, within
from bitmeter.theory.student import t_quantile

__all__ = ["check_sums", "correction", "share_bound"]

SUM_TOLERANCE = 1e-4
#: The share of positions that may be wrong unseen where predictions are said to be checked.
MOST_WRONG = 0.05
_LN2 = math.log(2.0)


def share_bound(checked: int, of: int, alpha: float = ALPHA) -> float:
    """The largest share of positions that could be wrong if none of those drawn is, at a confidence of 1 − alpha.

    Examples
    --------
    >>> round(share_bound(64, 10_000), 4), share_bound(5, 5)
    (0.0457, 0.0)
    """
    return 0.0 if checked >= of else 1.0 - alpha ** (1.0 / max(1, checked))


def check_sums(subject: Subject, population: Population, found: Predicted) -> tuple[list[AuditCheck], list[Finding]]:
    """Sums of predictions, and whether units cost what was predicted."""
    if found.reason:
        return [
            AuditCheck("sums", "impossible", found.reason),
            AuditCheck("agreement", "impossible", found.reason),
        ], []
    of = population.units
    positions = tuple(found.positions.tolist())
    with np.errstate(over="ignore"):
        sums = np.exp(found.logs)
    above, below = float(np.max(sums - 1.0, initial=0.0)), float(np.max(1.0 - sums, initial=0.0))
    apart = distance(found.own, found.costs)
    worst, limit = float(np.max(apart, initial=0.0)), subject.tolerance
    sums_hold = above <= SUM_TOLERANCE
    counted = _counted(len(positions), found.drawn_from)
    how = f"at {counted}{_share(found) * sums_hold}{_shown(found)}"
    only = _only(population, found)
    # What was not looked at may be anything.
    passed: Status = "partial" if only else "passed"
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
                population,
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
        findings.append(_finding(population, found, at, "agreement", text, _apart(found.costs, found.own)))
    return checks, findings


def _counted(number: int, of: int) -> str:
    if number >= of:
        return f"all {of:,} positions" if of != 1 else "the only position"
    return f"{number:,} of {of:,} positions"


def _bound(found: Predicted) -> float:
    # The position with the longest history is not drawn by chance.
    number = len(found.positions)
    return share_bound(number if number >= found.drawn_from else max(1, number - 1), found.drawn_from, found.alpha)


def _share(found: Predicted) -> str:
    bound = 100 * _bound(found)
    digits = 1 if bound >= 1.0 else 2
    return f" (so fewer than {bound:.{digits}f} % are wrong, at 95 % confidence)" if bound else ""


def _shown(found: Predicted) -> str:
    if found.way != "logprobs":
        return ""
    said = f", every one of {found.vocabulary:,} next units scored after "
    if found.reach is None:
        return said + f"histories of up to {found.farthest:,} units"
    return said + f"the last {found.reach} units, which give the same costs as the whole text"


def _only(population: Population, found: Predicted) -> str:
    """What was left out, so that less is known than would be needed."""
    if found.far:
        return f"; looked at in the first {found.farthest + 1:,} units of a document only, for time"
    if not population.whole:
        return f"; looked at in {population.size:,} bytes only: the text is too long to keep what each unit costs"
    if _bound(found) > MOST_WRONG:
        return f"; too few positions to exclude that {MOST_WRONG:.0%} of them are wrong".replace("%", " %")
    return ""


def _apart(first: Floats, second: Floats) -> Floats:
    """The differences of logarithms; 0 where both are infinite."""
    with np.errstate(invalid="ignore"):
        return np.where(first == second, 0.0, first - second)


def _finding(population: Population, found: Predicted, at: int, check: str, text: str, gains: Floats) -> Finding:
    """With the effect on the text, in bits: the mean over positions, for each of its units."""
    mean = float(np.mean(gains)) if np.isfinite(gains).all() else math.inf
    bits = mean * population.units / _LN2
    size = population.size
    return Finding(
        check,
        text,
        bits=bits if math.isfinite(bits) else None,
        bits_per_byte=bits / size if size and math.isfinite(bits) else None,
        estimated=len(gains) if len(gains) < population.units else 0,
        **population.place_of(int(found.positions[at])),  # type: ignore[arg-type]
    )


def correction(population: Population, found: Predicted, bits_per_byte: float, confidence: float) -> Correction | None:
    """The figure if each prediction were divided by its sum and nothing were known of what follows."""
    number = len(found.positions)
    if number < 2:
        return None
    gains = _apart(found.costs, found.own - np.where(np.isneginf(found.logs), 0.0, found.logs))
    if not np.isfinite(gains).all() or not math.isfinite(bits_per_byte):
        return None
    per_byte = population.units / population.size / _LN2
    mean = float(np.mean(gains)) * per_byte
    error = float(np.std(gains, ddof=1)) / math.sqrt(number) * per_byte if number < population.units else 0.0
    half = t_quantile(number - 1, 0.5 + confidence / 2) * error
    return Correction(bits_per_byte + mean, bits_per_byte + mean - half, bits_per_byte + mean + half, number)
