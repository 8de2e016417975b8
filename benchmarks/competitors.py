"""Other intervals for a ratio of sums, to compare ours with: plain Student's t, bootstraps, batch means."""

from __future__ import annotations

import math

import numpy as np
from articles import Floats
from scipy.special import stdtrit

from bitmeter.measure.interval.ratio import standard_error

Ends = tuple[float, float]


def cluster_t(x: Floats, n: Floats) -> Ends:
    """Student's t over independent clusters."""
    ratio = x.sum() / n.sum()
    error, degrees = standard_error(x - ratio * n, n)
    half = float(stdtrit(degrees, 0.975)) * error
    return ratio - half, ratio + half


def percentile(rng: np.random.Generator, x: Floats, n: Floats, resamples: int = 399) -> Ends:
    """The bootstrap of clusters, by percentiles."""
    drawn = rng.integers(0, x.size, (resamples, x.size))
    low, high = np.quantile(x[drawn].sum(axis=1) / n[drawn].sum(axis=1), [0.025, 0.975])
    return float(low), float(high)


def bootstrap_t(rng: np.random.Generator, x: Floats, n: Floats, resamples: int = 399) -> Ends:
    """The bootstrap of clusters, studentised."""
    ratio = float(x.sum() / n.sum())
    error = standard_error(x - ratio * n, n)[0]
    drawn = rng.integers(0, x.size, (resamples, x.size))
    xs, ns = x[drawn], n[drawn]
    ratios = xs.sum(axis=1) / ns.sum(axis=1)
    residuals = xs - ratios[:, None] * ns
    weights = ns / ns.sum(axis=1, keepdims=True)
    corrections = 1.0 - 2.0 * weights + np.square(weights).sum(axis=1, keepdims=True)
    errors = np.sqrt((np.square(residuals) / np.maximum(corrections, 1e-9)).sum(axis=1)) / ns.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(errors > 0.0, (ratios - ratio) / errors, 0.0)
    low, high = np.quantile(t, [0.025, 0.975])
    return ratio - float(high) * error, ratio - float(low) * error


def batch_means(x: Floats, n: Floats) -> Ends:
    """Batch means: batches are made longer until the error has settled, and what correlation is left widens it."""
    ratio = x.sum() / n.sum()
    residuals = x - ratio * n
    length = max(1, x.size // 64)
    error, degrees = _batched(residuals, n, length)
    while -(-x.size // (2 * length)) >= 16:
        longer, fewer = _batched(residuals, n, 2 * length)
        if longer <= 1.2 * error:
            break
        length, error, degrees = 2 * length, longer, fewer
    half = float(stdtrit(degrees, 0.975)) * error
    return ratio - half, ratio + half


def _batched(residuals: Floats, n: Floats, length: int) -> tuple[float, float]:
    starts = np.arange(0, residuals.size, length)
    sums = np.add.reduceat(residuals, starts)
    error, degrees = standard_error(sums, np.add.reduceat(n, starts))
    number = sums.size
    if number < 8 or not sums.any():
        return error, degrees
    correlation = float(np.dot(sums[1:], sums[:-1]) / np.dot(sums, sums))
    correlation = min(max((number * correlation + 1.0) / (number - 3.0), 0.0), 0.9)
    inflation = (1.0 + correlation) / (1.0 - correlation)
    return error * math.sqrt(inflation), max(degrees / inflation, min(degrees, 2.0))
