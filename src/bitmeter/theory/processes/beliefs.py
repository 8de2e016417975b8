"""The long run of a hidden Markov process, from the chain of beliefs.

What an observer believes of the hidden state, given all symbols so far, is itself a Markov chain, on the simplex (its
stationary law is Blackwell's measure). The entropy rate h and the relative cost g(b) of a belief b solve Poisson's
equation, h + g(b) = r(b) + Σ p(s|b) g(b after s), where r(b) is the entropy of the next symbol. Here g is a polynomial
through Chebyshev points, in coordinates that fill the beliefs that can occur. Where g is smooth, which is so unless the
process nearly reveals its states, the error falls geometrically with the number of points.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bitmeter._util.arrays import Floats

#: Points per coordinate, for 1 and 2 coordinates; the system has as many unknowns as there are points in all. With
#: more coordinates too few points fit for a useful accuracy.
_POINTS = {1: (16, 32, 64, 128, 256, 512, 1024), 2: (8, 12, 16, 24, 32, 44)}
#: Rounding: differences below this say nothing.
_FLOOR = 1e-14
#: An error that still falls slowly is more than the last difference.
_SLOW = 10.0
#: The error is this many times the difference from the grid before: a margin for solutions that are not quite smooth.
_MARGIN = 4.0


@dataclass(frozen=True, slots=True)
class BeliefRun:
    """The entropy rate and the variance rate in nats, each with an estimate of its numerical error."""

    mean: float
    variance: float
    error: float
    variance_error: float
    points: int


def belief_run(moves: Floats, emits: Floats, tolerance: float) -> BeliefRun | None:
    """Solve on finer and finer grids until two agree to `tolerance` (in nats); None where there is no grid.

    The error is the difference from the grid before, which is far more than the error of a smooth solution. If the
    finest grid is reached first, the run says by how much it may be wrong.
    """
    last: tuple[float, float] | None = None
    run: BeliefRun | None = None
    gap = math.inf
    for points, found in _solutions(moves, emits):
        if found is None:
            return None
        if last is not None:
            before, gap = gap, max(abs(found[0] - last[0]), _FLOOR)
            spread = max(abs(found[1] - last[1]), _FLOOR)
            if _MARGIN * gap <= max(tolerance, _MARGIN * _FLOOR) and (
                before <= 1e3 * max(tolerance, _FLOOR) or before == math.inf
            ):
                return BeliefRun(found[0], max(found[1], 0.0), _MARGIN * gap, _MARGIN * spread, points)
            run = BeliefRun(found[0], max(found[1], 0.0), _SLOW * max(gap, 0.1 * before), _SLOW * spread, points)
        last = found
    return run


def _solutions(moves: Floats, emits: Floats) -> Iterator[tuple[int, tuple[float, float] | None]]:
    ranges = _ranges(moves)
    free = sum(high > low for low, high in ranges)
    if free not in _POINTS and free > 0:
        return
    for count in _POINTS.get(free, (1, 1)):
        axes = [_axis(low, high, count) for low, high in ranges]
        yield math.prod(len(axis) for axis, _ in axes), _solve(moves, emits, axes)


def _ranges(moves: Floats) -> list[tuple[float, float]]:
    """The bounds of each coordinate bₖ/(bₖ + bₖ₊₁ + …) over the beliefs that can follow a step: those of the rows."""
    ranges = []
    for k in range(len(moves) - 1):
        rest = moves[:, k:].sum(axis=1)
        share = moves[rest > 0, k] / rest[rest > 0]
        low, high = float(share.min()), float(share.max())
        ranges.append((low, high) if high - low > 1e-12 else (low, low))
    return ranges


def _axis(low: float, high: float, count: int) -> tuple[Floats, bool]:
    """Chebyshev points within [low, high]; in logits where neither end is certain, as beliefs add up there."""
    logits = low > 0.0 and high < 1.0
    if high <= low:
        return np.array([low]), False
    angle = -np.cos(np.pi * (np.arange(count) + 0.5) / count)
    if logits:
        low, high = _logit(low), _logit(high)
    points = 0.5 * (low + high) + 0.5 * (high - low) * angle
    return (1.0 / (1.0 + np.exp(-points)) if logits else points), logits


def _logit(x: float) -> float:
    return math.log(x) - math.log1p(-x)


def _interpolation(points: Floats, at: Floats, *, logits: bool) -> Floats:
    """The matrix that takes values at Chebyshev points to values of their polynomial elsewhere (barycentric)."""
    count = points.size
    if count == 1:
        return np.ones((at.size, 1))
    if logits:
        points, at = np.log(points) - np.log1p(-points), np.log(at) - np.log1p(-at)
    k = np.arange(count)
    weights = (-1.0) ** k * np.sin(np.pi * (k + 0.5) / count)
    apart = at[:, None] - points
    hit = apart == 0.0
    matrix = weights / np.where(hit, 1.0, apart)
    matrix /= matrix.sum(axis=1, keepdims=True)
    rows = hit.any(axis=1)
    matrix[rows] = hit[rows]
    return np.asarray(matrix)


def _solve(moves: Floats, emits: Floats, axes: list[tuple[Floats, bool]]) -> tuple[float, float] | None:
    """The entropy rate and the variance rate on one grid; None where the equation has no single solution."""
    beliefs = _beliefs([points for points, _ in axes])
    size = len(beliefs)
    chances = beliefs @ emits
    logs = np.log(np.where(chances > 0, chances, 1.0))
    operators = [_after(moves, emits[:, s], beliefs, chances[:, s], axes) for s in range(emits.shape[1])]
    system = np.eye(size)
    for s, operator in enumerate(operators):
        system -= chances[:, s, None] * operator
    # g is known up to a constant: it is 0 at the first point, and h takes the place of that unknown.
    system[:, 0] = 1.0
    try:
        found = np.linalg.solve(system, -(chances * logs).sum(axis=1))
        mean, relative = float(found[0]), np.concatenate(([0.0], found[1:]))
        squares = np.zeros(size)
        for s, operator in enumerate(operators):
            squares += chances[:, s] * (operator @ relative - relative - logs[:, s] - mean) ** 2
        variance = float(np.linalg.solve(system, squares)[0])
    except np.linalg.LinAlgError:
        return None
    return (mean, variance) if math.isfinite(mean) and math.isfinite(variance) else None


def _beliefs(axes: list[Floats]) -> Floats:
    """All points of the grid, as probabilities of the states."""
    shares = np.stack([grid.ravel() for grid in np.meshgrid(*axes, indexing="ij")], axis=1)
    left = np.cumprod(np.concatenate((np.ones((len(shares), 1)), 1.0 - shares), axis=1), axis=1)
    return np.concatenate((shares * left[:, :-1], left[:, -1:]), axis=1)


def _after(moves: Floats, emit: Floats, beliefs: Floats, chance: Floats, axes: list[tuple[Floats, bool]]) -> Floats:
    """The matrix that takes values at the grid to values at the beliefs that follow a symbol."""
    possible = chance > 0
    seen = np.where(possible[:, None], beliefs * emit, beliefs) / np.where(possible, chance, 1.0)[:, None]
    ahead = seen @ moves
    matrix = np.ones((len(beliefs), 1))
    for k, (points, logits) in enumerate(axes):
        rest = ahead[:, k:].sum(axis=1)
        share = np.where(rest > 0, ahead[:, k] / np.where(rest > 0, rest, 1.0), points[points.size // 2])
        part = _interpolation(points, share, logits=logits)
        matrix = (matrix[:, :, None] * part[:, None, :]).reshape(len(beliefs), -1)
    return matrix


__all__ = ["BeliefRun", "belief_run"]
