"""An n-gram model of another program whose words are the tokens of a tokenizer, such as `en.arpa.bin` + `en.sp.model`.

Such a model was trained on texts in which the tokenizer's tokens stood between spaces, so that for the model they are
words. A text is split by the tokenizer, and each token is looked up as the word that it was in the training.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter._util.check import choice
from bitmeter.errors import ModelError
from bitmeter.models.ngram.files import CoreModel, content_mark, format_errors
from bitmeter.models.ngram.model import NGram
from bitmeter.models.ngram.units import BEGIN, END, UNKNOWN
from bitmeter.models.outcomes import Details
from bitmeter.models.protocols import OpenVocabulary, Options, Session, Traits
from bitmeter.models.session import Batch, End, Scored, UnitSession, Watch
from bitmeter.text.units.base import BLANK, Units
from bitmeter.text.units.named import units_of
from bitmeter.text.units.tokenizers import TokenUnits

__all__ = ["TokenisedNGram"]

_META = "\u2581".encode()
_NOTHING = np.zeros(0, dtype=np.int64)


class TokenisedNGram(OpenVocabulary):
    """An n-gram model of words, read through a tokenizer.

    Parameters
    ----------
    model
        The model: its path, or an `NGram` of words.
    units
        The tokenizer: "sentencepiece:FILE", "tokenizer:FILE", or such units.

    Examples
    --------
    >>> TokenisedNGram.__name__
    'TokenisedNGram'
    """

    name: str

    def __init__(self, model: Any, units: Any) -> None:
        ngram = model if isinstance(model, NGram) else NGram.load(model)
        if not ngram.of_words:
            message = f"{ngram.name} knows its own units; leave out --units"
            raise ModelError(message, value=ngram.name)
        self._units = units if isinstance(units, Units) else units_of(str(units))
        tokens = self._units.token_bytes
        if tokens is None:
            message = f"{self._units.name} has no tokens; units must be sentencepiece:FILE or tokenizer:FILE"
            raise ModelError(message, value=self._units.name)
        self._ngram, self._oov = ngram, "class"
        self.name = f"{ngram.name}+{self._units.name}"
        self._end = len(tokens)
        #: The model's word of each token, and last that of the end; tokens without text of their own are -1.
        self._words = np.concatenate((_words_of(ngram.form, tokens), [END])).astype(np.int64)
        self._found: dict[bytes, int] = {}
        self._normaliser = _normaliser(self._units)
        self._pieces = [(token or b"").replace(b" ", _META).decode("utf-8", "replace") for token in tokens]
        if not (self._words[:-1] > END).any():
            message = (
                f"none of the {len(tokens):,} tokens of {self._units.name} is a word of {ngram.name}, so the model was "
                "not trained on them; give the tokenizer of its training"
            )
            raise ModelError(message, value=self._units.name)

    @property
    def units(self) -> Units:
        """Those of the tokenizer."""
        return self._units

    @property
    def fingerprint(self) -> str:
        """Of the model, the tokenizer and what unknown units cost."""
        return f"ngram-{content_mark(self._ngram.form)}-{self._oov}-{self._units.fingerprint}"

    @property
    def traits(self) -> Traits:
        """The end of a sentence is predicted; unknown units cost their class."""
        return Traits(
            vocabulary=self._ngram.form.words - 1, is_distribution=self._ngram.is_distribution, end=End(self._end),
            oov=("class",),
        )  # fmt: skip

    def unknown(self, ids: Ids) -> Bools:
        """Which units are no word of the model."""
        return np.asarray((self._own(ids) <= BEGIN) & (np.asarray(ids) != BLANK))

    def with_oov(self, way: str) -> Self:
        """The same model with another cost for unknown units: "none" or "class"."""
        other = type(self).__new__(type(self))
        vars(other).update(vars(self))
        other._oov = choice(way, "oov", ("none", "class"))
        return other

    def open(self, options: Options = Options()) -> Session:  # noqa: B008
        """Begin a text."""
        return _TokenisedSession(self)

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """ln p of each token given those before it in its sentence; one without text of its own is unknown."""
        return self.scored(self._own(ids), np.asarray(bounds))

    def _own(self, ids: Ids) -> Ints:
        """The model's ids of tokens; `<unk>` for what has no text of its own."""
        found = np.asarray(ids)
        inside = (found >= 0) & (found < len(self._words))
        return np.maximum(np.where(inside, self._words[np.where(inside, found, 0)], UNKNOWN), UNKNOWN)

    def own_of(self, batch: Batch) -> Ints:
        """The model's ids of the units of a batch: what the tokenizer has no token for is looked up by its text."""
        split = batch.split
        own = self._own(split.ids)
        inside = (split.ids >= 0) & (split.ids < self._end)
        bare = np.flatnonzero(inside & (self._words[np.where(inside, split.ids, self._end)] < 0))
        for number in np.unique(np.searchsorted(split.bounds, bare, side="right") - 1).tolist():
            first, last = split.bounds[number], split.bounds[number + 1]
            places = [at for at in range(first, last) if self._is_bare(split.ids[at])]
            ids = split.ids[first:last].tolist()
            text = batch.data[split.cuts[first] : split.cuts[last]]
            spans = [batch.data[split.cuts[at] : split.cuts[at + 1]].strip(b" ") for at in places]
            for at, surface in zip(places, self._surfaces(text, ids) or spans, strict=True):
                own[at] = self._look_up(surface)
        return own

    def _is_bare(self, unit: int) -> bool:
        return 0 <= unit < self._end and self._words[unit] < 0

    def _surfaces(self, text: bytes, ids: list[int]) -> list[bytes] | None:
        """The text of each token that has none of its own: what is left of the normalised document between the others.

        None if the tokens do not make up the document after the tokenizer's own normalisation, as far as that is known
        by name.
        """
        if self._normaliser is None:
            return None
        pattern = "".join(
            "(.+?)" if self._is_bare(unit) else re.escape(self._pieces[unit]) for unit in ids if unit < self._end
        )
        found = re.fullmatch(pattern, self._normaliser(text.decode("utf-8", "replace")), re.DOTALL)
        return None if found is None else [surface.encode() for surface in found.groups()]

    def _look_up(self, text: bytes) -> int:
        if text not in self._found:
            if len(self._found) >= 1 << 16:
                self._found.clear()
            self._found[text] = _word(self._ngram.form, text)
        return self._found[text]

    def scored(self, own: Ints, bounds: Ints) -> Floats:
        """ln p of words by the model's ids, each sentence by itself."""
        with format_errors(self.name):
            return self._ngram.form.logprobs(
                np.ascontiguousarray(own), np.ascontiguousarray(bounds, dtype=np.int64), _NOTHING,
                self._oov == "class", self._ngram.threads,
            )  # fmt: skip


class _TokenisedSession(UnitSession):
    """Documents come whole, since a tokenizer needs all of one, so nothing is carried from batch to batch."""

    def __init__(self, model: TokenisedNGram) -> None:
        self._model = model

    def score(self, batch: Batch, details: int | None = None, watch: Watch | None = None) -> Scored:
        """ln p of each token; a document without one costs nothing but its end."""
        if details is not None:
            self.details(_NOTHING, _NOTHING, continues=False, alternatives=0)
        split = batch.split
        own = self._model.own_of(batch)
        there = split.ids != BLANK
        if there.all():
            return Scored(split, batch.blank, self._model.scored(own, split.bounds), owned=True)
        logs = np.zeros(len(own))
        bounds = np.concatenate(([0], np.cumsum(there)))[split.bounds]
        logs[there] = self._model.scored(own[there], bounds)
        return Scored(split, batch.blank, logs, owned=True)

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """ln p of each token."""
        return self._model.logprobs(ids, bounds)

    def details(self, ids: Ids, bounds: Ints, continues: bool, alternatives: int) -> Details:  # noqa: FBT001
        """Refused: the outcomes are words of the model, of which not each is a token."""
        message = f"{self._model.name} does not expose its next-token distribution"
        raise ModelError(message, value=self._model.name)


def _normaliser(units: Units) -> Callable[[str], str] | None:
    """What a SentencePiece model does to a document before it splits it, by the name in its file; None if unknown."""
    kind, _, _ = units.name.partition(":")
    if kind != "sentencepiece" or not isinstance(units, TokenUnits):
        return None
    try:
        with open(units.path, "rb") as file:
            found = _NORMALISERS.get(_normaliser_name(file.read()))
    except OSError:
        return None
    return None if found is None else lambda text: _spaced(found(text))


def _spaced(text: str) -> str:
    """White space as SentencePiece has it by default: single, none at the ends, one added at the beginning."""
    words = [word for word in re.split(r"[ \t\n\r]+", text) if word]
    return "".join("\u2581" + word for word in words)


_NORMALISERS: dict[bytes, Callable[[str], str]] = {
    b"identity": lambda text: text,
    b"nfkc": lambda text: unicodedata.normalize("NFKC", text),
    b"nmt_nfkc": lambda text: unicodedata.normalize("NFKC", text),
    b"nmt_nfkc_cf": lambda text: unicodedata.normalize("NFKC", text).casefold(),
    b"nfkc_cf": lambda text: unicodedata.normalize("NFKC", text).casefold(),
}


def _normaliser_name(data: bytes) -> bytes:
    """Field 1 of field 3 of the file, which is a message of Protocol Buffers; empty if it is not there."""
    spec = next((value for number, value in _message(data) if number == 3), b"")
    return next((value for number, value in _message(spec) if number == 1), b"")


def _message(data: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a message that are strings of bytes; what is not sound ends it."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        if key & 7 == 0:
            _, at = _varint(data, at)
        elif key & 7 == 2:
            size, at = _varint(data, at)
            yield key >> 3, data[at : at + size]
            at += size
        elif key & 7 in (1, 5):
            at += 8 if key & 7 == 1 else 4
        else:
            return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 70:
        value |= (data[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if data[at - 1] < 0x80:
            break
    return value, at


def _words_of(form: CoreModel, tokens: tuple[bytes | None, ...]) -> Ints:
    """The word of each token as it was written in the training; -1 for a token without text of its own."""
    found = np.full(len(tokens), -1, dtype=np.int64)
    first = _first_byte(tokens)
    for number, token in enumerate(tokens):
        if token is None:
            continue
        if first is not None and first <= number < first + 256:
            found[number] = _word(form, b"<0x%02X>" % (number - first))
        else:
            found[number] = _word(form, token.replace(b" ", _META))
    return found


def _first_byte(tokens: tuple[bytes | None, ...]) -> int | None:
    """Where the 256 tokens begin that stand for single bytes."""
    each = tuple(bytes([byte]) for byte in range(256))
    for first in range(min(len(tokens) - 255, 1024)):
        if tokens[first] == b"\0" and tokens[first : first + 256] == each:
            return first
    return None


def _word(form: CoreModel, text: bytes) -> int:
    return max(UNKNOWN, int(_core.ngram_id(form, text)))
