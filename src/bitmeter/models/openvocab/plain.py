"""Any predictor of words with an open vocabulary: unknown words are spelled, so that texts can be compressed by it.

What is paid beside the words is the same as for an n-gram model: the bytes of unknown words, and white space. Each line
is a sentence, which the predictor sees as a document of its own.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Self

import numpy as np

from bitmeter import _core
from bitmeter._util.arrays import Bools, Floats, Ids, Ints
from bitmeter._util.check import choice
from bitmeter.errors import ModelError
from bitmeter.models.coder import Coder, CodeWatch
from bitmeter.models.machine import Machine, machine_of
from bitmeter.models.openvocab.coder import SpelledCoder
from bitmeter.models.openvocab.words import SpelledSession
from bitmeter.models.outcomes import Outcomes
from bitmeter.models.protocols import Codes, NGramLike, OpenVocabulary, Options, Predictor, Traits
from bitmeter.models.session import End, PredictingSession, Session, Stepper
from bitmeter.text.units.base import BLANK
from bitmeter.text.units.words import Words

__all__ = ["OpenWords"]

_UNKNOWN, _BEGIN, _END = 0, 1, 2
_RESERVED = (b"<unk>", b"<s>", b"</s>")


class OpenWords(Predictor, OpenVocabulary, Codes):
    """A predictor of words that also spells unknown ones.

    Parameters
    ----------
    model
        Its units are `Words` with a vocabulary, and its outcomes are the same words in the same order: `<unk>` (any
        unknown word), `<s>` (never predicted), `</s>` (the end of a sentence), then the words that it knows.
    spelling
        An n-gram model of words, of which only the spelling of words and the white space between them is used.
    oov
        What unknown words cost: "none", "class" or "spelled".
    """

    name: str
    units: Words

    def __init__(self, model: Predictor, spelling: NGramLike, oov: str = "none") -> None:
        names = model.outcomes.names
        units = model.units
        if not isinstance(units, Words) or names[:3] != _RESERVED or not _numbered(units, names):
            message = (
                f"{model.name} has a spelling, so its units must be Words whose vocabulary is its outcomes in their "
                f"order (outcome_names), of which the first are <unk>, <s> and </s>; found {units.name} and "
                f"{names[:4]!r:.60}"
            )
            raise ModelError(message, value=model.name)
        self.name, self.units = model.name, units
        self._model, self._source = model, spelling
        self._names, self._oov = names, oov

    @property
    def spelling(self) -> _core.Spelling:
        """What the bytes of unknown words cost, and the white space around words."""
        return self._source.spelling

    @property
    def machine(self) -> Machine:
        """That of the model; logarithms of spellings are numpy's."""
        return {**machine_of("numpy"), **self._model.machine}

    @property
    def fingerprint(self) -> str:
        """That of the model, with what unknown words cost."""
        spelled = f"-{self.spelling.fingerprint():016x}" if self._oov == "spelled" else ""
        return f"{self._model.fingerprint}-{self._oov}{spelled}"

    @property
    def traits(self) -> Traits:
        """Those of the model, with the ends of sentences and an open vocabulary."""
        return replace(self._model.traits, vocabulary=len(self._names) - 1, end=End(_END), oov=("class", "spelled"))

    @property
    def outcomes(self) -> Outcomes:
        """`<unk>`, `<s>`, `</s>`, and the words."""
        return Outcomes(len(self._names), self._outcome_ids, lambda: self._names, self.entries)

    def _outcome_ids(self) -> Ints:
        ids = np.arange(len(self._names), dtype=np.int64)
        ids[[_UNKNOWN, _BEGIN]] = -1
        return ids

    def entries(self, ids: Ids) -> Ints:
        """The entry of each id: its own, or that of `<unk>`."""
        found = np.asarray(ids, dtype=np.int64)
        return np.where((found > _BEGIN) & (found < len(self._names)), found, _UNKNOWN)

    def unknown(self, ids: Ids) -> Bools:
        """Which words the model does not know."""
        return np.asarray((self.entries(ids) == _UNKNOWN) & (np.asarray(ids) != BLANK))

    def with_oov(self, way: str) -> Self:
        """The same model with another cost for unknown words."""
        other = copy.copy(self)
        other._oov = choice(way, "oov", ("none", "class", "spelled"))
        return other

    def priced(self, ids: Ids, logs: Floats) -> Floats:
        """Unknown words are impossible unless their class or spelling is asked for."""
        return np.where(self.unknown(ids), -np.inf, logs) if self._oov == "none" else logs

    def open(self, options: Options = Options()) -> Session:  # noqa: B008
        """Begin a text."""
        session = self._session()
        return SpelledSession(session, self.spelling, len(self._names)) if self._oov == "spelled" else session

    def _session(self) -> OpenWordsSession:
        session = self._model.open()
        if not isinstance(session, PredictingSession):
            message = f"{self.name} has sessions that do not predict, so its unknown words cannot be spelled"
            raise ModelError(message, value=self.name)
        return OpenWordsSession(self, session)

    def logprobs(self, ids: Ids, bounds: Ints) -> Floats:
        """ln p of each word; an unknown one that is spelled as its class."""
        return self._session().logprobs(ids, bounds, continues=False)

    def stepper(self) -> OpenWordsStepper:
        """Begin a sentence word by word."""
        return OpenWordsStepper(self, self._model.stepper())

    def coder(self, watch: CodeWatch | None = None) -> Coder:
        """Word by word; unknown words and white space are spelled."""
        return SpelledCoder(self.name, self.stepper(), self._names, self.spelling, self.units.separators, watch)


def _numbered(units: Words, names: tuple[bytes, ...]) -> bool:
    """Whether each name is one word, and its id is its index."""
    return np.array_equal(units.split(b" ".join(names)).ids, np.arange(len(names)))


class OpenWordsSession(PredictingSession):
    """Scores a text; the model sees unknown words as `<unk>`, and no blank documents."""

    def __init__(self, model: OpenWords, session: PredictingSession) -> None:
        self._model, self._session = model, session

    @property
    def outcomes(self) -> Outcomes:
        """Those of the model."""
        return self._model.outcomes

    def stepper(self) -> OpenWordsStepper:
        """Goes on from here."""
        return OpenWordsStepper(self._model, self._session.stepper())

    def logprobs(self, ids: Ids, bounds: Ints, continues: bool) -> Floats:  # noqa: FBT001
        """ln p of each word."""
        kept = np.asarray(ids) != BLANK
        offsets = np.concatenate(([0], np.cumsum(kept))).astype(np.int64)
        logs = np.zeros(len(kept))
        logs[kept] = self._session.logprobs(self._model.entries(ids)[kept], offsets[bounds], continues)
        return self._model.priced(ids, logs)


class OpenWordsStepper(Stepper):
    """A model of words, one word after the other; after the end of a sentence, the next begins."""

    def __init__(self, model: OpenWords, stepper: Stepper) -> None:
        self._model, self._stepper = model, stepper

    def begin(self) -> None:
        """Begin a sentence."""
        self._stepper.begin()

    def predict(self) -> Floats:
        """ln p of each outcome."""
        return self._stepper.predict()

    def take(self, unit: int) -> None:
        """Take the id of a word, or of the end of a sentence."""
        entry = int(self._model.entries(np.array([unit], dtype=np.int64))[0])
        if entry == _END:
            self.begin()
        else:
            self._stepper.take(entry)

    def copy(self) -> Self:
        """Another stepper in the same state."""
        return type(self)(self._model, self._stepper.copy())
