"""The open vocabulary of a word model: unknown words are spelled, white space is paid for, newlines end sentences.

With it a model of words is a distribution over byte strings, and its bits a byte compare with any other model's. The
section that holds it is fitted whenever a model is estimated from text and follows the model in its .bmn file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter.models.details import Details
from bitmeter.models.ngram_files import note, sound
from bitmeter.text.units import Split

if TYPE_CHECKING:
    from bitmeter.models.ngram import NGram

Floats = NDArray[np.float64]
Bounds = NDArray[np.int64]
_NOTHING = np.zeros(0, dtype=np.int64)
_END = 2
#: Of the model of bytes: five before each.
_ORDER = 6
_STAGES = ("sort", "grow", "link", "weigh")


def fit_section(rare_words: bytes, gaps: _core.GapCounts, separators: bytes, threads: int) -> bytes:
    """The section of a model's file: white space as counted, and a model of the bytes of rare words."""
    spelled = rare_words or _every_byte(separators)
    letters = _core.NgramEstimation(b" \n", False)
    letters.feed(spelled, _core.line_ends(spelled))
    letters.begin(_ORDER, threads)
    for stage in _STAGES:
        getattr(letters, stage)()
    return gaps.section(letters.model(note(about="the bytes of rare words")))


def _every_byte(separators: bytes) -> bytes:
    """A text without words says nothing of spelling: any byte is as likely as another."""
    return b"".join(b"%02x\n" % byte for byte in range(256) if byte not in separators)


class SpelledStream:
    """A text going past a model whose unknown words are spelled; it needs the bytes, not only the words' numbers."""

    def __init__(self, model: NGram, spelling: _core.Spelling) -> None:
        self._model, self._spelling = model, spelling
        self._before = _NOTHING
        self._plain = model.with_oov("class").stream()

    def rate_text(self, data: bytes, split: Split, continues: bool, unfinished: bool) -> Floats:  # noqa: FBT001
        """ln p of each unit: its word, its spelling where it is unknown, its white space, and the line's end."""
        model = self._model._fitted
        ids, bounds, owner, extra = self._spelling.expand(
            data,
            np.ascontiguousarray(split.ids, dtype=np.int64),
            np.ascontiguousarray(split.cuts),
            np.ascontiguousarray(split.bounds),
            model.words,
            continues,
            unfinished,
        )
        before = self._before if continues else _NOTHING
        with sound(self._model.name):
            logs = model.logprobs(ids, bounds, before, True, self._model.threads)
        self._remember(ids, bounds, before)
        return np.bincount(owner, weights=logs, minlength=len(extra)) + extra

    def _remember(self, ids: NDArray[np.int64], bounds: Bounds, before: NDArray[np.int64]) -> None:
        last = ids[bounds[-2] :] if len(bounds) > 1 else ids
        if len(last) and last[-1] == _END:
            self._before = _NOTHING
        else:
            self._before = np.concatenate((before, last) if len(bounds) <= 2 else (last,))[-self._model.order :]

    def logprobs(self, ids: NDArray[Any], bounds: Bounds, continues: bool) -> Floats:  # noqa: FBT001
        """The words alone, an unknown one as its class: what can be said without the bytes."""
        return self._plain.logprobs(ids, bounds, continues)

    def details(self, ids: NDArray[Any], bounds: Bounds, continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        """The whole prediction at each place, over words."""
        found = self._plain.details(ids, bounds, continues, alternatives)
        self._plain.logprobs(ids, bounds, continues)  # goes on, since rate_text does not move it
        return found
