"""Steppers of networks: token by token, with cached keys and values.

The windows are those of scoring: when one is full, the next begins with the tokens that it shares with it, and is
computed again. Nothing is ever dropped from within a window, because that would be another convention.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bitmeter.errors import ModelError, RangeError
from bitmeter.models.session import Stepper
from bitmeter.models.windows import Windowing

__all__ = ["NetworkStepper", "Stepping"]


class Stepping(Protocol):
    """A network with a cache."""

    def step(self, ids: NDArray[np.int64], cache: Any) -> tuple[NDArray[np.float64], Any]:
        """Process some tokens: ln p of every id as the next, and the new cache."""


class NetworkStepper(Stepper):
    """One document, from its beginning.

    Parameters
    ----------
    network
        Gives a network to step with; a copy of the stepper asks for another.
    windowing
        How long documents are laid out in windows.
    size
        How many token ids there are.
    name
        The model's, for messages.
    """

    def __init__(self, network: Callable[[], Stepping], windowing: Windowing, size: int, name: str) -> None:
        if windowing.kind in ("half", "rolling"):
            message = f"{name} cannot go token by token with ctx={windowing}: what it sees depends on what comes later"
            raise ModelError(message)
        self._make, self._windowing, self._size, self._name = network, windowing, size, name
        self._network = network()
        self._lead = list(windowing.before)
        self.begin()

    def begin(self) -> None:
        """Begin a new document."""
        self._seen: list[int] = []  # the tokens of the current window
        self._restart()

    def _restart(self) -> None:
        """Have the network process the current window again."""
        self._cache: Any = None
        self._new = self._lead + self._seen  # tokens that the network has not seen yet
        self._ahead: NDArray[np.float64] | None = None

    def copy(self) -> Self:
        """The same window, processed again: caches cannot be shared."""
        other = type(self)(self._make, self._windowing, self._size, self._name)
        other._seen = list(self._seen)
        other._restart()
        return other

    def predict(self) -> NDArray[np.float64]:
        """ln p of each id as the next token."""
        if self._ahead is None:
            self._slide()
            if self._new:
                self._ahead, self._cache = self._network.step(np.array(self._new, dtype=np.int64), self._cache)
                self._new = []
            else:  # no token before: by convention, all are equally likely
                self._ahead = np.full(self._size, -np.log(self._size))
        return self._ahead

    def _slide(self) -> None:
        """Begin the next window if there is no room for another token in this one."""
        room = self._windowing.window - len(self._lead)
        if not self._windowing.window or len(self._seen) < room:
            return
        if self._windowing.kind == "full":
            message = f"{self._name} sees {self._windowing.window:,} tokens at once, and the document is longer"
            raise ModelError(message)
        self._seen = self._seen[self._windowing.stride :]
        self._restart()

    def take(self, unit: int) -> None:
        """Take the token that came."""
        if not 0 <= unit < self._size:
            message = f"the token is {unit}; {self._name} has ids from 0 to {self._size - 1}"
            raise RangeError(message, value=unit)
        self._seen.append(int(unit))
        self._new.append(int(unit))
        self._ahead = None
