"""Models as another package would write them: the least that it must, and a little more."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import bitmeter as bm
from bitmeter.text.units.words import Words

TRAINING = b"to be or not to be\nthat is the question\n  whether it is the mind\n" * 4


class PlainWords:
    """Bigrams of words, add one half, by a plain loop; unknown words are one class."""

    name, fingerprint = "plain words", "plain-words-1"

    def __init__(self, text: bytes = TRAINING) -> None:
        self.outcome_names = (b"<unk>", b"<s>", b"</s>", *sorted(set(text.split())))
        self.units = Words(vocabulary=self.outcome_names)
        self.spelling = bm.NGram(order=1, unk_word=True).fit(text)
        size = len(self.outcome_names)
        counts = np.full((size, size), 0.5)
        counts[:, 1] = 0.0  # <s> is never predicted
        for line in text.splitlines():
            before = 1
            for unit in [*self.units.split(line).ids.tolist(), 2]:
                counts[before, unit] += 1.0
                before = unit
        with np.errstate(divide="ignore"):
            self._logs = np.log(counts / counts.sum(axis=1, keepdims=True))

    def predict(self, history: NDArray[Any]) -> NDArray[np.float64]:
        return np.array(self._logs[int(history[-1]) if len(history) else 1])

    def logprobs(self, ids: NDArray[Any], bounds: NDArray[np.int64]) -> NDArray[np.float64]:
        found = [
            self._logs[int(ids[i - 1]) if i > first else 1, int(ids[i])]
            for first, last in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)
            for i in range(first, last)
        ]
        return np.array(found, dtype=np.float64)
