"""The vocabulary of an n-gram model: all words of the text, the frequent ones, or those of a list."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from bitmeter import _core
from bitmeter._util.check import integer, items, shown
from bitmeter._util.files import as_path
from bitmeter.errors import EmptyError, InputError, InputTypeError
from bitmeter.text.corpus.readers import encode, file_blocks
from bitmeter.text.formats import SEPARATORS

__all__ = ["Vocabulary"]

_MOST = 2**31


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What decides whether a word of the text is known.

    Attributes
    ----------
    min_count
        Rarer words are unknown.
    size
        So many of the most frequent are known; of equally frequent ones those that come first in the text.
    words
        The known words, in the text or not.
    """

    min_count: int = 1
    size: int | None = None
    words: tuple[bytes, ...] | None = None

    @staticmethod
    def of(min_count: Any, size: Any, words: Any, *, unk_word: bool) -> Vocabulary:
        """Checked."""
        least = integer(min_count, "min_count", low=1, high=_MOST)
        most = None if size is None else integer(size, "vocab_size", low=1, high=_MOST)
        if words is None:
            return Vocabulary(least, most)
        if (least, most) != (1, None):
            message = "vocab lists the known words already; leave out min_count and vocab_size"
            raise InputError(message)
        return Vocabulary(words=_listed(words, unk_word=unk_word))

    @property
    def chosen(self) -> bool:
        """Whether words of the text may become unknown."""
        return self != Vocabulary()

    def apply(self, estimation: _core.NgramEstimation) -> None:
        """Settle the words of a text that was read."""
        if self.words is not None:
            joined = b"".join(self.words)
            stops = np.cumsum(np.fromiter(map(len, self.words), dtype=np.int64, count=len(self.words)))
            starts = np.concatenate(([0], stops[:-1])).astype(np.int64)
            table = _core.WordTable()
            table.add(joined, starts, stops)
            estimation.keep_listed(table)
        elif self.chosen:
            estimation.keep_frequent(self.min_count, _MOST if self.size is None else self.size)


def _listed(words: Any, *, unk_word: bool) -> tuple[bytes, ...]:
    """The words of a file (one per line) or of a list; each counts once, and the model's own names are left out."""
    own = {b"<s>", b"</s>"} | (set() if unk_word else {b"<unk>"})
    if isinstance(words, bytes | bytearray | memoryview):
        message = f"vocab is {shown(words)}; it must be the path of a file with a word a line, or a list of words"
        raise InputTypeError(message, value=words)
    named = isinstance(words, str | os.PathLike)
    found = _lines(str(as_path(words))) if named else _checked(words)
    kept = dict.fromkeys(word for word in found if word not in own)
    if not kept:
        message = f"vocab {str(words) if named else shown(words)} holds no word; a model knows at least one"
        raise EmptyError(message)
    return tuple(kept)


def _checked(words: Any) -> Iterator[bytes]:
    for i, word in enumerate(items(words, "vocab", "a list of words")):
        if not isinstance(word, str | bytes):
            message = f"vocab[{i}] is {shown(word)}; it must be a word: a string or bytes"
            raise InputTypeError(message, index=i, value=word)
        yield _word(encode(word) if isinstance(word, str) else word, f"vocab[{i}]")


def _lines(path: str) -> Iterator[bytes]:
    data = b"".join(file_blocks(path, 1 << 20))
    for number, line in enumerate(data.split(b"\n"), start=1):
        stripped = line.strip(SEPARATORS["kenlm"])
        if stripped:
            yield _word(stripped, f"{path}, line {number},")


def _word(word: bytes, where: str) -> bytes:
    if not word or len(word.translate(None, SEPARATORS["kenlm"])) < len(word):
        message = f"{where} is {word!r:.60}, which is not one word; white space separates words, so give one per line"
        raise InputError(message, value=word)
    return word
