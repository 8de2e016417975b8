"""Resampling, for the spread of an estimate of entropy.

Resampling the observed frequencies themselves is biased: symbols are lost in every resample and none is gained, so that
the resamples have lower entropy than the sample. Following Chao and Jost (2015) the sample's distribution is first
restored: the probability that the sample is estimated to have missed is taken from what was seen, and goes in equal
parts to as many unseen symbols as Chao's lower bound says there are.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ints
from bitmeter.theory.estimators.spectrum import Spectrum, coverage_deficit
from bitmeter.theory.special import gammaln

__all__ = ["Restored", "resamples", "restore"]

_FEW_SYMBOLS = 2048  # up to here resamples are drawn symbol by symbol, exactly
_ENTRIES = 1 << 22  # numbers drawn at a time


@dataclass(frozen=True, slots=True, eq=False)
class Restored:
    """A distribution with symbols of equal probability grouped: `kinds[j]` symbols of `probabilities[j]` each."""

    probabilities: Floats
    kinds: Ints
    observations: int


def restore(s: Spectrum, alphabet: int | None) -> Restored:
    """The distribution a sample probably came from: seen symbols made rarer, unseen ones added."""
    total, once, twice = s.observations, s.seen(1), s.seen(2)
    p = s.values / total
    kinds = s.kinds.astype(np.int64)
    unseen = (total - 1) / total * (once**2 / (2 * twice) if twice else once * (once - 1) / 2)
    extra = min(math.ceil(unseen), 2**62)
    if alphabet is not None:
        extra = min(extra, alphabet - s.symbols)
    if extra <= 0:
        return Restored(p, kinds, total)
    missed = once / total * (1 - coverage_deficit(s))
    with np.errstate(divide="ignore", under="ignore"):
        unlikely = np.exp(total * np.log1p(-p))  # the chance that a symbol so frequent had stayed unseen
    taken = missed / float((s.kinds * p * unlikely).sum())
    seen = p * (1 - min(taken, 1.0) * unlikely)
    missed = max(0.0, 1.0 - float((s.kinds * seen).sum()))
    return Restored(np.append(seen, missed / extra), np.append(kinds, extra), total)


def resamples(source: Restored, number: int, rng: np.random.Generator) -> Iterator[Spectrum]:
    """Samples of the restored distribution, as spectra."""
    if int(source.kinds.sum()) <= _FEW_SYMBOLS:
        return _multinomial(source, number, rng)
    return _poisson(source, number, rng)


def _batches(number: int, width: int) -> Iterator[int]:
    size = max(1, _ENTRIES // max(width, 1))
    for start in range(0, number, size):
        yield min(size, number - start)


def _multinomial(source: Restored, number: int, rng: np.random.Generator) -> Iterator[Spectrum]:
    p = np.repeat(source.probabilities, source.kinds)
    p /= p.sum()
    for size in _batches(number, p.size):
        for counts in rng.multinomial(source.observations, p, size=size):
            yield Spectrum.of_counts(counts)


def _poisson(source: Restored, number: int, rng: np.random.Generator) -> Iterator[Spectrum]:
    """Counts as independent Poisson numbers, whose sum varies a little about the sample's size.

    Estimates depend on frequencies alone, so their spread is the same to first order; and for a group of equally
    probable symbols, how many of them get which count can be drawn at once, however many symbols the group has.
    """
    rates = source.probabilities * source.observations
    reach = np.ceil(10 + rates + 12 * np.sqrt(rates)).astype(np.int64)
    low = np.maximum(0, np.floor(rates - 12 * np.sqrt(rates))).astype(np.int64)
    grouped = source.kinds > 4 * (reach - low)
    alone = np.repeat(rates[~grouped], source.kinds[~grouped])
    tables = [_poisson_table(float(rates[j]), int(low[j]), int(reach[j])) for j in np.flatnonzero(grouped)]
    values = np.concatenate([np.zeros(0, dtype=np.int64), *(counts for counts, _ in tables)])
    for size in _batches(number, alone.size + values.size):
        drawn = rng.poisson(alone, size=(size, alone.size))
        groups = [
            rng.multinomial(kinds, chances, size=size)
            for kinds, (_, chances) in zip(source.kinds[grouped], tables, strict=True)
        ]
        kinds = np.concatenate([np.zeros((size, 0), dtype=np.int64), *groups], axis=1)
        for row in range(size):
            own, repeats = _core.count_symbols(drawn[row]) if alone.size else (values[:0], values[:0])
            yield Spectrum.of_pairs(np.concatenate([own, values]), np.concatenate([repeats, kinds[row]]))


def _poisson_table(rate: float, low: int, high: int) -> tuple[Ints, Floats]:
    """Counts from low to high and their chances; what lies outside is below 1e-20 and is given to the likeliest."""
    counts = np.arange(low, high + 1)
    chances = np.exp(counts * math.log(rate) - rate - gammaln(counts + 1.0)) if rate > 0 else (counts == 0) * 1.0
    return counts, chances / chances.sum()
