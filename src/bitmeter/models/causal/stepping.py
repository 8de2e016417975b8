"""A network going through a document token by token, with its keys and values kept.

The windows are those of scoring: when one is full, the next begins with the tokens that it shares with it, and is
computed anew. Nothing is ever dropped from within a window, because that would be another convention.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from bitmeter.errors import ModelError, RangeError
from bitmeter.models.causal.windows import Reading

__all__ = ["NetworkStepper"]


class Steps(Protocol):
    """A network that goes on from what it kept."""

    def step(self, ids: NDArray[np.int64], cache: Any) -> tuple[NDArray[np.float64], Any]:
        """Go on by some tokens: ln p of every id as the next, and what is to be kept."""


class NetworkStepper:
    """One document, from its beginning."""

    def __init__(self, rater: Steps, reading: Reading, size: int, name: str) -> None:
        if reading.kind in ("half", "rolling"):
            message = f"{name} cannot go token by token with ctx={reading}: what it sees depends on what comes later"
            raise ModelError(message)
        self._rater, self._reading, self._size, self._name = rater, reading, size, name
        self._lead = [] if reading.prefix is None else [reading.prefix]
        self._seen: list[int] = []  # the tokens of the current window
        self._cache: Any = None
        self._new = list(self._lead)  # tokens that the network has not seen yet
        self._ahead: NDArray[np.float64] | None = None

    def predict(self) -> NDArray[np.float64]:
        """ln p of each id as the next token."""
        if self._ahead is None:
            self._slide()
            if self._new:
                self._ahead, self._cache = self._rater.step(np.array(self._new, dtype=np.int64), self._cache)
                self._new = []
            else:  # nothing stands before: by the convention, all are as likely
                self._ahead = np.full(self._size, -np.log(self._size))
        return self._ahead

    def _slide(self) -> None:
        """Begin the next window if there is no room for another token in this one."""
        room = self._reading.window - len(self._lead)
        if not self._reading.window or len(self._seen) < room:
            return
        if self._reading.kind == "full":
            message = f"{self._name} sees {self._reading.window:,} tokens at once, and the document is longer"
            raise ModelError(message)
        self._seen = self._seen[self._reading.stride :]
        self._cache, self._new = None, self._lead + self._seen

    def take(self, number: int) -> None:
        """Tell which token came."""
        if not 0 <= number < self._size:
            message = f"the token is {number}; {self._name} has ids from 0 to {self._size - 1}"
            raise RangeError(message, value=number)
        self._seen.append(int(number))
        self._new.append(int(number))
        self._ahead = None
