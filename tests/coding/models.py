"""Models for the tests of coding: honest ones of every kind, and cheats."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bitmeter as bm
from bitmeter.text.units.plain import Bytes

TEXT = b"to be or not to be\nthat is the question\n\n  whether  'tis nobler in the mind to suffer\n"
LETTERS = "abcdefghijklmnopqrstuvwxyzéß日 \n'"


class Plain:
    """Bytes by the two before them, counted on a text: no stepper, no coder."""

    name = "plain"
    fingerprint = "plain-1"

    def __init__(self, text: bytes = TEXT) -> None:
        self.units = Bytes()
        self._table = np.ones((256, 256))
        for first, second in pairwise(text):
            self._table[first, second] += 20.0
        self._logs = np.log(self._table / self._table.sum(axis=1, keepdims=True))

    def predict(self, history: NDArray[Any]) -> NDArray[np.float64]:
        return np.array(self._logs[int(history[-1]) if len(history) else 32])

    def logprobs(self, ids: NDArray[Any], bounds: NDArray[np.int64]) -> NDArray[np.float64]:
        before = np.concatenate(([32], ids[:-1])).astype(np.int64)
        before[bounds[:-1][bounds[:-1] < len(ids)]] = 32
        return np.array(self._logs[before, ids.astype(np.int64)])


class TooMuch(Plain):
    """Every probability doubled: one bit per byte less than is true."""

    name = "too much"

    def predict(self, history: NDArray[Any]) -> NDArray[np.float64]:
        return np.asarray(np.minimum(super().predict(history) + np.log(2.0), 0.0))

    def logprobs(self, ids: NDArray[Any], bounds: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(np.minimum(super().logprobs(ids, bounds) + np.log(2.0), 0.0))


class Peeking(Plain):
    """Its score looks at the byte that follows; its predictions, which cannot, do not."""

    name = "peeking"

    def logprobs(self, ids: NDArray[Any], bounds: NDArray[np.int64]) -> NDArray[np.float64]:
        found = super().logprobs(ids, bounds)
        after = np.concatenate((ids[1:], ids[:1]))
        return np.where(after % 2 == 0, found * 0.5, found)


class Forgetful(Plain):
    """Not the same the second time it is asked."""

    name = "forgetful"

    def __init__(self) -> None:
        super().__init__()
        self._asked = 0

    def predict(self, history: NDArray[Any]) -> NDArray[np.float64]:
        self._asked += 1
        row = super().predict(history)
        return np.roll(row, self._asked // 50)


def letters() -> bm.Distribution:
    return bm.Distribution({letter: 1 + i % 5 for i, letter in enumerate(LETTERS)}, normalise=True)


def chain() -> bm.Conditional:
    rows = {a: {b: 1.0 + (3 * i + 5 * j) % 7 for j, b in enumerate("abc ")} for i, a in enumerate("abc ")}
    return bm.Conditional({a: bm.Distribution(row, normalise=True) for a, row in rows.items()}, start=" ")


def words(order: int = 3) -> bm.NGram:
    return bm.NGram(order=order).fit(TEXT * 2 + b"to be is to do\nthe mind is the question\n")


def word_mixture() -> bm.MixtureModel:
    """Two vocabularies, caches, and weights by kind of history."""
    other = bm.NGram(order=2).fit(b"a rose is a rose\nis that the question\n" * 3)
    caches = [bm.Cache(50), bm.Cache(40, order=2)]
    return bm.MixtureModel([words(), other, *caches], buckets=True).fit(TEXT + b"a rose is xyzzy\n")


def byte_mixture() -> bm.MixtureModel:
    grams = bm.NGram(order=3, units="bytes").fit(TEXT)
    return bm.MixtureModel([grams, "universal:small", "kt", bm.Cache(30, order=2)], buckets=True).fit(TEXT[::-1] + TEXT)


#: Honest models, and a text for each.
_LETTER_TEXT = ("to be or not to be\n" * 40).encode()
CASES: dict[str, tuple[Any, bytes]] = {
    "kt": ("kt", TEXT * 50),
    "uniform": ("uniform", TEXT * 50),
    "distribution": (letters(), _LETTER_TEXT),
    "conditional": (chain(), b"abc cab bac " * 200),
    "ngram 1": (words(order=1), TEXT * 20 + b"new words here\n"),
    "ngram 3": (words(), TEXT * 20 + b"new words here\n"),
    "ngram 5": (words(order=5), TEXT * 20 + "fünf ünknöwn\t\tones ".encode()),
    "stepwise": (Plain(), TEXT * 20),
    "mixture of words": (word_mixture(), TEXT * 10 + b"new words here\t a rose\n"),
    "mixture of bytes": (byte_mixture(), TEXT * 4),
}
