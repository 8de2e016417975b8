"""Unknown words of a network spelled, so that it is a distribution over byte strings like models of bytes.

What is paid beside the network is the same as beside an n-gram model of words: the bytes of unknown words, and white
space. Unlike there, the network goes on from one line to the next.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bitmeter import _core
from bitmeter.errors import ModelError
from bitmeter.models.causal.trained.units import BEGIN, UNKNOWN_WORD
from bitmeter.models.ngram.model import NGram
from bitmeter.models.openvocab.words import expand
from bitmeter.models.session import Batch, Scored, Session, UnitSession, Watch

__all__ = ["SpelledNetworkSession", "fit_spelling"]


def fit_spelling(documents: Sequence[bytes]) -> NGram:
    """A model of single words, of which only how words are spelled and what stands between them is used."""
    return NGram(order=1, unk_word=True).fit(
        b"".join(document if document.endswith(b"\n") else document + b"\n" for document in documents)
    )


class SpelledNetworkSession(Session):
    """A text going past; it needs the bytes, not only the ids of words.

    Parameters
    ----------
    plain
        The network's session, with unknown words as their class.
    spelling
        What is paid beside it.
    words
        How many ids the network has.
    """

    def __init__(self, plain: UnitSession, spelling: _core.Spelling, words: int) -> None:
        self._plain, self._spelling, self._words = plain, spelling, words

    def score(self, batch: Batch, details: int | None = None, watch: Watch | None = None) -> Scored:
        """ln p of each unit: its word, its spelling where it is unknown, its white space, and the line's end."""
        if details is not None:
            message = "a network whose unknown words are spelled gives no details; use oov='class', or leave them out"
            raise ModelError(message)
        split = batch.split
        ids, _, owner, extra = expand(self._spelling, self._words, batch, split)
        known = (ids > BEGIN) & (ids < self._words)
        bounds = np.searchsorted(owner, split.bounds).astype(np.int64)
        logs = self._plain.logprobs(np.where(known, ids, UNKNOWN_WORD), bounds, batch.continues)
        return Scored(split, batch.blank, np.bincount(owner, weights=logs, minlength=len(extra)) + extra)
