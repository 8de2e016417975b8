"""The open vocabulary of a word model: unknown words are spelled, white space is paid for, newlines end sentences.

With it a model of words is a distribution over byte strings, and its bits a byte compare with any other model's. The
section that holds it is fitted whenever a model is estimated from text and follows the model in its .bmn file.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.errors import ModelError
from bitmeter.models.ngram.files import note
from bitmeter.models.outcomes import Details
from bitmeter.text.units.base import Split

Floats = NDArray[np.float64]
Bounds = NDArray[np.int64]
Expanded = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], Floats]
_END = 2
#: Of the model of bytes: five before each.
_ORDER = 6
_STAGES = ("sort", "grow", "link")


def fit_section(rare_words: bytes, gaps: _core.GapCounts, separators: bytes, threads: int) -> bytes:
    """The section of a model's file: white space as counted, and a model of the bytes of rare words."""
    spelled = rare_words or _every_byte(separators)
    letters = _core.NgramEstimation(b" \n", "reserved", threads=threads)
    letters.feed(spelled, _core.line_ends(spelled))
    letters.begin(_ORDER)
    for stage in _STAGES:
        getattr(letters, stage)()
    letters.weigh("modified-kneser-ney", math.nan, [])
    return gaps.section(letters.model(note(about="the bytes of rare words")))


def _every_byte(separators: bytes) -> bytes:
    """A text without words says nothing of spelling: any byte is as likely as another."""
    return b"".join(b"%02x\n" % byte for byte in range(256) if byte not in separators)


class SpelledStream:
    """A text going past a model whose unknown words are spelled; it needs the bytes, not only the words' numbers.

    Parameters
    ----------
    plain
        The same model's stream, with unknown words as their class.
    spelling
        What is paid beside it.
    words
        How many words the model has; ids beyond are unknown.
    """

    def __init__(self, plain: Any, spelling: _core.Spelling, words: int) -> None:
        self._plain, self._spelling, self._words = plain, spelling, words
        self._ended = False

    def rate_text(self, data: bytes, split: Split, continues: bool, unfinished: bool) -> Floats:  # noqa: FBT001
        """ln p of each unit: its word, its spelling where it is unknown, its white space, and the line's end."""
        ids, bounds, owner, extra = self._expanded(data, split, continues, unfinished)
        if not len(ids):
            return extra
        logs = self._plain.logprobs(ids, bounds, continues=continues and not self._ended)
        self._ended = bool(ids[-1] == _END)  # by a newline: what follows begins a sentence
        return np.bincount(owner, weights=logs, minlength=len(extra)) + extra

    @property
    def rates_bytes(self) -> bool:
        """Whether `rate_bytes` works: where the words are an n-gram model's own."""
        return hasattr(self._plain, "rate_spelled") and bool(self._plain.rates_bytes)

    def rate_bytes(
        self,
        data: bytes,
        ends: Bounds,
        finished: int,
        continues: bool,  # noqa: FBT001
        eos: str,
    ) -> tuple[Split, NDArray[np.bool_], Floats]:
        """See `ByteStream.rate_bytes`: the same units and figures as the way over `units.split` and `rate_text`."""
        goes_on = continues and not self._ended
        split, blank, logs, ended = self._plain.rate_spelled(
            self._spelling, data, ends, finished, continues, goes_on, eos
        )
        self._ended = self._ended if ended is None else ended
        return split, blank, logs

    def _expanded(self, data: bytes, split: Split, continues: bool, unfinished: bool) -> Expanded:  # noqa: FBT001
        return self._spelling.expand(
            data,
            np.ascontiguousarray(split.ids, dtype=np.int64),
            np.ascontiguousarray(split.cuts),
            np.ascontiguousarray(split.bounds),
            self._words,
            continues,
            unfinished,
        )

    def logprobs(self, ids: NDArray[Any], bounds: Bounds, continues: bool) -> Floats:  # noqa: FBT001
        """The words alone, an unknown one as its class: what can be said without the bytes."""
        logs: Floats = self._plain.logprobs(ids, bounds, continues)
        return logs

    def details_text(
        self,
        data: bytes,
        split: Split,
        continues: bool,  # noqa: FBT001
        unfinished: bool,  # noqa: FBT001
        alternatives: int,
    ) -> Details:
        """The whole prediction of each unit's word (or of the end, where it has none)."""
        if not hasattr(self._plain, "details"):
            message = "this model cannot tell what else it held likely; leave alternatives out"
            raise ModelError(message)
        ids, bounds, owner, extra = self._expanded(data, split, continues, unfinished)
        found: Details = self._plain.details(ids, bounds, continues and not self._ended, alternatives)
        size = len(extra)
        # The last of what a unit pays for that is a word, or else the last of all; white space alone is certain.
        chosen = np.full(size, -1, dtype=np.int64)
        chosen[owner] = np.arange(len(owner))
        words = np.flatnonzero(ids != _END)
        chosen[owner[words]] = words
        bare = chosen < 0
        return Details(
            np.where(bare, 0.0, _picked(found.entropy, chosen)),
            np.where(bare, 1, _picked(found.rank, chosen)),
            _picked(found.top, chosen),
            _picked(found.top_logprobs, chosen),
            found.names,
        )


def _picked(values: NDArray[Any], chosen: NDArray[np.int64]) -> NDArray[Any]:
    """Rows of an array; zeros where there are none to choose from."""
    if len(values) == 0:
        return np.zeros((len(chosen), *values.shape[1:]), dtype=values.dtype)
    return np.asarray(values[chosen])
