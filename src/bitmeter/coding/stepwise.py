"""A model taking one unit at a time: what coding by any predictor needs."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bitmeter.errors import ModelError
from bitmeter.models.baseline.tables import KrichevskyTrofimov, TableModel
from bitmeter.models.ngram.model import NGram
from bitmeter.models.registry import Model, Predictor

Floats = NDArray[np.float64]


class Stepper(Protocol):
    """A model in the middle of a document. A model offers its own by a method `stepper()`."""

    def predict(self) -> Floats:
        """ln p of every outcome of the next unit."""

    def take(self, number: int) -> None:
        """The id of the unit that came."""


def stepper_of(model: Any) -> Stepper:
    """The model's own stepper, one that keeps what the model looks at, or one that keeps the whole history."""
    if hasattr(model, "stepper"):
        own: Stepper = model.stepper()
        return own
    if not isinstance(model, Predictor):
        what = model.name if isinstance(model, Model) else repr(model)[:60]
        message = f"{what} rates what it is shown but does not predict what comes next, so nothing can be decoded by it"
        raise ModelError(message)
    if isinstance(model, KrichevskyTrofimov):
        return _Counting()
    window = _window(model)
    return _History(model) if window is None else _Window(model, window)


def _window(model: Predictor) -> int | None:
    """How many of the last units the model looks at; None for all."""
    if isinstance(model, NGram):
        return max(1, model.order - 1)
    return 1 if isinstance(model, TableModel) else None


class _Counting:
    def __init__(self) -> None:
        self._counts = np.full(256, 0.5)
        self._total = 128.0

    def predict(self) -> Floats:
        return np.log(self._counts / self._total)

    def take(self, number: int) -> None:
        self._counts[number] += 1.0
        self._total += 1.0


class _Window:
    def __init__(self, model: Predictor, size: int) -> None:
        self._model, self._size = model, size
        self._before: list[int] = []

    def predict(self) -> Floats:
        return self._model.predict(np.array(self._before, dtype=np.int64))

    def take(self, number: int) -> None:
        self._before.append(number)
        del self._before[: -self._size]


class _History:
    """All that came, in an array that doubles when it is full."""

    def __init__(self, model: Predictor) -> None:
        self._model = model
        self._ids = np.zeros(1024, dtype=np.int64)
        self._size = 0

    def predict(self) -> Floats:
        return self._model.predict(self._ids[: self._size].copy())

    def take(self, number: int) -> None:
        if self._size == len(self._ids):
            self._ids = np.concatenate((self._ids, np.zeros_like(self._ids)))
        self._ids[self._size] = number
        self._size += 1
