"""Fast queries of n-gram models of words: a whole text as arrays, one sentence, one more word."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bitmeter import _core
from bitmeter._util.check import choice, flag, integer, shown
from bitmeter.errors import InputTypeError, ModelError, RangeError
from bitmeter.models.ngram.base import NGramBase
from bitmeter.models.ngram.files import format_errors
from bitmeter.models.ngram.session import ModelWords, NGramSession
from bitmeter.models.ngram.state import NGramState, extend_many, querier_of, word_id
from bitmeter.models.protocols import SentenceScorer
from bitmeter.models.scored_text import ScoredText
from bitmeter.text.blocks import cut_corpus
from bitmeter.text.boundaries import sentences_of
from bitmeter.text.corpus.corpus import Corpus
from bitmeter.text.corpus.readers import encode
from bitmeter.text.formats import COMPRESSIONS, is_url, kind_of
from bitmeter.text.units.base import UNKNOWN

__all__ = ["NGramQuery"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

#: Bytes of a text that are scored at once where it is not in memory as a whole.
_BLOCK = 1 << 22
_EOS = ("yes", "no", "nonblank")
_OOV = ("class", "none")
#: The default of oov, compared with `is` to skip validation on the hot path.
_CLASS = "class"


class NGramQuery(NGramBase, SentenceScorer):
    """What `NGram` offers beside the protocol of models."""

    def score(
        self, text: Any, *, docs: str | None = None, field: str | None = None, eos: str = "yes", oov: str = _CLASS
    ) -> ScoredText:
        r"""What each word of a text costs, as arrays: no intervals, no signature, as fast as it goes.

        Parameters
        ----------
        text
            A path, a pattern, a folder, an address, a list of those, a Corpus, or bytes (the text itself).
        docs
            What a sentence is: "line" (the default for plain text), "blank", "file" or "record".
        field
            The field of JSON lines or the column of Parquet that holds the text.
        eos
            Whether the end of each sentence is predicted and counted: "yes", "no", or "nonblank".
        oov
            A word that the model does not know costs its class `<unk>` ("class") or is impossible ("none").

        Returns
        -------
        ScoredText
            Log-probabilities in nats, word ids, byte offsets and sentence bounds.

        Examples
        --------
        >>> import bitmeter as bm
        >>> model = bm.NGram(order=2).fit(b"to be or not to be\nthat is the question\n")
        >>> scored = model.score(b"to be\nor what\n")
        >>> scored.ids.tolist(), scored.bounds.tolist(), scored.cuts.tolist()
        ([3, 4, 2, 5, -1, 2], [0, 3, 6], [0, 3, 6, 6, 9, 14, 14])
        >>> scored.logprobs.round(3).tolist()
        [-1.138, -0.602, -1.138, -3.042, -3.689, -1.96]
        """
        model = _of_words(self)
        session = NGramSession(model, oov=oov if oov is _CLASS else choice(oov, "oov", _OOV))
        choice(eos, "eos", _EOS)
        data = _in_memory(text, docs, field)
        if data is not None:
            ends = _core.line_ends(data)
            if data and not data.endswith(b"\n"):
                ends = np.concatenate((ends, np.array([len(data)], dtype=np.int64)))
            split, blank, logs = session.score_bytes(data, ends, len(ends), False, eos)
            logs = _without_blanks(logs, blank)
            return ScoredText(logs, split.ids, split.cuts, split.bounds, blank, model.is_distribution)
        corpus = text if isinstance(text, Corpus) else sentences_of(text, docs=docs, field=field)
        return replace(_scored_corpus(session, corpus, model.units, eos), is_distribution=model.is_distribution)

    def logprob(self, sentence: str | bytes, *, eos: bool = True, oov: str = _CLASS) -> float:
        r"""The natural logarithm of the probability of one sentence; quick enough to be called a million times.

        Parameters
        ----------
        sentence
            Words with white space between them, without `<s>` and `</s>`.
        eos
            Count the end of the sentence too.
        oov
            A word that the model does not know costs its class `<unk>` ("class") or is impossible ("none").

        Examples
        --------
        >>> import bitmeter as bm
        >>> model = bm.NGram(order=2).fit(b"to be or not to be\nthat is the question\n")
        >>> round(model.logprob("to be"), 4)
        -2.878
        """
        querier = self._querier or querier_of(_of_words(self))
        ended, unknown_class = eos is True or flag(eos, "eos"), oov is _CLASS or _class_of(oov)
        try:
            return querier.sentence(sentence, ended, unknown_class)
        except TypeError:
            if not isinstance(sentence, str):
                message = f"sentence is {shown(sentence)}; it must be a string or bytes"
                raise InputTypeError(message, value=sentence) from None
            return querier.sentence(encode(sentence), ended, unknown_class)  # it has lone surrogates
        except _core.NgramFormatError:
            with format_errors(_of_words(self).name):
                raise

    def begin(self, *, bos: bool = True, oov: str = "class") -> NGramState:
        """The state before the first word of a sentence, from which a decoder goes on word by word.

        Parameters
        ----------
        bos
            Whether the sentence begins here. Otherwise nothing is known of what came before (KenLM's null context).
        oov
            A word that the model does not know costs its class `<unk>` ("class") or is impossible ("none").

        Examples
        --------
        >>> import bitmeter as bm
        >>> model = bm.NGram(order=2).fit(b"to be or not to be")
        >>> logprob, state = model.begin().extend("to")
        """
        key = _core.ngram_begin() if flag(bos, "bos") else _core.ngram_null()
        return NGramState(_of_words(self), key, unknown_class=_class_of(oov))

    def at(self, key: int, *, oov: str = "class") -> NGramState:
        """The state of a key that `NGram.extend` gave.

        Examples
        --------
        >>> import bitmeter as bm
        >>> model = bm.NGram(order=2).fit(b"to be or not to be")
        >>> model.at(model.begin().key) == model.begin()
        True
        """
        number = integer(key, "key", low=0, high=2**64 - 1)
        state = NGramState(_of_words(self), number, unknown_class=_class_of(oov))
        try:
            _core.ngram_step(state._root.core, number, UNKNOWN, True)
        except _core.NgramFormatError:
            with format_errors(state._root.model.name):
                raise
        except ValueError as error:
            message = (
                f"key is {shown(key)}, which is not a state of this model; take it from begin, extend or state.key"
            )
            raise RangeError(message, value=key) from error
        return state

    def extend(
        self, states: Iterable[NGramState] | NDArray[np.uint64], words: Any, *, oov: str = "class"
    ) -> tuple[Floats, NDArray[np.uint64]]:
        r"""Many states extended at once, each by its own word.

        Parameters
        ----------
        states
            States, or an array of their keys.
        words
            As many words, or an array of their ids; 2 is the end of a sentence.
        oov
            A word that the model does not know costs its class `<unk>` ("class") or is impossible ("none").

        Returns
        -------
        tuple
            The natural logarithm of each probability, and the keys of the states after. Equal keys are equal states.

        Examples
        --------
        >>> import bitmeter as bm
        >>> model = bm.NGram(order=2).fit(b"to be or not to be\nthat is the question\n")
        >>> logs, keys = model.extend([model.begin()] * 2, ["to", "that"])
        >>> logs.round(3).tolist(), model.extend(keys, ["be", "is"])[0].round(3).tolist()
        ([-1.138, -1.212], [-0.602, -0.602])
        """
        model = _of_words(self)
        return extend_many(model, states, words, unknown_class=_class_of(oov))

    def word_id(self, word: str | bytes) -> int:
        """The id of a word in `predict`, `extend` and `score`; -1 if the model does not know it.

        Examples
        --------
        >>> import bitmeter as bm
        >>> model = bm.NGram(order=2).fit(b"to be or not to be")
        >>> model.word_id("be"), model.word_id("see")
        (4, -1)
        """
        return word_id(_of_words(self).form, word)


def _class_of(oov: Any) -> bool:
    """Whether unknown words cost their class."""
    return (type(oov) is str and oov == "class") or choice(oov, "oov", _OOV) == "class"


def _of_words(model: NGramBase) -> NGramBase:
    """The model itself, if its units are words."""
    if not isinstance(model.units, ModelWords):
        message = f"{model.name} is a model of {model.units.name}; this is for models of words. Use bitmeter.score"
        raise ModelError(message)
    return model


def _in_memory(text: Any, docs: Any, field: Any) -> bytes | None:
    """The bytes of a text of lines that needs no reader."""
    if not (docs is None or (isinstance(docs, str) and docs == "line")) or field is not None:
        return None
    if isinstance(text, bytes):
        return text
    if isinstance(text, bytearray | memoryview):
        return bytes(text)
    if not isinstance(text, str | os.PathLike) or isinstance(name := os.fspath(text), bytes) or "\0" in name:
        return None
    if name == "-" or is_url(name) or kind_of(name) != "text" or name.lower().endswith(tuple(COMPRESSIONS)):
        return None
    try:
        with open(name, "rb") as file:
            return file.read()
    except (OSError, ValueError):
        return None  # the reader of corpora says what is wrong


def _without_blanks(logs: Floats, blank: NDArray[np.bool_]) -> Floats:
    logs[blank] = 0.0
    return logs


def _scored_corpus(session: NGramSession, corpus: Corpus, units: Any, eos: str) -> ScoredText:
    parts: list[ScoredText] = []
    units_before, cut = 0, np.zeros(0, dtype=np.int64)
    bounds = [np.zeros(1, dtype=np.int64)]
    for piece in cut_corpus(corpus, units, _BLOCK):
        split, blank, logs = session.score_bytes(piece.data, piece.all_ends, len(piece.ends), piece.continues, eos)
        ends = split.bounds[1:] + units_before
        bounds.append(ends[:-1] if piece.unfinished else ends)
        parts.append(
            ScoredText(_without_blanks(logs, blank), split.ids, split.cuts + piece.offset, split.bounds, blank)
        )
        units_before += len(split.ids)
        cut = parts[-1].cuts[-1:]
    if not parts:
        return ScoredText(np.zeros(0), np.zeros(0, np.int64), np.zeros(1, np.int64), bounds[0], np.zeros(0, np.bool_))
    return ScoredText(
        np.concatenate([part.logprobs for part in parts]),
        np.concatenate([part.ids for part in parts]),
        np.concatenate([*(part.cuts[:-1] for part in parts), cut]),
        np.concatenate(bounds),
        np.concatenate([part.blank for part in parts]),
    )
