"""Information of real-valued samples, from the distances to nearest neighbours.

The density at a point is estimated by how far its k-th neighbour is, and the logarithms of such estimates have biases
that are known (ψ(k) instead of ln k). All distances are in the maximum norm. Estimates are means of one term for each
point; the terms are in nats.

Points that occur more than k times have neighbours at distance zero: they are atoms, not a density. Where that happens,
the count of equal points takes the place of k, which for purely discrete samples gives Zhang's estimates; the entropy
is −∞.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from bitmeter._util import check
from bitmeter._util.arrays import Floats, Ints
from bitmeter._util.check import Unit
from bitmeter._util.optional import require
from bitmeter.errors import InputError, NotFiniteError, RangeError, ShapeError
from bitmeter.theory.estimators.grids import SPREAD, moderate, spread_grids, spread_repeats
from bitmeter.theory.estimators.results import InformationEstimate, checked_confidence, p_value
from bitmeter.theory.special import digamma
from bitmeter.theory.student import t_quantile

__all__ = ["estimate_differential_entropy", "estimate_kl_divergence", "mutual", "points"]

_PURPOSE = "Finding nearest neighbours"
_PARTS = 10  # of a sample, for the spread of its estimate


def estimate_differential_entropy(
    x: Any, *, neighbours: int = 4, unit: Unit = "bits", confidence: float = 0.95
) -> InformationEstimate:
    """Estimate the differential entropy of the density that real-valued samples were drawn from.

    By Kozachenko and Leonenko (1987): ψ(N) − ψ(k) + d ln 2 + (d/N) Σ ln εᵢ, with εᵢ the distance of point i to its k-th
    neighbour in the maximum norm. Needs scipy (``bitmeter[theory]``).

    Parameters
    ----------
    x
        The samples: one axis for observations and one, if there are several, for coordinates.
    neighbours
        k: more have less variance, fewer less bias.
    unit
        ``"bits"``, ``"nats"`` or ``"hartleys"``.
    confidence
        The probability that the interval stands for. Its standard deviation is that of the estimates of ten parts of
        the sample / √10, or that of the terms / √N if larger; with Student's quantile. It does not contain the bias,
        which grows with the number of coordinates. None for fewer than 20 k observations.

    Returns
    -------
    InformationEstimate
        Its value is −∞ if a point occurs more than k times: such a sample has atoms and no density. Samples that were
        rounded to a grid are spread evenly over its cells, which the note says, unless every point occurs so often.

    Examples
    --------
    >>> x = np.random.default_rng(1).normal(size=10_000)
    >>> found = estimate_differential_entropy(x, unit="nats")
    >>> round(found.value, 1), round(0.5 * math.log(2 * math.pi * math.e), 1)
    (1.4, 1.4)
    """
    per_unit = check.nats_per(unit)
    level = checked_confidence(confidence)
    table = points([x], ["x"])[0]
    k = _neighbours(neighbours, len(table))
    (table,), shift = moderate([table])
    (table,), repeats = _spread([table], k)
    terms, ties = _entropy_terms(table, k)
    terms += table.shape[1] * shift
    note = _NOTE.format(k=k) + (SPREAD if repeats else "")
    if ties:
        note = (
            f"{ties} points occur more than {k} times: the sample has atoms and no density, so that its differential "
            "entropy is minus infinity. If the numbers were rounded, add noise as wide as the rounding; if they are "
            "symbols, use estimate_entropy"
        )
    parts = _parts(lambda part: _entropy_terms(part, k)[0] + table.shape[1] * shift, [table], k)
    return _of_terms(terms, parts, unit, per_unit, "differential-entropy", "kozachenko-leonenko", level, None, 0, note)


def _entropy_terms(table: Floats, k: int) -> tuple[Floats, int]:
    total, dimensions = table.shape
    distances = _kth_distance(table, k)
    with np.errstate(divide="ignore"):
        terms = float(digamma(total) - digamma(k)) + dimensions * np.log(2 * distances)
    return terms, int((distances == 0).sum())


def estimate_kl_divergence(
    x: Any, y: Any, *, neighbours: int = 4, unit: Unit = "bits", confidence: float = 0.95
) -> InformationEstimate:
    """Estimate D(p ‖ q) of the densities that two real-valued samples, x of p and y of q, were drawn from.

    By Wang, Kulkarni and Verdú (2009): (d/N) Σ ln νᵢ/ρᵢ + ln M/(N − 1), with ρᵢ and νᵢ the distances of point i of x to
    its k-th neighbour among the other x and among the M points of y. The samples need not be of one length. Needs scipy
    (``bitmeter[theory]``).

    Parameters
    ----------
    x, y
        The samples: one axis for observations and one, if there are several, for coordinates.
    neighbours, unit, confidence
        As in `estimate_differential_entropy`.

    Returns
    -------
    InformationEstimate
        Values a little below zero say that no difference was found. A point with a neighbour at distance zero enters
        with the numbers of points within the larger of its two distances, instead of with the distances. Samples that
        were rounded to a grid are spread as in `estimate_differential_entropy`.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> found = estimate_kl_divergence(rng.normal(size=10_000), rng.normal(1, 1, 10_000), unit="nats")
    >>> round(found.value, 1)  # 1/2: half the squared distance of the means
    0.5
    """
    per_unit = check.nats_per(unit)
    level = checked_confidence(confidence)
    first, second = points([x], ["x"])[0], points([y], ["y"])[0]
    if first.shape[1] != second.shape[1]:
        message = f"x has {first.shape[1]} coordinates and y has {second.shape[1]}; densities are compared on one space"
        raise ShapeError(message)
    k = _neighbours(neighbours, len(first))
    if len(second) < k:
        message = f"y has {len(second)} points, fewer than the {k} neighbours that are looked for"
        raise RangeError(message, value=len(second))
    (first, second), _ = moderate([first, second])
    (first, second), repeats = _spread([first, second], k)
    terms, ties = _divergence_terms(first, second, k)
    parts = _parts(lambda a, b: _divergence_terms(a, b, k)[0], [first, second], k)
    note = _NOTE.format(k=k) + _ties_note(ties, k) + (SPREAD if repeats else "")
    return _of_terms(terms, parts, unit, per_unit, "kl-divergence", "wang-kulkarni-verdu", level, None, 0, note)


def _divergence_terms(first: Floats, second: Floats, k: int) -> tuple[Floats, int]:
    (total, dimensions), others = first.shape, len(second)
    own, other = _kth_distance(first, k), _kth_distance(second, k, first)
    tied = (own == 0) | (other == 0)
    terms = np.empty(total)
    terms[~tied] = dimensions * (np.log(other[~tied]) - np.log(own[~tied]))
    if tied.any():
        radius = np.maximum(own, other)[tied]
        # At least k: the point that defines the radius may miss it by rounding.
        near = (
            np.maximum(_within(first, first[tied], radius) - 1, k),
            np.maximum(_within(second, first[tied], radius), k),
        )
        terms[tied] = digamma(near[0]) - digamma(near[1])
    return terms + math.log(others / (total - 1)), int(tied.sum())


def mutual(
    samples: Sequence[Floats],
    method: str,
    neighbours: Any,
    unit: Unit,
    confidence: float,
    permutations: int,
    rng: np.random.Generator,
) -> InformationEstimate:
    """I(X; Y) by Kraskov, Stögbauer and Grassberger, or I(X; Y | Z) by Frenzel and Pompe."""
    lengths = [len(table) for table in samples]
    if len(set(lengths)) > 1:
        message = f"x, y and given have {', '.join(map(str, lengths))} observations; they stand side by side"
        raise ShapeError(message)
    total = lengths[0]
    k = _neighbours(neighbours, total)
    samples, _ = moderate(samples)
    repeats = False
    if _kth_distance(np.concatenate(list(samples), axis=1), k).any():  # else all are symbols, and are counted
        spread = [spread_repeats(table, seed) for seed, table in enumerate(samples)]
        repeats = any((new != old).any() for new, old in zip(spread, samples, strict=True))
        samples = spread
    x, y, *given = samples
    if given and method != "ksg1":
        message = "with given, only method='ksg1' (of Frenzel and Pompe) is known; use it, or leave given out"
        raise InputError(message, value=method)
    terms, ties = _terms(x, y, given[0] if given else None, k, method)
    found = None
    if permutations:
        if given:
            message = (
                "permutations keep no dependence on a real-valued condition, so that there is no such test; leave "
                "permutations out"
            )
            raise InputError(message, value=permutations)
        null = np.array([float(_terms(x, y[rng.permutation(total)], None, k, method)[0].mean())
                         for _ in range(permutations)])  # fmt: skip
        found = p_value(float(terms.mean()), null, signed=False)
    measure = "conditional-mutual-information" if given else "mutual-information"
    name = "frenzel-pompe" if given else method
    note = _NOTE.format(k=k) + _ties_note(ties, k) + (SPREAD if repeats else "")
    parts = _parts(lambda *tables: _terms(*_three(tables), k, method)[0], samples, k)
    return _of_terms(terms, parts, unit, check.nats_per(unit), measure, name, confidence, found, permutations, note)


def _spread(tables: list[Floats], k: int) -> tuple[list[Floats], bool]:
    """The samples with rounded coordinates spread, unless all points of the first are symbols, which are counted."""
    return spread_grids(tables) if _kth_distance(tables[0], k).any() else (tables, False)


def _three(tables: Sequence[Floats]) -> tuple[Floats, Floats, Floats | None]:
    return tables[0], tables[1], tables[2] if len(tables) > 2 else None


def _parts(terms: Callable[..., Floats], tables: Sequence[Floats], k: int) -> Floats | None:
    """The estimates of ten parts of the samples; None if there are too few observations for that."""
    if min(len(table) for table in tables) < 2 * _PARTS * k:
        return None
    return np.array([float(terms(*(table[part::_PARTS] for table in tables)).mean()) for part in range(_PARTS)])


_NOTE = (
    "from distances to neighbour {k} in the maximum norm; biased where densities vary within such a distance, as with "
    "many coordinates or few observations"
)


def _ties_note(ties: int, k: int) -> str:
    if not ties:
        return ""
    return f". {ties} points occur more than {k} times: they enter with the numbers of equal points, not with distances"


def _of_terms(
    terms: Floats,
    parts: Floats | None,
    unit: Unit,
    per_unit: float,
    measure: str,
    method: str,
    confidence: float,
    found: float | None,
    permutations: int,
    note: str,
) -> InformationEstimate:
    value = math.fsum(terms.tolist()) / terms.size / per_unit
    interval = None
    if parts is not None and math.isfinite(value) and np.isfinite(parts).all():
        deviation = max(float(np.std(terms)) / math.sqrt(terms.size), float(np.std(parts, ddof=1)) / math.sqrt(_PARTS))
        spread = t_quantile(_PARTS - 1, 0.5 + confidence / 2) * deviation / per_unit
        interval = (value - spread, value + spread)
    return InformationEstimate(
        value, unit, measure, method, None, None, terms.size, interval, confidence, found, permutations, note
    )


def _terms(x: Floats, y: Floats, z: Floats | None, k: int, method: str) -> tuple[Floats, int]:
    """The terms of each point, and how many points have their k-th neighbour at distance zero."""
    parts = [x, y] if z is None else [x, y, z]
    joint = np.concatenate(parts, axis=1)
    total = len(joint)
    if method == "ksg2":
        return _second(x, y, joint, k)
    distances = _kth_distance(joint, k)
    tied = distances == 0
    inside = _below(distances, joint)
    near = np.full(total, float(k))
    if tied.any():
        near[tied] = _within(joint, joint[tied], distances[tied])
    if z is None:
        counts = [_within(table, table, inside) for table in (x, y)]
        return digamma(near) + digamma(total) - digamma(counts[0]) - digamma(counts[1]), int(tied.sum())
    pairs = [np.concatenate([table, z], axis=1) for table in (x, y)]
    counts = [_within(table, table, inside) for table in (*pairs, z)]
    return digamma(near) + digamma(counts[2]) - digamma(counts[0]) - digamma(counts[1]), int(tied.sum())


def _second(x: Floats, y: Floats, joint: Floats, k: int) -> tuple[Floats, int]:
    """Kraskov's second algorithm: a rectangle, as wide in each of X and Y as the k nearest are."""
    total = len(joint)
    tree = require("scipy.spatial", _PURPOSE).cKDTree(joint)
    distances, places = tree.query(joint, k=k + 1, p=np.inf)
    tied = distances[:, -1] == 0
    widths = [np.abs(table[places] - table[:, None]).max(axis=(1, 2)) for table in (x, y)]
    counts = [_within(table, table, _above(width, table)) - 1 for table, width in zip((x, y), widths, strict=True)]
    terms = np.full(total, float(digamma(k)) - 1 / k + float(digamma(total)))
    terms -= digamma(np.maximum(counts[0], 1)) + digamma(np.maximum(counts[1], 1))
    if tied.any():
        near = _within(joint, joint[tied], distances[tied, -1])
        equal = [_within(table, table[tied], np.zeros(len(near))) for table in (x, y)]
        terms[tied] = digamma(near) + digamma(total) - digamma(equal[0]) - digamma(equal[1])
    return terms, int(tied.sum())


def points(samples: Sequence[Any], names: Sequence[str]) -> list[Floats]:
    """Real-valued samples as tables with a row for each observation."""
    tables = []
    for sample, name in zip(samples, names, strict=True):
        table = np.asarray(check.array(sample, name), dtype=np.float64)
        if table.ndim > 2:
            message = f"{name} has shape {table.shape}; give one axis for observations and at most one for coordinates"
            raise ShapeError(message)
        wrong = ~np.isfinite(table)
        if wrong.any():
            index = tuple(int(i) for i in np.argwhere(wrong)[0])
            message = f"{name}[{', '.join(map(str, index))}] is {table[index]}; distances need finite numbers"
            raise NotFiniteError(message, index=index[0], value=float(table[index]))
        tables.append(table.reshape(len(table), -1))
    return tables


def _neighbours(value: Any, total: int) -> int:
    k = check.integer(value, "neighbours", low=1)
    if k >= total:
        message = f"neighbours is {k}, but there are {total} observations; each has at most {total - 1} others"
        raise RangeError(message, value=k)
    return k


def _kth_distance(table: Floats, k: int, of: Floats | None = None) -> Floats:
    """How far the k-th neighbour in the table is: of its own points (themselves excluded), or of other points."""
    tree = require("scipy.spatial", _PURPOSE).cKDTree(table)
    if of is None:
        distances, _ = tree.query(table, k=[k + 1], p=np.inf)
    else:
        distances, _ = tree.query(of, k=[k], p=np.inf)
    return np.asarray(distances[:, 0])


def _below(distances: Floats, table: Floats) -> Floats:
    """Radii that exclude what is exactly that far, whichever way a sum of coordinates was rounded; zero stays zero."""
    return np.maximum(distances - _rounding(distances, table), 0.0)


def _above(distances: Floats, table: Floats) -> Floats:
    return np.where(distances > 0, distances + _rounding(distances, table), 0.0)


def _rounding(distances: Floats, table: Floats) -> Floats:
    return np.asarray(2 * np.spacing(np.abs(table).max(axis=1) + distances))


def _within(table: Floats, of: Floats, radius: Floats) -> Ints:
    """How many points of the table are at most that far from each point, a point itself included if it is there."""
    if table.shape[1] == 1:
        ordered = np.sort(table[:, 0])
        centre = of[:, 0]
        return np.searchsorted(ordered, centre + radius, "right") - np.searchsorted(ordered, centre - radius, "left")
    tree = require("scipy.spatial", _PURPOSE).cKDTree(table)
    return np.asarray(tree.query_ball_point(of, radius, p=np.inf, return_length=True), dtype=np.int64)
