"""An n-gram model as an automaton, for decoders: the state after a prefix, and the transition by one word."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.check import items, shown
from bitmeter.errors import InputError, InputTypeError, RangeError, ShapeError
from bitmeter.models.ngram.base import NGramBase
from bitmeter.models.ngram.files import CoreModel, content_mark, format_errors
from bitmeter.text.corpus.readers import encode
from bitmeter.text.formats import SEPARATORS

__all__ = ["NGramState", "extend_many", "word_ids"]

END = 2


class NGramState:
    r"""The state of an n-gram model after some words: the longest suffix of them that it knows.

    Made by `NGram.begin`. A state never changes, and can be pickled with its model. Two are equal if no continuation
    can tell them apart by the model's n-grams, so that hypotheses of a decoder that reach equal states can be joined;
    they are hashable and small.

    Attributes
    ----------
    key
        The state as an integer, for `NGram.extend` and `NGram.at`.

    Examples
    --------
    >>> import bitmeter as bm
    >>> model = bm.NGram(order=2).fit(b"to be or not to be\nthat is the question\n")
    >>> logprob, state = model.begin().extend("to")
    >>> round(logprob, 4)
    -1.138
    >>> state == model.begin().extend("not")[1].extend("to")[1]  # a bigram model remembers one word
    True
    >>> round(state.finish(), 4)  # ln p of the end of the sentence
    -2.6528
    """

    __slots__ = ("_root", "key")

    def __init__(self, model: NGramBase, key: int, *, unknown_class: bool = True) -> None:
        self._root, self.key = _Root(model, unknown_class), key

    def extend(self, word: str | bytes | int | np.integer[Any]) -> tuple[float, NGramState]:
        """The natural logarithm of the probability of a word here, and the state after it.

        Parameters
        ----------
        word
            The word, or its id (see `NGram.word_id`). `</s>` is the end of the sentence. An empty string is a word that
            the model does not know, as in KenLM.
        """
        root = self._root
        try:
            logprob, key = root.step(self.key, word, root.unknown_class)
        except (TypeError, _core.NgramFormatError):
            logprob, key = self._step(word)
        after = _new(NGramState)
        after._root, after.key = root, key
        return logprob, after

    def _step(self, word: Any) -> tuple[float, int]:
        """The same for other kinds of words, and where something is wrong."""
        core = self._root.core
        number = word if type(word) is int else word_id(core, word)
        try:
            with format_errors(self._root.model.name):
                return _core.ngram_step(core, self.key, number, self._root.unknown_class)
        except TypeError as error:
            raise _too_large(core, "word", number) from error

    def finish(self) -> float:
        """The natural logarithm of the probability that the sentence ends here."""
        return self.extend(END)[0]

    @property
    def length(self) -> int:
        """How many words it remembers, the beginning of the sentence included."""
        return self.key >> 32

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, NGramState):
            return NotImplemented
        mine, its = self._root, other._root
        if self.key != other.key or mine.unknown_class != its.unknown_class:
            return False
        return mine.core is its.core or content_mark(mine.core) == content_mark(its.core)

    def __hash__(self) -> int:
        return hash(self.key)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restored, (self._root.model, self.key, self._root.unknown_class)

    def __repr__(self) -> str:
        return f"<NGramState {self.key & 0xFFFFFFFF} of length {self.length} in {self._root.model.name}>"


_new = NGramState.__new__


def _restored(model: NGramBase, key: int, unknown_class: bool) -> NGramState:  # noqa: FBT001
    """A state from its pickle."""
    return NGramState(model, key, unknown_class=unknown_class)


class _Root:
    """What all states that come of one beginning have in common."""

    __slots__ = ("core", "model", "step", "unknown_class")

    def __init__(self, model: NGramBase, unknown_class: bool) -> None:  # noqa: FBT001
        self.model, self.core, self.unknown_class = model, model.own_form, unknown_class
        self.step = querier_of(model).step


def querier_of(model: NGramBase) -> _core.NgramQuerier:
    """The query object for single sentences and words; made once."""
    if model._querier is None:
        model._querier = _core.NgramQuerier(model.form, SEPARATORS["kenlm"])
    return model._querier


def word_id(core: CoreModel, word: Any) -> int:
    """The id of a word, -1 if the model does not know it."""
    if isinstance(word, np.integer):
        return int(word)
    data = word if type(word) is bytes else encode(word) if isinstance(word, str) else None
    if data is None:
        message = f"word is {shown(word)}; it must be a string, bytes, or the id of a word"
        raise InputTypeError(message, value=word)
    found = _core.ngram_id(core, data)
    if found < 0 and data == b"</s>":
        return END
    if found < 0 and any(byte in SEPARATORS["kenlm"] for byte in data):
        message = f"word is {shown(word)}, which is not one word; extend by one word at a time"
        raise InputError(message, value=word)
    return found


def _too_large(core: _core.NgramModel | _core.CompactNgram, name: str, value: Any) -> RangeError:
    message = f"{name} is {shown(value)}; the id of a word is between 0 and {core.words - 1}, or -1 for unknown"
    return RangeError(message, value=value)


def word_ids(core: _core.NgramModel | _core.CompactNgram, words: Any) -> NDArray[np.int64]:
    """Words, or their ids, as ids."""
    if isinstance(words, np.ndarray) and words.dtype.kind in "iu":
        return np.ascontiguousarray(words, dtype=np.int64)
    if isinstance(words, str | bytes):
        message = f"words is {shown(words)}; it must be a list of words, or an array of their ids"
        raise InputTypeError(message, value=words)
    listed = list(items(words, "words", "a list of words"))
    numbers = [word if type(word) is int else word_id(core, word) for word in listed]
    try:
        return np.array(numbers, dtype=np.int64)
    except OverflowError as error:
        raise _too_large(core, "words", words) from error


def extend_many(
    model: NGramBase, states: Iterable[NGramState] | NDArray[np.uint64], words: Any, *, unknown_class: bool
) -> tuple[NDArray[np.float64], NDArray[np.uint64]]:
    """See `NGram.extend`."""
    core = model.own_form
    if isinstance(states, np.ndarray) and states.dtype.kind in "iu":
        keys = np.ascontiguousarray(states, dtype=np.uint64)
    else:
        listed = list(items(states, "states", "a list of states"))
        for i, state in enumerate(listed):
            if not isinstance(state, NGramState) or state._root.core is not core:
                message = f"states[{i}] is {shown(state)}; it must be a state of this model"
                raise InputTypeError(message, index=i, value=state)
        keys = np.array([state.key for state in listed], dtype=np.uint64)
    numbers = word_ids(core, words)
    if keys.ndim != 1 or keys.shape != numbers.shape:
        message = f"there are {keys.shape} states and {numbers.shape} words; give one word for each state"
        raise ShapeError(message)
    try:
        with format_errors(model.name):
            return _core.ngram_extend(core, keys, numbers, unknown_class, model.threads)
    except ValueError as error:
        if type(error) is not ValueError:
            raise
        message = "states holds an integer that is not a state of this model; take them from begin, extend or state.key"
        raise RangeError(message) from error
