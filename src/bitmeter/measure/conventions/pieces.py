r"""Words as lm-evaluation-harness counts them: the pieces between runs of white space, empty ones at the edges too."""

from __future__ import annotations

import codecs
import re

import numpy as np
from numpy.typing import NDArray

__all__ = ["PieceCounter"]

_SPACE = re.compile(r"\s+")


class PieceCounter:
    r"""Counts `len(re.split(r"\s+", document))` over the documents of a text that comes in pieces.

    Examples
    --------
    >>> counter = PieceCounter()
    >>> counter.add(b" two words \n", np.array([12]))
    >>> counter.finished()
    4
    """

    def __init__(self) -> None:
        self._total = 0
        self._begin()

    def _begin(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
        self._in_space = self._open = False

    def add(self, data: bytes, ends: NDArray[np.int64]) -> None:
        """Take the next bytes; documents end at `ends`, and what follows goes on in the next call."""
        start = 0
        for end in ends.tolist():
            self._feed(data[start:end], final=True)
            self._total += 1
            self._begin()
            start = end
        if start < len(data):
            self._feed(data[start:], final=False)

    def _feed(self, data: bytes, *, final: bool) -> None:
        text = self._decoder.decode(data, final)
        self._open = self._open or bool(data)
        if not text:
            return
        runs = sum(1 for _ in _SPACE.finditer(text))
        self._total += runs - (self._in_space and text[0].isspace())
        self._in_space = text[-1].isspace()

    def finished(self) -> int:
        """The count, with that of a document that is still open."""
        return self._total + self._open
