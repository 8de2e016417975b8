"""Simulated documents and texts whose true figure is known."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from articles import Floats
from scipy.signal import lfilter

Draw = Callable[[np.random.Generator, int], tuple[Floats, Floats]]


@dataclass(frozen=True)
class Design:
    """How documents are drawn: their costs, of which the mean per byte is zero, and their sizes."""

    name: str
    draw: Draw
    #: Whether it has neither skew nor dependence, so that the plain interval would do.
    is_clean: bool = False


def sizes(rng: np.random.Generator, number: int, spread: float) -> Floats:
    return np.ceil(2000.0 * np.exp(spread * rng.standard_normal(number)))


def _effects(name: str, spread: float, effect: Callable[[np.random.Generator, int], Floats], clean: bool) -> Design:
    def draw(rng: np.random.Generator, number: int) -> tuple[Floats, Floats]:
        n = sizes(rng, number, spread)
        return n * effect(rng, number), n

    return Design(name, draw, clean)


def _growing(rng: np.random.Generator, number: int) -> tuple[Floats, Floats]:
    """Lognormal effects that grow with the size: E[n·effect] over E[n] is taken off."""
    z = rng.standard_normal(number)
    n = np.ceil(2000.0 * np.exp(1.5 * z))
    effect = np.exp(0.3 * z + 0.95 * rng.standard_normal(number))
    mean = math.exp(0.5 * (1.8**2 - 1.5**2) + 0.5 * 0.95**2)
    return n * (effect - mean), n


def autoregression(rng: np.random.Generator, number: int, decay: float) -> Floats:
    shocks = rng.standard_normal(number + 200) * math.sqrt(1.0 - decay**2)
    return np.asarray(lfilter([1.0], [1.0, -decay], shocks)[200:])


def _odd(share: float, size: float) -> Callable[[np.random.Generator, int], Floats]:
    return lambda rng, k: rng.standard_normal(k) + size * ((rng.random(k) < share) - share)


def _drift(decay: float) -> Callable[[np.random.Generator, int], Floats]:
    return lambda rng, k: autoregression(rng, k, decay)


DOCUMENTS = [
    _effects("normal, equal sizes", 0.0, lambda rng, k: rng.standard_normal(k), True),
    _effects("normal, sizes vary (σ = 1)", 1.0, lambda rng, k: rng.standard_normal(k), True),
    _effects("heavy tails (t, 2.5), σ = 1", 1.0, lambda rng, k: rng.standard_t(2.5, k), False),
    _effects("lognormal, σ = 1", 1.0, lambda rng, k: np.exp(rng.standard_normal(k)) - math.exp(0.5), False),
    Design("lognormal, σ = 1.5, grows with size", _growing),
    _effects("10 % odd documents (3 sd)", 1.0, _odd(0.1, 3.0), False),
    _effects("3 % garbage (8 sd)", 1.0, _odd(0.03, 8.0), False),
    _effects("drift, AR .5", 0.5, _drift(0.5), False),
    _effects("drift, AR .7", 0.5, _drift(0.7), False),
    _effects("drift, AR .9", 0.5, _drift(0.9), False),
]


def fractional(rng: np.random.Generator, number: int, hurst: float) -> Floats:
    """Fractional Gaussian noise, by circulant embedding (Davies and Harte)."""
    lags = np.arange(number + 1, dtype=np.float64)
    h = 2.0 * hurst
    covariance = 0.5 * (np.abs(lags - 1) ** h - 2 * lags**h + (lags + 1) ** h)
    spectrum = np.fft.fft(np.concatenate([covariance, covariance[-2:0:-1]])).real
    noise = rng.standard_normal(2 * number) + 1j * rng.standard_normal(2 * number)
    return np.asarray(np.fft.fft(np.sqrt(np.maximum(spectrum, 0.0) / (2 * number)) * noise)[:number].real)


def _articles(length: int) -> Draw:
    def draw(rng: np.random.Generator, number: int) -> tuple[Floats, Floats]:
        """Articles of random length, each with a level of its own, under noise; 64 bytes are 15 tokens."""
        tokens = number * 15
        begins = rng.random(tokens) < 1.0 / length
        level = rng.standard_normal(int(begins.sum()) + 1)[np.cumsum(begins)]
        x = 0.5 * level + 2.0 * rng.standard_normal(tokens)
        return np.asarray(x.reshape(number, 15).sum(axis=1)), np.full(number, 64.0)

    return draw


def _series(decay: float, weight: float) -> Draw:
    def draw(rng: np.random.Generator, number: int) -> tuple[Floats, Floats]:
        x = rng.standard_normal(number) + weight * autoregression(rng, number, decay)
        return x, np.full(number, 64.0)

    return draw


def _noise(hurst: float) -> Draw:
    return lambda rng, number: (fractional(rng, number, hurst), np.full(number, 64.0))


#: Blocks of one text; drift and articles are given in tokens, of which a block has 15.
TEXTS = [
    Design("no dependence", _series(0.0, 0.0), True),
    Design("drift over 50 tokens", _series(math.exp(-15 / 50), 1.0)),
    Design("drift over 1,000 tokens", _series(math.exp(-15 / 1000), 0.5)),
    Design("drift over 4,000 tokens", _series(math.exp(-15 / 4000), 0.5)),
    Design("articles of 1,000 tokens", _articles(1000)),
    Design("articles of 3,000 tokens", _articles(3000)),
    Design("articles of 6,000 tokens", _articles(6000)),
    Design("fractional noise, H = .7", _noise(0.7)),
    Design("fractional noise, H = .9", _noise(0.9)),
]
