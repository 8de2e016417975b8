"""Rates estimated from samples: the information per step that a model needs for the output of a process."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ints
from bitmeter.theory.processes.base import Ids, Process, sub_seed
from bitmeter.theory.processes.results import Rate
from bitmeter.theory.student import t_quantile

#: Symbols scored at a time, which bounds the memory.
_BLOCK = 2**22
_BATCHES = 32


def monte_carlo(process: Process, model: Process, n: int, paths: int, seed: NDArray[np.uint64]) -> Rate:
    """Independent paths, in nats; the first symbols of each, which depend on the start, are not counted."""
    skipped = min(n // 10, 1000)
    ends = np.array([skipped, n], dtype=np.int64)
    means: list[float] = []
    step = max(1, _BLOCK // n)
    for number, done in enumerate(range(0, paths, step)):
        ids, _ = process._sample(n, min(step, paths - done), sub_seed(seed, number))
        sums = running(model, ids, ends)
        means.extend(_spread(sums[:, 1], sums[:, 0]) / (n - skipped))
    return _summary(np.asarray(means), n - skipped, f"Monte Carlo over {paths} paths of {n} symbols")


def one_sample(process: Process, model: Process, n: int, seed: NDArray[np.uint64]) -> Rate:
    """One long path, in nats, with the error from the means of its batches."""
    ids, _ = process._sample(n, 1, seed)
    batch = max(n // (_BATCHES + 1), 1)
    ends = np.arange(n - batch * min(_BATCHES, n // batch - 1), n + 1, batch, dtype=np.int64)
    sums = running(model, ids, ends)[0]
    return _summary(_spread(sums[1:], sums[:-1]) / batch, batch, f"one sample of {n} symbols, batch means")


def _spread(after: Floats, before: Floats) -> Floats:
    """How much the sums grew; infinite from the first impossible symbol on."""
    return np.where(np.isfinite(after), after - np.where(np.isfinite(after), before, 0.0), math.inf)


def running(model: Process, ids: Ids, ends: Ints) -> Floats:
    """The surprisal, in nats, of the first ends[k] symbols of each path."""
    steps = np.empty(ids.shape)
    model._logprobs(ids, steps)
    return 0.0 - _core.running_sums(steps, ends).reshape(len(ids), ends.size)


def _summary(means: Floats, length: int, method: str) -> Rate:
    if not np.isfinite(means).all():
        return Rate(math.inf, math.inf, math.inf, 0.0, method, "nats")
    value = math.fsum(means) / means.size
    variance = float(means.var(ddof=1))
    error = math.sqrt(variance / means.size)
    reach = t_quantile(means.size - 1, 0.975) * error
    # The relative standard error of a variance from so many means, which are nearly normal.
    doubt = variance * length * math.sqrt(2.0 / (means.size - 1))
    return Rate(value, value - reach, value + reach, error, method, "nats", variance * length, doubt)


__all__ = ["monte_carlo", "one_sample", "running"]
