"""Unknown words of a network spelled, so that it is a distribution over byte strings like models of bytes.

What is paid beside the network is the same as beside an n-gram model of words: the bytes of unknown words, and white
space. Unlike there, the network goes on from one line to the next.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter.models.causal.stepping import NetworkStepper
from bitmeter.models.causal.trained.units import BEGIN, UNKNOWN_WORD
from bitmeter.models.ngram.model import NGram
from bitmeter.text.units.base import Split

if TYPE_CHECKING:
    from bitmeter import _core
    from bitmeter.models.causal.trained.scorer import NetworkStream

__all__ = ["SpelledNetworkStream", "WordStepper", "fit_spelling"]

Floats = NDArray[np.float64]


def fit_spelling(documents: Sequence[bytes]) -> NGram:
    """A model of single words, of which only how words are spelled and what stands between them is used."""
    return NGram(order=1, unk_word=True).fit(
        b"".join(document if document.endswith(b"\n") else document + b"\n" for document in documents)
    )


class WordStepper(NetworkStepper):
    """One document of lines, word by word."""

    def begin(self) -> None:
        """A new line: the network has been told of the end of the last one, and remembers what stood in it."""


class SpelledNetworkStream:
    """A text going past; it needs the bytes, not only the words' numbers.

    Parameters
    ----------
    plain
        The network's stream, with unknown words as their class.
    spelling
        What is paid beside it.
    words
        How many ids the network has.
    """

    def __init__(self, plain: NetworkStream, spelling: _core.Spelling, words: int) -> None:
        self._plain, self._spelling, self._words = plain, spelling, words

    def rate_text(self, data: bytes, split: Split, continues: bool, unfinished: bool) -> Floats:  # noqa: FBT001
        """ln p of each unit: its word, its spelling where it is unknown, its white space, and the line's end."""
        ids, _, owner, extra = self._spelling.expand(
            data,
            np.ascontiguousarray(split.ids, dtype=np.int64),
            np.ascontiguousarray(split.cuts),
            np.ascontiguousarray(split.bounds),
            self._words,
            continues,
            unfinished,
        )
        known = (ids > BEGIN) & (ids < self._words)
        bounds = np.searchsorted(owner, split.bounds).astype(np.int64)
        logs = self._plain.logprobs(np.where(known, ids, UNKNOWN_WORD), bounds, continues)
        return np.bincount(owner, weights=logs, minlength=len(extra)) + extra

    def logprobs(self, ids: NDArray[Any], bounds: NDArray[np.int64], continues: bool) -> Floats:  # noqa: FBT001
        """The words alone, an unknown one as its class: what can be said without the bytes."""
        return self._plain.logprobs(ids, bounds, continues)
