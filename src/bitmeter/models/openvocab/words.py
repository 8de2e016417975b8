"""The open vocabulary of a word model: unknown words are spelled, white space is paid for, newlines end sentences.

With it a model of words is a distribution over byte strings, and its bits per byte compare with any other model's. The
section that holds it is fitted whenever a model is estimated from text and follows the model in its .bmn file.
"""

from __future__ import annotations

import math

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Floats, Ids, Ints
from bitmeter.models.ngram.files import metadata
from bitmeter.models.ngram.session import NGramSession
from bitmeter.models.outcomes import Details
from bitmeter.models.session import Batch, Scored, Session, Totals, UnitSession, Watch
from bitmeter.text.units.base import Split

__all__ = ["SpelledNGramSession", "SpelledSession", "expand", "fit_section"]

Expanded = tuple[Ints, Ints, Ints, Floats]
_END = 2
#: Of the model of bytes: five before each.
_ORDER = 6


def fit_section(
    rare_words: bytes, gaps: _core.GapCounts, separators: bytes, threads: int, memory: int = 0, folder: str = ""
) -> bytes:
    """The section of a model's file: white space as counted, and a model of the bytes of rare words.

    Beyond so many bytes of memory (0: no limit), n-grams of bytes are sorted in files of a folder.
    """
    spelled = rare_words or _every_byte(separators)
    letters = _core.NgramEstimation(b" \n", "reserved", memory, folder, threads)
    letters.feed(spelled, _core.line_ends(spelled))
    letters.begin(_ORDER)
    letters.sort()
    letters.grow()
    letters.link()
    letters.weigh("modified-kneser-ney", math.nan, [])
    return gaps.section(letters.model(metadata(about="the bytes of rare words")))


def _every_byte(separators: bytes) -> bytes:
    """A text without words says nothing about spelling: all bytes are equally likely."""
    return b"".join(b"%02x\n" % byte for byte in range(256) if byte not in separators)


def expand(spelling: _core.Spelling, words: int, batch: Batch, split: Split) -> Expanded:
    """What units pay for: word ids, sentence bounds, the unit that owns each id, and ln p beside those of words."""
    return spelling.expand(
        batch.data,
        np.ascontiguousarray(split.ids, dtype=np.int64),
        np.ascontiguousarray(split.cuts),
        np.ascontiguousarray(split.bounds),
        words,
        batch.continues,
        batch.unfinished,
    )


class SpelledSession(Session):
    """Scores a text with unknown words spelled; needs the bytes, not only the ids of words.

    Parameters
    ----------
    plain
        The same model's session, with unknown words as their class.
    spelling
        What is paid beside it.
    words
        How many words the model has; ids beyond are unknown.
    """

    def __init__(self, plain: UnitSession, spelling: _core.Spelling, words: int) -> None:
        self._plain, self._spelling, self._words = plain, spelling, words
        self._ended = False

    def score(self, batch: Batch, details: int | None = None, watch: Watch | None = None) -> Scored:
        """ln p of each unit: its word, its spelling where it is unknown, its white space, and the line's end."""
        split = batch.split
        ids, bounds, owner, extra = expand(self._spelling, self._words, batch, split)
        goes_on = batch.continues and not self._ended
        found = None
        if details is not None:
            found = _by_unit(self._plain.details(ids, bounds, goes_on, details, watch), ids, owner, len(extra))
        if not len(ids):
            return Scored(split, batch.blank, extra, found)
        logs = self._plain.logprobs(ids, bounds, goes_on)
        self._ended = bool(ids[-1] == _END)  # by a newline: what follows begins a sentence
        return Scored(split, batch.blank, np.bincount(owner, weights=logs, minlength=len(extra)) + extra, found)


class SpelledNGramSession(SpelledSession):
    """The same for an n-gram model, which splits, scores and spells in one pass over the bytes."""

    def __init__(self, plain: NGramSession, spelling: _core.Spelling, words: int) -> None:
        super().__init__(plain, spelling, words)
        self._ngram = plain

    def copy(self) -> SpelledNGramSession:
        """The same point of the text, to go on apart."""
        other = SpelledNGramSession(self._ngram.copy(), self._spelling, self._words)
        other._ended = self._ended
        return other

    def score(self, batch: Batch, details: int | None = None, watch: Watch | None = None) -> Scored:
        """The same figures as by way of the units."""
        if details is not None:
            return super().score(batch, details, watch)
        goes_on = batch.continues and not self._ended
        split, blank, logs, ended = self._ngram.score_spelled(self._spelling, batch, goes_on=goes_on)
        self._ended = self._ended if ended is None else ended
        return Scored(split, blank, logs, owned=True)

    def totals(self, batch: Batch) -> Totals | None:
        """Summed up where the units are still in the processor's cache."""
        if batch.context is not None or batch.continues or batch.unfinished:
            return None
        return self._ngram.spelled_totals(self._spelling, batch)


def _by_unit(found: Details, ids: Ints, owner: Ints, size: int) -> Details:
    """The details of each unit's word, or of the end where it has none; white space alone is certain."""
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


def _picked(values: Ids, chosen: Ints) -> Ids:
    """Rows of an array; zeros where there are none to choose from."""
    if len(values) == 0:
        return np.zeros((len(chosen), *values.shape[1:]), dtype=values.dtype)
    return np.asarray(values[chosen])
